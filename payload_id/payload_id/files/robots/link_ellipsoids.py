"""Ellipsoids that hold the links' mass, from the collision shapes of a robot description."""

from __future__ import annotations

from xml.etree import ElementTree

import coal
import numpy as np
import pinocchio as pin

from ...core.arm.arm_model import ArmModel
from ...core.arm.frames import with_joints_held
from ...core.arrays import Array
from ...core.body.ellipsoid import bounding_ellipsoid, row_of

PRIMITIVES = ("box", "sphere", "cylinder")
CORNERS = 16  # of the polygon around a circle


def link_ellipsoids(urdf: str, model: ArmModel) -> tuple[Array | None, ...]:
    """Return Q of an ellipsoid around each body's collision shapes, in its joint's frame.

    None where the shapes cannot be trusted to hold all mass: a link with mass has none, or one
    other than box, sphere and cylinder; or the description's own inertia lies partly outside.

    Args:
        urdf: The description, XML text.
        model: The arm that it describes.
    """
    text, complete = _primitives_only(urdf)
    full = pin.buildModelFromXML(text)
    shapes = pin.buildGeomFromUrdfString(full, text, pin.GeometryType.COLLISION)
    locked = [full.getJointId(name) for name in full.names[1:] if name not in model.joints]
    reduced, shapes = with_joints_held(full, locked, shapes)
    found: list[Array | None] = []
    for link, name in enumerate(model.joints):
        joint = reduced.getJointId(name)
        points = [
            _corners(shape.geometry) @ shape.placement.rotation.T + shape.placement.translation
            for shape in shapes.geometryObjects
            if shape.parentJoint == joint
        ]
        own = [f.name for f in reduced.frames if f.parentJoint == joint and f.name in complete]
        known = bool(points) and all(complete[body] for body in own)
        ellipsoid = bounding_ellipsoid(np.vstack(points)) if known else None
        if ellipsoid is not None and row_of(ellipsoid) @ model.link_phi[link] < 0:
            ellipsoid = None
        found.append(ellipsoid)
    return tuple(found)


def _primitives_only(urdf: str) -> tuple[str, dict[str, bool]]:
    """Return the description with primitives only, and of each link with mass if it had no other.

    Pinocchio silently leaves out shapes that it does not know, such as capsules.
    """
    root = ElementTree.fromstring(urdf)
    complete = {}
    for link in root.findall("link"):
        for kind in ("visual", "collision"):
            others = [x for x in link.findall(kind) if not _is_primitive(x)]
            for shape in others:
                link.remove(shape)
            if kind == "collision" and link.find("inertial") is not None:
                shaped = link.find("collision") is not None and not others
                complete[link.get("name", "")] = shaped
    return ElementTree.tostring(root, encoding="unicode"), complete


def _is_primitive(shape: ElementTree.Element) -> bool:
    """Tell whether a shape is one whose corners are known."""
    return any(shape.find(f"geometry/{kind}") is not None for kind in PRIMITIVES)


def _corners(shape: coal.CollisionGeometry) -> Array:
    """Return points whose convex hull holds a primitive shape, shape (K, 3) [m]."""
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T.astype(float)
    if isinstance(shape, coal.Box):
        return signs * np.asarray(shape.halfSide)
    if isinstance(shape, coal.Sphere):
        return signs * shape.radius  # a cube around it
    angle = 2 * np.pi / CORNERS * np.arange(CORNERS)
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) / np.cos(np.pi / CORNERS)
    half = shape.halfLength  # a cylinder
    ends = [np.column_stack([circle * shape.radius, np.full(CORNERS, z)]) for z in (-half, half)]
    return np.vstack(ends)
