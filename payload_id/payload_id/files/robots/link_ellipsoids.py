"""Ellipsoids that hold the links' mass, from the bodies of a robot description."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arrays import Array
from ...core.body.ellipsoid import bounding_ellipsoid, row_of
from ...core.safety.clearance.swept_volume import outline
from .arm_geometry import robot_geometry
from .description.urdf_tree import UrdfTree
from .robot_file import RobotFile


def link_ellipsoids(robot: RobotFile, model: ArmModel) -> tuple[Array | None, ...]:
    """Return Q of an ellipsoid around the bodies that each joint moves, in the joint's frame.

    None where these cannot be trusted to hold all mass: there are none, a link with mass has none
    (`links_without_body`), or the description's own inertia lies partly outside.

    Args:
        robot: The robot file.
        model: The arm that it describes.

    Raises:
        ModelError: A body is missing or cannot be read.
    """
    bodies, tree = robot_geometry(robot, model).bodies, UrdfTree.of(robot.urdf)
    bare = {_carrier(link, model, tree) for link in robot.links_without_body}
    found: list[Array | None] = []
    for j, name in enumerate(model.joints):
        points = [
            outline(x.body) @ x.body.rotation.T + x.body.translation for x in bodies if x.joint == j
        ]
        known = bool(points) and name not in bare
        ellipsoid = bounding_ellipsoid(np.vstack(points)) if known else None
        if ellipsoid is not None and row_of(ellipsoid) @ model.link_phi[j] < 0:
            ellipsoid = None
        found.append(ellipsoid)
    return tuple(found)


def _carrier(link: str, model: ArmModel, tree: UrdfTree) -> str:
    """Return the joint of the arm that moves a link, empty if none does."""
    way: Iterable[str] = (joint.name for joint in reversed(tree.way_to(link)))
    return next((name for name in way if name in model.joints), "")
