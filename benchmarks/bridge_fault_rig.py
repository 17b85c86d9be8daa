"""Arm, sampler, bridge and planner as processes, motions one after the other, and what must hold.

What moves the arm is held against the certificates on the disk, whatever goes wrong meanwhile; what
the sampler recorded against what was heard.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from payload_id_msgs.action import Plan
from payload_id_msgs.msg import BridgeState, PayloadEstimate, StopReason
from payload_id_msgs.srv import Acknowledge
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.parameter import Parameter as RosParameter

from harness import LATCHED, NodeProcess
from payload_id.files.bags.bag_reader import open_bag
from payload_id.files.runs.certificate_file import load_certificate
from payload_id.ros.common.conversions import stamp_of
from payload_id.ros.common.joint_trajectory_message import trajectory_from_message
from payload_id.ros.execution.stop_reason import Reason
from planned_robot import BRIDGE, GOAL, PAYLOAD, PLANNER, ROBOT, PlannedRobot

DRIVER = """
extends: package://payload_id/config/robots/kinova_gen3.yaml
joint_states: {rate: 100.0, reliability: reliable}
driver:
  follows_while:
    no_fault: {topic: /driver/fault, type: std_msgs/msg/Bool, field: data, allowed: [0]}
  reset:
    reset_fault: {service: /driver/reset_fault, type: std_srvs/srv/Trigger}
