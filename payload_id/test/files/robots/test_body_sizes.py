"""Bodies of a robot description in another unit than metres are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from described_arms import BODY, INERTIAL, described
from payload_id import RobotModel
from payload_id.core.errors import ConfigurationError, ModelError
from payload_id.files.robots.arm_geometry import description_geometry
from payload_id.files.robots.robot_file import RobotFile

SHAPES = (
    '<box size="{0} {0} {0}"/>', '<sphere radius="{0}"/>', '<cylinder radius="{0}" length="{0}"/>',
    '<capsule radius="{0}" length="{0}"/>', '<mesh filename="cube.obj" scale="{0} {0} {0}"/>',
)  # fmt: skip
CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + (
    "f 1 2 3\nf 2 3 4\nf 5 6 7\nf 6 7 8\nf 1 2 5\nf 3 4 7\n"
)
FILE = """urdf: arm.urdf
joints: [shoulder, elbow]
payload_frame: tool
effort: {source: torque}
limits: {sets: {urdf: {acceleration: [5, 6]}}}
uncertainty: {torque_absolute: 1.0}
"""


def geometry(folder: Path, shape: str, size: float, origin: str = "0 0 0.1"):
    (folder / "cube.obj").write_text(CUBE)
    body = f'<origin xyz="{origin}"/><geometry>{shape.format(size)}</geometry>'
    urdf = described(inertial=f"{INERTIAL.format(**BODY)}<collision>{body}</collision>")
    model = RobotModel.from_urdf(urdf, "tool")
    return description_geometry(urdf, model, folder, {"lower": "it touches nothing"})


def test_a_body_in_millimetres_or_scaled_twice_is_no_body_of_an_arm(tmp_path):
    for shape in SHAPES:
        assert len(geometry(tmp_path, shape, 0.1).bodies) == 1
        for size, origin, words in (
            (100.0, "0 0 0.1", "reaches .* metres"), (1e-4, "0 0 0.1", "too little"),
            (0.1, "0 -900 0", "reaches .* metres"),
        ):  # fmt: skip
            with pytest.raises(ModelError, match=words):
                geometry(tmp_path, shape, size, origin)


def test_limits_in_degrees_or_millimetres_are_refused_and_joints_without_ends_are_not(tmp_path):
    stated, urdf = tmp_path / "robot.yaml", tmp_path / "arm.urdf"
    stated.write_text(FILE)
    urdf.write_text(described(low="-1e9", high="1e9"))
    assert RobotFile.load(stated).limits.position_upper[0] == 1e9
    for parts, words in (
        ({"low": "-170", "high": "2"}, "degrees"), ({"low": "-2", "high": "360"}, "degrees"),
        ({"low": "0", "high": "35"}, "degrees"),
        ({"kind": "prismatic", "high": "400"}, "millimetres"),
    ):  # fmt: skip
        urdf.write_text(described(**parts))
        with pytest.raises(ConfigurationError, match=f"joint number 1 .* {words}"):
            RobotFile.load(stated)
