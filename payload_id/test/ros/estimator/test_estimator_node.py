"""The estimator as others see it, fed with blocks of synthetic samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from payload_id_msgs.msg import PayloadEstimate, SampleBlock
from payload_id_msgs.srv import GetEstimate
from std_srvs.srv import Trigger

from harness import NodeProcess, Observer
from promises.nodes import next_domain
from synthetic import PAYLOAD, RATE, blocks, measured, robot_file

pytestmark = pytest.mark.slow  # nodes in real time

DOMAIN = next_domain()
NODE = "/payload_estimator"
SAMPLES = "/payload_sampler/samples"
SECONDS = 4.0
LOADED = tuple(PAYLOAD)
WITH_INTERVALS = (
    PayloadEstimate.GOOD,
    PayloadEstimate.TOO_WIDE,
    PayloadEstimate.SMALL_LOAD,
    PayloadEstimate.NOT_IDENTIFIABLE,
)
WINDOW = RATE // 10 + 1  # samples


class Estimator:
    """The node, and how to talk to it."""

    def __init__(self, observer: Observer, process: NodeProcess) -> None:
        self.observer, self.process = observer, process
        self.publisher = observer.publisher(SampleBlock, SAMPLES)
        self.sent = 0
        self.ended = ""

    def trigger(self, name: str) -> Trigger.Response:
        """Call a service while a sampler goes on, whose blocks end the wait for earlier ones."""
        client = self.observer.node.create_client(Trigger, f"{NODE}/{name}")
        self.observer.wait(client.service_is_ready, f"service {name}")
        future = client.call_async(Trigger.Request())
        nothing = SampleBlock(joint_names=blocks(measured(LOADED, 1.0))[0].joint_names)

        def answered() -> bool:
            self.publisher.publish(nothing)
            return future.done()

        self.observer.wait(answered, f"an answer of {name}")
        self.observer.node.destroy_client(client)
        answer = future.result()
        if answer.success and name in ("start", "reset", "tare"):
            self.sent = 0
        return answer

    def get(self) -> GetEstimate.Response:
        return self.observer.call(GetEstimate, f"{NODE}/get_estimate")

    def feed(self, messages: list[SampleBlock]) -> None:
        for message in messages:
            self.publisher.publish(message)
            self.observer.executor.spin_once(timeout_sec=0.002)
        self.sent += sum(len(x.stamp_ns) for x in messages)
        wanted = self.sent - WINDOW  # those of a window that is not full are not used yet
        self.observer.wait(
            lambda: self.get().estimate.samples >= wanted, f"{wanted} samples in an estimate"
        )

    def run(self, messages: list[SampleBlock]) -> PayloadEstimate:
        """Make a whole run, waiting for an estimate."""
        assert self.trigger("start").success
        self.feed(messages)
        answer = self.trigger("stop")
        self.ended, estimate = answer.message, self.get().estimate
        assert answer.success == (estimate.status in WITH_INTERVALS)
        return estimate


@pytest.fixture(scope="module")
def estimator(tmp_path_factory) -> Iterator[Estimator]:
    folder = tmp_path_factory.mktemp("estimator")
    process = NodeProcess(
        "estimator",
        DOMAIN,
        folder / "log",
        robot_file=robot_file(folder),
        runs_folder=folder / "runs",
    )
    observer = Observer(DOMAIN)
    yield Estimator(observer, process)
    process.stop()
    observer.close()


@pytest.fixture
def idle(estimator) -> Estimator:
    """Return the estimator with nothing known and no run in progress."""
    estimator.trigger("stop")
    estimator.trigger("reset")
    return estimator


def contains(estimate: PayloadEstimate, phi: np.ndarray) -> bool:
    return bool(np.all((estimate.lower <= phi) & (phi <= estimate.upper)))


def test_lost_blocks_are_counted_and_cost_only_their_windows(idle):
    messages = blocks(measured(LOADED, SECONDS))
    del messages[50:53]
    final = idle.run(messages)
    assert "30 samples of this run were lost" in final.message
    assert "(1970 samples" in idle.ended
    assert contains(final, PAYLOAD)


def test_blocks_of_another_arm_are_refused(idle):
    idle.trigger("start")
    message = blocks(measured(LOADED, 1.0))[0]
    message.joint_names = ["shoulder", *list(message.joint_names)[1:]]
    idle.publisher.publish(message)
    idle.observer.wait(
        lambda: "has the joints shoulder, joint_2" in idle.process.printed, "the refusal"
    )
    assert idle.get().estimate.samples == 0


def test_absurd_values_are_a_status_and_the_next_run_is_sound(idle):
    assert idle.trigger("start").success
    messages = blocks(measured(LOADED, SECONDS))
    messages[50].effort = np.full(len(messages[50].effort), 9e8)
    idle.feed(messages)
    assert not idle.trigger("stop").success
    bad = (PayloadEstimate.INCONSISTENT, PayloadEstimate.SOLVER_FAILED)
    answer = idle.get()
    assert not answer.success
    assert answer.estimate.status in bad
    assert contains(idle.run(blocks(measured(LOADED, 1.0))), PAYLOAD)
