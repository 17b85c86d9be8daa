"""Sections of a robot file: where joint states and commands go, tracking, limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.safety.tube.tracking_tube import TrackingTube


@dataclass(frozen=True)
class JointStateSource:
    """Where measurements come from.

    Attributes:
        topic: Topic of sensor_msgs/JointState.
        rate: Rate at which it is published [Hz].
        reliability: "best_effort" or "reliable", for the subscription.
    """

    topic: str
    rate: float
    reliability: str


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
        gain = 1.0 if self.torque_constants is None else self.torque_constants
        return np.asarray(self.sign * gain * effort - self.offset, dtype=float)


@dataclass(frozen=True)
class CommandTarget:
    """Where motion goes.

    Attributes:
        trajectory_topic: Topic of trajectory_msgs/JointTrajectory.
    """

    trajectory_topic: str


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
    """

    rotor_inertia: Array | None
    rotor_inertia_relative: float
    tracking_position: Array
    tracking_velocity: Array
    tracking_acceleration: Array

    def stated_tube(self) -> TrackingTube:
        """Return the tube that the file states for the arm's own position controller."""
        return TrackingTube.position_controlled(
            self.tracking_position, self.tracking_velocity, self.tracking_acceleration
        )


@dataclass(frozen=True, eq=False)
class JointLimits:
    """One named set of joint limits, each of shape (n,).

    Attributes:
        name: Name of the set.
        position_lower: Smallest position, -inf for a continuous joint [rad or m].
        position_upper: Largest position, inf for a continuous joint [rad or m].
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
