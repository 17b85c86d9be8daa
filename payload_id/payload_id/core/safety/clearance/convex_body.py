"""Convex bodies: links, payload, tool and obstacles, with the support functions that bound them.

Every primitive is a sum (Minkowski) of a box, a disc about its z axis and a ball; its support in a
direction u of its own frame is

    s(u) = half . |u| + disc sqrt(ux^2 + uy^2) + radius |u|.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import coal
import numpy as np
import scipy

from ...arrays import Array
from ...codec import InJson, digest
from ...errors import InputError, UnknownNameError

SIZES = {
    "box": ("length along x", "length along y", "length along z"),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "hull": (),
    "half_space": (),
}
ORTHOGONAL = 1e-5  # accepted error of a rotation matrix, which is then taken out
EXACT = 1e-14  # error that is rounding of the last digit


@dataclass(frozen=True, eq=False)
class ConvexBody(InJson):
    """A convex body and its place in a frame: a link's, the payload's, or the base for obstacles.

    Attributes:
        name: For messages.
        kind: "box", "sphere", "cylinder" and "capsule" (about z), "hull" (of points),
            "half_space" (z <= 0 and everything below: the ground).
        size: As `SIZES` names it [m]; a capsule's length is that of its axis, without the caps.
        points: Corners of a hull in the body's own frame, shape (N, 3) [m]; else (0, 3).
        rotation: Axes of the body's own frame, shape (3, 3).
        translation: Origin of the body's own frame, shape (3,) [m].
    """

    name: str
    kind: str
    size: tuple[float, ...]
    points: Array
    rotation: Array
    translation: Array

    def __post_init__(self) -> None:
        where = f"Body '{self.name}'"
        if self.kind not in SIZES:
            raise UnknownNameError("kind of body", str(self.kind), SIZES, where)
        object.__setattr__(self, "size", _sizes(self.size, SIZES[self.kind], where))
        for name, shape in (("rotation", (3, 3)), ("translation", (3,)), ("points", (-1, 3))):
            object.__setattr__(self, name, _numbers(getattr(self, name), shape, name, where))
        object.__setattr__(self, "rotation", _nearest_rotation(self.rotation, where))
        if self.kind == "hull" and len(self.points) < 4:
            raise InputError(f"{where}: a convex hull needs at least 4 points.")

    @classmethod
    def primitive(
        cls,
        kind: str,
        size: Sequence[float],
        rotation: Array | None = None,
        translation: Sequence[float] | Array = (0.0, 0.0, 0.0),
        name: str = "",
    ) -> ConvexBody:
        """Return a box, sphere, cylinder, capsule or half-space.

        Args:
            kind: One of these.
            size: As `SIZES` names it [m].
            rotation: Axes of the body, shape (3, 3); None: those of the frame.
            translation: Its centre, shape (3,) [m]; of a half-space any point of its surface.
            name: For messages; empty: the kind.

        Raises:
            InputError: A number is not finite, a size is not above zero, the rotation is none.
            UnknownNameError: There is no such kind.
        """
        turn = np.eye(3) if rotation is None else rotation
        place = np.asarray(translation, dtype=float)
        return cls(name or kind, kind, tuple(size), np.zeros((0, 3)), turn, place)

    @classmethod
    def ground(cls, height: float = 0.0, name: str = "ground") -> ConvexBody:
        """Return everything below a height [m] in the base frame."""
        return cls.primitive("half_space", (), translation=(0.0, 0.0, height), name=name)

    @classmethod
    def hull(
        cls,
        points: Array,
        rotation: Array | None = None,
        translation: Sequence[float] | Array = (0.0, 0.0, 0.0),
        name: str = "hull",
    ) -> ConvexBody:
        """Return the convex hull of points, given in a frame with this pose.

        Raises:
            InputError: The points are too few, not finite, or lie in a plane.
        """
        where = f"Body '{name}'"
        cloud = _numbers(points, (-1, 3), "points", where)
        try:
            corners = cloud[np.sort(scipy.spatial.ConvexHull(cloud).vertices)]
        except (scipy.spatial.QhullError, ValueError) as error:
            raise InputError(
                f"{where}: a convex hull needs at least 4 points that do not lie in a plane; "
                f"found {len(cloud)}."
            ) from error
        turn = np.eye(3) if rotation is None else _numbers(rotation, (3, 3), "rotation", where)
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        place = _numbers(translation, (3,), "translation", where) + turn @ middle
        return cls(name, "hull", (), corners - middle, turn, place)

    @property
    def half(self) -> Array:
        """Half lengths of the box in the sum; of a hull, of a box around it, shape (3,) [m]."""
        if self.kind == "box":
            return np.array(self.size) / 2
        if self.kind in ("cylinder", "capsule"):
            return np.array([0.0, 0.0, self.size[1] / 2])
        return np.abs(self.points).max(axis=0) if self.kind == "hull" else np.zeros(3)

    @property
    def disc(self) -> float:
        """Radius of the disc in the sum [m]."""
        return self.size[0] if self.kind == "cylinder" else 0.0

    @property
    def radius(self) -> float:
        """Radius of the ball in the sum [m]."""
        return self.size[0] if self.kind in ("sphere", "capsule") else 0.0

    def moved(self, rotation: Array, translation: Array) -> ConvexBody:
        """Return the body seen from another frame, in which its own has this pose."""
        return replace(
            self,
            rotation=rotation @ self.rotation,
            translation=rotation @ self.translation + translation,
        )

    def grown(self, distance: float) -> ConvexBody:
        """Return a body of the same kind that contains all within a distance [m] of this one."""
        d = distance
        if not d:
            return self
        if self.kind == "hull":
            corners = d * np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
            cloud = (self.points[:, None] + corners).reshape(-1, 3)
            return ConvexBody.hull(cloud, self.rotation, self.translation, self.name)
        if self.kind == "half_space":
            return replace(self, translation=self.translation + d * self.rotation[:, 2])
        added = {"box": (2 * d,) * 3, "cylinder": (d, 2 * d), "capsule": (d, 0.0)}
        more = added.get(self.kind, (d,))
        return replace(self, size=tuple(a + b for a, b in zip(self.size, more, strict=True)))

    def coal(self) -> Any:
        """Return the shape for coal, in the body's own frame."""
        if self.kind == "hull":
            return _coal_hull(self.points)
        if self.kind == "half_space":
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
        return getattr(coal, self.kind.capitalize())(*self.size)

    def coal_pose(self) -> Any:
        """Return the pose for coal."""
        return coal.Transform3s(self.rotation, self.translation)

    @cached_property
    def digest(self) -> str:
        """Hash of shape and place; the name does not count."""
        return digest(replace(self, name=""))


