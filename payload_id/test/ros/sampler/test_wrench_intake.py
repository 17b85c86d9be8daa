"""What a sampler of wrenches says of wrenches that it cannot use."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import WrenchStamped

from harness import START_NS, NodeProcess, Observer, time_of
from payload_id.files.robots.robot_file import RobotFile
from promises.nodes import next_domain

DOMAIN = next_domain()


@pytest.fixture(scope="module")
def sampler(tmp_path_factory) -> Iterator[Callable[..., list[str]]]:
    """Return what sends the sampler wrenches of frames, and tells what it says of itself."""
    folder, observer = tmp_path_factory.mktemp("wrench"), Observer(DOMAIN)
    process = NodeProcess("sampler", DOMAIN, folder / "log", "-r", "wrench:=/ft/wrench",
                          robot_file="kinova_gen3", source="wrench",
                          wrench_sign="-1.0")  # fmt: skip
    sensor, count = observer.publisher(WrenchStamped, "/ft/wrench"), itertools.count()

    def told(words: str, *frames: str, x: float = 0.0) -> None:
        def said() -> bool:
            for frame in frames:
                message = WrenchStamped()
                message.header.stamp = time_of(START_NS + next(count) // len(frames) * 10**7)
                message.header.frame_id, message.wrench.force.x = frame, x
                sensor.publish(message)
            box = observer.mailbox["/diagnostics"]
            return any(words in status.message for array in box for status in array.status)

        observer.wait(said, words)

    yield told
    assert process.stop() == 0, process.printed
    observer.close()


@pytest.mark.slow
def test_wrenches_of_another_frame_or_of_no_numbers_are_told_while_they_come(sampler) -> None:
    own = RobotFile.load("kinova_gen3").payload_frame
    sampler("are of frame 'elsewhere'", "elsewhere")
    sampler("as well, and are left out", "elsewhere", own)  # beside the right ones they end nothing
    sampler("not_finite", own, x=float("nan"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sensor_frame": "nowhere"}, ("Unknown sensor frame 'nowhere'", "Known: ")),
        ({"wrench_sign": "0.5"}, ("wrench_sign is 1 or -1; found 0.5",)),
    ],
)
def test_what_cannot_be_measured_ends_the_node(tmp_path: Path, given, words) -> None:
    process = NodeProcess("sampler", DOMAIN, tmp_path / "log", source="wrench", **given)
    assert process.process.wait(25.0) != 0
    printed = process.printed
    assert all(x in printed for x in words) and "Traceback" not in printed
