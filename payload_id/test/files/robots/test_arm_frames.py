"""The frames of an arm's links are those of its kinematics."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id import RobotFile, RobotModel
from payload_id.core.arm.kinetics import frames
from payload_id.files.robots.arm_frames import ArmFrames

POSITIONS = np.array([0.3, -0.5, 0.2, 1.1, -0.7, 0.4, 0.9])


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
