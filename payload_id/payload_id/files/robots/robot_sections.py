"""Sections of a robot file: where joint states and commands go, tracking, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arm.effort_scale import JOINT_STATES, EffortScale, Scales
from ...core.arrays import Array, BoolArray
from ...core.errors import ConfigurationError, InputError
from ...core.motion.limits import MotionLimits
from ...core.safety.speed.speed_limits import SpeedLimits
from ...core.safety.tube.tracking_tube import TrackingTube

TURNS = 10.0 * np.pi  # [rad] that no joint with ends turns either way
LONGEST = 30.0  # [m] that none slides
UNLIMITED_FROM = 1e4  # [rad or m], with which joints without ends are often written


@dataclass(frozen=True)
class JointStateSource:
    """Where measurements come from.

    Attributes:
        topic: Topic of sensor_msgs/JointState.
        rate: Rate at which it is published [Hz].
        reliability: "best_effort" or "reliable", for the subscription.
        turns: "wrapped" or "counted": positions of continuous joints.
    """

    topic: str
    rate: float
    reliability: str
    turns: str = "wrapped"


@dataclass(frozen=True, eq=False)
class EffortSource:
    """How JointState.effort becomes joint torque.

    Attributes:
        source: "torque" [N m], "current" [A] or "none".
        sign: 1 or -1 for each joint, shape (n,).
        offset: Known offset of the torque, shape (n,) [N m].
        torque_constants: Joint torque per ampere, shape (n,) [N m/A]; None unless source is
            "current".
    """

    source: str
    sign: Array
    offset: Array
    torque_constants: Array | None

    @classmethod
    def from_entries(cls, entries: Mapping[str, Any], n: int, path: Path) -> EffortSource:
        """Build from the section of a robot file with n joints.

        Raises:
            ConfigurationError: A sign is not 1 or -1, or constants do not go with the source.
        """
        source, constants = entries["source"], entries["torque_constants"]
        sign = np.ones(n) if entries["sign"] is None else np.array(entries["sign"])
        offset = np.zeros(n) if entries["offset"] is None else np.array(entries["offset"])
        if not (np.abs(sign) == 1.0).all():
            raise ConfigurationError(
                f"'effort.sign' in {path.name} must be 1 or -1 for each joint; found "
                f"{sign.tolist()}."
            )
        if (source == "current") != (constants is not None):
            raise ConfigurationError(
                f"'effort.torque_constants' in {path.name} must be given if, and only if, "
                f"'effort.source' is 'current'; found source '{source}' and constants "
                f"{'null' if constants is None else list(constants)}."
            )
        return cls(source, sign, offset, None if constants is None else np.array(constants))

    @property
    def factor(self) -> Array:
        """Factor from effort to torque, shape (n,) [- or N m/A]."""
        return self.sign * (1.0 if self.torque_constants is None else self.torque_constants)

    @property
    def scales(self) -> Scales:
        """The same, as what is learnt of the arm keeps it."""
        scale = EffortScale(tuple(self.factor.tolist()), tuple(self.offset.tolist()))
        return {JOINT_STATES: scale}

    def torque(self, effort: Array) -> Array:
        """Return the torque that the actuators apply, positive about the joint axes.

        Args:
            effort: What JointState.effort holds, shape (..., n) [N m or A].

        Returns:
            tau: sign * effort - offset; a current is first multiplied by its torque constant,
                shape (..., n) [N m].

        Raises:
            InputError: The robot gives no useful effort.
        """
        if self.source == "none":
            raise InputError(
                "This robot file says 'effort.source: none': JointState.effort holds no torque. "
                "Use a wrench sensor, or set the source to 'torque' or 'current'."
            )
        return np.asarray(self.factor * effort - self.offset, dtype=float)


@dataclass(frozen=True)
class CommandTarget:
    """Where motion goes.

    Attributes:
        trajectory_topic: Topic of trajectory_msgs/JointTrajectory.
        across_turn: "sent" or "refused": positions beyond the turn that the driver reports.
    """

    trajectory_topic: str
    across_turn: str = "refused"


UNLIMITED = SpeedLimits()


@dataclass(frozen=True, eq=False)
class ControlSettings:
    """What the arm's motion under a controller rests on, each of shape (n,).

    Attributes:
        rotor_inertia: Reflected inertia of each rotor that the commanded torque accelerates
            [kg m2 or kg]; None if it is not known.
        rotor_inertia_relative: Error of each of them, as a fraction, one number [-].
        tracking_position: Largest |q - q_d| under the arm's own position controller [rad or m].
        tracking_velocity: ... of the velocity [rad/s or m/s].
        tracking_acceleration: ... of the acceleration [rad/s2 or m/s2].
        tracking_slow: Part of the last two that holds for slow motions, one number [-].
    """

    rotor_inertia: Array | None
    rotor_inertia_relative: float
    tracking_position: Array
    tracking_velocity: Array
    tracking_acceleration: Array
    tracking_slow: float

    @classmethod
    def from_entries(cls, entries: Mapping[str, Any], n: int) -> ControlSettings:
        """Build from the section of a robot file; one tracking error may stand for all n joints."""
        tracking = {
            key: np.broadcast_to(np.asarray(value, dtype=float), (n,))
            for key, value in entries.items()
            if key.startswith("tracking_") and key != "tracking_slow"
        }
        rotor = entries["rotor_inertia"]
        return cls(
            rotor_inertia=None if rotor is None else np.array(rotor, dtype=float),
            rotor_inertia_relative=entries["rotor_inertia_relative"],
            tracking_slow=entries["tracking_slow"],
            **tracking,
        )

    def rotor_interval(self) -> tuple[Array, Array] | None:
        """Return the rotors' least and largest inertias, shape (n,) each [kg m2 or kg]."""
        if self.rotor_inertia is None:
            return None
        part = self.rotor_inertia_relative
        return (1.0 - part) * self.rotor_inertia, (1.0 + part) * self.rotor_inertia

    def stated_tube(self, speeds: SpeedLimits = UNLIMITED) -> TrackingTube:
        """Return the tube that the file states for the arm's own position controller.

        Args:
            speeds: Limits that motions keep; where they are slow, the errors of slow motions count.
        """
        part = self.tracking_slow if speeds.is_slow else 1.0
        return TrackingTube.position_controlled(
            self.tracking_position,
            part * self.tracking_velocity,
            part * self.tracking_acceleration,
        )


