"""The sampler as others see it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from payload_id_msgs.msg import SampleBlock
from sensor_msgs.msg import JointState

from harness import START_NS, NodeProcess, Observer, joint_state
from promises.nodes import next_domain

MEETING = 1.0  # [s]
DOMAIN = next_domain()
JOINTS = tuple(f"joint_{k}" for k in range(1, 8))
TOPIC = "/arm/joint_states"
MILLISECOND = 1_000_000
SIGN = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
OFFSET = np.arange(7) * 0.1
# Names in another order, with a joint that is not the arm's.
NAMES = ("gripper", *reversed(JOINTS))


def robot_file(folder: Path, source: str = "torque") -> Path:
    """Write a robot file with signs, offsets and a topic of its own."""
    path = folder / f"robot_{source}.yaml"
    path.write_text(
        "extends: package://payload_id/config/robots/kinova_gen3.yaml\n"
        "joint_states: {rate: 1000.0}\n"
        f"effort: {{source: {source}, sign: {SIGN.astype(int).tolist()}, "
        f"offset: {OFFSET.tolist()}}}\n"
    )
    return path


class Arm:
    """Publishes joint states 1 ms apart by their stamps, with random values."""

    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.publisher = observer.publisher(JointState, TOPIC)
        self.stamp_ns = START_NS
        self.sent: dict[int, tuple[np.ndarray, ...]] = {}
        self._random = np.random.default_rng(1)

    def send(self, count: int = 1, step_ns: int = MILLISECOND, **changes) -> None:
        """Publish good messages, or messages with some fields changed."""
        for _ in range(count):
            self.stamp_ns += step_ns
            q, dq, effort = self._random.normal(size=(3, 7))
            rows = {
                name: np.concatenate([[9.0], row[::-1]])
                for name, row in (("position", q), ("velocity", dq), ("effort", effort))
            }
            entries = {"stamp_ns": self.stamp_ns, "names": NAMES, **rows, **changes}
            self.publisher.publish(joint_state(**entries))
            if not changes:
                self.sent[self.stamp_ns] = (q, dq, SIGN * effort - OFFSET)
            self.observer.executor.spin_once(timeout_sec=0.0)


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    observer = Observer(DOMAIN)
    yield observer
    observer.close()


@pytest.fixture(scope="module")
def sampler(observer, tmp_path_factory) -> Iterator[NodeProcess]:
    folder = tmp_path_factory.mktemp("sampler")
    process = NodeProcess(
        "sampler",
        DOMAIN,
        folder / "log",
        "-r",
        f"joint_states:={TOPIC}",
        robot_file=robot_file(folder),
        bag=folder / "bag",
        silense=2.0,
    )
    yield process
    process.stop()


@pytest.fixture(scope="module")
def blocks(observer, sampler) -> list[SampleBlock]:
    return observer.listen(SampleBlock, "/payload_sampler/samples")


@pytest.fixture(scope="module")
def arm(observer, sampler, blocks) -> Arm:
    arm = Arm(observer)
    observer.wait(
        lambda: observer.node.count_publishers("/payload_sampler/samples"), "the sampler's blocks"
    )
    # The reader of the sampler, which never asks again, finds the arm a little later.
    met = time.monotonic() + MEETING
    observer.wait(lambda: time.monotonic() > met, "both ends of the topic")
    return arm


def settled(observer: Observer, arm: Arm, blocks: list[SampleBlock]) -> SampleBlock:
    """Send one good message and return the block that holds it: all before it were judged."""
    arm.send()
    observer.wait(lambda: blocks and blocks[-1].stamp_ns[-1] == arm.stamp_ns, "the newest sample")
    return blocks[-1]


BAD = (
    ("duplicate", {}, ""),
    ("out_of_order", {"stamp_ns": START_NS}, "older than the one before"),
    ("not_finite", {"effort": [np.nan] * 8}, "no finite effort"),
    ("wrong_length", {"effort": [1.0]}, "1 efforts"),
    ("unknown_joints", {"names": ("gripper", "join_7", *NAMES[2:])}, "lacks joint joint_7"),
)


def test_bad_messages_are_counted_by_cause(observer, sampler, arm, blocks):
    for cause, changes, words in BAD:
        before = settled(observer, arm, blocks)
        if cause == "duplicate":
            changes = {"stamp_ns": arm.stamp_ns}
            arm.stamp_ns -= MILLISECOND
        arm.send(3, **changes)
        after = settled(observer, arm, blocks)
        for other, _, _ in BAD:
            grown = getattr(after, f"dropped_{other}") - getattr(before, f"dropped_{other}")
            assert grown == (3 if other == cause else 0), other
        assert after.received == before.received + 4
        assert words in sampler.printed


@pytest.mark.slow
def test_a_robot_without_torques_is_refused_in_one_sentence(tmp_path):
    process = NodeProcess(
        "sampler", DOMAIN, tmp_path / "log", robot_file=robot_file(tmp_path, "none")
    )
    assert process.process.wait(40.0) == 1
    assert "effort.source 'none'" in process.printed
    assert "Traceback" not in process.printed
