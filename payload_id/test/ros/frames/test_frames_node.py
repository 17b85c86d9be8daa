"""Frames for RViz as others see them: those of the kinematics, once, on the robot's own base."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from harness import LATCHED, START_NS, NodeProcess, Observer, joint_state
from payload_id import RobotFile, RobotModel
from payload_id.core.arm.kinetics import frames
from payload_id.files.robots.arm_frames import ArmFrames
from payload_id.ros.frames.base_frame import main as base_frame
from promises.nodes import next_domain

DOMAIN = next_domain()
POSITIONS = np.array([0.3, -0.5, 0.2, 1.1, -0.7, 0.4, 0.9])


@pytest.fixture
def observer() -> Iterator[Observer]:
    one = Observer(DOMAIN)
    yield one
    one.close()


def pose(transforms: dict[str, tuple[str, np.ndarray]], link: str) -> np.ndarray:
    """Return a link's pose in the base, shape (4, 4), from frames one on the other."""
    place = np.eye(4)
    while link in transforms:
        link, step = transforms[link]
        place = step @ place
    return place


def matrix(translation: list[float], quaternion: list[float]) -> np.ndarray:
    """Return a transform, shape (4, 4), its quaternion written out."""
    x, y, z, w = quaternion
    place = np.eye(4)
    place[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    place[:3, 3] = translation
    return place


@pytest.mark.parametrize("name", ["kinova_gen3", "kinova_gen3_2f85", "xarm7"])
def test_frames_are_those_of_the_arms_kinematics(name: str) -> None:
    file = RobotFile.load(name)
    model, own = RobotModel.from_robot_file(file), ArmFrames(file.urdf)
    positions = dict(zip(model.joints, POSITIONS, strict=True))
    found = [*own.fixed(), *own.moving(positions)]
    assert {frame.child for frame in found} == set(own.links) and own.base not in own.links
    tree = {x.child: (x.parent, matrix(x.translation, x.quaternion)) for x in found}
    rotation, origin = (x[0, -1] for x in frames(model, POSITIONS[None, :])[:2])
    last = pose(tree, file.payload_frame)
    # The arm's model may stand on a fixed link beyond the description's base: same up to that.
    other = dict(zip(model.joints, np.roll(POSITIONS, 1), strict=True))
    turned = {x.child: (x.parent, matrix(x.translation, x.quaternion)) for x in own.moving(other)}
    moved = pose({**tree, **turned}, file.payload_frame)
    rotation2, origin2 = (x[0, -1] for x in frames(model, np.roll(POSITIONS, 1)[None, :])[:2])
    assert np.linalg.norm(moved[:3, 3] - last[:3, 3]) == pytest.approx(
        float(np.linalg.norm(origin2 - origin)), abs=1e-9
    )
    assert np.trace(moved[:3, :3].T @ last[:3, :3]) == pytest.approx(
        float(np.trace(rotation2.T @ rotation)), abs=1e-9
    )


@pytest.mark.parametrize(("robot", "base"), [("kinova_gen3", "base_link"), ("xarm7", "link_base")])
def test_base_frame_is_the_robots_own(
    robot: str, base: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert base_frame([robot]) == 0
    assert capsys.readouterr().out == base


@pytest.mark.slow
def test_frames_are_published_once_with_description(observer: Observer, tmp_path: Path) -> None:
    moving = observer.listen(TFMessage, "/tf")
    fixed = observer.listen(TFMessage, "/tf_static", LATCHED)
    description = observer.listen(String, "robot_description", LATCHED)
    remap = "-r", "joint_states:=/xarm/joint_states"
    node = NodeProcess(
        "frames", DOMAIN, tmp_path / "frames.txt", *remap, wait=0.5, robot_file="xarm7"
    )
    states = observer.publisher(JointState, "/xarm/joint_states")
    file = RobotFile.load("xarm7")
    message = joint_state(START_NS, file.joints, POSITIONS, [], [])

    def heard() -> bool:
        states.publish(message)
        return bool(moving and fixed and description)

    observer.wait(heard, "frames and description")
    assert description[-1].data == file.urdf
    found = [*fixed[-1].transforms, *moving[-1].transforms]
    expected = ArmFrames(file.urdf)
    assert sorted(x.child_frame_id for x in found) == sorted(expected.links)
    assert moving[-1].transforms[0].header.stamp.sec == START_NS // 10**9
    at = {x.child: x for x in expected.moving(dict(zip(file.joints, POSITIONS, strict=True)))}
    for x in moving[-1].transforms:
        t = x.transform.translation
        np.testing.assert_allclose([t.x, t.y, t.z], at[x.child_frame_id].translation)
    second = NodeProcess("frames", DOMAIN, tmp_path / "second.txt", wait=5.0, robot_file="xarm7")
    observer.wait(lambda: "nothing is published" in second.printed, "the second to stand back")
    assert node.alive and second.stop() == 0 and node.stop() == 0
