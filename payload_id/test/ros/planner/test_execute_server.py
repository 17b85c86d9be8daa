"""What the planner has the bridge follow, and when it does not: without ROS, the bridge a fake."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from payload_id_msgs.action import Execute, Follow
from payload_id_msgs.msg import BridgeState, PayloadEstimate, StopReason

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.planning.request import Goal
from payload_id.ros.execution.stop_reason import Reason
from payload_id.ros.planner.arm_goal import ArmLease
from payload_id.ros.planner.bridge_client import Ended, Following
from payload_id.ros.planner.certified_intervals import ESTIMATED
from payload_id.ros.planner.context import PlannerContext
from payload_id.ros.planner.execute_server import ExecuteServer

GROUND = ConvexBody.ground()
LOWER, UPPER = PayloadPrior(1.5, 0.15).box()
GOAL = Goal("bezier", "half_widths", 2.0, 1.0, 1.0, 1, "safety", LOWER, UPPER, ESTIMATED)


class FakeBridge:
    """Says what it is told to, and notes what it is handed."""

    absence, holding = "", None

    def __init__(self) -> None:
        self.state, self.bodies, self.handed = BridgeState(), (), []

    def follow(self, name, motion, documents, who, continues, after):
        self.handed.append(Following(name, motion))
        return self.handed[-1]


class Planner:
    """A planner without ROS that keeps one plan."""

    def __init__(self) -> None:
        self.context = context = PlannerContext.__new__(PlannerContext)
        log = SimpleNamespace(info=lambda text: None, warning=lambda text: None)
        context.node = SimpleNamespace(
            get_logger=lambda: log,
            inactivity="",
            count_publishers=lambda topic: 1,
        )
        context.bridge = self.bridge = FakeBridge()
        estimate = PayloadEstimate(
            status=PayloadEstimate.GOOD, lower=LOWER + 0.01, upper=UPPER - 0.01
        )
        context.stated = {}
        context.estimator = SimpleNamespace(
            absence="", estimate=estimate, figures={}, name="estimator"
        )
        context.in_use = context.cell_missing = ""
        context.limits = "safety"
        context.arm = SimpleNamespace(
            check_alive=lambda: None,
            clock_doubt=lambda: "",
            is_seen_at_rest=lambda: self.stands,
            start=lambda limits, holding: np.zeros(7),
            states=SimpleNamespace(known=False, now_ns=0, take=lambda every: None),
        )
        plan = SimpleNamespace(
            request=SimpleNamespace(goal=GOAL, obstacles=()),
            motion=None,
            documents=None,
            name="plan",
        )
        kept = (plan, SimpleNamespace(token="read"))
        plans = SimpleNamespace(plan_named=lambda name: kept)
        self.lease = ArmLease(context)
        self.server = ExecuteServer(context, self.lease, plans)
        self.result, self.stands = None, False

    def executed(self, **fields):
        """Execute the plan; return the refusal, or nothing once it was handed over."""
        self.handle = SimpleNamespace(
            request=Execute.Goal(**({"plan_id": "plan", "token": "read"} | fields)),
            abort=lambda: None, canceled=lambda: None, succeed=lambda: None,
            is_cancel_requested=False, is_active=True, goal_id=1,
        )  # fmt: skip
        self.running = self.server.on_execute(self.handle)
        return self.go_on()

    def go_on(self):
        """Have the goal go on; return why it ended, or nothing."""
        try:
            self.running.send(None)
        except StopIteration as ended:
            self.result = ended.value
            return ended.value.message
        return ""

    def told(self, reason):
        """Have the bridge say why the motion has ended."""
        self.bridge.handed[-1].conclude(Ended(reason, reason.value))


def test_a_plan_is_handed_over_and_ends_as_the_bridge_says():
    planner = Planner()
    assert planner.executed() == "" and planner.context.in_use
    planner.told(Reason.TUBE_LEFT)
    assert Reason.TUBE_LEFT.value in planner.go_on() and not planner.context.in_use
    assert planner.result.reason.code == StopReason.TUBE_LEFT and not planner.result.success


WRONG = {
    "no bridge": (lambda p: vars(p.bridge).update(absence="There is no bridge"), "no bridge"),
    "a fault": (lambda p: setattr(p.bridge.state, "fault", "TUBE_LEFT"), "~/acknowledge"),
    "doubtful obstacles": (lambda p: setattr(p.bridge.state, "doubt", "They are old"), "are old"),
    "other obstacles": (lambda p: vars(p.bridge).update(bodies=[GROUND]), "obstacles have changed"),
    "in use": (lambda p: vars(p.context).update(in_use="something"), "in use: something"),
    "inconsistent": (
        lambda p: vars(p.context.estimator).update(
            estimate=PayloadEstimate(status=PayloadEstimate.INCONSISTENT, message="it slips")
        ),
        "it slips",
    ),
    "an estimator that is not heard": (
        lambda p: setattr(p.context.estimator, "absence", "It was last heard 6 s ago."), "6 s ago"
    ),
    "forgotten payload": (
        lambda p: setattr(p.context.estimator.estimate, "status", PayloadEstimate.WAITING),
        "forgotten",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_nothing_is_handed_over_while_anything_is_wrong(name):
    planner = Planner()
    happens, words = WRONG[name]
    happens(planner)
    message = planner.executed()
    assert words in message and not planner.bridge.handed
    assert planner.result.reason.code == StopReason.REFUSED


def test_nothing_is_planned_while_it_is_not_known_what_is_around_the_arm():
    planner = Planner()
    planner.context.cell_missing = "No motion is planned without knowing what is around the arm."
    with pytest.raises(InputError, match="what is around the arm"):
        planner.context.start("safety")
    assert "what is around the arm" in planner.executed()


@pytest.mark.parametrize(
    ("ends", "reason"), [("call_off", Reason.CANCELLED), ("pause", Reason.PAUSED)]
)
def test_what_is_called_off_or_paused_ends_for_that_reason(ends, reason):
    planner = Planner()
    assert planner.executed() == ""
    goal, following, cancelled = planner.lease.goal, planner.bridge.handed[0], []
    if ends == "pause":
        goal.pause()
    else:
        goal.call_off(reason, "somebody wants it")
    following.take_goal(SimpleNamespace(cancel_goal_async=lambda: cancelled.append(1)))
    assert cancelled  # though the bridge accepts it only now
    told = Follow.Result(reason=StopReason(code=StopReason.CANCELLED), begun=True, at_rest=True)
    following.take_result(told)
    planner.go_on()
    assert planner.result.reason.code == getattr(StopReason, reason.name)
    assert planner.result.at_rest and not planner.context.in_use
