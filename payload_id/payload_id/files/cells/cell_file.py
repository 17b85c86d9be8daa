"""A cell file: what stands around an arm, where it may be, and how it is mounted."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pinocchio as pin

from ...core.errors import ConfigurationError, InputError
from ...core.safety.clearance.convex_body import ConvexBody
from ..robots.body_shapes import mesh_hull

if TYPE_CHECKING:
    from .cell_keys import BodyKeys, Posed, ZoneKeys

NONE = "none"  # the name of a cell without a file, and what its reason follows
NO_CELL = re.compile(rf"\s*{NONE}\s*(?:[,:]\s*(?P<reason>.*?)\s*)?$", re.DOTALL)
SMALL, LARGE = 2e-3, 60.0  # [m] of a mesh; one that is shorter or longer is in another unit
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
        from ..configuration.read_model import read_model  # here: pydantic takes long to import
        from .cell_keys import CellKeys

        keys, source = read_model(path, CellKeys, "cell file")
        bodies = [] if keys.floor is None else [ConvexBody.ground(keys.floor, "floor")]
        for section, stated in (("bodies", keys.bodies), ("keep_out", keys.keep_out)):
            for name, body in stated.items():
                try:
                    mesh = source.path(body.mesh, section, name, "mesh")
                    bodies.append(_body(name, body, mesh))
                except InputError as error:
                    raise source.refuse(f"cannot be used: {error}", section, name) from error
        bodies += [wall for name, zone in keys.keep_in.items() for wall in _walls(name, zone)]
        names = [body.name for body in bodies]
        for name in names:
            if names.count(name) > 1:
                raise source.refuse(f"is one of two bodies named '{name}'.", "keep_out", name)
        return cls(keys.name, keys.clearance, tuple(bodies), keys.base_tilt, "", keys.joint_margin)

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


def _pose(keys: Posed) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation and translation of a body or zone."""
    return np.array(pin.rpy.rpyToMatrix(np.array(keys.rpy))), np.array(keys.position)


def _body(name: str, keys: BodyKeys, mesh: Path) -> ConvexBody:
    """Return one body.

    Raises:
        InputError: Its size or mesh cannot be used.
    """
    rotation, translation = _pose(keys)
    if keys.shape == "mesh":
        hull = mesh_hull(mesh, name=name)
        length = float(np.ptp(hull.points, axis=0).max())
        if not SMALL <= length <= LARGE:
            raise InputError(
                f"The mesh is {length:.3g} m long; from {SMALL:g} to {LARGE:g} m is possible. "
                "Files of meshes count in metres."
            )
        return hull.moved(rotation, translation)
    kind = "half_space" if keys.shape == "wall" else keys.shape
    return ConvexBody.primitive(kind, keys.size, rotation, translation, name)


def _walls(name: str, zone: ZoneKeys) -> list[ConvexBody]:
    """Return what lies outside of a box: behind each of its six faces."""
    rotation, translation = _pose(zone)
    half, found = np.array(zone.size) / 2, []
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
