"""What an arm looks like: triangles of each link, from visual meshes where they can be read.

A link of which nothing can be read is drawn as capsules from its frame to its joints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import trimesh

from ...core.arrays import Array
from ...core.errors import PayloadIdError
from ...core.safety.clearance.convex_body import ConvexBody
from ...files.configuration.package_data import resolve
from ...files.robots.body_shapes import READABLE, mesh_of, shape_body

MOST_FACES = 20_000  # of one visual mesh; larger ones are shown as their collision body
THIN = 0.03  # [m] radius of a capsule that stands for a link
# [m] of what is shown of a half-space: opposite corners of a thin box below it
GROUND = ((-2.0, -2.0, -0.01), (2.0, 2.0, 0.0))
# Surface of each kind of body in its own frame.
SURFACES: Mapping[str, Callable[[ConvexBody], Any]] = {
    "box": lambda body: trimesh.creation.box(extents=body.size),
    "sphere": lambda body: trimesh.creation.icosphere(subdivisions=2, radius=body.size[0]),
    "cylinder": lambda body: trimesh.creation.cylinder(
        radius=body.size[0], height=body.size[1], sections=32
    ),
    "capsule": lambda body: trimesh.creation.capsule(radius=body.size[0], height=body.size[1]),
    "half_space": lambda body: trimesh.creation.box(bounds=GROUND),
    "hull": lambda body: trimesh.Trimesh(vertices=body.points).convex_hull,
}


@dataclass(frozen=True, eq=False)
class Triangles:
    """A surface in the frame of its link.

    Attributes:
        vertices: Shape (N, 3) [m].
        faces: Shape (M, 3), indices of vertices.
    """

    vertices: Array
    faces: Array

    @classmethod
    def of(cls, mesh: Any, rotation: Array, translation: Array) -> Triangles:
        """Return a mesh with its pose taken in."""
        vertices = np.asarray(mesh.vertices, dtype=float) @ rotation.T + translation
        return cls(vertices, np.asarray(mesh.faces, dtype=np.uint32))


def link_triangles(urdf: str, folder: Path) -> Mapping[str, Sequence[Triangles]]:
    """Return what is seen of each link that can be shown.

    Args:
        urdf: The description, XML text.
        folder: Where relative file names of meshes begin.
    """
    robot = ElementTree.fromstring(urdf)
    ends: dict[str, list[Array]] = {}
    for joint in robot.findall("joint"):
        parent, origin = joint.find("parent"), joint.find("origin")
        at = "0 0 0" if origin is None else origin.get("xyz", "0 0 0")
        name = "" if parent is None else parent.get("link", "")
        ends.setdefault(name, []).append(np.array(at.split(), dtype=float))
    found = {}
    for link in robot.findall("link"):
        name = link.get("name", "")
        to_joints = [_capsule(end) for end in ends.get(name, ()) if end.any()]
        found[name] = _of_link(link, folder) or to_joints
    return found


def body_triangles(body: ConvexBody) -> Triangles:
    """Return the surface of a convex body in the frame that it is placed in."""
    mesh = SURFACES[body.kind](body)
    return Triangles.of(mesh, body.rotation, body.translation)


def _capsule(end: Array) -> Triangles:
    """Return a capsule from a link's frame to a joint's, end of shape (3,) [m]."""
    length = float(np.linalg.norm(end))
    mesh = trimesh.creation.capsule(radius=min(THIN, length / 2), height=length)
    mesh.apply_translation([0.0, 0.0, length / 2 - mesh.bounds.mean(axis=0)[2]])
    return Triangles.of(mesh, trimesh.geometry.align_vectors([0, 0, 1], end)[:3, :3], np.zeros(3))


def _of_link(link: ElementTree.Element, folder: Path) -> list[Triangles]:
    """Return the visual meshes of a link, else its collision bodies, else its visual shapes."""
    seen = [_visual_mesh(visual, folder) for visual in link.findall("visual")]
    if seen and all(mesh is not None for mesh in seen):
        return [mesh for mesh in seen if mesh is not None]
    shapes = link.findall("collision") or link.findall("visual")
    found = []
    for shape in shapes:
        with suppress(PayloadIdError):  # what cannot be read is not shown: a picture proves nothing
            found.append(body_triangles(shape_body(shape, link.get("name", ""), folder)))
    return found


def _visual_mesh(visual: ElementTree.Element, folder: Path) -> Triangles | None:
    """Return the mesh of a <visual>; None where it is no mesh, or cannot be shown."""
    mesh = visual.find("geometry/mesh")
    if mesh is None:
        return None
    try:
        path = resolve(mesh.get("filename", "").removeprefix("file://"), folder)
        if path.suffix.lower() not in READABLE:
            return None
        loaded = mesh_of(path)
        loaded.apply_scale([float(x) for x in mesh.get("scale", "1 1 1").split()])
        at = shape_body(visual, "", folder)
        found = Triangles.of(loaded, at.rotation, at.translation)
    except Exception:  # readers of meshes raise whatever they stumble over; see `_of_link`
        return None
    return found if 0 < len(found.faces) <= MOST_FACES else None
