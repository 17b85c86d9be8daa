"""Does an arm in motion ever move wrongly when something fails? Faults at random moments.

    ./payload-id python benchmarks/bridge_faults.py --trials 200 --seed 2741

Starts a simulated arm behind ros2_control's interfaces, bridge and planner, and in one motion after
the other has something go wrong at a random moment: the driver or a node is killed, joint states
freeze, a torque sensor sticks (as the estimator says it), datagrams are lost, the network is parted
for 2 s, clocks jump, the controller is switched away, the driver is in fault, the arm is pushed, a
goal is cancelled. After each, the motion must have ended with the right reason and the arm rest
within a stated time; every command must lie on a certified motion; after `~/acknowledge` the next
motion runs with nothing started anew but what was killed. A line for each kind, and every failure.
On a busy machine time can be simulated, at a `--pace` below 1.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bench import options, show, tell
from controller_manager_msgs.srv import SwitchController
from lossy_sockets import UDP_ONLY, loss
from payload_id_msgs.msg import BridgeState, PayloadEstimate, StopReason
from payload_id_msgs.srv import Acknowledge
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from harness import LATCHED, NodeProcess, time_of
from payload_id.files.runs.certificate_file import load_certificate
from payload_id.ros.bridge.parameters import BRIDGE_TABLE
from payload_id.ros.common.conversions import stamp_of
from payload_id.ros.common.joint_trajectory_message import trajectory_from_message
from payload_id.ros.execution.stop_reason import Reason
from payload_id.ros.planner.parameters import PLANNER_TABLE
from planned_robot import AT_REST, BRIDGE, HEARD, PARAMETERS, PAYLOAD, ROBOT, PlannedRobot

DOMAIN = int(os.environ.get("ROS_DOMAIN_ID") or 93)
ROUND = 12  # trials with one set of nodes
DRIVER = """
extends: package://payload_id/config/robots/kinova_gen3.yaml
joint_states: {rate: 100.0, reliability: reliable}
driver:
  follows_while:
    no_fault: {topic: /driver/fault, type: std_msgs/msg/Bool, field: data, allowed: [0]}
  reset:
    reset_fault: {service: /driver/reset_fault, type: std_srvs/srv/Trigger}
