"""Everything that the bridge hears of an arm, made into one snapshot each cycle."""

from __future__ import annotations

import time

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import Float64

from ...core.errors import InputError
from ..access.interfaces import state_beside
from ..common.conversions import decoded
from ..common.polled_subscription import PolledSubscription
from ..execution.back_ends.back_end import BackEnd
from ..execution.commanded_motion import CommandedMotion, Part
from ..execution.monitors import BEFORE, Phase, WatchedArm
from ..execution.snapshot import Found, ManagerReport, NotProved, Snapshot
from ..execution.standstill import AT_REST
from ..execution.start_check import NotReadyError, check_place
from ..execution.turn_count import difference
from ..supervision.controller_errors import ControllerErrors
from ..supervision.controller_manager import ManagerListener
from ..supervision.driver_conditions import driver_conditions
from .context import BridgeContext

REPORTS = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)  # of a speed slider


class Sources:
    """Joint states, driver, controller and its manager, pendant, and what the context knows.

    Attributes:
        back_end: Moves the arm.
        manager: The controller manager.
        unwatched: What the robot file names and nobody watches, each with the cause.
        slider: Speed to which the pendant has turned the arm down, as it said last [%].
        arm: What does not change of the arm.
    """

    def __init__(
        self, context: BridgeContext, back_end: BackEnd, manager: str, topic: str,
        slider: str, partner: str | None,
    ) -> None:  # fmt: skip
        """Listen to all of them.

        Args:
            context: What all parts share.
            back_end: Moves the arm.
            manager: Node of the controller manager.
            topic: Full name of the topic or action of the controller that has the arm at rest.
            slider: Topic of the pendant's speed slider; empty: none.
            partner: A controller that has the arm in motion in that one's place; None: none has.

        Raises:
            ConfigurationError: A condition of the robot file is about a field that its type lacks.
        """
        node, robot, settings = context.node, context.robot, context.settings
        self._context, self.back_end = context, back_end
        self._conditions = driver_conditions(node, robot.driver)
        self.manager = ManagerListener(node, manager, topic, robot.joints, partner)
        self._errors = None
        if partner is None:  # else the motion is another controller's, which tells no errors
            self._errors = ControllerErrors(node, state_beside(topic), robot.joints)
        # Reported at the controller's rate: an executor that woke for each would do little else.
        self._reports = PolledSubscription(node, Float64, slider, REPORTS) if slider else None
        self.slider = 100.0
        self._looked = time.monotonic()
        self.unwatched: tuple[str, ...] = ()
        arm = context.arm
        self.arm = WatchedArm(
            arm.joints, arm.continuous, arm.encoder_error, robot.driver.effort_warning,
            settings.silence, settings.start_delay, settings.reaction, settings.settling,
            back_end.gives_back,
        )  # fmt: skip
        self.look_around()

    def look(
        self,
        phase: Phase,
        motion: CommandedMotion | None,
        asked: Found | None,
        proof: Part | NotProved | None,
    ) -> Snapshot:
        """Return what is known now.

        Args:
            phase: What the bridge does.
            motion: What is to be followed.
            asked: That somebody wants it ended.
            proof: What its proof has led to.
        """
        context = self._context
        states = context.arm.states.take(every=phase not in (Phase.IDLE, *BEFORE))
        late, self._looked = self._looked, time.monotonic()
        self._hear_slider()
        manager = self.manager.look()
        return Snapshot(
            steady=self._looked,
            now_ns=context.arm.states.now_ns,
            late=self._looked - late,
            states=states,
            controller=self.back_end.look(),
            manager=manager,
            driver=tuple(found for x in self._conditions if (found := x.look())),
            error=None if self._errors is None else self._errors.look(),
            slider=self.slider,
            estimate=context.estimator.estimate,
            obstacles=context.obstacles.digest,
            obstacles_unknown=context.obstacle_doubt,
            not_enabled=context.look_at_device(),
            asked=asked,
            proof=proof,
            start=self._blocker(motion) if phase in BEFORE and motion is not None else "",
            unconnected=self._unconnected(phase, manager),
        )

    def look_around(self) -> None:
        """Look for what nobody watches, which asks the graph."""
        found = [text for x in self._conditions for text in x.unwatched()]
        found += self.manager.unwatched()
        found += [] if self._errors is None else self._errors.unwatched()
        if self.arm.warning is None:
            found.append("torques: the robot file has no driver.effort_warning.")
        elif self._context.robot.effort.source == "none":
            found.append("torques: the joint states have none.")
        slider = "" if self._reports is None else self._reports.topic
        if slider and not self._context.node.count_publishers(slider):
            found.append(f"{slider} (speed slider): nobody publishes it.")
        self.unwatched = tuple(found)

    def _hear_slider(self) -> None:
        """Take in where the pendant's slider is; what is not a number counts as no report."""
        if self._reports is None:
            return
        for data, _ in self._reports.take_all(REPORTS.depth):
            message = decoded(data, Float64)
            if message is not None and np.isfinite(message.data):
                self.slider = message.data

    def _unconnected(self, phase: Phase, manager: ManagerReport) -> str:
        """Say what a motion waits for before it begins; empty: nothing."""
        if phase is Phase.CHECKING:
            if not manager.is_current:
                return self.manager.no_answer()
            if self.back_end.other_publishers.is_unnamed():
                return (
                    f"{self.back_end.target} has a publisher whose node discovery has not named: "
                    "it is not known who else commands the arm. Try again."
                )
        if phase is Phase.ACQUIRING and not self.back_end.is_taken:
            return (
                f"Not everybody who hears {self.back_end.target} was connected. Check the "
                "network, and try again."
            )
        return ""

    def _blocker(self, motion: CommandedMotion) -> str:
        """Say why a motion cannot begin where the arm is, as it will be judged in motion."""
        context, proved, back_end = self._context, motion.newest.proved, self.back_end
        arm, states = context.arm, context.arm.states
        settings, robot = context.settings, context.robot
        try:
            context.check_usable()
            arm.start(proved.limits, context.holding)
            needed = settings.controller_manager or robot.driver.controller_manager
            if needed and (absence := self.manager.absence()):
                raise NotReadyError(absence)
            if absence := back_end.absence():
                raise NotReadyError(absence)
            back_end.get_ready(proved.motion.tube, proved.box, proved.torque_limit)
            start = motion.certified.trajectory.at(np.zeros(1))
            if (np.abs(start.dq) > AT_REST).any():
                raise NotReadyError(
                    f"{motion.newest.name} begins in motion: it can only continue another one "
                    "(`continues`)."
                )
            if turned := difference(proved.turns, states.turns.at(start.q[0])):
                raise NotReadyError(turned)
            check_place(
                arm.joints, states.q, start.q[0], proved.motion.tube, arm.continuous,
                states.topic, arm.encoder_error,
            )  # fmt: skip
        except InputError as error:
            return str(error)
        return ""
