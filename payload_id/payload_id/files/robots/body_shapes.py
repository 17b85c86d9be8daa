"""Convex bodies of a description's <collision> and <visual> elements; meshes become their hulls."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import scipy.spatial

from ...core.arrays import Array
from ...core.errors import InputError, ModelError
from ...core.safety.clearance.convex_body import ConvexBody
from ..configuration.file_kind import instead
from ..configuration.input_path import input_path
from ..configuration.package_data import resolve

READABLE = (".stl", ".obj", ".ply", ".off", ".dae", ".glb", ".gltf", ".xyz")
ROUNDING = 1e-9  # relative
FARTHEST = 1e9  # a coordinate, in whatever unit
SIZES = {  # of primitives: attributes, and how many numbers each has
    "box": {"size": 3}, "sphere": {"radius": 1},
    **dict.fromkeys(("cylinder", "capsule"), {"radius": 1, "length": 1}),
}  # fmt: skip
MOST_CORNERS = 2000  # of a mesh's hull; more would make every check slow
FACES = 300  # of a polyhedron around a hull with more: 1 to 2 % larger


def mesh_hull(path: Path, scale: Array | float = 1.0, name: str = "") -> ConvexBody:
    """Return the convex hull of a mesh in the frame of its file, or what holds a very fine one.

    Args:
        path: File that trimesh reads.
        scale: Metres per unit, one number or one for each axis.
        name: For messages; empty: the file's name.

    Raises:
        InputError: The file cannot be read, or holds no solid.
    """
    points, triangles = geometry_of(path)
    if not len(triangles):
        raise InputError(f"'{path}' holds no triangles: it is cut off, or no mesh.")
    body = ConvexBody.hull(points * np.asarray(scale), name=name or path.name)
    if len(body.points) > MOST_CORNERS:
        corners = _around(body.points)
        body = ConvexBody.hull(corners, translation=body.translation, name=body.name)
    return body


def _around(corners: Array) -> Array:
    """Return the corners of a polyhedron that holds points, shape (C, 3) both.

    Its faces touch the points. Where these are as wide along all axes, the faces look in
    directions spread over the sphere (a Fibonacci lattice), and along the axes.
    """
    middle = corners.mean(axis=0)
    _, widths, axes = np.linalg.svd(corners - middle, full_matrices=False)
    points = (corners - middle) @ axes.T / widths
    k = np.arange(FACES) + 0.5
    z, turn = 1.0 - 2.0 * k / FACES, np.pi * (1.0 + np.sqrt(5.0)) * k
    ring = np.sqrt(1.0 - z**2)
    spread = np.column_stack([ring * np.cos(turn), ring * np.sin(turn), z])
    normals = np.vstack([spread, np.eye(3), -np.eye(3)])
    farthest = (points @ normals.T).max(axis=0) * (1.0 + ROUNDING)
    faces = np.column_stack([normals, -farthest])
    around = scipy.spatial.HalfspaceIntersection(faces, np.zeros(3)).intersections
    return np.asarray(around * widths @ axes + middle)


def geometry_of(path: Path) -> tuple[Array, Array]:
    """Return vertices (N, 3) and triangles (F, 3, 3) of a mesh; a point cloud has none of these.

    Raises:
        InputError: The file cannot be read, or has points that are none, or too many.
    """
    if not input_path(path, "mesh", InputError).is_file():
        raise InputError(f"There is no file '{path}' to read a mesh from.")
    if path.suffix.lower() not in READABLE:
        raise InputError(
            f"'{path}' cannot be read as mesh or point cloud; convert it to one of "
            f"{', '.join(READABLE)}.{instead(path, 'mesh')}"
        )
    import trimesh  # here, because few commands need it and it takes long to import

    try:
        with np.errstate(all="ignore"):  # numbers are looked at below
            loaded = mesh_of(path)
            vertices = np.asarray(loaded.vertices, dtype=float).reshape(-1, 3)
            bad = int((~(np.abs(vertices) < FARTHEST)).any(axis=-1).sum())
            if isinstance(loaded, trimesh.Trimesh) and not bad:
                loaded.process()  # corners that several triangles share become one
                vertices = np.asarray(loaded.vertices, dtype=float).reshape(-1, 3)
        triangles = np.asarray(getattr(loaded, "triangles", np.zeros((0, 3, 3))), dtype=float)
    except Exception as error:  # its readers raise whatever they stumble over
        raise InputError(
            f"'{path}' cannot be read as mesh or point cloud: it is damaged, or not what its name "
            f"says.{instead(path, 'mesh')}"
        ) from error
    if not len(vertices):
        raise InputError(f"'{path}' holds no points.")
    if bad:
        raise InputError(
            f"'{path}' has {bad} of {len(vertices)} points with a coordinate that is no finite "
            f"number, or beyond {FARTHEST:g}: it is damaged."
        )
    return vertices, triangles.reshape(-1, 3, 3)


def mesh_of(path: Path) -> Any:
    """Return what trimesh reads of a file, in metres where the file states its unit.

    As in RViz, an axis that a COLLADA file calls up is not turned.
    """
    import trimesh

    loaded: Any = trimesh.load(path, process=False)
    if loaded.units:
        loaded = loaded.convert_units("meters")
    return loaded.to_geometry() if isinstance(loaded, trimesh.Scene) else loaded


def shape_body(element: ElementTree.Element, link: str, folder: Path) -> ConvexBody:
    """Return the body of one <collision> or <visual>, in the frame of its link.

    Raises:
        ModelError: It has no shape, or one that cannot be read.
    """
    geometry = element.find("geometry")
    shapes = [] if geometry is None else list(geometry)
    if len(shapes) != 1:
        raise ModelError(
            f"A <{element.tag}> of link '{link}' needs exactly one shape in <geometry>."
        )
    pose = shape_pose(element, link)
    try:
        body = _shape(shapes[0], link, folder)
    except InputError as error:
        raise ModelError(f"The {element.tag} geometry of link '{link}': {error}") from error
    return body.moved(*pose)


def shape_pose(element: ElementTree.Element, link: str) -> tuple[Array, Array]:
    """Return axes (3, 3) and origin (3,) of a <collision> or <visual> in the frame of its link.

    Raises:
        ModelError: They are no numbers.
    """
    origin = element.find("origin")
    if origin is None:
        return np.eye(3), np.zeros(3)
    rotation = np.array(pin.rpy.rpyToMatrix(_vector(origin, "rpy", 3, link, "0 0 0")))
    return rotation, _vector(origin, "xyz", 3, link, "0 0 0")


def _shape(shape: ElementTree.Element, link: str, folder: Path) -> ConvexBody:
    """Return a shape in its own frame."""
    if shape.tag in SIZES:
        each = [_vector(shape, key, length, link) for key, length in SIZES[shape.tag].items()]
        return ConvexBody.primitive(shape.tag, tuple(np.concatenate(each)), name=link)
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