"""
CONTROLLER = "joint_trajectory_controller"
NAMES = {getattr(StopReason, reason.name): reason.name for reason in Reason}
ON_PATH = 2e-3  # [rad] between points of a command and those of a certified motion, 1 ms apart
ANSWER, TRIES = 10.0, 20  # [s] until a request is made again, as to a node that was killed
LOSS, PARTITION, HUNG, PUSH = 0.2, 2.0, 1.5, 10.0  # share of datagrams, [s], [s], [N m]
# Times until the arm rests [s]: for a hold what is silent is noticed, a goal is cancelled and the
# arm seen to rest; a stop begins at the next stop, after `reaction`; a motion that nobody stops
# goes on to its end, at rest.
HOLD = PARAMETERS["silence"] + 0.5 + 2.0
STOP = PARAMETERS["reaction"] + PARAMETERS["stop_step"] + 1.6 + 2.0
TO_ITS_END = 1.6 / 0.6 + 2.0


def _answered_or_late(future: Any, end: float) -> bool:
    """Return whether a service has answered, or has had its time by the monotonic clock."""
    return future.done() or time.monotonic() > end


class Rig(PlannedRobot):
    """A robot that goes through faults.

    Attributes:
        states: What the bridge has said of itself.
        paths: Points of all certified motions, by their files.
    """

    def __init__(self, folder: Path, domain: int, pace: float) -> None:
        """Start all; simulated time passes at a pace, as a part of the wall clock's."""
        self.file, self.paths, self.pace = folder / "robot.yaml", {}, pace
        self.file.write_text(DRIVER)
        self.folder, self.domain = folder, domain
        slow = {"use_sim_time": pace < 1.0}
        super().__init__(folder, domain, self.start_arm(), robot_file=self.file, **slow)
        self.states = self.observer.listen(BridgeState, f"{BRIDGE}/state", LATCHED)

    def start_arm(self) -> NodeProcess:
        """Start the arm with its driver."""
        log = self.folder / f"arm_{time.monotonic_ns()}.log"
        return NodeProcess("simulated_arm", self.domain, log, payload=PAYLOAD, rate=100.0,
                           robot_file=self.file, physics_step=1e-3, publish_clock=self.pace < 1.0,
                           real_time_factor=self.pace)  # fmt: skip

    @property
    def now(self) -> float:
        """The newest stamp of joint states [s]."""
        return 1e-9 * stamp_of(self.joint_states[-1].header.stamp)

    def put(self, name: str, value: bool | list[float]) -> None:
        """Set a parameter of the arm."""
        parameters = [Parameter(name, value=value).to_parameter_msg()]
        self.ask(SetParameters, "/simulated_arm/set_parameters", parameters=parameters)

    def spin(self, seconds: float) -> None:
        """Let time of the robot pass."""
        seconds /= self.pace
        end = time.monotonic() + seconds
        self.observer.wait(lambda: time.monotonic() > end, "time", seconds + 60.0)

    def ask(self, kind: Any, service: str, **fields: Any) -> Any:
        """Call a service; again where it went to a node that was killed, or the answer is lost."""
        client = self.observer.node.create_client(kind, service)
        for _ in range(TRIES):
            self.observer.wait(client.service_is_ready, service)
            self.spin(0.2)
            future, again = client.call_async(kind.Request(**fields)), time.monotonic() + ANSWER
            self.observer.wait(partial(_answered_or_late, future, again), service)
            if future.done():
                self.observer.node.destroy_client(client)
                return future.result()
        raise AssertionError(f"no answer of {service}")

    def moving(self, moment: float) -> tuple[Any, Any]:
        """Plan a motion and begin it; return handle and future once it has run for a while [s]."""
        for left in reversed(range(TRIES)):
            try:
                self.planned()
                break
            except AssertionError:  # what was started anew is not ready
                if not left:
                    raise
                self.spin(1.0)
        self.commands.clear()
        handle, future, _ = self.execute_until(moved=0.01)
        begin = self.now
        self.observer.wait(lambda: future.done() or self.now >= begin + moment, "motion")
        assert not future.done(), future.result().result.message
        return handle, future

    def rested(self) -> float:
        """Wait until joint states show an arm at rest; return since when, by their stamps [s]."""
        first = len(self.joint_states)
        self.observer.wait(
            lambda: len(self.joint_states) >= first + HEARD and self.is_at_rest(),
            "an arm at rest", 90.0 / self.pace,
        )  # fmt: skip
        seen = list(self.joint_states)[first:]
        moved = [k for k, x in enumerate(seen) if np.abs(x.velocity).max() >= AT_REST]
        return 1e-9 * stamp_of(seen[moved[-1] + 1 if moved else 0].header.stamp)

    def check_commands(self) -> None:
        """Check that every command that the arm has taken lies on a certified motion."""
        for file in {*(self.folder / "certificates").rglob("motion.json")} - self.paths.keys():
            motion = load_certificate(file).trajectory
            times = np.append(np.arange(0.0, motion.duration, 1e-3), motion.duration)
            self.paths[file] = motion.at(times).q
        for message in self.commands:
            if message.points:  # else a hold
                points = trajectory_from_message(message, ROBOT.joints)
                some = points.q[:: max(1, len(points.q) // 20)]
                off = min(max(np.abs(path - q).max(axis=1).min() for q in some)
                          for path in self.paths.values())  # fmt: skip
                assert off < ON_PATH, f"a command is {off:.3g} rad from every certified motion"
                assert np.abs(points.dq[-1]).max() < 1e-6, "a command does not end at rest"

    def acknowledged(self) -> str:
        """Acknowledge the fault, if the bridge has one; return it."""
        self.observer.wait(lambda: self.states, "a bridge", 90.0)
        fault = str(self.states[-1].fault)
        for _ in range(TRIES if fault else 0):
            self.ask(Acknowledge, f"{BRIDGE}/acknowledge", reason="looked at it")
            self.spin(0.5)
            if not self.states[-1].fault:
                break
        assert not self.states[-1].fault, self.states[-1].fault
        return fault


# Faults: what happens, and after the yield what puts it right.


def driver_killed(rig: Rig, _: Any) -> Iterator[None]:
    """SIGKILL of arm and driver; another one begins at home."""
    rig.arm.process.kill()
    rig.arm.process.wait()
    rig.arm, first = rig.start_arm(), len(rig.joint_states)
    rig.observer.wait(lambda: len(rig.joint_states) > first + 50, "joint states", 90.0)
    yield


def joint_states_frozen(rig: Rig, _: Any) -> Iterator[None]:
    """The driver hangs: neither joint states nor answers."""
    rig.put("hung", True)
    rig.spin(HUNG)
    rig.put("hung", False)
    yield


def effort_stuck(rig: Rig, _: Any) -> Iterator[None]:
    """A joint's torque sensor sticks, of which the estimator says that no payload explains it."""
    said = PayloadEstimate(status=PayloadEstimate.INCONSISTENT, message="joint_2 does not agree.")
    rig.estimates.publish(said)
    yield
    rig.estimates.publish(PayloadEstimate(status=PayloadEstimate.WAITING))


def datagrams_lost(share: float, seconds: float) -> Callable[[Rig, Any], Iterator[None]]:
    """Bridge and planner lose a share of what comes to them for a while [s]."""

    def happen(rig: Rig, _: Any) -> Iterator[None]:
        with ExitStack() as stack:
            for node in (rig.bridge, rig.planner):
                assert stack.enter_context(loss(node.process.pid, share))
            rig.spin(seconds)
        yield

    return happen


def clock_jumped(rig: Rig, _: Any) -> Iterator[None]:
    """Joint states an hour ahead come beside the driver's until the bridge acts."""
    publisher = rig.observer.publisher(JointState, "/joint_states")
    count, ahead, end, k = len(rig.commands), rig.now + 1800.0, time.monotonic() + 3.0, 0
    while len(rig.commands) == count and time.monotonic() < end:
        k += 1
        newest = next(x for x in reversed(rig.joint_states) if x.header.stamp.sec < ahead)
        message, stamp = deepcopy(newest), stamp_of(newest.header.stamp)
        message.header.stamp = time_of(stamp + 3600 * 10**9 + 1000 * k)  # no stamp comes twice
        publisher.publish(message)
        rig.observer.executor.spin_once(timeout_sec=0.01)
    rig.observer.node.destroy_publisher(publisher)
    yield


def controller_switched(rig: Rig, _: Any) -> Iterator[None]:
    """Somebody deactivates the arm's controller."""
    for change in ("deactivate_controllers", "activate_controllers"):
        request = {"strictness": SwitchController.Request.BEST_EFFORT, change: [CONTROLLER]}
        assert rig.ask(SwitchController, "/controller_manager/switch_controller", **request).ok
        if change == "deactivate_controllers":
            yield


def fault_raised(rig: Rig, _: Any) -> Iterator[None]:
    """The driver says that it is in fault, and drops commands."""
    rig.put("fault", True)
    yield
    rig.put("fault", False)


def pushed(rig: Rig, _: Any) -> Iterator[None]:
    """Somebody pushes the arm out of its tube, and lets go when it is held."""
    count, end = len(rig.commands), time.monotonic() + 1.0 / rig.pace
    rig.put("push", [PUSH])
    rig.observer.wait(lambda: len(rig.commands) > count or time.monotonic() > end, "the hold")
    rig.put("push", [0.0])
    yield


def node_killed(node: str, table: Any) -> Callable[[Rig, Any], Iterator[None]]:
    """SIGKILL of bridge or planner."""

    def happen(rig: Rig, _: Any) -> Iterator[None]:
        getattr(rig, node).process.kill()
        getattr(rig, node).process.wait()
        yield
        rig.observer.mailbox["/diagnostics"].clear()
        rig.states.clear() if node == "bridge" else None
        setattr(rig, node, rig.start(node, table))

    return happen


def cancelled(rig: Rig, handle: Any) -> Iterator[None]:
    """The goal is cancelled."""
    handle.cancel_goal_async()
    yield


@dataclass(frozen=True)
class Kind:
    """A kind of fault.

    Attributes:
        happen: Has it happen; once it is asked for more, puts it right.
        reasons: Names of those that the motion may end for; empty: nobody is left to say it.
        rests: Time after it within which the arm must rest [s]; infinite: another one has come.
        kept: Whether it must be acknowledged; None: that depends.
        latest: Until when after the motion began it may happen [s].
    """

    happen: Callable[[Rig, Any], Iterator[None]]
    reasons: tuple[str, ...]
    rests: float
    kept: bool | None
    latest: float = 1.0


SILENCE = ("JOINT_STATES_LOST", "CONTROLLER_FAULT", "CLOCK_FAULT")
UNHEARD = ("BRIDGE_LOST", *SILENCE)
KINDS = {
    "driver_killed": Kind(driver_killed, SILENCE, np.inf, True),
    "joint_states_frozen": Kind(joint_states_frozen, SILENCE, HUNG + HOLD, True),
    "effort_stuck": Kind(effort_stuck, ("ESTIMATE_INCONSISTENT",), STOP, False),
    "datagrams_lost": Kind(
        datagrams_lost(LOSS, 4.0), ("COMPLETED", *UNHEARD), 4.0 + TO_ITS_END, None
    ),
    "clock_jumped": Kind(clock_jumped, ("CLOCK_FAULT",), HOLD, True),
    "controller_switched": Kind(controller_switched, ("CONTROLLER_INACTIVE",), HOLD, True),
    "fault_raised": Kind(fault_raised, ("DRIVER_FAULT",), HOLD, True),
    "pushed": Kind(pushed, ("TUBE_LEFT",), HOLD, True),
    "bridge_killed": Kind(node_killed("bridge", BRIDGE_TABLE), ("BRIDGE_LOST",), TO_ITS_END, True),
    "planner_killed": Kind(node_killed("planner", PLANNER_TABLE), (), TO_ITS_END, False),
    # Later a motion is over before anybody can miss anything.
    "partitioned": Kind(
        datagrams_lost(1.0, PARTITION), UNHEARD, PARTITION + TO_ITS_END, True, latest=0.8
    ),
    "cancelled": Kind(cancelled, ("CANCELLED",), STOP, False),
}


def undergo(rig: Rig, kind: Kind, part: float) -> float:
    """Have a fault happen in motion, and put it right; return after what time the arm rested [s].

    Args:
        rig: The robot.
        kind: Of the fault.
        part: Which moment of those that are possible, in [0, 1].
    """
    handle, future = rig.moving(kind.latest * part)
    happened, fault = rig.now, kind.happen(rig, handle)
    next(fault)
    rest = rig.rested() - happened
    if kind.reasons:
        result, _ = rig.result(future)
        assert NAMES[result.reason.code] in kind.reasons, result.message
    assert rest <= kind.rests, f"it rested after {rest:.2f} s"
    next(fault, None)
    said = rig.acknowledged()
    ready = partial(rig.observer.is_ready, "payload_bridge")
    rig.observer.wait(ready, "a bridge that is ready", 90.0)
    assert kind.kept is None or bool(said) is kind.kept, f"fault: {said or 'none'}"
    rig.check_commands()
    return rest if np.isfinite(kind.rests) else 0.0


def main() -> int:
    """Run and print; return 1 if anything failed."""
    given = options(trials=200, seed=1, pace=1.0, only=(*KINDS,))
    os.environ.update(UDP_ONLY)  # sockets whose datagrams can be lost
    rng = np.random.default_rng(given.seed)
    kinds, parts = rng.choice(given.only, given.trials), rng.uniform(size=given.trials)
    rests: dict[str, list[float]] = {name: [] for name in given.only}
    failed: dict[str, int] = dict.fromkeys(given.only, 0)
    left = 0  # trials with these nodes
    with ExitStack() as stack:
        for number, (kind, part) in enumerate(zip(kinds, parts, strict=True)):
            if not left:
                stack.close()
                rig = Rig(
                    Path(stack.enter_context(tempfile.TemporaryDirectory())), DOMAIN, given.pace
                )
                stack.callback(rig.close)
                left = ROUND
            try:
                rests[kind].append(undergo(rig, KINDS[kind], part))
                left -= 1
            except AssertionError as error:
                tell(f"FAILED: {kind} (trial {number}): {error}")
                failed[kind], left = failed[kind] + 1, 0
    show("", ("fault", "held", "failed", "at rest after at most [s]"),
         ((kind, len(x), failed[kind], max(x, default=0.0))
          for kind, x in rests.items()))  # fmt: skip
    return int(any(failed.values()))


if __name__ == "__main__":
    sys.exit(main())
