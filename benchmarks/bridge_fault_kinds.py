"""Faults around a bridge in motion: what goes wrong, what must come of it, and how it is put right.

Each kind has something go wrong while a certified motion runs. The motion then ends with one of
some reasons, the arm rests within a stated time, nothing was commanded that no certificate allows,
and after `~/acknowledge` the next motion runs with nothing started anew but what was killed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import asdict, dataclass
from typing import Any

from bridge_fault_rig import NAMES, Rig
from controller_manager_msgs.srv import SwitchController
from lossy_sockets import loss
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import PayloadEstimate, StopReason
from sensor_msgs.msg import JointState

from payload_id.ros.bridge.parameters import BRIDGE_TABLE
from payload_id.ros.common.conversions import stamp_of
from payload_id.ros.planner.parameters import PLANNER_TABLE
from planned_robot import GOAL, PARAMETERS

LOSS = 0.2  # share of datagrams
PARTITION = 2.0  # for which nothing comes through [s]
HUNG = 1.5  # for which the driver hangs [s]
HOUR = 3600
PUSH = 10.0  # [N m] on each joint: some give way by more than the tube
LATEST = 4.0  # after which a goal of ~/identify is cancelled [s]
CONTROLLER = "joint_trajectory_controller"
# Times until the arm rests [s]: for a hold what is silent is noticed, a goal is cancelled and the
# arm seen to rest; a stop begins at the next stop, after `reaction`; a motion that nobody stops
# goes on to its end, at rest.
HOLD = PARAMETERS["silence"] + 0.5 + 2.0
STOP = PARAMETERS["reaction"] + PARAMETERS["stop_step"] + 1.6 + 2.0
TO_ITS_END = 1.6 / 0.6 + 2.0


@dataclass(frozen=True)
class Kind:
    """A kind of fault.

    Attributes:
        happen: Has it happen in motion; returns what puts it right.
        reasons: Names of those that the motion may end for; empty: nobody is left to say it.
        rests: Time after it within which the arm must rest [s].
        kept: Whether it must be acknowledged; None: that depends.
        latest: Until when after the motion began it may happen [s].
    """

    happen: Callable[[Rig], Callable[[], None]]
    reasons: tuple[str, ...]
    rests: float
    kept: bool | None
    latest: float = 1.0


@dataclass(frozen=True)
class Run:
    """What came of one fault.

    Attributes:
        number: Of the run.
        kind: Of fault.
        moment: When it happened, after the motion began [s].
        reason: That the motion ended for; empty: nobody said.
        rest: Time until the arm rested [s]; 0 where another one took its place.
        seconds: That the run took [s].
        failure: What did not hold; empty: everything did.
    """

    number: int
    kind: str
    moment: float
    reason: str
    rest: float
    seconds: float
    failure: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def nothing() -> None:
    """Put nothing right."""


def driver_killed(rig: Rig) -> Callable[[], None]:
    """SIGKILL of arm and driver; another one begins at home."""
    rig.arm.process.kill()
    rig.arm.process.wait()

    def restart() -> None:
        rig.arm = rig.start_arm(rig.folder, rig.domain)
        first = len(rig.joint_states)
        rig.observer.wait(lambda: len(rig.joint_states) > first + 50, "joint states", 90.0)

    return restart


def joint_states_frozen(rig: Rig) -> Callable[[], None]:
    """The driver hangs: neither joint states nor answers."""
    rig.put("hung", True)
    rig.spin(HUNG)
    rig.put("hung", False)
    return nothing


def effort_stuck(rig: Rig) -> Callable[[], None]:
    """A joint's torque sensor sticks, of which the estimator says that no payload explains it."""
    said = PayloadEstimate(status=PayloadEstimate.INCONSISTENT, message="joint_2 does not agree.")
    rig.estimates.publish(said)
    return rig.begin_anew


def datagrams_lost(rig: Rig) -> Callable[[], None]:
    """One in five datagrams is lost until the motion is over."""
    _deaf(rig, LOSS, 4.0)
    return nothing


def partitioned(rig: Rig) -> Callable[[], None]:
    """Nothing comes to bridge and planner for two seconds."""
    _deaf(rig, 1.0, PARTITION)
    return nothing


