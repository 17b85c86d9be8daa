"""Passive joints a little off: bodies, masses and payload against the moved description."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from test_passive_joints import follows, joint, link

from finger_robot import finger_robot
from payload_id.core.arm.kinetics import frames
from payload_id.core.body.inertial import FROM_PINOCCHIO, change_of_frame
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.clearance.arm_geometry import BASE
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.clearance.swept_volume import outline
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.files.robots.arm_geometry import description_geometry, robot_geometry
from payload_id.files.robots.passive_joints import held_joints, held_still
from payload_id.files.robots.passive_play import base_tilt
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel

# A lift and a turntable are under the arm; a wrist set by hand carries payload and finger.
ARM = (
    '<robot name="r">'
    + "".join(link(x) for x in ("root", "lift", "table", "one", "two", "wrist", "left", "right"))
    + joint("lifting", "root", "lift", "prismatic", "0 0 1")
    + joint("turning", "lift", "table", "continuous", "0 1 1")
    + joint("a", "table", "one", "revolute", "0 0 1")
    + joint("b", "one", "two", "revolute", "0 1 0")
    + joint("setting", "two", "wrist", "revolute", "1 0 1")
    + joint("grip", "wrist", "left", "revolute", "0 1 0", limits=(0.0, 0.8))
    + joint("other", "wrist", "right", "prismatic", "0 1 0", follows("grip", -0.2, 0.01))
    + "</robot>"
)
MOVING, WITHIN = ("a", "b"), (0.03, 0.004)
STATED = {"lifting": 0.3, "turning": 1.0, "setting": 0.7}
STATES = [{}, {"grip": 0.4}]  # the gripper anywhere, or at a place


def described(stated):
    held = held_joints(ARM, MOVING, {**STATED, **stated}, WITHIN)
    return held_still(ARM, held), held


def moved(held, rng):
    """Return the whole description's model and configuration, passive joints anywhere allowed."""
    model, q = pin.buildModelFromXML(ARM), {}
    for item in held:
        off = rng.choice([-1.0, 1.0]) if rng.random() < 0.7 else rng.uniform(-1, 1)
        q[item.name] = item.place + off * item.within
    if "grip" not in q:
        q["grip"] = rng.uniform(0.0, 0.8)
        q["other"] = -0.2 * q["grip"] + 0.01
    q["a"], q["b"] = rng.uniform(-2, 2, 2)
    configuration = pin.neutral(model)
    for name, value in q.items():
        entry = model.joints[model.getJointId(name)]
        both = (np.cos(value), np.sin(value)) if entry.nq == 2 else (value,)
        configuration[entry.idx_q : entry.idx_q + entry.nq] = both
    data = model.createData()
    pin.framesForwardKinematics(model, data, configuration)
    return model, data, np.array([q["a"], q["b"]])


@pytest.mark.parametrize("stated", STATES)
def test_bodies_contain_their_links_wherever_passive_joints_may_be(stated):
    rng, (text, held) = np.random.default_rng(0), described(stated)
    arm = RobotModel.from_xml(text, "wrist", MOVING)
    geometry = description_geometry(text, arm, Path())
    corners = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T * [0.01, 0.015, 0.05]
    box = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([0.02, 0, 0.05]))
    least = np.inf
    for _ in range(80):
        model, data, q = moved(held, rng)
        rotation, origin = frames(arm, q[None])
        for item in geometry.bodies:
            R, t = (np.eye(3), np.zeros(3)) if item.joint == BASE else (
                rotation[0, item.joint], origin[0, item.joint]
            )  # fmt: skip
            body = item.body.moved(R, t)
            own = outline(body) @ body.rotation.T + body.translation
            place = data.oMf[model.getFrameId(item.link)] * box
            points = corners @ place.rotation.T + place.translation
            n = np.vstack([rng.normal(size=(40, 3)), body.rotation.T, -body.rotation.T])
            n /= np.linalg.norm(n, axis=1)[:, None]
            left = (own @ n.T).max(axis=0) - (points @ n.T).max(axis=0)
            assert left.min() >= -1e-12, (item.name, left.min())
            least = min(least, left.min())
    assert least < 0.02  # [m]


@pytest.mark.parametrize("stated", STATES)
def test_masses_are_in_the_box_wherever_passive_joints_may_be(stated):
    rng, (text, held) = np.random.default_rng(1), described(stated)
    arm = RobotModel.from_xml(text, "two", MOVING)
    lower, upper = arm.link_range
    assert ((upper > lower)[1, 1:]).all()
    for _ in range(300):
        model, data, _ = moved(held, rng)
        carrier, phi = model.getJointId("b"), pin.Inertia.Zero()
        for name in ("b", "setting", "grip", "other"):
            k = model.getJointId(name)
            phi = phi + data.oMi[carrier].actInv(data.oMi[k]).act(model.inertias[k])
        phi = phi.toDynamicParameters()[FROM_PINOCCHIO]
        assert (phi >= lower[1] - 1e-12).all() and (phi <= upper[1] + 1e-12).all()


