"""One robot's safety cases, what the certifier says of motions, and where certificates are kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ....core.errors import InputError
from ....core.excitation.candidates.candidates import Family
from ....core.excitation.search.certifier import certifier, planning_limits
from ....core.excitation.search.verdict import Verdict
from ....core.motion.limits import MotionLimits
from ....core.motion.path_timing import PathStart, PathStop
from ....core.motion.time_scaling import TimeScaled
from ....core.motion.trajectory import Trajectory, even_edges
from ....core.motion.trajectory_points import interpolation_error
from ....core.rows.joint_torque.uncertainty import Uncertainty
from ....core.safety.certificate.certificate import Certificate
from ....core.safety.certificate.certified_motion import CertifiedStop
from ....core.safety.certificate.certify import SafetyCase
from ....core.safety.clearance.convex_body import ConvexBody
from ....core.safety.speed.speed_margins import speed_use
from ....core.safety.torque.parameter_box import ParameterBox
from ....core.safety.tube.tracking_tube import TrackingTube
from ....files.robots.arm_geometry import robot_geometry
from ....files.robots.robot_file import RobotFile
from ....files.robots.robot_model import RobotModel
from ....files.runs.certificate_file import save_certificate
from ....files.runs.signing_key import SigningKey
from .request import Goal, PlanningSettings

STANDARD_GRAVITY = 9.81  # [m/s2]
SPEED_STEP = 0.02  # [s] slices on which speeds are looked at
TYPICAL = 12  # random motions that tell how slow single joints must be for the limits of speeds
CALM_ENOUGH = 0.25  # quantile of the slowing that they need
CALMINGS = 3  # times that they are drawn anew
ROOM = 0.97  # of what is left of a speed limit that is used
# What points and interpolation may add to the tracking error [rad, rad/s, rad/s2] or [m, ...].
INTERPOLATION = (1e-6, 1e-5, 5e-3)
RAMP_FACTORS = (
    1.0,
    1.5,
    2.5,
)  # ramps that are tried, as multiples of the shortest


class MotionCertifier:
    """Certifies motions of one robot and keeps the certificates.

    Attributes:
        settings: What is the same for all plans.
        robot: The robot file.
        model: The arm.
        geometry: Its bodies, with the payload's.
        tube: The stated one, with what interpolation may add.
        key: Signs the certificates; None: nobody does.
    """

    def __init__(self, settings: PlanningSettings) -> None:
        """Read the robot file, and the key if certificates are signed.

        Raises:
            PayloadIdError: A file cannot be used, or there is no collision geometry.
        """
        self.settings = settings
        self.key = SigningKey.load(settings.signing_key) if settings.signing_key else None
        self.robot = RobotFile.load(settings.robot_file)
        self.model = RobotModel.from_robot_file(self.robot)
        self.geometry = robot_geometry(self.robot, self.model, settings.payload)
        stated = self.robot.control.stated_tube(settings.speeds)
        position, velocity, acceleration = INTERPOLATION
        self.tube = TrackingTube.position_controlled(
            stated.position + position,
            stated.velocity + velocity,
            stated.reference_acceleration + acceleration,
        )

    def case(self, goal: Goal, obstacles: tuple[ConvexBody, ...]) -> SafetyCase:
        """Return what a motion is certified against.

        Raises:
            InputError: An interval is inverted or NaN, or there is no such set of limits.
        """
        ground = self.settings.ground
        floor = () if ground is None else (ConvexBody.ground(ground),)
        payload = (goal.payload_lower, goal.payload_upper)
        limits = self.robot.limits_at(goal.limits, goal.turns)
        return SafetyCase(
            model=self.model,
            geometry=self.geometry,
            obstacles=(*self.settings.cell.bodies, *obstacles, *floor),
            box=ParameterBox.around(self.model, payload, self._uncertainty()),
            tube=self.tube,
            limits=limits.narrowed(self.settings.cell.joint_margin).of_motion(),
            limits_name=goal.limits,
            clearance=self.settings.cell.clearance,
            speeds=self.settings.speeds,
            turns=dict(goal.turns),
        )

    def _uncertainty(self) -> Uncertainty:
        """Return the bounds on the arm; a base that is tilted turns gravity."""
        stated = self.settings.uncertainty
        tilt = STANDARD_GRAVITY * float(np.sin(self.settings.cell.base_tilt))
        return replace(stated, gravity_error=stated.gravity_error + tilt)

    def limits_left(self, case: SafetyCase, scale: float) -> MotionLimits:
        """Return what the speed scale and the tube leave of the limits.

        Raises:
            InputError: They leave nothing.
        """
        full, tube = case.limits, case.tube
        scaled = replace(
            full, velocity=scale * full.velocity, acceleration=scale**2 * full.acceleration
        )
        left = {
            "velocity": scaled.velocity - tube.velocity,
            "acceleration": scaled.acceleration - tube.reference_acceleration,
            "position": full.position_upper - full.position_lower - 2 * tube.position,
        }
        for name, value in left.items():
            if (value <= 0.0).any():
                joint = self.model.joints[int(np.argmin(value))]
                raise InputError(
                    f"The tracking error that the robot file states (control.tracking_{name}) "
                    f"leaves nothing of the {name} limit of {joint} in the set "
                    f"'{case.limits_name}' at a speed scale of {scale:g}; measure and lower it, or "
                    "choose another set of limits or a larger scale."
                )
        return planning_limits(replace(case, limits=scaled))

    def slow_enough(self, case: SafetyCase, motion: Trajectory) -> Trajectory:
        """Return a motion, slowed along its path as far as the limits of speeds ask for.

        Raises:
            InputError: The tracking error alone may break them.
        """
        if not case.speeds.any:
            return motion
        scale = self._slowing(case, motion)
        return motion if scale >= 1.0 else TimeScaled(motion, scale)

    def calm_limits(
        self, case: SafetyCase, limits: MotionLimits, family_of: Callable[[MotionLimits], Family]
    ) -> MotionLimits:
        """Return limits whose velocities are so low that most motions keep the limits of speeds.

        Args:
            case: What motions are certified against.
            limits: Of single joints.
            family_of: Returns the motions that keep limits.

        Raises:
            InputError: The tracking error alone may break the limits of speeds.
        """
        if not case.speeds.any:
            return limits
        rng = np.random.default_rng(0)
        for _ in range(CALMINGS):
            family = family_of(limits)
            drawn = family.drawn(rng.uniform(-1.0, 1.0, (TYPICAL, family.size)))
            scales = [self._slowing(case, family.trajectory(x)) for x in drawn]
            scale = float(np.quantile(scales, CALM_ENOUGH))
            if scale >= 1.0:
                break
            limits = replace(limits, velocity=scale * limits.velocity)
        return limits

    def _slowing(self, case: SafetyCase, motion: Trajectory) -> float:
        """Return the part of its speed at which a motion keeps the limits of speeds, at most 1."""
        ranges = motion.ranges(even_edges(motion, SPEED_STEP))
        still = replace(ranges, dq_lower=0.0 * ranges.dq_lower, dq_upper=0.0 * ranges.dq_upper)
        used, alone = speed_use(case.speed_case, ranges), speed_use(case.speed_case, still)
        scale = 1.0
        for name, tube in alone.items():
            if tube.max() >= 1.0:
                raise InputError(
                    "The tracking error that the robot file states (control.tracking_velocity, for "
                    f"slow motions times tracking_slow) may alone take {tube.max():.0%} of the "
                    f"{name} allowed; measure and lower it, or choose other speed_limits."
                )
            # What motion takes is at most in proportion to its speed.
            possible = ROOM * (1.0 - tube) / np.maximum(used[name] - tube, 1e-9)
            scale = min(scale, float(possible.min()))
        return scale

    def verdict(self, case: SafetyCase, motion: Trajectory) -> Verdict:
        """Return the certifier's answer, for a motion as the arm's controller interpolates it."""
        error = interpolation_error(motion, self.settings.point_rate)
        parts = (error.position, error.velocity, error.acceleration)
        for bound, reserve in zip(parts, INTERPOLATION, strict=True):
            if (bound > reserve).any():
                return Verdict(False, None, _too_coarse(float(bound.max()), reserve))
        return certifier(case)(motion)

    def stops(
        self, name: str, case: SafetyCase, motion: Trajectory, until: float, deadline: float
    ) -> tuple[CertifiedStop, ...]:
        """Return certified stops every `stop_step` before a time [s]; those that exist in time."""
        step, found = self.settings.stop_step, []
        for moment in np.arange(step, until - 0.5 * step, step):
            if time.monotonic() > deadline:
                break
            stop = self._stop(case, motion, float(moment), f"{name}/stop_{moment:.2f}")
            if stop is not None:
                found.append(CertifiedStop(float(moment), stop))
        return tuple(found)

    def _stop(
        self, case: SafetyCase, motion: Trajectory, moment: float, name: str
    ) -> PathStop | None:
        """Return the shortest certified stop on the path; None if none was certified."""
        try:
            shortest = PathStop.within(motion, moment, planning_limits(case))
        except InputError:
            return None
        longest = 2.0 * (motion.duration - moment)
        for factor in RAMP_FACTORS:
            stop = PathStop(motion, moment, min(factor * shortest.ramp, longest))
            verdict = self.verdict(case, stop)
            if verdict.accepted:
                self.keep(name, case, stop, verdict.answer)
                return stop
        return None

    def starts(self, case: SafetyCase, motion: Trajectory, place: float) -> tuple[PathStart, ...]:
        """Return starts from rest on the path of a motion, at a time on it [s], the shortest first.

        Raises:
            InputError: Nothing is left of the motion.
        """
        while isinstance(motion, PathStart):  # paused more than once
            place, motion = motion.place(place), motion.motion
        shortest = PathStart.within(motion, place, planning_limits(case))
        longest = 2.0 * (motion.duration - place)
        ramps = sorted({min(factor * shortest.ramp, longest) for factor in RAMP_FACTORS})
        return tuple(PathStart(motion, place, ramp) for ramp in ramps)

    def keep(
        self, name: str, case: SafetyCase, motion: Trajectory, certificate: Certificate
    ) -> str:
        """Write a certificate, signed if there is a key; return its path."""
        path = Path(self.settings.folder) / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        cell = self.settings.cell_stated
        return str(save_certificate(path, certificate, case, motion, self.robot, cell, self.key))


def _too_coarse(error: float, reserve: float) -> str:
    return (
        f"The controller's interpolation could be {error:.2g} off the motion, above the "
        f"{reserve:g} that the certificate allows for; raise point_rate."
    )
