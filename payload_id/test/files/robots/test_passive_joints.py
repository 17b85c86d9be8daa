"""Joints that the arm does not move: kinematics, inertia and bodies agree about where they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arm.kinetics import frames
from payload_id.core.errors import InputError, ModelError
from payload_id.core.safety.clearance.arm_geometry import BASE
from payload_id.files.robots.arm_geometry import description_geometry
from payload_id.files.robots.passive_joints import held_joints, held_still

LIMIT = '<limit lower="{}" upper="{}" velocity="1" effort="9"/>'


def link(name, mass=1.0):
    return (
        f'<link name="{name}"><inertial><origin xyz="0.01 0.02 0.03"/><mass value="{mass}"/>'
        '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.01"/></inertial><collision>'
        '<origin xyz="0.02 0 0.05" rpy="0.1 0.2 0.3"/><geometry><box size="0.02 0.03 0.1"/>'
        "</geometry></collision></link>"
    )


def joint(name, parent, child, kind, axis, extra="", limits=(-2.0, 2.0)):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.1 0.05 0.3" rpy="0.2 -0.3 0.4"/><axis xyz="{axis}"/>'
        f"{LIMIT.format(*limits)}{extra}</joint>"
    )


def follows(name, multiplier=1.0, offset=0.0):
    return f'<mimic joint="{name}" multiplier="{multiplier}" offset="{offset}"/>'


# A motor on a branch drives a lift under the arm; a telescope is between its joints, a head beyond.
ARM = (
    '<robot name="r">'
    + "".join(link(x) for x in ("root", "motor", "lift", "one", "tube", "two", "head"))
    + joint("crank", "root", "motor", "revolute", "0 1 0")
    + joint("raise", "root", "lift", "prismatic", "0 0 2", follows("crank", 0.5, 0.2))
    + joint("a", "lift", "one", "revolute", "0 0 1")
    + joint("slide", "one", "tube", "prismatic", "1 0 1")
    + joint("b", "tube", "two", "revolute", "0 1 0")
    + joint("nod", "two", "head", "continuous", "1 1 0")
    + "</robot>"
)
HELD = {"crank": 0.6, "slide": 0.4, "nod": 1.57}
MOVING = ("a", "b")


def still(text, joints, stated):
    """Return a description with the joints fixed of which it is known where they stand."""
    return held_still(text, held_joints(text, joints, stated))


def whole(q):
    """Return Pinocchio's model of the whole description, and its configuration."""
    model = pin.buildModelFromXML(ARM)
    places = {**HELD, "raise": 0.5 * HELD["crank"] + 0.2, "a": q[0], "b": q[1]}
    configuration = pin.neutral(model)
    for name, value in places.items():
        entry = model.joints[model.getJointId(name)]
        both = (np.cos(value), np.sin(value)) if entry.nq == 2 else (value,)
        configuration[entry.idx_q : entry.idx_q + entry.nq] = both
    return model, configuration


def test_bodies_payload_and_masses_are_where_the_whole_description_has_them():
    text = still(ARM, MOVING, HELD)
    arm = ArmModel.from_xml(text, "head", MOVING)
    geometry = description_geometry(text, arm, Path())
    for q in np.random.default_rng(0).uniform(-2, 2, (5, 2)):
        model, configuration = whole(q)
        data = model.createData()
        pin.framesForwardKinematics(model, data, configuration)
        rotation, origin = frames(arm, q[None])
        for item in geometry.bodies:
            R, t = (np.eye(3), np.zeros(3)) if item.joint == BASE else (
                rotation[0, item.joint], origin[0, item.joint]
            )  # fmt: skip
            there = data.oMf[model.getFrameId(item.link)]
            offset = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([0.02, 0, 0.05]))
            seen = there * offset
            assert np.allclose(R @ item.body.translation + t, seen.translation, atol=1e-12)
            assert np.allclose(R @ item.body.rotation, seen.rotation, atol=1e-12)
        head = data.oMf[model.getFrameId("head")]
        j = arm.payload_joint
        place = rotation[0, j] @ arm.payload_translation + origin[0, j]
        assert np.allclose(place, head.translation, atol=1e-12)
        M = pin.crba(model, data, configuration)
        own = [model.joints[model.getJointId(name)].idx_v for name in MOVING]
        mine = pin.crba(arm.pinocchio, arm.pinocchio.createData(), arm.pinocchio_q(q))
        assert np.allclose(np.triu(mine), np.triu(M[np.ix_(own, own)]), atol=1e-12)


def test_what_a_joint_cannot_do_is_refused():
    for text, joints, stated, words in (
        (ARM, MOVING, {"crank": 57.0}, "limits"), (ARM, MOVING, {"raise": 0.1}, "'crank'"),
        (ARM, MOVING, {"crnk": 0.1}, "crank"),
        (ARM.replace('joint="crank"', 'joint="krank"'), MOVING, {}, "'krank'"),
        (ARM.replace('joint="crank"', 'joint="a"'), MOVING, {}, "moves with the arm"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            still(text, joints, stated)
    finger = link("f") + joint("g", "two", "f", "prismatic", "1 0 0", limits=(0.1, 0.0))
    anywhere = still(ARM, MOVING, {}).replace('type="continuous"', 'type="revolute"')
    inverted = still(ARM.replace("</robot>", f"{finger}</robot>"), MOVING, {"nod": 0.0})
    for text, words in ((anywhere, "nod"), (inverted, "inverted")):
        with pytest.raises(ModelError, match=words):
            description_geometry(text, ArmModel.from_xml(text, "head", MOVING), Path())


def test_what_the_arm_stands_on_is_known_with_all_that_follows():
    def places(stated):
        return {joint.name: joint.place for joint in held_joints(ARM, MOVING, stated)}

    assert places({}) == {"crank": 0.0, "raise": 0.2, "slide": 0.0}
    assert places(HELD) == {**HELD, "raise": pytest.approx(0.5)}
    assert still(ARM, ("crank", "raise", "a", "slide", "b", "nod"), {}) == ARM
