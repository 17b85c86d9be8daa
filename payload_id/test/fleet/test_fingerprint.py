"""What names a result: the same for the same content, whatever process or machine, else another."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from payload_id import RobotFile, Settings
from payload_id.core.errors import InputError
from payload_id.fleet import Method
from payload_id.fleet.fingerprint import fingerprint

DIGEST = (
    "from payload_id import RobotFile, Settings\n"
    "from payload_id.fleet import Method\n"
    "robot = RobotFile.load('kinova_gen3')\n"
    "print(Method(robot, Settings(robot.uncertainty)).digest)\n"
)


@pytest.fixture(scope="module")
def method():
    robot = RobotFile.load("kinova_gen3")
    return Method(robot, Settings(robot.uncertainty))


def test_another_process_and_another_place_of_the_robot_file_give_the_same_name(method):
    done = subprocess.run(
        [sys.executable, "-c", DIGEST], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == method.digest
    moved = replace(method, robot=replace(method.robot, path=Path("/elsewhere.yaml")))
    assert moved.digest == method.digest


def test_whatever_counts_gives_another_name(method):
    settings, robot = method.settings, method.robot
    others = [
        replace(method, topic="/other"),
        replace(method, frame="tool"),
        replace(method, segments=10.0),
        replace(method, settings=replace(settings, window=0.2)),
        replace(method, settings=replace(settings, estimator="entropic")),
        replace(method, settings=replace(settings, uncertainty=replace(
            settings.uncertainty, torque_offset=0.123))),
        replace(method, robot=replace(robot, gravity=robot.gravity + [0.0, 0.0, 1e-12])),
    ]  # fmt: skip
    digests = {each.digest for each in others}
    assert len(digests) == len(others) and method.digest not in digests


def test_values_that_look_alike_are_told_apart():
    alike = [1, 1.0, True, "1", [1], {"1": 1}, np.array([1]), np.array([1.0]), np.array([[1]]),
             None, [[], 1], [[1], []], ["ab", "c"], ["a", "bc"]]  # fmt: skip
    assert len({fingerprint(x) for x in alike}) == len(alike)
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})


def test_what_cannot_be_compared_is_refused(method):
    with pytest.raises(InputError, match="compared"):
        fingerprint({"f": lambda: 0})
    for segments in (0.0, -1.0, float("nan"), float("inf"), "often"):
        with pytest.raises(InputError, match="segments"):
            replace(method, segments=segments)