@dataclass(frozen=True, eq=False)
class JointLimits:
    """One named set of joint limits, each of shape (n,).

    Attributes:
        name: Name of the set.
        position_lower: Smallest position, -inf for a joint that may turn on and on [rad or m].
        position_upper: Largest position; of a continuous joint its turn's, whole turns included.
        velocity: Largest speed [rad/s or m/s].
        acceleration: Largest acceleration [rad/s2 or m/s2].
        effort: Largest torque or force [N m or N].
    """

    name: str
    position_lower: Array
    position_upper: Array
    velocity: Array
    acceleration: Array
    effort: Array

    @classmethod
    def from_entries(
        cls,
        name: str,
        entries: Mapping[str, Any],
        described: Mapping[str, Sequence[float | None]],
        path: Path,
        sliding: Sequence[bool],
    ) -> JointLimits:
        """Build from a named set of a robot file, null as infinity.

        Args:
            name: Of the set.
            entries: What the file says; null for what the robot description says.
            described: What that says of each joint, None where it says nothing.
            path: The file.
            sliding: Which joints slide, n of them.

        Raises:
            ConfigurationError: A position_lower is not below its position_upper, or no joint's
                position in rad or m.
        """
        entries = {k: described[k] if v is None else v for k, v in entries.items()}
        filled = {
            key: np.array([_infinity(key) if v is None else v for v in values], dtype=float)
            for key, values in entries.items()
        }
        if (filled["position_lower"] >= filled["position_upper"]).any():
            raise ConfigurationError(
                f"'limits.sets.{name}' in {path.name} has a position_lower that is not below "
                f"position_upper: {entries['position_lower']} and {entries['position_upper']}."
            )
        for key in ("position_lower", "position_upper"):
            _check_unit(
                filled[key], np.array(sliding), f"'limits.sets.{name}.{key}' in {path.name}"
            )
        return cls(name=name, **filled)

    def within(self, lower: Array, upper: Array) -> JointLimits:
        """Return the limits with positions within bounds, too, shape (n,) each [rad or m]."""
        return replace(
            self,
            position_lower=np.maximum(self.position_lower, lower),
            position_upper=np.minimum(self.position_upper, upper),
        )

    def narrowed(self, margin: float) -> JointLimits:
        """Return these limits with a margin [rad or m] at both ends of every position."""
        return replace(
            self,
            position_lower=self.position_lower + margin,
            position_upper=self.position_upper - margin,
        )

    def shifted(self, by: Array) -> JointLimits:
        """Return the limits of positions that are less by so much, shape (n,) [rad or m]."""
        lower, upper = self.position_lower - by, self.position_upper - by
        return replace(self, position_lower=lower, position_upper=upper)

    def of_motion(self) -> MotionLimits:
        """Return the same numbers as limits of a motion."""
        return MotionLimits(
            self.position_lower, self.position_upper, self.velocity, self.acceleration, self.effort
        )


def _check_unit(ends: Array, sliding: BoolArray, where: str) -> None:
    """Raise where ends of joints' travel, shape (n,), are in degrees or millimetres."""
    size = np.abs(ends)
    for j in np.flatnonzero((size > np.where(sliding, LONGEST, TURNS)) & (size < UNLIMITED_FROM)):
        unit, other = ("m", "millimetres") if sliding[j] else ("rad", "degrees")
        raise ConfigurationError(
            f"{where} gives joint number {j + 1} the end {ends[j]:g} {unit}, which looks like "
            f"{other}. State it in {unit} here, or mend the <limit> of the robot description "
            "from which it comes; null if there is none."
        )


def _infinity(key: str) -> float:
    """Return what null means for a limit."""
    return -np.inf if key == "position_lower" else np.inf
