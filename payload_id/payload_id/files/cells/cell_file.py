"""A cell file: what stands around an arm, where it may be, and how it is mounted."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from ...core.errors import ConfigurationError, InputError
from ...core.safety.clearance.convex_body import ConvexBody
from ..configuration.configuration import read_configuration
from ..robots.body_shapes import mesh_hull
from .cell_schema import CELL, FAR

NONE = "none"  # the name of a cell without a file, and what its reason follows
NO_CELL = re.compile(rf"\s*{NONE}\s*(?:[,:]\s*(?P<reason>.*?)\s*)?$", re.DOTALL)
SMALL = 2e-3  # [m] length of a mesh, below which it is in another unit
FACES = np.vstack([np.eye(3), -np.eye(3)])


@dataclass(frozen=True, eq=False)
class Cell:
    """What is around an arm, in its base frame.

    Attributes:
        name: For reports.
        clearance: Distance that bodies must keep from each other [m].
        bodies: Floor, walls, fixtures and zones; a zone to keep in is what lies outside of it.
        base_tilt: Largest angle by which the base may be mounted otherwise than stated [rad].
        reason: Why there is no cell file; empty if there is one.
        joint_margin: Distance that joints keep from their position limits [rad or m].
    """

    name: str
    clearance: float
    bodies: tuple[ConvexBody, ...]
    base_tilt: float = 0.0
    reason: str = ""
    joint_margin: float = 0.0

    @classmethod
    def load(cls, path: str | Path) -> Cell:
        """Read and check a cell file.

        Raises:
            ConfigurationError: The file is missing, or an entry is unknown, missing or impossible.
        """
        path = Path(path)
        entries = read_configuration(path, CELL, "cell file")
        floor = entries["floor"]
        try:
            bodies = [
                *([] if floor is None else [ConvexBody.ground(floor, "floor")]),
                *(
                    _body(name, body, path.parent)
                    for key in ("bodies", "keep_out")
                    for name, body in entries[key].items()
                ),
                *(wall for name, zone in entries["keep_in"].items() for wall in _walls(name, zone)),
            ]
        except InputError as error:
            raise ConfigurationError(f"{path.name}: {error}") from error
        names = [body.name for body in bodies]
        for name in names:
            if names.count(name) > 1:
                raise ConfigurationError(f"{path.name} has two bodies named '{name}'.")
        return cls(
            entries["name"],
            entries["clearance"],
            tuple(bodies),
            entries["base_tilt"],
            joint_margin=entries["joint_margin"],
        )

    @classmethod
    def of(cls, stated: str, clearance: float) -> Cell:
        """Return the cell of a file, or none with a reason.

        Args:
            stated: Path of a cell file, or "none, REASON".
            clearance: Distance to keep where there is no file [m].

        Raises:
            ConfigurationError: Neither is given, or the file cannot be used.
        """
        no_file = NO_CELL.match(stated)
        if no_file is not None and no_file["reason"]:
            return cls(NONE, clearance, (), 0.0, no_file["reason"])
        if not stated or no_file is not None:
            raise ConfigurationError(
                "No motion is planned without knowing what is around the arm: name a cell file "
                "(floor, walls, fixtures, zones), or say 'none, ' and the reason why nothing is."
            )
        return cls.load(Path(os.path.expanduser(stated)))

    @property
    def assumption(self) -> str:
        """What a certificate says of the cell."""
        if self.reason:
            return f"Nothing that stands still was entered around the arm: {self.reason}."
        names = ", ".join(body.name for body in self.bodies) or "nothing"
        return f"Around the arm stands what the cell '{self.name}' says: {names}."


def _pose(entries: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation and translation of a body or zone."""
    return np.array(pin.rpy.rpyToMatrix(np.array(entries["rpy"]))), np.array(entries["position"])


def _body(name: str, entries: Mapping[str, Any], folder: Path) -> ConvexBody:
    """Return one body.

    Raises:
        InputError: Its size or mesh cannot be used.
    """
    rotation, translation = _pose(entries)
    shape, size = entries["shape"], tuple(entries["size"])
    if (shape == "mesh") != bool(entries["mesh"]):
        raise InputError(f"Body '{name}': 'mesh' names a file if, and only if, shape is mesh.")
    if shape == "mesh":
        hull = mesh_hull(folder / entries["mesh"], name=name)
        length = float(np.ptp(hull.points, axis=0).max())
        if not SMALL <= length <= 2 * FAR:
            raise InputError(
                f"Body '{name}': the mesh is {length:.3g} m long; from {SMALL:g} to {2 * FAR:g} m "
                "is possible. Files of meshes count in metres."
            )
        return hull.moved(rotation, translation)
    kind = "half_space" if shape == "wall" else shape
    return ConvexBody.primitive(kind, size, rotation, translation, name)


def _walls(name: str, zone: Mapping[str, Any]) -> list[ConvexBody]:
    """Return what lies outside of a box: behind each of its six faces."""
    rotation, translation = _pose(zone)
    half = np.array(zone["size"]) / 2
    if not (half > 0).all():
        raise InputError(f"Zone '{name}' needs three sizes above 0 m; found {list(zone['size'])}.")
    found = []
    for outward, side in zip(FACES, ("+x", "+y", "+z", "-x", "-y", "-z"), strict=True):
        # The half-space z <= 0 of a frame whose z axis points inwards, its origin on the face.
        turn = rotation @ _to_z(-outward)
        place = translation + rotation @ (outward * half)
        found.append(ConvexBody.primitive("half_space", (), turn, place, f"{name} {side}"))
    return found


def _to_z(direction: np.ndarray) -> np.ndarray:
    """Return a rotation whose z axis is one of the axes, or the opposite of one."""
    k = int(np.argmax(np.abs(direction)))
    x = np.eye(3)[(k + 1) % 3]
    return np.stack([x, np.cross(direction, x), direction], axis=1)