"""
NAMES = {getattr(StopReason, reason.name): reason.name for reason in Reason}
ON_PATH = 2e-3  # [rad] between points of a command and those of a certified motion, 1 ms apart
STILL = 0.02  # [rad/s]
SETTLED = 0.1  # [s] of joint states in which the arm stands
RATE = 100.0  # of joint states [Hz]
HEARING = 5.0  # [s] after a disturbance in which a sampler may not hear every joint state
ON_THE_WAY = 0.05  # [s] for which a joint state may be on its way to one, while another has it
ANSWER = 20.0  # [s] within which a node that hears a request answers
READY = 90.0  # [s] until a node that was started anew takes part


class Rig(PlannedRobot):
    """A robot that goes through faults.

    Attributes:
        states: What the bridge has said of itself.
        sampler: Records joint states.
    """

    def __init__(self, folder: Path, domain: int, pace: float = 1.0) -> None:
        """Start all; simulated time passes at a pace, as a part of the wall clock's."""
        self.pace = pace
        self.robot_file = folder / "robot.yaml"
        self.robot_file.write_text(DRIVER)
        self._started = 0
        arm = self.start_arm(folder, domain)
        self.sampler = NodeProcess(
            "sampler", domain, folder / "sampler.log", robot_file=self.robot_file,
            bag=folder / "bag", use_sim_time=pace < 1.0,
        )  # fmt: skip
        super().__init__(folder, domain, arm, robot_file=self.robot_file, use_sim_time=pace < 1.0)
        self.states = self.observer.listen(BridgeState, f"{BRIDGE}/state", LATCHED)
        self._disturbed: list[tuple[int, int]] = []  # between these joint states
        self.observer.diagnosis("Joint states arrive")  # at the sampler, which records them
        self._begun = len(self.joint_states)
        self._paths: dict[Path, np.ndarray] = {}  # of all certified motions

    def start_arm(self, folder: Path, domain: int) -> NodeProcess:
        """Start the arm with its driver."""
        self._started += 1
        return NodeProcess(
            "simulated_arm", domain, folder / f"arm_{self._started}.log", payload=PAYLOAD,
            rate=RATE, robot_file=self.robot_file, real_time_factor=self.pace,
            publish_clock=self.pace < 1.0, physics_step=1e-3,
        )  # fmt: skip

    def put(self, name: str, value: bool | list[float]) -> None:
        """Set a parameter of the arm."""
        parameters = [RosParameter(name, value=value).to_parameter_msg()]
        service = "/simulated_arm/set_parameters"
        done = self.observer.call(SetParameters, service, parameters=parameters).results[0]
        assert done.successful, done.reason

    def spin(self, seconds: float) -> None:
        """Let time of the robot pass."""
        seconds /= self.pace
        end = time.monotonic() + seconds
        self.observer.wait(lambda: time.monotonic() > end, "time", seconds + 60.0)

    @property
    def now(self) -> float:
        """The newest stamp of joint states [s]."""
        return 1e-9 * stamp_of(self.joint_states[-1].header.stamp)

    @contextmanager
    def disturbed(self) -> Iterator[None]:
        """Have joint states of meanwhile not be missed in the recording, nor those about it.

        What a driver sent just before it is killed may reach one who listens, and not another.
        """
        first = len(self.joint_states) - round(ON_THE_WAY * RATE)
        yield
        self.spin(0.05)
        self._disturbed.append((first, len(self.joint_states) + round(HEARING * RATE)))

    def moving(self, moment: float) -> tuple[Any, Any]:
        """Plan a motion and begin it; return handle and future once it has run for a while [s]."""
        self.planned_in_time()
        self.commands.clear()
        handle, future, _ = self.execute_until(moved=0.01)
        begin = self.now
        self.observer.wait(lambda: future.done() or self.now >= begin + moment, "motion")
        return handle, future

    def planned_in_time(self) -> Any:
        """Plan; again while what was started anew is not ready."""
        client = ActionClient(self.observer.node, Plan, f"{PLANNER}/plan")
        self.observer.wait(client.server_is_ready, "a planner", READY)
        said, end = "no answer", time.monotonic() + READY
        while time.monotonic() < end:
            sent, again = client.send_goal_async(Plan.Goal(goal=GOAL)), time.monotonic() + ANSWER
            answered = lambda s=sent, t=again: s.done() or time.monotonic() > t  # noqa: E731
            self.observer.wait(answered, "an answer", READY)
            if sent.done():  # else the goal went to a planner that was killed
                result = self.result(sent.result().get_result_async())[0]
                if result.success:
                    self.newest = result.description
                    return self.newest
                said = result.message
        raise AssertionError(said)

    def successful(
        self, kind: Any, service: str, achieved: Callable[[], bool] = lambda: False, **fields: Any
    ) -> Any:
        """Call until the answer says success; again, too, where a request went to a dead node.

        Args:
            kind: Of the service.
            service: Its name.
            achieved: Whether it had success although the answer was lost, as answers of a node are
                that has not found its client yet.
            fields: Of the request.
        """
        client = self.observer.node.create_client(kind, service)
        asked: list[Any] = []
        said, again = "no answer", time.monotonic()

        def done() -> bool:
            nonlocal said, again
            answers = [future.result() for future in asked if future.done()]
            if any(x.success for x in answers) or (asked and achieved()):
                return True
            said = answers[-1].message if answers else said
            waits = len(answers) < len(asked) and time.monotonic() < again
            if not waits and client.service_is_ready():
                self.spin(0.2 * self.pace)
                asked.append(client.call_async(kind.Request(**fields)))
                again = time.monotonic() + ANSWER
            return False

        try:
            self.observer.wait(done, f"a success of {service}", READY)
        except AssertionError as error:
            raise AssertionError(f"{error}: {said}") from error
        finally:
            self.observer.node.destroy_client(client)
        return next((x.result() for x in asked if x.done() and x.result().success), None)

    def _remember(self) -> None:
        """Note the paths of the motions whose certificates have come to the disk."""
        for file in (self.folder / "certificates").rglob("motion.json"):
            if file not in self._paths:
                motion = load_certificate(file).trajectory
                times = np.arange(0.0, motion.duration + 1e-3, 1e-3)
                self._paths[file] = motion.at(np.minimum(times, motion.duration)).q

    def check_commands(self) -> None:
        """Check that every command that the arm has taken lies on a certified motion."""
        self._remember()
        for message in self.commands:
            if not message.points:
                continue  # a hold
            points = trajectory_from_message(message, ROBOT.joints)
            some = points.q[:: max(1, len(points.q) // 20)]
            off = min(
                max(np.abs(path - q).max(axis=1).min() for q in some)
                for path in self._paths.values()
            )
            assert off < ON_PATH, f"a command is {off:.3g} rad from every certified motion"
            assert np.abs(points.dq[-1]).max() < 1e-6, "a command does not end at rest"

    def rests(self, patience: float, begun: int | None = None) -> float:
        """Wait until joint states show an arm at rest; return since when, by their stamps [s].

        Args:
            patience: How long to wait at most [s].
            begun: From which joint state on it may have been at rest; None: the next one.
        """
        first = len(self.joint_states)
        since: list[float] = []

        def still() -> bool:
            if len(self.joint_states) <= first:
                return False
            if np.abs(self.joint_states[-1].velocity).max() >= STILL:
                since.clear()
                return False
            since.append(self.now)
            return since[-1] - since[0] >= SETTLED

        self.observer.wait(still, "an arm at rest", patience / self.pace)
        begun = first if begun is None else begun
        seen = self.joint_states[begun:]
        moved = [k for k, state in enumerate(seen) if np.abs(state.velocity).max() >= STILL]
        return 1e-9 * stamp_of(seen[moved[-1] + 1 if moved else 0].header.stamp)

    def acknowledged(self) -> str:
        """Acknowledge the fault, if the bridge has one; return it."""
        self.observer.wait(lambda: self.states, "a bridge")
        fault = str(self.states[-1].fault)
        if fault:
            self.successful(
                Acknowledge, f"{BRIDGE}/acknowledge", lambda: not self.states[-1].fault,
                reason="looked at it",
            )  # fmt: skip
            self.observer.wait(lambda: not self.states[-1].fault, "a bridge without a fault")
        return fault

    def begin_anew(self) -> None:
        """Forget what an estimator said, and that something runs."""
        self.estimates.running = False
        self.estimates.publish(PayloadEstimate(status=PayloadEstimate.WAITING))

    def check_recording(self) -> int:
        """End the sampler; check that it recorded what was heard; return how many."""
        end = len(self.joint_states)
        self.spin(0.1)  # what was heard here has arrived there, too
        assert self.sampler.stop() == 0 and "Traceback" not in self.sampler.printed
        found: set[int] = set()
        for folder in sorted(self.folder.glob("bag*")):
            with open_bag(folder) as bag:
                messages = [message for _, message in bag.decoded("/joint_states")]
            found |= {stamp_of(x.header.stamp) for x in messages if x is not None}
        heard = self.joint_states[self._begun : end]
        certain = {
            stamp_of(message.header.stamp): k
            for k, message in enumerate(heard, self._begun)
            if not any(first <= k < last for first, last in self._disturbed)
        }
        missing = [k for stamp, k in certain.items() if stamp not in found]
        assert not missing, (
            f"{len(missing)} of {len(certain)} joint states were not recorded: {missing[:5]}; "
            f"disturbed: {self._disturbed}"
        )
        return len(certain)

    def close(self) -> list[int]:
        """End everything."""
        self.sampler.process.kill()
        return super().close()
