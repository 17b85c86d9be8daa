"""One robot's safety cases: what its motions are proved against, with obstacles and payloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..core.arrays import Array
from ..core.errors import InputError
from ..core.motion.limits import MotionLimits
from ..core.motion.trajectory import Trajectory
from ..core.motion.trajectory_points import interpolation_error
from ..core.rows.joint_torque.uncertainty import Uncertainty
from ..core.safety.certificate.safety_case import SafetyCase
from ..core.safety.clearance.convex_body import ConvexBody
from ..core.safety.torque.parameter_box import ParameterBox
from ..core.safety.tube.sampling_reserve import Sampling
from ..core.safety.tube.tracking_tube import TrackingTube
from ..files.robots.arm_geometry import robot_geometry
from ..files.robots.robot_file import RobotFile
from ..files.robots.robot_model import RobotModel
from .case_settings import CaseSettings

STANDARD_GRAVITY = 9.81  # [m/s2]
# What points and interpolation may add to the tracking error [rad, rad/s, rad/s2] or [m, ...].
INTERPOLATION = (1e-6, 1e-5, 5e-3)


class SafetyCases:
    """What motions of one robot are proved against.

    Attributes:
        settings: What is the same for all of them.
        robot: The robot file.
        model: The arm.
        geometry: Its bodies, with the payload's.
        tube: The stated one, with what interpolation may add.
    """

    def __init__(self, settings: CaseSettings) -> None:
        """Read the robot file.

        Raises:
            PayloadIdError: A file cannot be used, or there is no collision geometry.
        """
        self.settings = settings
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

    def case(
        self,
        limits: str,
        turns: Mapping[str, int],
        payload: tuple[Array, Array],
        obstacles: tuple[ConvexBody, ...],
        claimed: TrackingTube | None = None,
    ) -> SafetyCase:
        """Return what a motion is certified against.

        Args:
            limits: Name of a set of joint limits.
            turns: By how many whole turns joints whose turn is limited have turned more than the
                motion's positions say.
            payload: Ends of phi, shape (10,) each; infinite: as the prior says.
            obstacles: In the base frame, beside those of the cell.
            claimed: The tube that the motion is claimed to keep; see `tube_for`. None: the stated
                one.

        Raises:
            InputError: An interval is inverted or NaN, there is no such set of limits, or nothing
                here keeps such a tube.
        """
        if strange := sorted(set(turns) - set(self.model.joints)):
            raise InputError(f"Turns are stated of {', '.join(strange)}, which this arm has not.")
        margin = self.settings.cell.joint_margin
        allowed = self.robot.limits_at(limits, turns).shifted(margin, -margin)
        tube = self.tube if claimed is None else self.tube_for(claimed, allowed)
        rotor = self.robot.control.rotor_interval() if self.settings.by_torques else None
        ground = self.settings.ground
        floor = () if ground is None else (ConvexBody.ground(ground),)
        return SafetyCase(
            model=self.model,
            geometry=self.geometry,
            obstacles=(*self.settings.cell.bodies, *obstacles, *floor),
            box=ParameterBox.around(self.model, payload, self._uncertainty(), rotor),
            tube=tube,
            limits=allowed,
            limits_name=limits,
            clearance=self.settings.cell.clearance,
            speeds=self.settings.speeds,
            turns=dict(turns),
        )

    def sampling(self, limits: MotionLimits) -> Sampling:
        """Return how late torques follow the state, and how wrong it is, as the robot file says.

        A stamp that is wrong makes a state older, and one of an arm that is elsewhere.
        """
        control, unsure, n = self.robot.control, self.settings.uncertainty, self.model.n
        late = unsure.stamp_jitter
        period = control.effort_period + control.effort_delay + late
        q, dq = (unsure.per_joint(f"{x}_error", n) for x in ("position", "velocity"))
        return Sampling(period, q + late * limits.velocity, dq + late * limits.acceleration)

    def tube_for(self, claimed: TrackingTube, limits: MotionLimits) -> TrackingTube:
        """Return the tube that a motion keeps here: the stated one, or that of its robust design.

        A robust design is as good as any other: the proof of the motion proves it, too. Only the
        time in which its torques follow the state, and how well that is measured, is this node's
        to say.

        Args:
            claimed: The tube that the motion is claimed to keep.
            limits: That the motion keeps.

        Raises:
            InputError: It is no robust design although torques move the arm, or one that counts on
                faster torques.
        """
        if not self.settings.by_torques:
            return self.tube
        made, here = claimed.design, self.sampling(limits)
        if made.period < here.period:
            raise InputError(
                f"The robust design counts on torques that follow the state within {made.period:g} "
                f"s; here it may take {here.period:g} s (control.effort_period and effort_delay). "
                "Make the design anew with this robot file."
            )
        better = (made.position_error < here.position_error).any()
        if better or (made.velocity_error < here.velocity_error).any():
            raise InputError(
                "The robust design counts on states that are measured better than position_error, "
                "velocity_error and stamp_jitter say here. Make it anew with this robot file."
            )
        return claimed

    def _uncertainty(self) -> Uncertainty:
        """Return the bounds on the arm; a base that is tilted turns gravity."""
        stated = self.settings.uncertainty
        tilt = STANDARD_GRAVITY * float(np.sin(self.settings.cell.base_tilt))
        return replace(stated, gravity_error=stated.gravity_error + tilt)

    def too_coarse(self, motion: Trajectory) -> str:
        """Say that a controller's interpolation could leave the tube; empty if it could not."""
        error = interpolation_error(motion, self.settings.point_rate)
        parts = (error.position, error.velocity, error.acceleration)
        for bound, reserve in zip(parts, INTERPOLATION, strict=True):
            if (bound > reserve).any():
                return (
                    f"The controller's interpolation could be {bound.max():.2g} off the motion, "
                    f"above the {reserve:g} that the certificate allows for; raise point_rate."
                )
        return ""
