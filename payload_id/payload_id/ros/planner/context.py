"""What all parts of the planner share: robot, parameters, joint states, obstacles, estimates."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from payload_id_msgs.msg import BridgeState, ExcitationGoal

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.safety.speed.speed_limits import PRESETS
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ...planning.request import Goal, Planned, Refused
from ...planning.worker import make_worker
from ..bridge.obstacles.obstacle_messages import base_frames
from ..certifying.case_parameters import stated_cell
from ..certifying.worker_process import WorkerProcess
from ..common.awaited_answers import awaitable, until
from ..common.shared_parameters import disagreement, stated_figures
from ..common.timeouts import FOUND
from ..execution.payload_intervals import check_payload, estimate_intervals, is_usable
from ..execution.standing_arm import StandingArm
from ..execution.start_check import CalledOffError, NotReadyError
from ..lifecycle.managed_node import ManagedNode
from .bridge_client import BridgeClient, Ended
from .certified_intervals import ESTIMATED
from .identifying.estimator_link import EstimatorLink
from .parameters import PlannerParameters, planning_settings
from .plan_messages import goal_from


class PlannerContext:
    """State and checks that planning and moving need alike.

    Attributes:
        node: The node.
        settings: Its parameters.
        robot: The robot file.
        uncertainty: Bounds on the arm and prior of the payload.
        base: Name of the base frame.
        limits: Name of the set of joint limits for goals that name none.
        certificates_folder: Folder of the certificates.
        in_use: What the goal does that has the arm, as a clause; empty: it is free.
        ended: How the last motion ended; None while one is in progress, and before the first.
        stated: What this node rests on, as figures of its condition.
        cell_missing: Why nothing may be planned; empty: it is known what is around the arm.
        process: Plans.
        arm: Where it is, and whether it may set off.
        estimator: What it says, and whether it is heard.
        bridge: Moves it, and knows what is in the way.
    """

    def __init__(self, node: ManagedNode, settings: PlannerParameters, robot: RobotFile,
                 uncertainty: Uncertainty) -> None:  # fmt: skip
        """Subscribe to joint states, and start the planning process."""
        self.node, self.settings, self.robot, self.uncertainty = node, settings, robot, uncertainty
        self.base = next(iter(base_frames(RobotModel.from_robot_file(robot))))
        self.limits = settings.limits or robot.limits_used
        robot.limits_named(self.limits)
        self.in_use = ""
        self.stated = stated_figures(robot, uncertainty.prior)
        self.ended: Ended | None = None
        cell, self.cell_missing = stated_cell(settings, "planner")
        worker = planning_settings(settings, robot, uncertainty, cell)
        self.certificates_folder = Path(worker.folder)
        self._names, self._mark = 0, secrets.token_hex(4)  # of this planner alone
        self.process = WorkerProcess("planning", make_worker, worker)
        node.resources.callback(self.process.close)
        tube = robot.control.stated_tube(PRESETS[settings.speed_limits])
        self.arm = StandingArm(node, robot, settings, uncertainty, tube, cell.joint_margin)
        self.estimator = EstimatorLink(node, settings.estimator, robot.payload_frame)
        self.bridge = BridgeClient(node, settings.bridge, self._on_state)

    @property
    def disagreement(self) -> str:
        """In what the estimator rests on something else; empty: nothing is known of it."""
        who = f"The estimator ({self.estimator.name})"
        return disagreement(self.stated, self.estimator.figures, who)

    def goal_of(self, message: ExcitationGoal) -> Goal:
        """Return a goal with all blanks filled in."""
        prior = self.uncertainty.prior
        goal = goal_from(message, self.settings, self.limits, self.estimator.estimate, prior)
        if goal.intervals == ESTIMATED:
            self._check_estimator()
        self.robot.limits_named(goal.limits)
        return goal

    def check_payload(self, goal: Goal) -> None:
        """Raise unless what the estimator says now agrees with the intervals of a goal.

        Raises:
            NotReadyError: The data are inconsistent, it may be another payload, or the intervals
                are of an estimator that is gone.
        """
        estimate = self.estimator.estimate
        check_payload(estimate, goal.payload_lower, goal.payload_upper)
        if goal.intervals == ESTIMATED:
            if not is_usable(estimate):
                raise NotReadyError(
                    "The estimator has forgotten the payload that this plan was made for. Plan "
                    "again."
                )
            self._check_estimator()

    def _check_estimator(self) -> None:
        """Raise unless the estimator is there and rests on the same as this node."""
        if self.disagreement:
            raise NotReadyError(f"The estimator's intervals cannot be used. {self.disagreement}")
        name = self.estimator.name
        if not self.node.count_publishers(f"{name}/payload"):
            raise NotReadyError(
                f"The estimator {name} is gone, so nobody would notice another payload in the "
                "hand. Start it again, or plan with the prior's intervals (intervals: 1)."
            )
        if absence := self.estimator.absence:
            raise NotReadyError(f"{absence} Or plan with the prior's intervals (intervals: 1).")

    def _on_state(self, state: BridgeState) -> None:
        """Take in how far the joints have turned, which the bridge counts."""
        states = self.arm.states
        if len(state.whole_turns) == self.robot.n and states.known:
            states.turns = states.turns.said_to_be(states.q + np.array(state.whole_turns))

    @property
    def fault(self) -> str:
        """Why nothing may move until somebody acknowledges; empty: nothing is wrong."""
        return "" if self.bridge.state is None else str(self.bridge.state.fault)

    def start(self, limits: str, own: bool = False) -> Array:
        """Return the pose from which to plan.

        Args:
            limits: Name of the set of joint limits.
            own: Whether for the goal that has the arm.

        Raises:
            InputError: There are no joint states, or the arm moves, is out of limits, or busy.
        """
        self.check_free(own)
        return self.standing(limits)

    def check_free(self, own: bool = False) -> None:
        """Raise unless the node is active, the arm free, and known what is around it."""
        if self.node.inactivity:
            raise NotReadyError(self.node.inactivity)
        if self.in_use and not own:
            raise NotReadyError(f"The arm is in use: {self.in_use}. Wait, or call ~/stop.")
        if self.cell_missing:
            raise NotReadyError(self.cell_missing)

    def check_plan(self, plan: Planned) -> None:
        """Raise unless a plan's certificate holds here and now, as far as the planner knows.

        Args:
            plan: The plan, of the goal that has the arm.

        Raises:
            InputError: It does not.
        """
        self.check_free(own=True)
        known, now = (
            [(body.name, body.digest) for body in bodies]
            for bodies in (plan.request.obstacles, self.bridge.bodies)
        )
        if known != now:
            raise NotReadyError("The obstacles have changed since this plan was made. Plan again.")
        self.standing(plan.request.goal.limits)
        self.check_payload(plan.request.goal)

    async def heard(self) -> None:
        """Wait for joint states and a bridge: what came while this node worked lies unread."""
        if not self._is_alive():
            await until(self.node, self._is_alive, FOUND)

    def _is_alive(self) -> bool:
        """Whether joint states arrive, by this node's clock, and there is a bridge."""
        try:
            self.arm.check_alive()
        except InputError:
            return False
        return not (self.bridge.absence or self.arm.clock_doubt())

    def standing(self, limits: str) -> Array:
        """Return the pose that a motion may begin from now.

        Raises:
            InputError: There is no bridge, or there were no joint states, the arm moves or is out
                of limits, there was a fault, or clocks or obstacles cannot be relied on.
        """
        state = self.bridge.state
        if self.fault:
            raise NotReadyError(
                f"After a fault nothing moves until somebody calls ~/acknowledge of the bridge: "
                f"{self.fault}"
            )
        self.arm.check_alive()
        if state is None or self.bridge.absence:
            raise NotReadyError(self.bridge.absence)
        if state.doubt:
            raise NotReadyError(state.doubt)
        return self.arm.start(limits, self.bridge.holding)

    def half_width(self) -> Array:
        """Return half widths of the payload's intervals in force, shape (10,)."""
        lower, upper = self.uncertainty.prior.box()
        if is_usable(self.estimator.estimate):
            lower, upper = estimate_intervals(self.estimator.estimate)
        return np.asarray((upper - lower) / 2)

    def new_name(self, kind: str) -> str:
        """Return a name for certificates, which no other planner gives, wherever it keeps them.

        Args:
            kind: With which it begins, such as "plan": no number in YAML.
        """
        self._names += 1
        return f"{kind}_{datetime.now():%Y%m%d_%H%M%S}_{self._mark}_{self._names:03d}"

    async def answer(self, request: Any, unwanted: Callable[[], str]) -> Any:
        """Return what the planning process answers; it does not end what nobody waits for.

        Args:
            request: Of it.
            unwanted: Says why nobody waits for it any more; empty: somebody does.

        Raises:
            CalledOffError: Nobody waits for it.
            InputError: It is a refusal, or the process could not carry out the request.
        """
        asked = awaitable(self.node, self.process.request(request))
        await until(self.node, lambda: asked.done() or bool(unwanted()), math.inf)
        if not asked.done():
            raise CalledOffError(unwanted())
        found = await asked
        if isinstance(found, Refused):
            raise InputError(found.sentence)
        return found
