"""The arm's convex bodies from the <collision> elements of its description.

Read here, not by Pinocchio, which leaves out a shape that it cannot use and only prints so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import trimesh

from ...core.arm.arm_model import ArmModel
from ...core.arrays import Array
from ...core.errors import InputError, ModelError
from ...core.safety.clearance.arm_geometry import BASE, AllowedContact, ArmGeometry, LinkBody
from ...core.safety.clearance.convex_body import ConvexBody
from ..configuration.package_data import resolve
from .robot_file import RobotFile

MOST_CORNERS = 2000  # of a mesh's hull; more would make every check slow


def robot_geometry(
    robot: RobotFile,
    model: ArmModel,
    payload: Sequence[ConvexBody] = (),
    allowed: Iterable[AllowedContact] = (),
) -> ArmGeometry:
    """Return the bodies of the arm that a robot file describes, and of its payload.

    Args:
        robot: The robot file.
        model: The arm that it describes.
        payload: Bodies that contain the payload together, poses in the payload frame.
        allowed: Pairs of links that are not checked, each with its reason, beyond those that the
            robot file allows.

    Raises:
        ModelError: A moving body has no collision geometry, or it cannot be read.
    """
    bodies = link_bodies(robot.urdf, model, robot.urdf_path.parent)
    stated = (AllowedContact(pair, why) for pair, why in robot.allowed_contacts.items())
    geometry = ArmGeometry(bodies, (*stated, *allowed))
    return geometry.with_attached(model, payload) if payload else geometry


def link_bodies(urdf: str, model: ArmModel, folder: Path) -> tuple[LinkBody, ...]:
    """Return the convex bodies of a description's links; meshes become their convex hulls.

    Args:
        urdf: The description, XML text.
        model: The arm that it describes; joints that it does not name are at neutral.
        folder: Where relative file names of meshes begin.

    Raises:
        ModelError: Of all links with mass that a joint carries none has a <collision>, or one
            cannot be read.
    """
    carriers = _carriers(model)
    found: list[LinkBody] = []
    heavy: dict[int, str] = {}
    for link in ElementTree.fromstring(urdf).findall("link"):
        name = link.get("name", "")
        joint, placement = carriers.get(name, (BASE, pin.SE3.Identity()))
        shapes = link.findall("collision")
        if link.find("inertial") is not None:
            heavy.setdefault(joint, name)
        for shape in shapes:
            body = _body(shape, name, folder)
            moved = body.moved(np.array(placement.rotation), np.array(placement.translation))
            found.append(LinkBody(name, joint, moved))
    shown = {BASE, *(item.joint for item in found)}
    bare = [name for joint, name in heavy.items() if joint not in shown]
    if bare:
        raise ModelError(
            f"The robot description has no collision geometry on {', '.join(bare)}, so that no "
            "clearance can be proved. Add <collision> elements (primitives or meshes) to the URDF."
        )
    return tuple(found)


def mesh_hull(path: Path, scale: Array | float = 1.0, name: str = "") -> ConvexBody:
    """Return the convex hull of a mesh, in the frame of its file.

    Args:
        path: File that trimesh reads.
        scale: Metres per unit, one number or one for each axis.
        name: For messages; empty: the file's name.

    Raises:
        InputError: The file cannot be read, or holds no solid.
    """
    if not path.is_file():
        raise InputError(f"There is no mesh '{path}'.")
    try:
        loaded: Any = trimesh.load(path, force="mesh")
        points = np.asarray(loaded.vertices, dtype=float).reshape(-1, 3)
    except Exception as error:  # its readers raise whatever they stumble over
        raise InputError(f"'{path}' cannot be read as a mesh: {error}.") from error
    body = ConvexBody.hull(points * np.asarray(scale), name=name or path.name)
    if len(body.points) > MOST_CORNERS:
        raise InputError(
            f"The convex hull of {path.name} has {len(body.points)} corners; simplify the mesh to "
            f"at most {MOST_CORNERS}."
        )
    return body


def _carriers(model: ArmModel) -> dict[str, tuple[int, pin.SE3]]:
    """Return of each link the joint that carries it and its place in that joint's frame."""
    full = model.pinocchio
    return {
        frame.name: (
            model.order[frame.parentJoint - 1] if frame.parentJoint > 0 else BASE,
            frame.placement,
        )
        for frame in full.frames
        if frame.type == pin.FrameType.BODY
    }


def _body(collision: ElementTree.Element, link: str, folder: Path) -> ConvexBody:
    """Return the body of one <collision>."""
    origin, geometry = collision.find("origin"), collision.find("geometry")
    shapes = [] if geometry is None else list(geometry)
    if len(shapes) != 1:
        raise ModelError(f"A <collision> of link '{link}' needs exactly one shape in <geometry>.")
    rotation, translation = np.eye(3), np.zeros(3)
    if origin is not None:
        rotation = np.array(pin.rpy.rpyToMatrix(_vector(origin, "rpy", 3, link, "0 0 0")))
        translation = _vector(origin, "xyz", 3, link, "0 0 0")
    try:
        body = _shape(shapes[0], link, folder)
    except InputError as error:
        raise ModelError(f"The collision geometry of link '{link}': {error}") from error
    return body.moved(rotation, translation)


def _shape(shape: ElementTree.Element, link: str, folder: Path) -> ConvexBody:
    """Return a shape in its own frame."""
    if shape.tag == "box":
        size = _vector(shape, "size", 3, link)
        return ConvexBody.primitive("box", tuple(size), name=link)
    if shape.tag == "sphere":
        radius = _vector(shape, "radius", 1, link)[0]
        return ConvexBody.primitive("sphere", (radius,), name=link)
    if shape.tag in ("cylinder", "capsule"):
        radius, length = (_vector(shape, key, 1, link)[0] for key in ("radius", "length"))
        return ConvexBody.primitive(shape.tag, (radius, length), name=link)
    if shape.tag == "mesh":
        path = resolve(shape.get("filename", "").removeprefix("file://"), folder)
        return mesh_hull(path, _vector(shape, "scale", 3, link, "1 1 1"), link)
    raise ModelError(
        f"The collision geometry of link '{link}' is a <{shape.tag}>; known: box, sphere, "
        "cylinder, capsule, mesh."
    )


def _vector(
    element: ElementTree.Element, key: str, length: int, link: str, default: str | None = None
) -> Array:
    """Return the numbers of an attribute."""
    text = element.get(key, default)
    try:
        numbers = np.array([float(x) for x in (text or "").split()])
    except ValueError as error:
        raise ModelError(f"'{key}' of <{element.tag}> in link '{link}' is '{text}'.") from error
    if len(numbers) != length or not np.isfinite(numbers).all():
        raise ModelError(
            f"'{key}' of <{element.tag}> in link '{link}' needs {length} finite number(s); found "
            f"'{text}'."
        )
    return numbers
