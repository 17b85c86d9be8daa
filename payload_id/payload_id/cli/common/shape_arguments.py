"""Arguments that say what is known of the payload: its shape, and whatever else."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...core.body.shape import DENSITY, Shape
from ...core.knowledge.knowledge import NOTHING, Knowledge
from ...files.shapes.mesh import FILLINGS
from ...files.shapes.shape_file import ShapeSource
from .arguments import number, numbers_of, whole_number


def add_shape_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the file of the shape and how it is read."""
    group = parser.add_argument_group(
        "shape of the payload",
        "it must be true: estimates and intervals rely on it. Estimators that use it: entropic, "
        "lmi, point_masses (needs one)",
    )
    group.add_argument("--shape", metavar="MESH", help="mesh or point cloud (.stl, .ply, .obj) [m]")
    group.add_argument(
        "--shape-filling",
        "--filling",
        choices=FILLINGS,
        default="surface",
        help="what of it is solid: what its surface encloses (default), or its convex hull",
    )
    group.add_argument(
        "--shape-density",
        type=number,
        default=DENSITY,
        metavar="NUMBER",
        help=f"point masses in a cubic centimetre (default: {DENSITY:g})",
    )
    group.add_argument(
        "--shape-ellipsoids",
        type=whole_number,
        default=1,
        metavar="NUMBER",
        help="ellipsoids whose union contains the body (default: 1)",
    )
    group.add_argument(
        "--shape-scale",
        type=number,
        default=1.0,
        metavar="NUMBER",
        help="metres per unit of the file: 0.001 for millimetres (default: 1)",
    )
    group.add_argument(
        "--shape-pose",
        metavar="X,Y,Z,R,P,Y",
        help="pose of the file's frame in the payload frame, as in URDF: metres, then roll, pitch, "
        "yaw in rad (write --shape-pose=...; default: the same frame)",
    )


def add_knowledge_argument(parser: argparse.ArgumentParser) -> None:
    """Add the file of what else is stated of the payload."""
    parser.add_argument(
        "--knowledge",
        type=Path,
        metavar="YAML",
        help="what else is known of the payload: mass, centre of mass, symmetry, materials, a "
        "container's cavity; it must be true: estimates and intervals rely on it",
    )


def knowledge_of(arguments: argparse.Namespace) -> Knowledge:
    """Read what else is stated of the payload; nothing without a file of it.

    Raises:
        ConfigurationError: The file cannot be used.
    """
    if arguments.knowledge is None:
        return NOTHING
    from ...files.knowledge.knowledge_file import read_knowledge  # pydantic takes long to import

    return read_knowledge(arguments.knowledge)


def shape_of(arguments: argparse.Namespace) -> Shape | None:
    """Read the payload's shape if there is a file of it.

    Raises:
        InputError: The file or an argument cannot be used.
    """
    if arguments.shape is None:
        return None
    pose: str | None = arguments.shape_pose
    return ShapeSource(
        str(arguments.shape),
        arguments.shape_filling,
        arguments.shape_density,
        arguments.shape_scale,
        arguments.shape_ellipsoids,
        () if pose is None else numbers_of(pose, "--shape-pose", "six numbers"),
    ).read()


def described(arguments: argparse.Namespace, shape: Shape | None) -> dict[str, Any] | None:
    """Return what is assumed of the shape as plain values; None without one."""
    if shape is None:
        return None
    return {
        "file": None if arguments.shape is None else str(arguments.shape),
        "box": shape.box.tolist(),
        "points": len(shape.points),
        "ellipsoids": len(shape.ellipsoids),
    }
