"""The description of an Omnid: frames of the delta, and interfaces for ros2_control."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

from payload_id.files.robots.description.urdf import read_urdf

PATH = Path(__file__).parents[3] / "urdf" / "omnid.urdf.xacro"
LOWER, BASE, OFFSET = 0.200, 0.180, 0.046375  # [m] of the delta, as it is published
GIMBAL = ("gimbal_x", "gimbal_y", "gimbal_z")


def interfaces(text, prefix=""):
    """Return command and state interfaces of every joint of the ros2_control tag."""
    joints = ElementTree.fromstring(text).find("ros2_control").findall("joint")
    return {
        joint.get("name").removeprefix(prefix): tuple(
            tuple(x.get("name") for x in joint.findall(f"{kind}_interface"))
            for kind in ("command", "state")
        )
        for joint in joints
    }


@pytest.mark.parametrize("command", ["effort", "position"])
def test_legs_are_commanded_the_gimbal_is_passive_and_the_base_is_one_joint(command):
    text = read_urdf(PATH, {"command": command, "prefix": "omnid1_"})
    found = interfaces(text, "omnid1_")
    for i in (1, 2, 3):
        assert found[f"before_{i}"] == ((command,), ("position", "velocity", "effort"))
        assert found[f"after_{i}"] == ((), ("position", "velocity", "effort"))
    assert {found[name] for name in GIMBAL} == {((), ("position",))}
    assert len(found["base"][0]) == 3
    described = {x.get("name") for x in ElementTree.fromstring(text).findall("joint")}
    assert {f"omnid1_{name}" for name in found} <= described


def test_knees_and_platform_are_where_the_loop_closure_has_them():
    model = pin.buildModelFromXML(read_urdf(PATH))
    data, q = model.createData(), pin.neutral(model)
    angles, platform = (0.3, -0.2, 0.9), np.array([0.02, -0.03, 0.3])
    for i, angle in enumerate(angles, start=1):
        q[model.joints[model.getJointId(f"after_{i}")].idx_q] = angle
    for name, value in zip("xyz", platform, strict=True):
        q[model.joints[model.getJointId(name)].idx_q] = value
    pin.framesForwardKinematics(model, data, q)
    for i, angle in enumerate(angles, start=1):
        turn = pin.utils.rotate("z", (i - 1) * 2 * np.pi / 3)
        knee = turn @ [BASE + LOWER * np.cos(angle), 0.0, LOWER * np.sin(angle)]
        place = data.oMf[model.getFrameId(f"knee_{i}")].translation
        assert np.allclose(place, knee + [0.0, 0.0, OFFSET], atol=1e-9)
    grasp = data.oMf[model.getFrameId("grasp")].translation
    assert np.allclose(grasp, platform + [0.0, 0.0, OFFSET], atol=1e-9)
