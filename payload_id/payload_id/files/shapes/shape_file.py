"""Where the knowledge of a payload's shape comes from, and how it is kept beside a recording."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ...core.arrays import Array, one_number, real_numbers
from ...core.body.shape import DENSITY, Shape
from ...core.errors import ConfigurationError, InputError, in_words
from ..configuration.array_archive import check_at_least, check_shapes, read_arrays
from ..configuration.file_kind import instead
from ..configuration.input_path import input_path
from ..configuration.whole_file import saved_file
from .mesh import read_shape

FORMAT = 1  # of the archive; raised when older programs could not read a newer one
FARTHEST = 100.0  # [m or rad] of a pose
SHAPES = {
    "points": "n 3", "ellipsoids": "k 4 4", "com_lower": "3", "com_upper": "3", "solid": "10",
    "bodies": "S 10", "box": "3",
}  # fmt: skip
NO_BODIES = np.zeros((0, 10))  # of several materials, in archives older than these
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


def save_shape(path: Path | str, shape: Shape) -> Path:
    """Write a shape; the file is there whole or not at all.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    path = Path(path)
    arrays: dict[str, Any] = {
        entry.name: np.asarray(getattr(shape, entry.name)) for entry in fields(Shape)
    }
    with saved_file(path, "shape") as file:
        np.savez_compressed(file, about=np.array(json.dumps({"format": FORMAT})), **arrays)
    return path


def load_shape(path: Path | str) -> Shape:
    """Read a shape that `save_shape` wrote.

    Raises:
        ConfigurationError: The file is missing or damaged.
    """
    try:
        archive = read_arrays(path, "shape", ("about",))
        names = [entry.name for entry in fields(Shape) if entry.name != "bodies"]
        values: dict[str, Any] = {name: archive[name] for name in names}
        values["bodies"] = archive.get("bodies", NO_BODIES)
        sizes = check_shapes(values, SHAPES)
        if not (sizes["n"] and sizes["k"] and (values["com_lower"] <= values["com_upper"]).all()):
            raise ValueError("it has no points or ellipsoids, or com_lower is above com_upper")
        check_at_least(values, {"box": 0.0})
    except (ValueError, LookupError) as error:
        raise ConfigurationError(
            f"The shape {path} cannot be read: {in_words(error)}.{instead(path, 'shape')}"
        ) from error
    values["ellipsoids"] = tuple(values["ellipsoids"])
    return Shape(**values)
