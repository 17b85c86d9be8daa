"""What keeps the bridge from moving an arm, and what holds a moving one."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from payload_id_msgs.action import Move
from payload_id_msgs.msg import BridgeState, StopReason
from payload_id_msgs.srv import ExtendMotion

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_timing import PathStop
from payload_id.core.safety.certificate.certified_motion import CertifiedMotion, CertifiedStop
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.ros.bridge.context import BridgeContext
from payload_id.ros.bridge.move_server import MoveServer, _continued
from payload_id.ros.bridge.obstacles.obstacle_store import ObstacleStore
from payload_id.ros.bridge.prepared_motions import Prepared, PreparedMotions
from payload_id.ros.certifying.prover import Proved
from payload_id.ros.execution.back_ends.back_end import BackEnd
from payload_id.ros.execution.clock_watch import ClockWatch
from payload_id.ros.execution.held_joint_watch import HeldJointWatch
from payload_id.ros.execution.silence import Lateness, RunningTime
from payload_id.ros.execution.speed_slider import SpeedSlider
from payload_id.ros.execution.standing_arm import StandingArm
from payload_id.ros.execution.stop_reason import Reason
from payload_id.ros.execution.turn_count import TurnCount
from payload_id.ros.supervision.slider_watch import SliderWatch
from payload_id.ros.supervision.watches import Watches

ROBOT = RobotFile.load("kinova_gen3")
HOME, STAMP = np.array(ROBOT.home), 1_700_000_000_000_000_000
LIMITS = "safety_warning"
SETTINGS = SimpleNamespace(
    enable_topic="/enable", enable_timeout=1e6, joint_states_topic="", point_rate=100.0,
    reaction=0.1, settling=1.0, silence=0.25, start_delay=0.3, back_end="", controller_manager="",
    dry_run=False,
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
        self.unusable, self.awake, self.slept, self.leaps = "", np.inf, 0.0, None
        self.has_several_publishers = False
        self.running = RunningTime(step=1e6)
        self.held = HeldJointWatch((), 1.0)
        self.turns = TurnCount(
            ROBOT.joints, np.arange(7) == 2, True, np.full(7, 2.0), "", HOME, STAMP, np.zeros(7)
        )

    def take(self, every):
        stamps = np.array([self.now_ns], dtype=np.int64)
        return stamps, self.q[None], np.zeros((1, 7))

    unheard = property(lambda self: self.silence)
    leap = lambda self, fastest: self.leaps  # noqa: E731


class FakeBackEnd(BackEnd):
    """Notes what would have been sent."""

    target, is_taken, still_has_arm = "/arm/joint_trajectory", False, False

    def __init__(self) -> None:
        self.sent, self.holds, self.parts, self.left = [], 0, [], []
        self.nobody = self.somebody = self.heard = ""
        self.unnamed = False

    def get_ready(self, tube, box, torque_limit):
        pass

    def get_ready_for_more(self, box, torque_limit, begins_ns):
        self.parts.append((box, begins_ns))

    def leave_at(self, time_ns):
        self.left.append(time_ns)

    def take(self):
        self.is_taken = True

    def release(self):
        self.is_taken = False

    absence = lambda self: self.nobody  # noqa: E731
    others = lambda self: self.somebody  # noqa: E731
    is_unnamed = lambda self: self.unnamed  # noqa: E731
    foreign = lambda self: self.heard  # noqa: E731
    fault = lambda self: None  # noqa: E731
    unanswered = refused_to_hold = lambda self: ""  # noqa: E731

    def hold(self):
        self.holds += 1

    def send(self, points, start_ns, tube):
        self.sent.append(points)


class FakeController:
    """A controller that its manager says is active, or whatever it is told."""

    wrong, is_managed, nobody = "", False, ""

    async def check(self):
        pass

    look = begin = lambda self: None
    doubt = fault = lambda self: self.wrong
    absence = lambda self: self.nobody  # noqa: E731


class FakeWatch:
    """A watch that finds what it is told."""

    said, found = "", None
    attend = lambda self: None  # noqa: E731
    begin = lambda self, start_ns, tube: None  # noqa: E731
    doubt = lambda self: self.said  # noqa: E731
    fault = lambda self: self.found  # noqa: E731
    unwatched = lambda self: ["a topic: nobody publishes it."]  # noqa: E731


class Robot:
    """A bridge without ROS: arm and controller are fakes, all that decides is not."""

    def __init__(self) -> None:
        self.allow, self.arm, self.back_end = True, FakeArm(), FakeBackEnd()
        self.context = context = BridgeContext.__new__(BridgeContext)
        log = SimpleNamespace(**dict.fromkeys(("info", "warning", "error"), lambda text: None))
        context.node = SimpleNamespace(
            get_logger=lambda: log, get_parameter=lambda name: SimpleNamespace(value=self.allow),
            inactivity="",
        )  # fmt: skip
        context.faults = SimpleNamespace(write=lambda fault: None, forget=lambda: None, path="f")
        context.settings, context.robot = SETTINGS, ROBOT
        context.arm = standing = StandingArm.__new__(StandingArm)
        standing.joints, standing.states = ROBOT.joints, self.arm
        standing.continuous = (True, False, True, False, True, False, True)
        standing.encoder_error, standing._fastest = np.zeros(7), np.full(7, np.inf)
        self.simulated, self.clock = False, 0  # whether use_sim_time is set; what /clock says
        now = SimpleNamespace(now=lambda: SimpleNamespace(nanoseconds=self.clock))
        standing._node = SimpleNamespace(
            get_publishers_info_by_topic=lambda topic: [], get_clock=lambda: now,
            get_parameter=lambda name: SimpleNamespace(value=self.simulated),
        )  # fmt: skip
        standing._robot, standing._tube, standing._margin = ROBOT, ROBOT.control.stated_tube(), 0.0
        context.obstacles = ObstacleStore(1.0)
        context.estimate = context.holding = None
        context.busy = context.fault = context.cell_missing = ""
        context._enabled, context._let_go = time.monotonic(), False
        context._late = Lateness()
        motions = PreparedMotions(context)
        bounds = PayloadPrior(1.5, 0.15).box()
        box = ParameterBox.around(RobotModel.from_robot_file(ROBOT), bounds, ROBOT.uncertainty)
        limit = ROBOT.limits_named(LIMITS).effort
        proved = Proved(motion(), LIMITS, {"joint_3": 0}, *bounds, box, limit)
        motions._motions["plan"] = Prepared("plan", proved, context.obstacles.digest)
        state = SimpleNamespace(publish=lambda mover: None, message=lambda mover: BridgeState())
        self.controller, self.watch = FakeController(), FakeWatch()
        self.slider = SpeedSlider("/slider")
        self.server = MoveServer(
            context, motions, self.back_end, self.slider, self.controller, state,
            Watches([self.watch, SliderWatch(context.node, self.slider)]),
        )  # fmt: skip

    def moved(self, taken=lambda: None, name="plan"):
        """Have the motion followed; return the refusal, or nothing once it was commanded."""
        handle = SimpleNamespace(
            request=Move.Goal(motion_id=name), abort=lambda: None, is_cancel_requested=False,
            is_active=False,
        )  # fmt: skip
        running = self.server.on_move(handle)
        try:
            running.send(None)  # until the arm is being taken
            taken()
            self.server.use.look()
            running.send(None)  # until the motion is over
        except StopIteration as ended:
            assert ended.value.reason.code == StopReason.REFUSED
            return ended.value.message
        return ""


def finger():
    """Return a watch on a finger that was never heard."""
    return HeldJointWatch([SimpleNamespace(name="knuckle", unreported="", follows="")], 1.0)


WRONG = {
    "elsewhere": (lambda r: vars(r.arm).update(q=HOME + 0.1), "not where the plan begins"),
    "two arms": (
        lambda r: vars(r.arm).update(leaps=(3, 0.5, 0.001)), "somebody else publishes states"
    ),
    "two publishers": (
        lambda r: vars(r.arm).update(has_several_publishers=True), "More than one publisher"
    ),
    "no simulated time": (
        lambda r: (vars(r.arm).update(clock=ClockWatch(0.2).after(STAMP, 0)),
                   vars(r).update(simulated=True)),
        "no time has come on /clock",
    ),
    "held joint": (lambda r: vars(r.arm).update(held=finger()), "knuckle"),
    "unusable obstacles": (
        lambda r: r.context.obstacles.cannot_hear("a radius of nan", time.monotonic()), "of nan"
    ),
    "unknown turn": (
        lambda r: vars(r.arm).update(turns=replace(r.arm.turns, doubt="Say it by 'turned'")),
        "'turned'",
    ),
    "nobody follows": (lambda r: vars(r.back_end).update(nobody="Nobody subscribes."), "Nobody"),
    "somebody else": (lambda r: vars(r.back_end).update(somebody="in use"), "in use"),
    "inactive": (lambda r: vars(r.controller).update(wrong="jtc is inactive"), "jtc is inactive"),
    "no controller manager": (
        lambda r: vars(r.controller).update(nobody="There is no controller manager /x"),
        "no controller manager /x",
    ),
    "driver in fault": (lambda r: vars(r.watch).update(said="err is 31."), "err is 31"),
    "slider turned down": (lambda r: r.slider.hear(40.0, 0.0), "turned down to 40 % (/slider)"),
    "switched off": (lambda r: vars(r).update(allow=False), "allow_motion"),
}  # fmt: skip


def test_when_all_is_well_a_motion_begins():
    robot = Robot()
    assert robot.moved() == "" and len(robot.back_end.sent) == 1
    assert np.allclose(robot.back_end.sent[0].q[0], HOME)
    assert np.abs(robot.back_end.sent[0].dq[-1]).max() < 1e-9  # up to rest, whatever comes


@pytest.mark.parametrize("late", [False, True], ids=["before", "while it is taken"])
def test_nothing_begins_while_anything_is_wrong(late):
    for name, (happens, words) in WRONG.items():
        robot = Robot()
        if not late:
            happens(robot)
        message = robot.moved(taken=lambda r=robot, h=happens: h(r))
        assert words in message and not robot.back_end.sent, name
        assert robot.back_end.is_taken is False, name  # given back


def test_a_joint_that_was_turned_by_a_whole_turn_lets_nothing_begin():
    robot = Robot()
    turn = 2 * np.pi * (np.arange(7) == 2)
    robot.arm.turns = TurnCount(
        ROBOT.joints, np.arange(7) == 2, False, np.full(7, 2.0), "", HOME, STAMP, turn / 2 / np.pi
    )
    message = robot.moved()
    assert "joint_3 was turned by +1 whole turns" in message and not robot.back_end.sent


def test_a_part_that_takes_over_is_announced_with_its_own_box_and_forgotten_by_an_earlier_stop():
    robot = Robot()
    assert robot.moved(lambda: None) == ""
    server, plan = robot.server, robot.server._motions.named("plan")
    start = MotionState.of(plan.proved.motion.trajectory, 1.5)
    path = BezierPiece(start, np.full(7, 0.05), 2.0)
    box = replace(plan.proved.box)
    more = replace(plan.proved.motion, trajectory=path, stops=())
    proved = replace(plan.proved, motion=more, box=box)
    server._motions._motions["more"] = replace(plan, name="more", proved=proved)
    asked = ExtendMotion.Request(motion_id="more", follows="plan", after=1.5)
    answer = server.on_extend(asked, ExtendMotion.Response())
    assert answer.success, answer.message
    begins_ns = server.execution.start_ns + 1_500_000_000
    ((told, at),) = robot.back_end.parts
    assert told is box and at == begins_ns
    robot.arm.now_ns = begins_ns - 1_000_000_000
    server.stop(Reason.CANCELLED, "why")  # by the stop at 1 s
    assert robot.back_end.left == [server.execution.start_ns + 1_000_000_000]
    asked = ExtendMotion.Request(motion_id="more", follows="more", after=1.5)
    assert "being ended" in server.on_extend(asked, ExtendMotion.Response()).message


def test_a_stop_at_the_instant_of_a_take_over_is_that_of_the_part_before():
    """A part's own at its beginning would be followed as the part before it was proved."""
    one, two = (
        BezierPiece(MotionState.at_rest(np.full(7, 0.2 * k)), np.full(7, 0.2), 2.0) for k in (0, 1)
    )
    stops = [
        tuple(CertifiedStop(time, None) for time in times)
        for times in ((0.5, 2.0), (0.0, 4e-10, 0.5))  # stamps are in nanoseconds
    ]
    present = CertifiedMotion(MotionSequence((one,), (2.0,)), stops[0], None)
    following = CertifiedMotion(MotionSequence((two,), (2.0,)), stops[1], None)
    taking_over = SimpleNamespace(proved=SimpleNamespace(motion=following), name="later")
    found, begins = _continued(present, taking_over, 2.0)
    assert begins == 2.0 and [each.time for each in found.stops] == [0.5, 2.0, 2.5]
