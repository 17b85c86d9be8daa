"""Obstacles between messages and the convex bodies that motions are certified against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin
from geometry_msgs.msg import Pose
from payload_id_msgs.msg import Obstacle
from scipy.spatial.transform import Rotation
from shape_msgs.msg import Mesh, SolidPrimitive

from ....core.arm.arm_model import ArmModel
from ....core.arrays import Array
from ....core.errors import InputError, brief
from ....core.safety.clearance.convex_body import ConvexBody
from ...common.conversions import point, pose_message
from .obstacles import check_number

THINNEST, FARTHEST = 1e-4, 100.0  # [m] of a size; of a place from the base
MOST_CORNERS = 100_000  # of all meshes in one message
UNIT = 1e-3  # how far the length of a quaternion may be from 1
LONGEST_ID = 200  # characters of the id of an obstacle, or of a motion
# Of each primitive its name here, and which dimensions of the message are its sizes there.
PRIMITIVES = {
    SolidPrimitive.BOX: ("box", (0, 1, 2)),
    SolidPrimitive.SPHERE: ("sphere", (SolidPrimitive.SPHERE_RADIUS,)),
    SolidPrimitive.CYLINDER: (
        "cylinder",
        (SolidPrimitive.CYLINDER_RADIUS, SolidPrimitive.CYLINDER_HEIGHT),
    ),
}


def base_frames(model: ArmModel) -> dict[str, tuple[Array, Array]]:
    """Return axes and origin of all links that do not move, the description's root first."""
    return {
        frame.name: (np.array(frame.placement.rotation), np.array(frame.placement.translation))
        for frame in model.pinocchio.frames
        if frame.type == pin.FrameType.BODY and frame.parentJoint == 0
    }


def obstacles_from(
    messages: Sequence[Obstacle], frames: Sequence[tuple[Array, Array]]
) -> dict[str, ConvexBody]:
    """Return the bodies of messages by name, in the base frame.

    Args:
        messages: The messages.
        frames: Axes (3, 3) and origin (3,) [m] of the frame of each.

    Raises:
        InputError: One of them is no body or out of any range, or has no name of its own; there are
            too many.
    """
    check_number(len(messages))
    corners = sum(len(message.mesh.vertices) for message in messages)
    if corners > MOST_CORNERS:
        raise InputError(
            f"The meshes of the obstacles have {corners} corners in all; at most {MOST_CORNERS} "
            "can be worked out at once. Give hulls, or fewer corners."
        )
    found: dict[str, ConvexBody] = {}
    for message, frame in zip(messages, frames, strict=True):
        if message.id in found:
            raise InputError(f"Two obstacles have the id '{message.id}'; give each its own.")
        found[message.id] = _obstacle_from(message, *frame)
    return found


def _obstacle_from(message: Obstacle, rotation: Array, translation: Array) -> ConvexBody:
    """Return the body of one message, in the base frame."""
    if not message.id:
        raise InputError("An obstacle has no id; give each one, to say later which is meant.")
    if len(message.id) > LONGEST_ID or not message.id.isprintable():
        raise InputError(
            f"The id of an obstacle is at most {LONGEST_ID} printable characters; found "
            f"{brief(message.id)}."
        )
    where = f"obstacle '{message.id}'"
    turn, place = pose_of(message.pose, where)
    body = _body(message, where).moved(rotation @ turn, rotation @ place + translation)
    away = np.abs(body.translation).max()
    if away > FARTHEST:
        raise InputError(
            f"The {where} is {away:.4g} m from the base; positions are in metres, up to "
            f"{FARTHEST:g} m."
        )
    return body


def pose_of(pose: Pose, where: str) -> tuple[Array, Array]:
    """Return axes (3, 3) and origin (3,) [m] of a pose.

    Raises:
        InputError: A number is not finite, or the quaternion has not length 1.
    """
    p, o = pose.position, pose.orientation
    place, quaternion = np.array([p.x, p.y, p.z]), np.array([o.x, o.y, o.z, o.w])
    if not (np.isfinite(place).all() and np.isfinite(quaternion).all()):
        raise InputError(
            f"The pose of {where} must be finite numbers; found the position {place.tolist()} and "
            f"the orientation {quaternion.tolist()}."
        )
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > UNIT:
        raise InputError(
            f"The orientation of {where} must be a quaternion of length 1; found "
            f"{quaternion.tolist()} of length {length:g}."
        )
    return Rotation.from_quat(quaternion).as_matrix(), place


def obstacle_message(body: ConvexBody, frame: str) -> Obstacle:
    """Return a body, its pose that in the base frame, as a message; hulls become meshes.

    Args:
        body: A box, sphere, cylinder or hull.
        frame: Name of the base frame.

    Raises:
        InputError: Messages have no such kind of body.
    """
    message = Obstacle(id=body.name)
    message.header.frame_id = frame
    message.pose = pose_message(body.rotation, body.translation)
    kinds = {name: (kind, places) for kind, (name, places) in PRIMITIVES.items()}
    if body.kind in kinds:
        kind, places = kinds[body.kind]
        dimensions = [0.0] * len(places)
        for place, size in zip(places, body.size, strict=True):
            dimensions[place] = float(size)
        message.primitive = SolidPrimitive(type=kind, dimensions=dimensions)
    elif body.kind == "hull":
        message.mesh = Mesh(vertices=[point(p) for p in body.points])
    else:
        raise InputError(f"There is no message for an obstacle of the kind '{body.kind}'.")
    return message


def _body(message: Obstacle, where: str) -> ConvexBody:
    """Return the body in its own frame."""
    corners = message.mesh.vertices
    if message.primitive.type == 0:
        if not len(corners):
            raise InputError(
                f"The {where} has neither a primitive nor a mesh; fill in one of them."
            )
        points = np.array([[v.x, v.y, v.z] for v in corners])
        if not (np.abs(points) <= FARTHEST).all():
            raise InputError(
                f"The mesh of {where} has corners that are no numbers up to {FARTHEST:g} m."
            )
        return ConvexBody.hull(points, name=message.id)
    if len(corners):
        raise InputError(f"The {where} has a primitive and a mesh; fill in one of them.")
    if message.primitive.type not in PRIMITIVES:
        raise InputError(
            f"The {where} is a primitive of type {message.primitive.type}; known: box (1), sphere "
            "(2), cylinder (3). Give anything else as a mesh: its convex hull counts."
        )
    kind, places = PRIMITIVES[message.primitive.type]
    return ConvexBody.primitive(
        kind, _sizes(message.primitive.dimensions, places, kind, where), name=message.id
    )


def _sizes(
    dimensions: Sequence[float], places: Sequence[int], kind: str, where: str
) -> tuple[float, ...]:
    """Return the sizes of a primitive, all of them finite and above zero."""
    if len(dimensions) != len(places):
        raise InputError(
            f"A {kind} has {len(places)} dimensions; {where} has {len(dimensions)}: "
            f"{list(dimensions)}."
        )
    if not all(THINNEST <= x <= 2 * FARTHEST for x in dimensions):
        raise InputError(
            f"Every dimension of {where} must be from {THINNEST:g} to {2 * FARTHEST:g} m; found "
            f"{list(dimensions)}."
        )
    return tuple(float(dimensions[i]) for i in places)