def _numbers(value: Any, shape: tuple[int, ...], name: str, where: str) -> Array:
    """Return finite numbers of a shape, -1 for any length."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: {name} must be numbers; found {value!r}.") from error
    if shape[0] < 0 and array.size == 0:
        return np.zeros((0, *shape[1:]))
    if array.ndim != len(shape) or (array.shape != shape if shape[0] > 0 else array.shape[1] != 3):
        raise InputError(f"{where}: {name} has shape {array.shape}; it needs {shape}.")
    if not np.isfinite(array).all():
        raise InputError(f"{where}: {name} must be finite numbers [m]; found {array.tolist()}.")
    return array


def _sizes(size: Sequence[float], names: tuple[str, ...], where: str) -> tuple[float, ...]:
    """Return sizes that are finite and above zero."""
    try:
        numbers = tuple(float(x) for x in size)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: sizes must be numbers [m]; found {size!r}.") from error
    if len(numbers) != len(names):
        raise InputError(f"{where} needs {len(names)} sizes {names}; found {len(numbers)}.")
    for name, number in zip(names, numbers, strict=True):
        if not (np.isfinite(number) and number > 0):
            raise InputError(f"{where}: its {name} must be a number above 0 m; found {number!r}.")
    return numbers


def _nearest_rotation(rotation: Array, where: str) -> Array:
    """Return the rotation that a matrix rounded to a few digits stands for.

    Left as it is, an error of 1e-6 would move a corner of a long body farther than proofs allow.

    Raises:
        InputError: The matrix is no rotation, whatever the rounding.
    """
    error = np.abs(rotation @ rotation.T - np.eye(3)).max()
    if error > ORTHOGONAL or np.linalg.det(rotation) < 0:
        raise InputError(f"{where}: its rotation is no rotation matrix (error {error:.2g}).")
    if error <= EXACT:
        return rotation
    U, _, Vt = np.linalg.svd(rotation)
    return np.asarray(U @ Vt)


def _coal_hull(points: Array) -> Any:
    """Return the convex hull of points for coal."""
    corners = coal.StdVec_Vec3s()
    corners.extend(points)
    return coal.Convex.convexHull(corners, True, "Qt")
