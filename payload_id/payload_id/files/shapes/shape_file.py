"""Where the knowledge of a payload's shape comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from ...core.arrays import Array, one_number, real_numbers
from ...core.body.shape import DENSITY, Shape
from ...core.errors import InputError
from ..configuration.input_path import input_path
from .mesh import read_shape

FARTHEST = 100.0  # [m or rad] of a pose
REMEMBERED = 4  # shapes kept in memory


@dataclass(frozen=True)
class ShapeSource:
    """A file of a mesh or point cloud, and how it is to be read.

    Attributes:
        path: The file.
        filling: What is solid: "surface" or "hull", as in `read_shape`.
        density: Point masses in a cubic centimetre.
        scale: Metres per unit of the file.
        ellipsoids: Number of ellipsoids around the body.
        pose: Of the file's frame in the payload frame: x, y, z [m], roll, pitch, yaw [rad] as in
            URDF; empty for the same frame.
    """

    path: str
    filling: str = "surface"
    density: float = DENSITY
    scale: float = 1.0
    ellipsoids: int = 1
    pose: tuple[float, ...] = ()

    def read(self) -> Shape:
        """Return the shape; the same object as before unless the file has changed.

        Raises:
            InputError: The file or a setting cannot be used.
        """
        try:
            path = input_path(self.path, "shape", InputError).expanduser()
            stat = path.stat()
        except (OSError, RuntimeError) as error:  # RuntimeError: nobody's home
            path = Path(self.path)
            raise InputError(f"There is no file '{path}' to read a shape from.") from error
        return _read(self, str(path), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=REMEMBERED)
def _read(source: ShapeSource, path: str, changed_ns: int, size: int) -> Shape:
    """Return the shape of a file of that age and size."""
    scale = one_number(source.scale, "The scale of a shape")
    if not (math.isfinite(scale) and scale > 0):
        raise InputError(f"The scale of a shape must be above 0; found {source.scale!r}.")
    return read_shape(
        path, pose_of(source.pose), source.filling, source.density, source.scale, source.ellipsoids
    )


def pose_of(numbers: tuple[float, ...]) -> Array | None:
    """Return x, y, z, roll, pitch, yaw as a matrix, shape (4, 4); None for no numbers.

    Raises:
        InputError: They are not six finite numbers.
    """
    if not numbers:
        return None
    six = real_numbers(numbers, "The pose of a shape")
    if six.shape != (6,) or not np.isfinite(six).all() or np.abs(six).max() > FARTHEST:
        raise InputError(
            "The pose of a shape is six numbers, x, y, z [m], roll, pitch, yaw [rad], none beyond "
            f"{FARTHEST:g}; found {list(numbers)}."
        )
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("xyz", numbers[3:]).as_matrix()
    pose[:3, 3] = numbers[:3]
    return pose