def _deaf(rig: Rig, share: float, seconds: float) -> None:
    """Have bridge and planner lose a share of what comes to them for a while [s]."""
    with ExitStack() as stack:
        for node in (rig.bridge, rig.planner):
            assert stack.enter_context(loss(node.process.pid, share))
        rig.spin(seconds)


def clock_jumped(rig: Rig) -> Callable[[], None]:
    """Joint states an hour ahead come beside the driver's until the bridge acts."""
    publisher = rig.observer.publisher(JointState, "/joint_states")
    count, end = len(rig.commands), time.monotonic() + 1.0
    driver = rig.joint_states[-1]
    own: set[int] = set()  # stamps of what is published here, and heard here, too
    while len(rig.commands) == count and time.monotonic() < end:  # no stamp comes twice
        newest = rig.joint_states[-1]
        driver = driver if stamp_of(newest.header.stamp) in own else newest
        message = deepcopy(driver)
        _ahead(message, HOUR, 1000 * (len(own) + 1))
        own.add(stamp_of(message.header.stamp))
        publisher.publish(message)
        rig.observer.executor.spin_once(timeout_sec=0.01)
    rig.observer.node.destroy_publisher(publisher)
    return nothing


def controller_switched(rig: Rig) -> Callable[[], None]:
    """Somebody deactivates the arm's controller."""
    _switch(rig, deactivate_controllers=[CONTROLLER])
    return lambda: _switch(rig, activate_controllers=[CONTROLLER])


def fault_raised(rig: Rig) -> Callable[[], None]:
    """The driver says that it is in fault, and drops commands."""
    rig.put("fault", True)
    return lambda: rig.put("fault", False)


def pushed(rig: Rig) -> Callable[[], None]:
    """Somebody pushes the arm out of its tube, and lets go when it is held."""
    count, end = len(rig.commands), time.monotonic() + 1.0
    rig.put("push", [PUSH])
    rig.observer.wait(lambda: len(rig.commands) > count or time.monotonic() > end, "the hold")
    rig.put("push", [0.0])
    return nothing


def bridge_killed(rig: Rig) -> Callable[[], None]:
    """SIGKILL of the bridge."""
    rig.bridge.process.kill()
    rig.bridge.process.wait()

    def restart() -> None:
        rig.states.clear()
        rig.bridge = rig.start("bridge", BRIDGE_TABLE)
        rig.observer.wait(lambda: rig.states, "a bridge that says what it does", 90.0)

    return restart


def planner_killed(rig: Rig) -> Callable[[], None]:
    """SIGKILL of the planner."""
    rig.planner.process.kill()
    rig.planner.process.wait()

    def restart() -> None:
        rig.planner = rig.start("planner", PLANNER_TABLE)

    return restart


def _ahead(message: JointState, seconds: int, nanoseconds: int) -> None:
    """Set a stamp ahead."""
    message.header.stamp.sec += seconds
    later = message.header.stamp.nanosec + nanoseconds
    message.header.stamp.nanosec = min(later, 999_999_999)


def _switch(rig: Rig, **controllers: list[str]) -> None:
    """Switch controllers of the arm."""
    request = {"strictness": SwitchController.Request.BEST_EFFORT, **controllers}
    service = "/controller_manager/switch_controller"
    assert rig.observer.call(SwitchController, service, **request).ok


SILENCE = ("JOINT_STATES_LOST", "CONTROLLER_FAULT", "CLOCK_FAULT")
UNHEARD = ("BRIDGE_LOST", *SILENCE)
KINDS: dict[str, Kind] = {
    "driver_killed": Kind(driver_killed, SILENCE, HOLD, True),
    "joint_states_frozen": Kind(joint_states_frozen, SILENCE, HUNG + HOLD, True),
    "effort_stuck": Kind(effort_stuck, ("ESTIMATE_INCONSISTENT",), STOP, False),
    "datagrams_lost": Kind(datagrams_lost, ("COMPLETED", *UNHEARD), 4.0 + TO_ITS_END, None),
    "clock_jumped": Kind(clock_jumped, ("CLOCK_FAULT",), HOLD, True),
    "controller_switched": Kind(controller_switched, ("CONTROLLER_INACTIVE",), HOLD, True),
    "fault_raised": Kind(fault_raised, ("DRIVER_FAULT",), HOLD, True),
    "pushed": Kind(pushed, ("TUBE_LEFT",), HOLD, True),
    "bridge_killed": Kind(bridge_killed, ("BRIDGE_LOST",), TO_ITS_END, True),
    "planner_killed": Kind(planner_killed, (), TO_ITS_END, False),
    # Later a motion is over before anybody can miss anything.
    "partitioned": Kind(partitioned, UNHEARD, PARTITION + TO_ITS_END, True, latest=0.8),
}
CANCELLED = "cancelled"  # at any moment of ~/identify, its states before a motion among them
EVERY = (*KINDS, CANCELLED)


