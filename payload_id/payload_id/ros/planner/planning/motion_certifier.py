"""One robot's safety cases, what the certifier says of motions, and where certificates are kept."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from ....core.errors import InputError
from ....core.excitation.search.certifier import certifier, planning_limits
from ....core.excitation.search.verdict import Verdict
from ....core.motion.limits import MotionLimits
from ....core.motion.motion_state import MotionState
from ....core.motion.stop import StopPiece
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
from .request import Goal, PlanningSettings

STANDARD_GRAVITY = 9.81  # [m/s2]
SPEED_STEP = 0.02  # [s] slices on which speeds are looked at
ROOM = 0.97  # of what is left of a speed limit that is used
# What points and interpolation may add to the tracking error [rad, rad/s, rad/s2] or [m, ...].
INTERPOLATION = (1e-6, 1e-5, 1e-3)
STOP_FACTORS = (1.0, 1.5, 2.5)  # durations of a stop that are tried, as multiples of the shortest


class MotionCertifier:
    """Certifies motions of one robot and keeps the certificates.

    Attributes:
        settings: What is the same for all plans.
        robot: The robot file.
        model: The arm.
        geometry: Its bodies, with the payload's.
        tube: The stated one, with what interpolation may add.
    """

    def __init__(self, settings: PlanningSettings) -> None:
        """Read the robot file.

        Raises:
            PayloadIdError: A file cannot be used, or there is no collision geometry.
        """
        self.settings = settings
        self.robot = RobotFile.load(settings.robot_file)
        self.model = RobotModel.from_robot_file(self.robot)
        self.geometry = robot_geometry(self.robot, self.model, settings.payload)
        stated = self.robot.control.stated_tube()
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
        return SafetyCase(
            model=self.model,
            geometry=self.geometry,
            obstacles=(*self.settings.cell.bodies, *obstacles, *floor),
            box=ParameterBox.around(self.model, payload, self._uncertainty()),
            tube=self.tube,
            limits=self.robot.limits_at(goal.limits, goal.turns).of_motion(),
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
        ranges = motion.ranges(even_edges(motion, SPEED_STEP))
        with_tube = speed_use(case.speed_case, ranges)
        alone = speed_use(replace(case.speed_case, tube=TrackingTube.exact(self.model.n)), ranges)
        scale = 1.0
        for name, used in with_tube.items():
            own = float(alone[name].max())
            rest = float((used - alone[name]).max())
            if rest >= 1.0:
                raise InputError(
                    f"The tracking error that the robot file states (control.tracking_velocity) "
                    f"may alone take {rest:.0%} of the {name} allowed; measure and lower it, or "
                    "choose other speed_limits."
                )
            scale = min(scale, ROOM * (1.0 - rest) / max(own, 1e-9))
        return motion if scale >= 1.0 else TimeScaled(motion, scale)

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
            stop = self._stop(
                case, MotionState.of(motion, float(moment)), f"{name}/stop_{moment:.2f}"
            )
            if stop is not None:
                found.append(CertifiedStop(float(moment), stop))
        return tuple(found)

    def _stop(self, case: SafetyCase, state: MotionState, name: str) -> Trajectory | None:
        """Return the shortest certified stop from a state; None if none was certified."""
        try:
            shortest = StopPiece.within(state, planning_limits(case))
        except InputError:
            return None
        for factor in STOP_FACTORS:
            stop = StopPiece(state, factor * shortest.duration)
            verdict = self.verdict(case, stop)
            if verdict.accepted:
                self.keep(name, case, stop, verdict.answer)
                return stop
        return None

    def keep(
        self, name: str, case: SafetyCase, motion: Trajectory, certificate: Certificate
    ) -> str:
        """Write a certificate; return its path."""
        path = Path(self.settings.folder) / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        cell = self.settings.cell_stated
        return str(save_certificate(path, certificate, case, motion, self.robot, cell))


def _too_coarse(error: float, reserve: float) -> str:
    return (
        f"The controller's interpolation could be {error:.2g} off the motion, above the "
        f"{reserve:g} that the certificate allows for; raise point_rate."
    )
