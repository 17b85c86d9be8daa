"""Shapes of payloads from meshes and point clouds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...core.arrays import Array
from ...core.body.ellipsoid_union import slab_outlines
from ...core.body.inertial import from_mass_com_inertia
from ...core.body.materials import bodies_of_materials
from ...core.body.shape import DENSITY, Shape, checked, points_for
from ...core.body.solid import points_in_surface, spread
from ...core.errors import InputError, UnknownNameError
from ..robots.body_shapes import geometry_of

LARGEST = 3.0  # [m] a hand-held object's bounding box
SMALLEST = 0.005  # [m] likewise, its longest side
MOST = 500_000  # triangles, or points
FEWEST = 30  # points of a cloud that show a surface
FILLINGS = ("surface", "hull")


def read_shape(
    path: str | Path,
    pose: Array | None = None,
    filling: str = "surface",
    density: float = DENSITY,
    scale: float = 1.0,
    ellipsoids: int = 1,
) -> Shape:
    """Return the shape that a mesh or a point cloud shows, in the payload frame.

    Args:
        path: File that trimesh reads: .ply, .stl, .obj, ...
        pose: Pose of the file's frame in the payload frame, shape (4, 4); None for the same frame.
        filling: What is solid. "surface": what a mesh encloses, or what the points of a cloud,
            taken from all of the surface, enclose. "hull": the convex hull, for meshes with holes
            and for clouds that show only a part.
        density: Point masses in a cubic centimetre.
        scale: Metres per unit of the file.
        ellipsoids: Number of ellipsoids around the body: with more than one it is cut along its
            longest axis, and their union contains it.

    Raises:
        InputError: The file cannot be read, has implausible size, is flat, or encloses nothing.
        UnknownNameError: There is no such filling.
    """
    if filling not in FILLINGS:
        raise UnknownNameError("filling", filling, FILLINGS)
    vertices, triangles = _geometry(Path(path))
    try:
        points = _plausible(scale * vertices)
        shape = _shape(scale * triangles, points, filling, density, ellipsoids)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    if pose is None:
        return shape
    rotation, translation = _rigid(pose)
    return shape.transformed(rotation, translation)


def _shape(triangles: Array, points: Array, filling: str, density: float, ellipsoids: int) -> Shape:
    """Return the shape of checked geometry; no triangles: a point cloud."""
    if filling == "hull":
        return Shape.from_hull(points, density, ellipsoids)
    if not len(triangles):
        if len(points) < FEWEST:
            raise InputError(
                f"It holds {len(points)} points and no triangles, too few to show a surface. A "
                "mesh is cut off; of a cloud take the convex hull (filling 'hull')."
            )
        return Shape.from_surface_points(points, density, ellipsoids)
    if not _is_closed(triangles):
        raise InputError(
            "The mesh is not closed, so that it has no inside. Close its holes, or take its convex "
            "hull (filling 'hull')."
        )
    return _of_closed_surface(triangles, points, density, ellipsoids)


def _of_closed_surface(triangles: Array, points: Array, density: float, ellipsoids: int) -> Shape:
    """Return the shape of the solid that a closed surface bounds."""
    from trimesh.triangles import mass_properties

    found = mass_properties(triangles)
    if found.volume < 0:  # all faces look inwards
        triangles = triangles[:, ::-1]
        found = mass_properties(triangles)
    if not found.volume > 0:
        raise InputError("The shape has no volume: it is flat, or turned inside out.")
    solid = from_mass_com_inertia(1.0, found.center_mass, np.asarray(found.inertia) / found.mass)
    count = points_for(found.volume, density)
    inside = points_in_surface(triangles, count)
    bodies = bodies_of_materials(inside, np.ones(len(inside)), solid)
    outlines = [points] if ellipsoids == 1 else slab_outlines(triangles, ellipsoids)
    return Shape.of_parts(outlines, solid, bodies, spread(inside, count))


def _geometry(path: Path) -> tuple[Array, Array]:
    """Return vertices (N, 3) and triangles (F, 3, 3) of a file, not too many."""
    vertices, triangles = geometry_of(path)
    for found, most, what in ((triangles, MOST, "triangles"), (vertices, 3 * MOST, "points")):
        if len(found) > most:
            raise InputError(
                f"'{path}' has {len(found)} {what}; a shape may have {MOST}. Simplify the mesh, or "
                "take a part of the cloud."
            )
    return vertices, triangles


def _plausible(points: Array) -> Array:
    """Return points that may be those of a hand-held object."""
    size = np.ptp(checked(points), axis=0)
    if size.max() > LARGEST or size.max() < SMALLEST:
        factor = 0.001 if size.max() > LARGEST else 1000.0
        raise InputError(
            f"the bounding box is {' x '.join(f'{x:.4g}' for x in size)} m; the longest "
            f"side of a hand-held object is {SMALLEST:g} to {LARGEST:g} m. If the file is in other "
            f"units, say so (scale {factor:g})."
        )
    return points


def _is_closed(triangles: Array) -> bool:
    """Tell whether as many triangles run along each edge in one direction as in the other.

    Ours, because trimesh's `is_volume` refuses closed surfaces that touch along an edge.
    """
    _, corner = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    face = corner.reshape(-1, 3)
    edges = np.concatenate([face[:, [0, 1]], face[:, [1, 2]], face[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    _, pair = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    direction = np.where(edges[:, 0] < edges[:, 1], 1, -1)
    return len(edges) > 0 and not np.bincount(pair.ravel(), weights=direction).any()


def _rigid(pose: Array) -> tuple[Array, Array]:
    """Return rotation and translation of a pose."""
    matrix = np.asarray(pose, dtype=float)
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all():
        raise InputError(f"A pose is a 4x4 matrix of finite numbers; found {pose!r}.")
    rotation = matrix[:3, :3]
    if np.abs(rotation @ rotation.T - np.eye(3)).max() > 1e-3 or np.linalg.det(rotation) < 0:
        raise InputError("The pose's upper left 3x3 block is no rotation matrix.")
    return rotation, matrix[:3, 3]