def undergo(rig: Rig, number: int, name: str, part: float) -> Run:
    """Have a fault happen; return what came of it.

    Args:
        rig: The robot.
        number: Of the run.
        name: Of the kind.
        part: Which moment of those that are possible, in [0, 1].
    """
    begin = time.monotonic()
    found: dict[str, Any] = {"moment": 0.0, "reason": "", "rest": 0.0}
    failure = ""
    try:
        if name == CANCELLED:
            _cancel(rig, part, found)
        else:
            _meet(rig, KINDS[name], part, found)
        rig.check_commands()
    except AssertionError as error:
        failure = str(error).splitlines()[0] if str(error) else "an assertion"
    return Run(number, name, seconds=time.monotonic() - begin, failure=failure, **found)


def _meet(rig: Rig, kind: Kind, part: float, found: dict[str, Any]) -> None:
    """Have a fault happen in motion, and put it right."""
    found["moment"] = moment = kind.latest * part
    _, future = rig.moving(moment)
    assert not future.done(), future.result().result.message
    with rig.disturbed():
        happened = rig.now
        put_right = kind.happen(rig)
        anew = kind.happen is driver_killed  # another arm, whose clock may be another one
        if anew:
            put_right()
        rested = rig.rests(kind.rests + 60.0)
        found["rest"] = 0.0 if anew else rested - happened
        if kind.reasons:
            result, _ = rig.result(future)
            found["reason"] = NAMES[result.reason.code]
            assert found["reason"] in kind.reasons, result.message
        if not anew:
            assert found["rest"] <= kind.rests, f"it rested after {found['rest']:.2f} s"
            put_right()
    fault = rig.acknowledged()
    if kind.happen is bridge_killed:
        _wait_until_ready(rig)
    assert kind.kept is None or bool(fault) is kind.kept, f"fault: {fault or 'none'}"


def _wait_until_ready(rig: Rig) -> None:
    """Wait until a bridge that was started anew hears the driver, too."""
    box = rig.observer.mailbox["/diagnostics"]
    box.clear()

    def ready() -> bool:
        told = [x for array in box for x in array.status if x.name.startswith("payload_bridge")]
        return any(x.message == "Ready." for x in told)

    rig.observer.wait(ready, "a bridge that is ready", 90.0)


def _cancel(rig: Rig, part: float, found: dict[str, Any]) -> None:
    """Cancel a goal of ~/identify, whatever it is doing then."""
    rig.planned_in_time()  # it is ready
    rig.commands.clear()
    found["moment"] = moment = LATEST * part
    handle, future, feedback = rig.begin(Identify, "identify", one_motion=True, goal=GOAL)
    assert handle.accepted, "the goal was rejected"
    begin = rig.now
    rig.observer.wait(lambda: future.done() or rig.now >= begin + moment, "the moment")
    begin, first = rig.now, len(rig.joint_states)
    if not future.done():
        handle.cancel_goal_async()
    result, _ = rig.result(future)
    found["reason"] = NAMES[result.reason.code]
    allowed = (Identify.Result.CANCELLED, Identify.Result.NONE)
    known = result.error_code in allowed or result.reason.code == StopReason.COMPLETED
    assert known, result.message
    found["rest"] = max(0.0, rig.rests(60.0, first) - begin)
    assert found["rest"] <= STOP, f"it rested after {found['rest']:.2f} s"
    rig.begin_anew()
    assert not rig.acknowledged()


def end_by(rig: Rig) -> None:
    """Check that a last motion runs to its end, and that all ends in order."""
    _, future = rig.moving(0.0)
    result, _ = rig.result(future)
    assert result.reason.code == StopReason.COMPLETED, result.message
    rig.check_commands()
    for node in (rig.planner, rig.bridge):
        assert node.stop() == 0 and "Traceback" not in node.printed
