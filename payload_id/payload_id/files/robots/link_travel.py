"""How far the inertial parameters of an arm's links depend on joints that the arm does not move."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...core.arm.arm_model import ArmModel, joint_axis
from ...core.arm.travelling_masses import PassiveBody, PassiveJoint, free_masters, phi_range
from ...core.arrays import Array
from .description.urdf_tree import UrdfTree
from .passive_joints import ends_of, followers, loosened, master_of


def link_travel(urdf: str, model: ArmModel) -> tuple[Array, Array] | None:
    """Return bounds of each body's phi over the travel of the passive joints that it carries.

    Args:
        urdf: The description, XML text.
        model: The arm: the joints that it does not name are held.

    Returns:
        lower: Shape (n, 10); as the model has it where a body carries no such joint.
        upper: Shape (n, 10).
        None if no body carries one that may be in several places.

    Raises:
        ModelError: The travel of such a joint is not known.
    """
    text = loosened(urdf)
    tree, full = UrdfTree.of(text), pin.buildModelFromXML(text)
    lower, upper = model.link_phi.copy(), model.link_phi.copy()
    moved = False
    for carrier, bodies, travel in _carried(model, tree, full):
        if not any(free_masters(body, travel) for body in bodies):
            continue
        own = full.inertias[full.getJointId(carrier)]
        still = PassiveBody((), own.mass, np.array(own.lever), np.array(own.inertia))
        j = model.joints.index(carrier)
        lower[j], upper[j] = phi_range([still, *bodies], travel)
        moved = True
    return (lower, upper) if moved else None


def following_masses(urdf: str, model: ArmModel) -> str:
    """Return in a sentence which masses follow joints of the arm; empty where none do.

    Torques of such linkages, which counterweights and hands have, are not computed.

    Args:
        urdf: The description, XML text.
        model: The arm.
    """
    full = pin.buildModelFromXML(urdf)
    found = [name for name in followers(UrdfTree.of(urdf), model.joints)
             if full.existJointName(name)]  # fmt: skip
    moved = {index for name in found for index in full.subtrees[full.getJointId(name)]}
    mass = sum(full.inertias[index].mass for index in moved)
    if not mass > 0.0:
        return ""
    return (
        f"The joints {', '.join(found)} follow others (<mimic>) that move with the arm, and move "
        f"{mass:.3g} kg, of which torques are not computed: leave <inertial> of their links out "
        "where that is little, or identify with a force-torque sensor."
    )


def _carried(
    model: ArmModel, tree: UrdfTree, full: pin.Model
) -> list[tuple[str, list[PassiveBody], dict[str, tuple[float, float]]]]:
    """Return the arm's joints that carry held ones, what is on these, and where they may be."""
    found: dict[str, list[PassiveBody]] = {}
    moving = followers(tree, model.joints)
    for index in range(1, full.njoints):
        way: list[int] = []
        carrier = index
        while carrier > 0 and full.names[carrier] not in model.joints:
            way.insert(0, carrier)
            carrier = full.parents[carrier]
        inertia = full.inertias[index]
        if carrier == 0 or not way or inertia.mass == 0.0:
            continue
        if any(full.names[k] in moving for k in way):  # said by `following_masses`
            continue
        joints = tuple(_passive_joint(model, tree, full, k) for k in way)
        body = PassiveBody(joints, inertia.mass, np.array(inertia.lever), np.array(inertia.inertia))
        found.setdefault(full.names[carrier], []).append(body)
    return [
        (
            carrier,
            bodies,
            {
                joint.master: ends_of(tree.named(joint.master), tree)
                for body in bodies
                for joint in body.way
            },
        )
        for carrier, bodies in found.items()
    ]


def _passive_joint(model: ArmModel, tree: UrdfTree, full: pin.Model, index: int) -> PassiveJoint:
    """Return one of Pinocchio's joints that the arm does not move."""
    joint = tree.named(full.names[index])
    S, place = joint_axis(full, index), full.jointPlacements[index]
    slides = joint.kind == "prismatic"
    return PassiveJoint(
        rotation=np.array(place.rotation),
        translation=np.array(place.translation),
        axis=S[:3] if slides else S[3:],
        slides=slides,
        master=master_of(joint, tree, model.joints).name,
        multiplier=joint.multiplier if joint.mimics else 1.0,
        offset=joint.offset if joint.mimics else 0.0,
    )
