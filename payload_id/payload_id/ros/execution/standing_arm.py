"""Whether a motion could begin where the arm stands: states, clocks, passive joints, limits."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from rclpy.node import Node

from ...core.arrays import Array
from ...core.motion.limits import MotionLimits
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.safety.tube.tracking_tube import TrackingTube
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.topic_report import silence_report
from .arm_parameters import ArmParameters
from .joint_state_listener import JointStateListener
from .standstill import AT_REST
from .start_check import NotReadyError, check_limits, check_rest, start_of
from .stop_reason import Reason
from .turn_count import nearest_turns

FRESH = 1.0  # [s] age of joint states with which a motion may begin


class StandingArm:
    """The arm as its joint states tell it, and whether it may set off.

    Attributes:
        joints: Names.
        states: Joint states.
        continuous: Joints without limits.
        encoder_error: Largest error of a measured position, its zero's included, shape (n,)
            [rad or m].
    """

    def __init__(
        self,
        node: Node,
        robot: RobotFile,
        parameters: ArmParameters,
        uncertainty: Uncertainty,
        tube: TrackingTube,
        joint_margin: float,
    ) -> None:
        """Subscribe to joint states.

        Args:
            node: The node.
            robot: The robot file.
            parameters: How joint states come.
            uncertainty: Bounds on the arm.
            tube: How far the arm may be from what its controller holds.
            joint_margin: Distance that joints keep from their position limits [rad or m].
        """
        self._node, self._robot, self._tube, self._margin = node, robot, tube, joint_margin
        self.joints = robot.joints
        self.continuous: Sequence[bool] = RobotModel.from_robot_file(robot).continuous
        errors = (uncertainty.per_joint(x, robot.n) for x in ("position_error", "joint_zero"))
        self.encoder_error = np.asarray(np.sum(list(errors), axis=0))
        self.states = JointStateListener(
            node, robot, parameters.clock_tolerance, parameters.reliability
        )

    def start(self, limits: str, holding: Array | None) -> Array:
        """Return the pose that a motion may begin from now, shape (n,) [rad or m].

        Args:
            limits: Name of a set of joint limits.
            holding: What the controller holds; None: not known.

        Raises:
            NotReadyError: There are no joint states, the arm moves or is out of limits, or clocks
                or passive joints cannot be relied on.
        """
        self.check_alive()
        if doubt := self.clock_doubt():
            raise NotReadyError(doubt)
        states = self.states
        if doubt := states.held.doubt(time.monotonic()):
            raise NotReadyError(f"{doubt}. {Reason.PASSIVE_JOINT_OFF.value}")
        if doubt := states.conflict:
            raise NotReadyError(f"{doubt}.")
        check_rest(self.joints, states.speed, states.topic)
        if states.turns.doubt:
            raise NotReadyError(f"{states.turns.doubt}.")
        start = start_of(states.q, holding, self._tube, self.continuous, self.encoder_error)
        check_limits(self.joints, start, self.allowed(limits, start), limits, states.topic)
        return start

    def allowed(self, limits: str, q: Array) -> MotionLimits:
        """Return the limits of positions in the turns in which a pose, shape (n,), is now."""
        turns = self.states.turns.at(q)
        return self._robot.limits_at(limits, turns).shifted(self._margin, -self._margin)

    def in_present_turns(self, target: Array, limits: str) -> Array:
        """Return a pose, shape (n,), in the turns in which a driver that wraps positions is now.

        Where a driver counts turns, a pose says them, and is returned as it is.

        Args:
            target: The pose [rad or m].
            limits: Name of the set of joint limits that it shall be within, if it can be.
        """
        states = self.states
        if states.turns.counted:
            return target
        allowed = self.allowed(limits, states.q)
        return nearest_turns(
            target, states.q, self.continuous, allowed.position_lower, allowed.position_upper
        )

    def is_seen_at_rest(self, within: float = FRESH) -> bool:
        """Tell whether joint states of at most an age [s], its own, show the arm standing still."""
        heard = self.states.known and self.states.silence <= within
        heard = heard and not self.states.conflict
        return bool(heard and (self.states.speed < AT_REST).all())

    def clock_doubt(self) -> str:
        """Say that stamps of joint states do not go with this node's clock; empty if they do."""
        fault = self.states.clock_fault
        if not fault:
            return ""
        simulated = self._node.get_parameter("use_sim_time").value
        if simulated and self._node.get_clock().now().nanoseconds == 0:
            return (
                "use_sim_time is set, and no time has come on /clock: start what publishes it, or "
                "unset use_sim_time where time is not simulated."
            )
        return f"{fault}. {Reason.CLOCK_FAULT.value}"

    def check_alive(self) -> None:
        """Raise unless joint states arrive."""
        states = self.states
        if states.known and states.silence <= FRESH:
            return
        silence = silence_report(
            self._node, states.topic, "sensor_msgs/msg/JointState", states.silence,
            self._robot.joint_states.rate,
        )  # fmt: skip
        raise NotReadyError(
            f"{silence} (The last one that could not be used {states.dropped.rstrip('?')}.)"
            if states.dropped
            else silence
        )
