"""The arm's convex bodies, and what joins its links, from a robot description.

Every link with mass or looks has a body: its <collision> elements, else the hulls of its <visual>
ones. What is beyond joints that the arm's model holds still (a gripper's fingers) is covered over
their whole travel, or over the place that the robot file states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from ...core.arm.arm_model import ArmModel
from ...core.errors import ModelError, UnknownNameError
from ...core.safety.clearance.arm_geometry import PAYLOAD, AllowedContact, ArmGeometry, LinkBody
from ...core.safety.clearance.convex_body import ConvexBody
from .body_shapes import shape_body
from .body_sizes import check_sizes
from .contacts import contacts_by_construction
from .description.urdf_tree import UrdfTree
from .link_places import LinkPlaces
from .passive_play import PassivePlay
from .robot_file import RobotFile


def robot_geometry(
    robot: RobotFile,
    model: ArmModel,
    payload: Sequence[ConvexBody] = (),
) -> ArmGeometry:
    """Return the bodies of the arm that a robot file describes, and of its payload.

    Args:
        robot: The robot file.
        model: The arm that it describes.
        payload: Bodies that contain the payload together, poses in the payload frame.

    Raises:
        ModelError: A link with mass or looks has no body, or it cannot be read.
        InputError: An allowed contact names no body.
    """
    geometry = description_geometry(
        robot.urdf, model, robot.urdf_path.parent, robot.links_without_body
    )
    stands = tuple(joint.note for joint in robot.held)
    geometry = replace(geometry, notes=(*stands, *geometry.notes))
    if payload:
        play = PassivePlay(robot.urdf, robot.joints)
        frame = robot.payload_frame
        payload = [body.grown(play.of_body(frame, body)) for body in payload]
        geometry = geometry.with_attached(model, payload)
    stated = [AllowedContact(pair, why) for pair, why in robot.allowed_contacts.items()]
    if not payload:  # what is allowed of one counts once there is one
        stated = [c for c in stated if not any(x.split("/")[0] == "payload" for x in c.bodies)]
    return geometry.with_allowed(stated)


def description_geometry(
    urdf: str,
    model: ArmModel,
    folder: Path,
    without_body: Mapping[str, str] | None = None,
) -> ArmGeometry:
    """Return the bodies of a description's links; meshes become their convex hulls.

    Args:
        urdf: The description, XML text.
        model: The arm that it describes.
        folder: Where relative file names of meshes begin.
        without_body: Links that have no body though they have mass, and why.

    Raises:
        ModelError: A link with mass or looks has no body, or one cannot be read; a joint that the
            model does not move follows one that it does, or has no limits and no stated place.
        UnknownNameError: There is no such link or joint.
    """
    tree, without_body = UrdfTree.of(urdf), without_body or {}
    places = LinkPlaces(urdf, model, tree)
    links = {link.get("name", ""): link for link in ElementTree.fromstring(urdf).findall("link")}
    _check_names(links, without_body)
    own = {
        name: _bodies(link, name, folder)
        for name, link in links.items()
        if name not in without_body
    }
    bare = [name for name, bodies in own.items() if not bodies and tree.masses[name] > 0.0]
    if bare:
        raise ModelError(
            f"The robot description has no collision geometry on {', '.join(bare)}, so that no "
            "clearance can be proved. Add <collision> elements (primitives or meshes) to the URDF, "
            "or name a link that cannot touch anything under 'links_without_body' in the robot "
            "file, with the reason."
        )
    for name, bodies in own.items():
        check_sizes(name, tree.masses[name], bodies)
    found = [
        LinkBody(name, *places.placed(name, body))
        for name, bodies in own.items()
        for body in bodies
    ]
    joined = tuple((joint.parent, joint.child) for joint in map(tree.named, model.joints))
    notes = [f"{name} has no body: {why}." for name, why in without_body.items()]
    geometry = ArmGeometry(tuple(found), joined, (), (*places.notes, *notes))
    return geometry.with_allowed(contacts_by_construction(model, geometry, tree))


def _check_names(links: Mapping[str, ElementTree.Element], without_body: Iterable[str]) -> None:
    """Raise unless links without a body are links that have none, and no link is the payload."""
    for name in without_body:
        if name not in links:
            raise UnknownNameError("link", name, links, "the links without a body")
        if _shapes(links[name]):
            raise ModelError(
                f"'links_without_body' names {name}, which has a body in the robot description; "
                "allow contacts of it by name instead ('allowed_contacts')."
            )
    if PAYLOAD in links:
        raise ModelError(
            f"The robot description has a link '{PAYLOAD}', which is the name of the payload's "
            "volume here; give the link another name."
        )


def _bodies(link: ElementTree.Element, name: str, folder: Path) -> list[ConvexBody]:
    """Return the bodies of one link, in its frame, each with a name of its own."""
    shapes = _shapes(link)
    bodies = [shape_body(shape, name, folder) for shape in shapes]
    if len(bodies) < 2:
        return [replace(body, name=name) for body in bodies]
    own = [shape.get("name") or str(k) for k, shape in enumerate(shapes, start=1)]
    if len(set(own)) < len(own):
        own = [str(k) for k in range(1, len(own) + 1)]
    return [replace(body, name=f"{name}/{x}") for body, x in zip(bodies, own, strict=True)]


def _shapes(link: ElementTree.Element) -> list[ElementTree.Element]:
    """Return the <collision> elements of a link, or what can be seen of it where it has none."""
    return link.findall("collision") or link.findall("visual")