def test_the_payload_is_in_the_box_wherever_its_frame_may_be():
    rng, (text, held) = np.random.default_rng(2), described({"grip": 0.4})
    arm = RobotModel.from_xml(text, "left", MOVING)
    assert arm.payload_play[0] == pytest.approx(0.06) and 0.0 < arm.payload_play[1] < 0.05
    low = np.array([0.5, -0.1, -0.05, 0.0, 0.01, -0.01, -0.01, 0.01, -0.01, 0.01])
    high = np.array([1.0, 0.1, 0.05, 0.1, 0.05, 0.01, 0.01, 0.05, 0.01, 0.05])
    box = ParameterBox.around(arm, (low, high), Uncertainty())
    own = pin.SE3(arm.payload_rotation, arm.payload_translation)
    for _ in range(300):
        model, data, _ = moved(held, rng)
        phi = np.where(rng.random(10) < 0.5, low, high)
        there = data.oMi[model.getJointId("b")].actInv(data.oMf[model.getFrameId("left")])
        seen = own.actInv(there)
        turned = change_of_frame(np.array(seen.rotation), np.array(seen.translation)) @ phi
        assert (turned >= box.payload_lower - 1e-12).all()
        assert (turned <= box.payload_upper + 1e-12).all()


def test_gravity_turns_with_what_the_arm_stands_on():
    rng, (text, held) = np.random.default_rng(3), described({"grip": 0.4})
    gravity = np.array([0.0, 0.0, -9.81])
    bound = base_tilt(text, MOVING, gravity)
    model, data, _ = moved([], rng)
    fixed = pin.buildModelFromXML(text)
    place = fixed.createData()
    pin.framesForwardKinematics(fixed, place, pin.neutral(fixed))
    usual = place.oMf[fixed.getFrameId("table")].rotation.T @ gravity
    found = []
    for _ in range(100):
        model, data, _ = moved(held, rng)
        there = data.oMf[model.getFrameId("table")].rotation.T @ gravity
        found.append(np.linalg.norm(there - usual))
    assert 0.9 * bound < max(found) <= bound


@pytest.mark.parametrize("kind", ["box", "sphere", "cylinder", "capsule", "hull", "half_space"])
def test_a_grown_body_contains_all_that_is_so_near(kind):
    rng = np.random.default_rng(4)
    sizes = {"box": (0.1, 0.2, 0.3), "sphere": (0.1,), "cylinder": (0.1, 0.3),
             "capsule": (0.1, 0.3), "half_space": ()}  # fmt: skip
    turn, at = pin.exp3(rng.normal(size=3)), rng.normal(size=3)
    body = (
        ConvexBody.hull(rng.normal(size=(12, 3)), turn, at)
        if kind == "hull"
        else ConvexBody.primitive(kind, sizes[kind], turn, at)
    )
    grown = body.grown(0.02)
    for u in [turn[:, 2], *([] if kind == "half_space" else rng.normal(size=(200, 3)))]:
        u = u / np.linalg.norm(u)
        assert support(grown, u) >= support(body, u) + 0.02 - 1e-12


def support(body, u):
    own = body.rotation.T @ u
    rest = body.disc * np.hypot(own[0], own[1]) + body.radius
    corners = (body.points @ own).max() if body.kind == "hull" else body.half @ np.abs(own)
    return body.translation @ u + rest + corners


def test_a_certificate_says_how_a_passive_joint_is_known(tmp_path):
    robot = RobotFile.load(finger_robot(tmp_path, "passive_joints: {knuckle: 0.4}\n"))
    assert [(x.name, x.place, x.within, x.unit) for x in robot.held] == [
        ("knuckle", 0.4, 0.02, "rad")
    ]
    notes = robot_geometry(robot, RobotModel.from_robot_file(robot)).notes
    assert any("knuckle stands at 0.4 rad to within 0.02 rad; it is watched" in x for x in notes)
    text = "passive_joints: {knuckle: 0.4}\npassive_joints_watch: {unreported: {knuckle: a bolt}}\n"
    robot = RobotFile.load(finger_robot(tmp_path, text))
    model = RobotModel.from_robot_file(robot)
    assert model.travel is None and robot.held[0].within == 0.0
    notes = robot_geometry(robot, model).notes
    assert any("which nothing watches: a bolt" in x for x in notes)
