"""A region of space: its homogeneous solid, and what holds for any mass inside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...body.ellipsoid import row_of
from ...body.inertial import change_of_frame, from_pseudo_inertia
from ...errors import InputError, UnknownNameError
from ..convex import pseudo_inertia_of
from .known import vector

SIZES = {"box": 3, "cylinder": 2, "sphere": 1}  # shapes, and how many numbers their size has


@dataclass(frozen=True)
class Region:
    """A box, cylinder or sphere in the payload frame.

    Attributes:
        shape: "box", "cylinder" or "sphere".
        size: Box: lengths along x, y, z; cylinder: radius, length along z; sphere: radius [m].
        position: Of its middle, three numbers [m].
        rpy: Roll, pitch and yaw of its axes as in URDF [rad].
    """

    shape: str
    size: tuple[float, ...]
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not isinstance(self.shape, str) or self.shape not in SIZES:
            raise UnknownNameError("shape of a region", str(self.shape), SIZES)
        for key, length in (("size", SIZES[self.shape]), ("position", 3), ("rpy", 3)):
            vector(f"{key} of a {self.shape}", getattr(self, key), length)
        if min(self.size) <= 0.0:
            raise InputError(f"A {self.shape} needs lengths above 0 m; found {list(self.size)}.")

    def grown(self, by: float) -> Region:
        """Return the region with every face moved outwards, or inwards for negative lengths [m].

        Raises:
            InputError: Nothing is left of it.
        """
        steps = {"box": (2.0, 2.0, 2.0), "cylinder": (1.0, 2.0), "sphere": (1.0,)}[self.shape]
        sizes = tuple(old + by * step for old, step in zip(self.size, steps, strict=True))
        if min(sizes) <= 0.0:
            raise InputError(
                f"A {self.shape} of size {list(self.size)} m has nothing left when every face is "
                f"moved inwards by {-by:g} m: state a smaller tolerance of its size."
            )
        return replace(self, size=sizes)

    def homogeneous(self) -> Array:
        """Return phi of the region filled with density 1 kg/m3, shape (10,)."""
        volume, spread = float(np.prod(self.size)), np.square(self.size) / 12.0
        if self.shape == "cylinder":
            radius, length = self.size
            volume = np.pi * radius**2 * length
            spread = np.array([radius**2 / 4.0, radius**2 / 4.0, length**2 / 12.0])
        elif self.shape == "sphere":
            (radius,) = self.size
            volume, spread = 4.0 / 3.0 * np.pi * radius**3, np.full(3, radius**2 / 5.0)
        own = from_pseudo_inertia(volume * np.diag([*spread, 1.0]))
        return np.asarray(change_of_frame(self._rotation(), np.array(self.position)) @ own)

    def contains(self, phi: Any) -> list[Any]:
        """Return the constraints that phi, an expression of CVXPY, is a body inside the region."""
        rows = self.rows()
        # Seen from the region and in its own size, elements of J are of like size.
        own = np.diag([1.0 / max(self.size)] * 3 + [1.0]) @ self._to_own_axes()
        return [
            (rows / np.linalg.norm(rows, axis=1, keepdims=True)) @ phi >= 0,
            own @ pseudo_inertia_of(phi) @ own.T >> 0,
        ]

    def rows(self) -> Array:
        """Return rows c with c phi >= 0 for any mass inside the region, shape (K, 10).

        Products of two functions that are not negative inside have an integral that is not.
        """
        back = self._to_own_axes()
        if self.shape == "box":
            half = np.array(self.size) / 2.0
            axes = zip(np.eye(3), half, strict=True)
            faces = [np.append(sign * axis, h) @ back for axis, h in axes for sign in (-1.0, 1.0)]
            pairs = (np.outer(a, b) for a, b in combinations(faces, 2))
            return np.stack([row_of((pair + pair.T) / 2.0) for pair in pairs])
        # radius^2 - the sum of squares along some of the region's own axes
        quadrics = [(-1.0, -1.0, -1.0, self.size[0] ** 2)]
        if self.shape == "cylinder":
            quadrics = [(-1, -1, 0, self.size[0] ** 2), (0, 0, -1, self.size[1] ** 2 / 4.0)]
        return np.stack([row_of(back.T @ np.diag(Q) @ back) for Q in quadrics])

    def _rotation(self) -> Array:
        """Return the region's axes in the payload frame, shape (3, 3)."""
        return np.asarray(Rotation.from_euler("xyz", self.rpy).as_matrix())

    def _to_own_axes(self) -> Array:
        """Return the matrix that takes (x, 1) to the region's own axes, shape (4, 4)."""
        R, back = self._rotation(), np.eye(4)
        back[:3, :3], back[:3, 3] = R.T, -R.T @ np.array(self.position)
        return back
