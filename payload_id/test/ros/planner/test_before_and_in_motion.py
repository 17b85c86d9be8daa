"""What keeps the planner from moving an arm, however it is asked, and what holds a moving one."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from payload_id_msgs.action import Execute
from payload_id_msgs.msg import PayloadEstimate, StopReason
from payload_id_msgs.srv import Acknowledge

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_timing import PathStop
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.certificate.certified_motion import CertifiedMotion, CertifiedStop
from payload_id.files.robots.robot_file import RobotFile
from payload_id.ros.execution.clock_watch import ClockWatch
from payload_id.ros.execution.held_joint_watch import HeldJointWatch
from payload_id.ros.execution.motion_execution import Phase
from payload_id.ros.execution.speed_slider import SpeedSlider
from payload_id.ros.execution.stop_reason import Reason
from payload_id.ros.execution.turn_count import TurnCount
from payload_id.ros.planner.context import PlannerContext
from payload_id.ros.planner.execute_server import ExecuteServer
from payload_id.ros.planner.obstacles.obstacle_store import ObstacleStore
from payload_id.ros.planner.planning.request import Goal

ROBOT = RobotFile.load("kinova_gen3")
HOME, STAMP = np.array(ROBOT.home), 1_700_000_000_000_000_000
GOAL = Goal(
    "bezier", "half_widths", 2.0, 1.0, 0.0, 1.0, 1, "safety_warning",
    *PayloadPrior(1.5, 0.15).box(), "prior", {"joint_3": 0},
)  # fmt: skip
SETTINGS = SimpleNamespace(
    enable_topic="/enable", enable_timeout=1e6, joint_states_topic="", point_rate=100.0,
    reaction=0.1, settling=1.0, silence=0.25, start_delay=0.3,
)  # fmt: skip


def motion() -> CertifiedMotion:
    """Return a motion from home, with a stop."""
    path = BezierPiece(MotionState.at_rest(HOME), np.full(7, 0.1), 2.0)
    tube = ROBOT.control.stated_tube()
    return CertifiedMotion(path, (CertifiedStop(1.0, PathStop(path, 1.0, 0.3)),), tube)


class FakeArm:
    """Joint states of an arm that stands at home, or does as it is told."""

    topic = "/joint_states"

    def __init__(self) -> None:
        self.q, self.speed, self.known, self.silence = HOME.copy(), np.zeros(7), True, 0.0
        self.clock, self.now_ns, self.dropped = ClockWatch(0.2), STAMP, None
        self.held = HeldJointWatch((), 1.0)
        self.turns = TurnCount(
            ROBOT.joints, np.arange(7) == 2, True, np.full(7, 2.0), "", HOME, STAMP, np.zeros(7)
        )

    def take(self, every):
        stamps = np.array([self.now_ns], dtype=np.int64)
        return stamps, self.q[None], np.zeros((1, 7))


class FakeBackEnd:
    """Notes what would have been sent."""

    target = "/arm/joint_trajectory"

    def __init__(self) -> None:
        self.sent, self.holds, self.is_taken = [], 0, False
        self.nobody = self.somebody = self.heard = ""

    def take(self):
        self.is_taken = True

    def release(self):
        self.is_taken = False

    absence = lambda self: self.nobody  # noqa: E731
    others = lambda self: self.somebody  # noqa: E731
    foreign = lambda self: self.heard  # noqa: E731

    def hold(self):
        self.holds += 1

    def send(self, points, start_ns):
        self.sent.append(points)


class FakeController:
    """A controller that its manager says is active, or whatever it is told."""

    wrong = ""

    async def check(self):
        pass

    look = begin = lambda self: None
    doubt = fault = lambda self: self.wrong


class Robot:
    """A planner without ROS: arm and controller are fakes, all that decides is not."""

    def __init__(self) -> None:
        self.allow, self.arm, self.back_end = True, FakeArm(), FakeBackEnd()
        self.context = context = PlannerContext.__new__(PlannerContext)
        log = SimpleNamespace(info=lambda text: None, warning=lambda text: None)
        context.node = SimpleNamespace(
            get_logger=lambda: log, get_parameter=lambda name: SimpleNamespace(value=self.allow)
        )
        context.settings, context.robot, context.arm = SETTINGS, ROBOT, self.arm
        context.uncertainty = Uncertainty()
        context.continuous = (True, False, True, False, True, False, True)
        context.tube, context.obstacles = ROBOT.control.stated_tube(), ObstacleStore(1.0)
        context.encoder_error = np.zeros(7)
        context.estimate = context.holding = None
        context.busy = context.fault = context.cell_missing = ""
        context.joint_margin = 0.0
        context._enabled = time.monotonic()
        description = SimpleNamespace(token="read")
        self.plan = SimpleNamespace(
            request=SimpleNamespace(goal=GOAL), motion=motion(), certificate=None
        )
        kept = (self.plan, description, context.obstacles.digest)
        plans = SimpleNamespace(plan_named=lambda name: kept)
        self.controller = FakeController()
        self.server = ExecuteServer(context, plans, self.back_end, SpeedSlider(), self.controller)
        context.ask, self.meanwhile = self.ask, lambda: None

    async def ask(self, request):
        """Return the plan, which stands for what is left of it."""
        self.meanwhile()
        return self.plan

    def executed(self, taken=lambda: None, **fields):
        """Execute the plan; return the refusal, or nothing once the motion was commanded."""
        fields = {"plan_id": "plan", "token": "read"} | fields
        handle = SimpleNamespace(
            request=Execute.Goal(**fields), abort=lambda: None, is_cancel_requested=False
        )
        running = self.server.on_execute(handle)
        try:
            running.send(None)  # until the arm is being taken
            taken()
            self.server.use.look()
            running.send(None)  # until the motion is over
        except StopIteration as ended:
            assert ended.value.reason.code == StopReason.REFUSED
            return ended.value.message
        return ""

    def begun_from_rest(self):
        """Begin a piece of a receding horizon; return the refusal, or nothing."""
        try:
            self.server.begin_from_rest(motion(), GOAL)
        except InputError as error:
            return str(error)
        return ""

    def resumed(self):
        """Resume a pause of the plan at its very beginning; return the refusal, or nothing."""
        self.server.paused, self.server._plan = True, self.plan
        self.server.execution = SimpleNamespace(
            resting_place=0.0, watch=SimpleNamespace(largest_use=0.0)
        )
        try:
            self.server.resume().send(None)
        except StopIteration:
            return ""
        except InputError as error:
            assert self.server.paused  # it rests on
            return str(error)
        raise AssertionError("it waits")


def another_payload():
    found = PayloadEstimate(status=PayloadEstimate.GOOD)
    found.lower, found.upper = np.full(10, 5.0), np.full(10, 6.0)
    return found


def old_obstacles():
    store = ObstacleStore(1.0)
    store.hear({}, time.monotonic() - 2.0)
    return store


def finger():
    """Return a watch on a finger that was never heard."""
    return HeldJointWatch([SimpleNamespace(name="knuckle", unreported="", follows="")], 1.0)


WRONG = {
    "a fault": (lambda r: vars(r.context).update(fault="TUBE_LEFT"), "~/acknowledge"),
    "motion": (lambda r: vars(r.arm).update(speed=np.full(7, 0.1)), "The arm is moving"),
    "elsewhere": (lambda r: vars(r.arm).update(q=HOME + 0.1), "not where the plan begins"),
    "outside limits": (lambda r: r.arm.q.__setitem__(1, 2.6), "outside the limits"),
    "clock behind": (
        lambda r: vars(r.arm).update(clock=ClockWatch(0.2).after(STAMP, STAMP + 300_000_000)),
        "behind the clock",
    ),
    "held joint": (lambda r: vars(r.arm).update(held=finger()), "knuckle"),
    "old obstacles": (lambda r: vars(r.context).update(obstacles=old_obstacles()), "2.00 s old"),
    "unusable obstacles": (
        lambda r: r.context.obstacles.cannot_hear("a radius of nan", time.monotonic()), "of nan"
    ),
    "unknown turn": (
        lambda r: vars(r.arm).update(turns=replace(r.arm.turns, doubt="Say it by 'turned'")),
        "'turned'",
    ),
    "inconsistent": (
        lambda r: vars(r.context).update(
            estimate=PayloadEstimate(status=PayloadEstimate.INCONSISTENT, message="it slips")
        ),
        "it slips",
    ),
    "another payload": (
        lambda r: vars(r.context).update(estimate=another_payload()), "another payload"
    ),
    "nobody follows": (lambda r: vars(r.back_end).update(nobody="Nobody subscribes."), "Nobody"),
    "somebody else": (lambda r: vars(r.back_end).update(somebody="in use"), "in use"),
    "inactive": (lambda r: vars(r.controller).update(wrong="jtc is inactive"), "jtc is inactive"),
    "switched off": (lambda r: vars(r).update(allow=False), "allow_motion"),
    "not enabled": (lambda r: vars(r.context).update(_enabled=-np.inf), "/enable"),
}  # fmt: skip
WAYS = {
    "execute": Robot.executed,
    "receding horizon": Robot.begun_from_rest,
    "resume": Robot.resumed,
}


@pytest.mark.parametrize("way", WAYS)
def test_when_all_is_well_a_motion_begins(way):
    robot = Robot()
    assert WAYS[way](robot) == "" and len(robot.back_end.sent) == 1
    assert np.allclose(robot.back_end.sent[0].q[0], HOME)
    assert np.abs(robot.back_end.sent[0].dq[-1]).max() < 1e-9  # up to rest, whatever comes


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", WRONG)
def test_nothing_begins_while_anything_is_wrong(name, way):
    robot = Robot()
    happens, words = WRONG[name]
    happens(robot)
    message = WAYS[way](robot)
    assert words in message and message and not robot.back_end.sent
    assert robot.back_end.is_taken is False


@pytest.mark.parametrize("name", WRONG)
def test_what_goes_wrong_while_the_arm_is_taken_counts_too(name):
    robot = Robot()
    happens, words = WRONG[name]
    message = robot.executed(taken=lambda: happens(robot))
    assert words in message and message and not robot.back_end.sent
    assert robot.back_end.is_taken is False  # given back


@pytest.mark.parametrize("name", WRONG)
def test_what_goes_wrong_while_the_rest_of_a_paused_motion_is_certified_counts_too(name):
    robot = Robot()
    happens, words = WRONG[name]
    robot.meanwhile = lambda: happens(robot)
    message = robot.resumed()
    assert words in message and message and not robot.back_end.sent


def test_a_resume_of_an_earlier_pause_moves_no_later_one():
    robot = Robot()

    def another():  # the goal ended meanwhile, and another one rests in a pause of the same plan
        robot.server.execution = SimpleNamespace(resting_place=0.0, watch=None)

    robot.meanwhile = another
    assert "ended or resumed meanwhile" in robot.resumed() and not robot.back_end.sent


@pytest.mark.parametrize("way", WAYS)
def test_a_start_is_judged_as_the_motion_will_be(way):
    robot = Robot()
    allowed = motion().tube.position[0]
    robot.arm.q = HOME + 0.99 * allowed * (np.arange(7) == 0)
    assert WAYS[way](robot) == ""
    robot = Robot()
    robot.arm.q = HOME + 0.99 * allowed * (np.arange(7) == 0)
    robot.context.encoder_error = np.full(7, 0.02 * allowed)
    assert "not where the plan begins" in WAYS[way](robot) and not robot.back_end.sent


@pytest.mark.parametrize("scale", [-1.0, 1e-300, 0.004, 0.049, 1.5, np.nan, np.inf])
def test_speeds_that_are_no_part_of_the_plans_are_refused(scale):
    robot = Robot()
    assert "speed_scale must be from 0.05 to 1" in robot.executed(speed_scale=scale)
    assert not robot.back_end.sent


@pytest.mark.parametrize("way", WAYS)
def test_a_joint_that_was_turned_by_a_whole_turn_lets_nothing_begin(way):
    robot = Robot()
    turn = 2 * np.pi * (np.arange(7) == 2)
    robot.arm.turns = TurnCount(
        ROBOT.joints, np.arange(7) == 2, False, np.full(7, 2.0), "", HOME, STAMP, turn / 2 / np.pi
    )
    message = WAYS[way](robot)
    assert "joint_3 was turned by +1 whole turns" in message and not robot.back_end.sent


def test_nothing_is_planned_while_it_is_not_known_what_is_around_the_arm():
    robot = Robot()
    assert np.allclose(robot.context.start("safety_warning"), HOME)
    robot.context.cell_missing = "No motion is planned without knowing what is around the arm."
    with pytest.raises(InputError, match="what is around the arm"):
        robot.context.start("safety_warning")
    assert "what is around the arm" in robot.executed()


FAULTS = {
    Reason.CLOCK_FAULT: lambda r: vars(r.arm).update(
        clock=ClockWatch(0.2).after(STAMP, STAMP + 300_000_000)
    ),
    Reason.HELD_JOINT_OFF: lambda r: vars(r.arm).update(held=finger()),
    Reason.FOREIGN_COMMAND: lambda r: vars(r.back_end).update(heard="A trajectory of 3 points"),
    Reason.CONTROLLER_INACTIVE: lambda r: vars(r.controller).update(wrong="jtc is inactive"),
    Reason.JOINT_STATES_LOST: lambda r: vars(r.arm).update(silence=0.3),
    Reason.TUBE_LEFT: lambda r: vars(r.arm).update(q=HOME + 0.3),
}


def moving() -> Robot:
    """Return a robot whose arm is 0.5 s into its motion, as it should be."""
    robot = Robot()
    assert robot.executed() == ""
    begin, path = robot.server.execution.start_ns, robot.plan.motion.trajectory
    robot.arm.now_ns = begin + 500_000_000
    robot.arm.q = path.at(np.array([0.5])).q[0]
    robot.server.on_watch_due()
    assert robot.server.execution.phase is Phase.MOVING and not robot.back_end.holds
    return robot


def at_rest(robot):
    """Let time pass until the arm was seen to rest where it is."""
    for _ in range(40):
        robot.arm.now_ns += 100_000_000
        robot.server.on_watch_due()
    assert robot.server.execution.done


def acknowledged(robot, reason):
    request, response = Acknowledge.Request(reason=reason), Acknowledge.Response()
    return robot.server.on_acknowledge(request, response).success


@pytest.mark.parametrize("stopping", [False, True], ids=["moving", "stopping"])
@pytest.mark.parametrize("reason", FAULTS)
def test_a_fault_is_held_and_kept_until_somebody_says_why_also_during_a_stop(reason, stopping):
    robot = moving()
    if stopping:
        assert robot.server.stop(Reason.CANCELLED, "by hand")
        assert len(robot.back_end.sent) == 2  # the motion and its certified stop
    sent = len(robot.back_end.sent)
    FAULTS[reason](robot)
    robot.server.on_watch_due()
    assert robot.back_end.holds == 1 and len(robot.back_end.sent) == sent
    robot.arm.silence = 0.0
    at_rest(robot)
    assert len(robot.back_end.sent) == sent and robot.back_end.holds == 1
    assert robot.server.ended[0] is (Reason.CANCELLED if stopping else reason)
    assert robot.context.fault.startswith(reason.name)
    with pytest.raises(InputError, match=f"~/acknowledge: {reason.name}"):
        robot.context.standing("safety_warning")
    assert not acknowledged(robot, " ") and acknowledged(robot, "looked at it")
    assert robot.context.fault == ""


@pytest.mark.parametrize("name", ["old obstacles", "unusable obstacles"])
def test_obstacles_that_are_doubtful_in_motion_stop_it_on_its_path(name):
    robot = moving()
    WRONG[name][0](robot)
    robot.server.on_watch_due()
    assert robot.server.execution.reason is Reason.OBSTACLES_CHANGED
    assert len(robot.back_end.sent) == 2 and not robot.back_end.holds
