"""Bodies that touch by construction: next to a joint, through links that have no body of their own.

Bodies that are near each other in every pose are found as well, for a person to judge.

Two links that one movable joint joins directly are exempt from the checks. Where one of them is a
mere frame, the body fixed to it takes its place, if the joint turns and the two touch in every
position of it, equally deep; that pair is allowed by name.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arrays import Array
from ...core.safety.clearance.arm_geometry import AllowedContact, ArmGeometry
from ...core.safety.clearance.overlap import signed_distances
from .description.urdf_tree import UrdfTree

POSITIONS = 25  # of the joint at which the contact is looked at
DEPTH = 1e-3  # [m] by which its depth may change
POSES = 300  # in which bodies that are always near are looked for
NEAR = 0.03  # [m] a clearance of 0.02 m, as planners have it, and tracking errors
TOUCH = 5e-4  # [m] apart that still counts as touching


def contacts_by_construction(
    model: ArmModel, geometry: ArmGeometry, tree: UrdfTree
) -> list[AllowedContact]:
    """Return the contacts of bodies fixed to mere frames that one movable joint joins.

    Args:
        model: The arm.
        geometry: Its bodies.
        tree: Links and joints of the description.
    """
    with_body = {item.link for item in geometry.bodies}
    found = []
    for j, name in enumerate(model.joints):
        joint = tree.named(name)
        own = joint.parent in with_body and joint.child in with_body
        if own or joint.kind == "prismatic":
            continue
        near, far = (
            [link] if link in with_body else sorted(tree.rigid_group(link) & with_body)
            for link in (joint.parent, joint.child)
        )
        pairs = [
            (a, b)
            for a, one in enumerate(geometry.bodies)
            for b, other in enumerate(geometry.bodies)
            if (one.link, other.link) in set(product(near, far))
            and (one.joint, other.joint) == (model.parent[j], j)
        ]
        found += _constant(model, geometry, pairs, j, name)
    return found


def always_near(
    model: ArmModel, geometry: ArmGeometry, lower: Array, upper: Array
) -> list[AllowedContact]:
    """Return the pairs that neither touch nor part in random poses: to be looked at by a person.

    Args:
        model: The arm.
        geometry: Its bodies.
        lower: Least positions, shape (n,) [rad or m].
        upper: Largest positions, shape (n,) [rad or m].
    """
    pairs = geometry.pairs(model)
    poses = np.random.default_rng(0).uniform(lower, upper, (POSES, model.n))
    apart = signed_distances(model, geometry, pairs, poses)
    least, most = apart.min(axis=0), apart.max(axis=0)
    return [
        AllowedContact(
            (geometry.bodies[a].name, geometry.bodies[b].name),
            f"{1e3 * least[k]:.0f} to {1e3 * most[k]:.0f} mm apart in each of {POSES} random poses",
        )
        for k, (a, b) in enumerate(pairs)
        if 0.0 < least[k] and most[k] < NEAR
    ]


def _constant(
    model: ArmModel,
    geometry: ArmGeometry,
    pairs: list[tuple[int, int]],
    j: int,
    name: str,
) -> list[AllowedContact]:
    """Return the pairs that touch equally deep in every position of joint j."""
    if not pairs:
        return []
    poses = np.zeros((POSITIONS, model.n))
    poses[:, j] = np.linspace(-np.pi, np.pi, POSITIONS)
    depth = signed_distances(model, geometry, np.array(pairs), poses)
    touching = (depth < TOUCH).all(axis=0) & (np.ptp(depth, axis=0) < DEPTH)
    return [
        AllowedContact(
            (geometry.bodies[a].name, geometry.bodies[b].name),
            f"they touch by construction at {name}, whose own links have no bodies",
        )
        for (a, b), same in zip(pairs, touching, strict=True)
        if same
    ]
