"""Parameters of the estimator that say what is known of the payload: shape, and whatever else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.body.ellipsoid_union import MOST_SLABS
from ...core.body.shape import DENSITY, Shape
from ...core.knowledge.knowledge import NOTHING, Knowledge
from ...files.configuration.input_path import from_home
from ...files.knowledge.knowledge_file import read_knowledge
from ...files.shapes.shape_file import ShapeSource
from ..common.parameters import Parameter

SHAPE_PARAMETERS = (
    Parameter(
        "shape",
        "",
        "Mesh or point cloud of the payload (.stl, .ply, .obj), in the payload frame; it must be "
        "true. The estimator point_masses needs one; entropic, lmi and the intervals use it. "
        "Empty: nothing is known of the shape. While the node runs, a file in files_folder.",
        read_only=False,
        folder="files_folder",
    ),
    Parameter(
        "shape_filling",
        "surface",
        "What of the shape is solid: what its surface encloses, or its convex hull.",
        choices=("surface", "hull"),
        read_only=False,
    ),
    Parameter(
        "shape_density",
        DENSITY,
        "Point masses in a cubic centimetre of the shape.",
        "1/cm3",
        1e-4,
        100.0,
        read_only=False,
    ),
    Parameter(
        "shape_ellipsoids",
        1,
        "Ellipsoids whose union contains the payload.",
        "",
        1,
        MOST_SLABS,
        read_only=False,
    ),
    Parameter(
        "shape_scale",
        1.0,
        "Metres per unit of the shape's file: 0.001 for millimetres.",
        "m",
        1e-6,
        1e3,
        read_only=False,
    ),
    Parameter(
        "shape_pose",
        None,
        "Pose of the file's frame in the payload frame: x, y, z [m], roll, pitch, yaw [rad]; not "
        "set: the same frame.",
        kind="numbers",
        length=6,
        read_only=False,
    ),
)


FILES_FOLDER = Parameter(
    "files_folder",
    "~/.ros/payload_id/files",
    "Folder in which lies what shape and knowledge name while the node runs: whoever may set them "
    "has nothing else read. Those given when the node starts may lie anywhere.",
)
KNOWLEDGE_FILE = Parameter(
    "knowledge",
    "",
    "YAML file with what else is known of the payload, in the payload frame: mass, centre of mass, "
    "symmetry, materials, a container's cavity; it must be true. Empty: nothing. While the node "
    "runs, a file in files_folder.",
    read_only=False,
    folder="files_folder",
)


def knowledge_of(values: Mapping[str, Any]) -> Knowledge:
    """Return what else is stated of the payload.

    Args:
        values: Values of parameters by name, `knowledge` among them.

    Raises:
        ConfigurationError: The file cannot be used.
    """
    path = values["knowledge"]
    return read_knowledge(from_home(path, "knowledge file")) if path else NOTHING


def shape_of(values: Mapping[str, Any]) -> Shape | None:
    """Return the payload's shape; None if nothing is known of it.

    Args:
        values: Values of parameters by name, those of `SHAPE_PARAMETERS` among them.

    Raises:
        InputError: It cannot be read.
    """
    if not values["shape"]:
        return None
    return ShapeSource(
        values["shape"],
        values["shape_filling"],
        values["shape_density"],
        values["shape_scale"],
        values["shape_ellipsoids"],
        tuple(values["shape_pose"] or ()),
    ).read()
