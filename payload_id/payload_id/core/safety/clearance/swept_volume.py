"""What an arm sweeps, as triangles for a picture; no proof rests on it.

Hulls are SciPy's, which trimesh would ask for them, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

from ...arm.arm_model import ArmModel
from ...arm.kinetics import frames
from ...arrays import Array
from ...motion.trajectory import Trajectory
from .arm_geometry import BASE, ArmGeometry
from .convex_body import ConvexBody

SIDES = 8  # of the prisms that stand for round bodies
POSES = 12  # between which the swept volume is filled by convex hulls


@dataclass(frozen=True, eq=False)
class Swept:
    """What one body sweeps.

    Attributes:
        link: Link that the body belongs to.
        attached: Whether it is payload or tool.
        triangles: Corners in the base frame, shape (K, 3, 3) [m].
    """

    link: str
    attached: bool
    triangles: Array


def swept_volume(
    model: ArmModel, geometry: ArmGeometry, trajectory: Trajectory
) -> tuple[Swept, ...]:
    """Return what each moving body sweeps: convex hulls of its corners at neighbouring poses.

    Args:
        model: The arm.
        geometry: Its bodies.
        trajectory: The motion.
    """
    q = trajectory.at(np.linspace(0.0, trajectory.duration, POSES)).q
    rotation, origin = frames(model, q)
    found = []
    for item in geometry.bodies:
        if item.joint == BASE:
            continue
        corners = outline(item.body) @ item.body.rotation.T + item.body.translation
        placed = np.einsum("kij,cj->kci", rotation[:, item.joint], corners)
        placed += origin[:, item.joint, None]
        pairs = np.concatenate([placed[:-1], placed[1:]], axis=1)
        hulls = [_hull_triangles(points) for points in pairs]
        found.append(Swept(item.link, item.attached, np.concatenate(hulls)))
    return tuple(found)


def body_triangles(body: ConvexBody) -> Array:
    """Return the surface of a bounded body in the frame of its pose, shape (K, 3, 3) [m]."""
    return _hull_triangles(outline(body) @ body.rotation.T + body.translation)


def outline(body: ConvexBody) -> Array:
    """Return corners of a bounded body or of a polyhedron around it, own frame, shape (C, 3)."""
    if body.kind == "hull":
        return body.points
    if body.kind == "box":
        return _signs() * body.half
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) / np.cos(np.pi / SIDES)
    width = body.disc + body.radius
    height = body.half[2] + body.radius
    return np.array([[*(width * xy), z] for z in (-height, height) for xy in ring])


def _signs() -> Array:
    """Return the corners of the cube [-1, 1]^3, shape (8, 3)."""
    return np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3), axis=-1).reshape(-1, 3)


def _hull_triangles(points: Array) -> Array:
    """Return the convex hull's triangles, shape (K, 3, 3) [m]."""
    return np.asarray(points[ConvexHull(points).simplices])
