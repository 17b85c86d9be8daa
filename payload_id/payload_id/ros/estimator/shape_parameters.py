"""Parameters of the estimator that say what is known of the payload: shape, and whatever else."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.body.ellipsoid_union import MOST_SLABS
from ...core.body.shape import DENSITY, Shape
from ...core.knowledge.knowledge import NOTHING, Knowledge
from ...files.configuration.input_path import from_home
from ...files.knowledge.knowledge_file import read_knowledge
from ...files.shapes.shape_file import ShapeSource
from ..common.parameters import NodeParameters, parameter


@dataclass(frozen=True)
class ShapeParameters(NodeParameters):
    """What is known of the payload: its shape, and whatever else."""

    files_folder: str = parameter(
        "~/.ros/payload_id/files",
        "Folder in which lies what shape and knowledge name while the node runs: whoever may set "
        "them has nothing else read. Those given when the node starts may lie anywhere.",
    )
    shape: str = parameter(
        "",
        "Mesh or point cloud of the payload (.stl, .ply, .obj), in the payload frame; it must be "
        "true. The estimator point_masses needs one; entropic, lmi and the intervals use it. "
        "Empty: nothing is known of the shape. While the node runs, a file in files_folder.",
        read_only=False,
        folder="files_folder",
    )
    shape_filling: str = parameter(
        "surface",
        "What of the shape is solid: what its surface encloses, or its convex hull.",
        choices=("surface", "hull"),
        read_only=False,
    )
    shape_density: float = parameter(
        DENSITY,
        "Point masses in a cubic centimetre of the shape.",
        "1/cm3",
        1e-4,
        100.0,
        read_only=False,
    )
    shape_ellipsoids: int = parameter(
        1,
        "Ellipsoids whose union contains the payload.",
        "",
        1,
        MOST_SLABS,
        read_only=False,
    )
    shape_scale: float = parameter(
        1.0,
        "Metres per unit of the shape's file: 0.001 for millimetres.",
        "m",
        1e-6,
        1e3,
        read_only=False,
    )
    shape_pose: list[float] | None = parameter(
        None,
        "Pose of the file's frame in the payload frame: x, y, z [m], roll, pitch, yaw [rad]; not "
        "set: the same frame.",
        kind="numbers",
        length=6,
        read_only=False,
    )
    knowledge: str = parameter(
        "",
        "YAML file with what else is known of the payload, in the payload frame: mass, centre of "
        "mass, symmetry, materials, a container's cavity; it must be true. Empty: nothing. While "
        "the node runs, a file in files_folder.",
        read_only=False,
        folder="files_folder",
    )

    def stated(self) -> Knowledge:
        """Return what else is stated of the payload.

        Raises:
            ConfigurationError: The file cannot be used.
        """
        path = self.knowledge
        return read_knowledge(from_home(path, "knowledge file")) if path else NOTHING

    def known_shape(self) -> Shape | None:
        """Return the payload's shape; None if nothing is known of it.

        Raises:
            InputError: It cannot be read.
        """
        if not self.shape:
            return None
        return ShapeSource(
            self.shape,
            self.shape_filling,
            self.shape_density,
            self.shape_scale,
            self.shape_ellipsoids,
            tuple(self.shape_pose or ()),
        ).read()
