"""A driver of this folder's own arm, and sampler and estimator that listen to it."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from payload_id_msgs.msg import PayloadEstimate, SampleBlock, SamplerState
from payload_id_msgs.srv import GetEstimate
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from .arms import START_NS, Motion
from .nodes import LATCHED, NodeProcess, Observer, next_domain
from .own_arm import JOINTS, ROBOT, own_arm
from .recorded import signs

ESTIMATOR, SAMPLER = "/payload_estimator", "/payload_sampler"
STEP_NS = 4_000_000  # between two joint states
PAUSE_NS = 500_000_000  # between two motions, which nothing is learnt across
RELIABLE = ROBOT.replace("rate: 250.0", "rate: 250.0, reliability: reliable")
OTHER_ORDER = (2, 0, 3, 1)  # of the joints in messages, with a gripper's before them


def time_of(message: Any, stamp_ns: int) -> Any:
    """Return a message with its stamp."""
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(int(stamp_ns), 10**9)
    return message


class Listeners:
    """Sampler and estimator as processes, and the driver that they listen to.

    Attributes:
        sent: What was published well, by its stamp: positions, velocities and true torques.
    """

    def __init__(self, folder: Path, **of_estimator: Any) -> None:
        """Start both; wait until a message comes through to both."""
        self.folder, self.domain = folder, next_domain()
        self.arm = own_arm(folder, RELIABLE)
        self.observer = Observer(self.domain)
        listen = self.observer.listen
        self.blocks = listen(SampleBlock, f"{SAMPLER}/samples")
        self.estimates = listen(PayloadEstimate, f"{ESTIMATOR}/payload", LATCHED)
        self.states = listen(SamplerState, f"{SAMPLER}/state", LATCHED)
        self.condition = listen(DiagnosticStatus, f"{SAMPLER}/condition", LATCHED)
        self.of_estimator = of_estimator
        self.sampler, self.estimator = self.start_sampler(), self.start_estimator()
        self.driver = self.observer.publisher(JointState, "/joint_states")
        self.stamp_ns, self.sent = START_NS - 10**9, {}
        self.meet()
        self.stamp_ns = START_NS

    def start_sampler(self) -> NodeProcess:
        """Start a sampler that records."""
        bag = self.folder / "bag"
        return NodeProcess("sampler", self.domain, self.folder, robot_file=self.arm.name, bag=bag)

    def start_estimator(self) -> NodeProcess:
        """Start an estimator that saves beside the recording."""
        return NodeProcess(
            "estimator", self.domain, self.folder, robot_file=self.arm.name,
            recordings_folder=self.folder, runs_folder=self.folder / "runs",
            update_period=0.3, **self.of_estimator,
        )  # fmt: skip

    def close(self) -> None:
        """End both in order."""
        codes = [self.sampler.stop(), self.estimator.stop()]
        self.observer.close()
        assert codes == [0, 0], self.printed
        assert "Traceback" not in self.printed, self.printed

    @property
    def printed(self) -> str:
        """What both have printed."""
        return self.sampler.printed + self.estimator.printed

    def meet(self) -> None:
        """Publish until blocks of samples come, and the estimator is among those who hear them."""
        node, count = self.observer.node, len(self.blocks)
        listening = lambda: node.count_subscribers(f"{SAMPLER}/samples") >= 2  # noqa: E731
        self.observer.wait(listening, "the estimator")
        self.observer.wait(self.driver.get_subscription_count, "the sampler")
        row = np.full(4, 0.1)

        def through() -> bool:
            self.say(row, row, row)
            return len(self.blocks) > count

        self.observer.wait(through, "a block of samples")

    def say(self, q: Any, dq: Any, tau: Any, stamp_ns: int | None = None) -> int:
        """Publish one joint state, as a driver would; return its stamp."""
        if stamp_ns is None:
            stamp_ns = self.stamp_ns = self.stamp_ns + STEP_NS
        order = list(OTHER_ORDER)
        message = JointState(name=["gripper", *(JOINTS[k] for k in order)])
        rows = (("position", q), ("velocity", dq), ("effort", signs(self.arm) * tau))
        for field, values in rows:
            setattr(message, field, [9.0, *map(float, np.asarray(values)[order])])
        self.driver.publish(time_of(message, stamp_ns))
        self.observer.executor.spin_once(timeout_sec=0.0)
        return stamp_ns

    def send(self, motion: Motion, tau: np.ndarray, pause_ns: int = PAUSE_NS) -> list[int]:
        """Publish a motion's samples, after a pause; return their stamps once all are sampled."""
        stamps = []
        self.stamp_ns += pause_ns
        for row in zip(motion.q, motion.dq, tau, strict=True):
            stamps.append(self.say(*row))
            self.sent[stamps[-1]] = row
        sampled = lambda: self.blocks[-1].stamp_ns[-1] >= stamps[-1]  # noqa: E731
        self.observer.wait(sampled, "a block with the newest sample")
        return stamps

    def trigger(self, name: str) -> Trigger.Response:
        """Call a service of the estimator."""
        return self.observer.call(Trigger, f"{ESTIMATOR}/{name}")

    def begin(self) -> None:
        """Begin a run, once the estimator has found the sampler."""
        answers: list[Trigger.Response] = []

        def begun() -> bool:
            answers.append(self.trigger("start"))
            return "Nobody publishes" not in answers[-1].message

        self.observer.wait(begun, "the estimator to find the sampler")
        assert answers[-1].success, answers[-1].message

    def get(self) -> GetEstimate.Response:
        """Return the estimate of all samples so far."""
        return self.observer.call(GetEstimate, f"{ESTIMATOR}/get_estimate")

    def run(self, motion: Motion, tau: np.ndarray) -> tuple[PayloadEstimate, str]:
        """Make a run; return its estimate and the answer to `~/stop`."""
        self.begin()
        self.send(motion, tau)
        answer = self.trigger("stop")
        return self.get().estimate, answer.message

    def killed(self, process: NodeProcess) -> None:
        """Kill a node, without a farewell."""
        assert process.stop(signal.SIGKILL) == -signal.SIGKILL

    def answered(self) -> None:
        """Wait until an estimator that was started anew answers: the dead one seems to be there."""
        client = self.observer.node.create_client(GetEstimate, f"{ESTIMATOR}/get_estimate")
        asked: list[Any] = []
        reports = self.observer.listen(DiagnosticStatus, f"{ESTIMATOR}/condition", LATCHED)

        def answer() -> bool:
            if len(asked) <= len(reports) and client.service_is_ready():  # it reports each second
                asked.append(client.call_async(GetEstimate.Request()))
            return any(x.done() for x in asked)

        self.observer.wait(answer, "an answer of the new estimator")
        self.observer.node.destroy_client(client)

    @property
    def recording(self) -> Path:
        """The folder in which the sampler records now."""
        told = self.states
        self.observer.wait(lambda: told and told[-1].recording, "the recording's folder")
        return Path(told[-1].recording)
