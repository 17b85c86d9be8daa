"""What an arm looks like: triangles of each link, from visual meshes where they can be read.

A link of which nothing can be read is drawn as capsules from its frame to its joints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import trimesh

from ...core.arrays import Array
from ...core.errors import ModelError, PayloadIdError
from ...core.safety.clearance.convex_body import ConvexBody
from ...files.configuration.package_data import resolve
from ...files.robots.arm_frames import ArmFrames
from ...files.robots.body_shapes import mesh_of, shape_body, shape_pose

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
    arm, ends = ArmFrames(urdf), defaultdict[str, list[Array]](list)
    for frame in (*arm.fixed(), *arm.moving({})):
        ends[frame.parent].append(frame.translation)
    found = {}
    for link in ElementTree.fromstring(urdf).findall("link"):
        name = link.get("name", "")
        to_joints = [_capsule(end) for end in ends[name] if end.any()]
        found[name] = _of_link(link, folder) or to_joints
    return found


def body_triangles(body: ConvexBody) -> Triangles:
    """Return the surface of a convex body in the frame that it is placed in."""
    mesh = SURFACES[body.kind](body)
    return Triangles.of(mesh, body.rotation, body.translation)


def _capsule(end: Array) -> Triangles:
    """Return a capsule from a link's frame to a joint's, end of shape (3,) [m]."""
    length = float(np.linalg.norm(end))
    turn = trimesh.geometry.align_vectors([0, 0, 1], end)[:3, :3]
    size = min(THIN, length / 2), length
    return body_triangles(ConvexBody.primitive("capsule", size, turn, end / 2))


def _of_link(link: ElementTree.Element, folder: Path) -> list[Triangles]:
    """Return the visual meshes of a link, else its collision bodies, else its visual shapes."""
    visuals, name = link.findall("visual"), link.get("name", "")
    with suppress(Exception):  # readers of meshes raise whatever they stumble over
        if visuals:
            return [_visual_mesh(visual, name, folder) for visual in visuals]
    found = []
    for shape in link.findall("collision") or visuals:
        with suppress(PayloadIdError):  # what cannot be read is not shown: a picture proves nothing
            found.append(body_triangles(shape_body(shape, name, folder)))
    return found


def _visual_mesh(visual: ElementTree.Element, link: str, folder: Path) -> Triangles:
    """Return the mesh of a <visual> in the frame of its link.

    Raises:
        ModelError: It is no mesh, or too large; what cannot be read raises errors of all kinds.
    """
    mesh = visual.find("geometry/mesh")
    if mesh is None:
        raise ModelError(f"A <visual> of link '{link}' is no mesh.")
    loaded = mesh_of(resolve(mesh.get("filename", "").removeprefix("file://"), folder))
    loaded.apply_scale([float(x) for x in mesh.get("scale", "1 1 1").split()])
    if not 0 < len(loaded.faces) <= MOST_FACES:
        raise ModelError(f"A mesh of link '{link}' has {len(loaded.faces)} triangles.")
    return Triangles.of(loaded, *shape_pose(visual, link))
