"""What is known of a payload's shape, in the payload frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, real_numbers
from ..errors import InputError
from .ellipsoid import bounding_ellipsoid, row_of, slabs
from .ellipsoid_union import slab_outlines
from .inertial import change_of_frame
from .materials import bodies_of_materials
from .solid import (
    FACES,
    carved_tetrahedra,
    hull_tetrahedra,
    phi_of_tetrahedra,
    points_in_tetrahedra,
    volumes,
    weighted_points,
)

DENSITY = 0.04  # points in a cubic centimetre [NGK, Sec. V-C]
FEWEST, MOST = 27, 216  # point masses, whatever the volume
SAMPLES = 1500  # places in the solid by which bodies of several materials are weighed
FLAT = 1e-4  # a body is flat whose thickness is below this part of its size


@dataclass(frozen=True, eq=False)
class Shape:
    """A body's geometry, and what it says of how its mass may be distributed.

    Attributes:
        points: Places inside the solid for point masses, shape (n, 3) [m].
        ellipsoids: Q of ellipsoids that contain the body together, (x, 1) Q (x, 1)' >= 0 inside,
            each of shape (4, 4). With one, tr(J Q) >= 0; with more, J is a sum of such parts.
        com_lower: Lower corner of a box that holds the whole body, and so its centre of mass,
            shape (3,) [m].
        com_upper: Upper corner, shape (3,) [m].
        solid: phi of the homogeneous solid of mass 1, shape (10,).
        bodies: phi of bodies of mass 1 and of several materials that it may be, shape (S, 10);
            none if nothing but the homogeneous solid is considered.
        box: Lengths of the body's bounding box along the axes in which it was given, shape (3,)
            [m].
        homogeneity: How strongly the masses of `points` are drawn to their mean, in place of the
            lambda of [NGK]: they typically depart from it by it, divided by this [-].
    """

    points: Array
    ellipsoids: tuple[Array, ...]
    com_lower: Array
    com_upper: Array
    solid: Array
    bodies: Array
    box: Array
    homogeneity: float = 1.0

    @classmethod
    def from_hull(cls, points: Array, density: float = DENSITY, ellipsoids: int = 1) -> Shape:
        """Return the shape of the convex hull of points.

        Args:
            points: Shape (N, 3) [m].
            density: Point masses in a cubic centimetre.
            ellipsoids: Number of ellipsoids whose union contains the body.

        Raises:
            InputError: There are too few points, or they are not finite, or lie in a plane.
        """
        points = checked(points)
        return cls.from_tetrahedra(points, hull_tetrahedra(points), density, ellipsoids)

    @classmethod
    def from_surface_points(
        cls, points: Array, density: float = DENSITY, ellipsoids: int = 1
    ) -> Shape:
        """Return the shape of the body whose surface the points lie on, hollows included.

        Args:
            points: Shape (N, 3) [m], dense enough that its gaps are smaller than its hollows.
            density: Point masses in a cubic centimetre.
            ellipsoids: Number of ellipsoids whose union contains the body.

        Raises:
            InputError: There are too few points, or they are not finite, or lie in a plane.
        """
        points = checked(points)
        return cls.from_tetrahedra(points, carved_tetrahedra(points), density, ellipsoids)

    @classmethod
    def from_tetrahedra(
        cls, outline: Array, corners: Array, density: float = DENSITY, ellipsoids: int = 1
    ) -> Shape:
        """Return the shape of a solid made of tetrahedra (K, 4, 3) inside an outline (N, 3)."""
        volume = float(volumes(corners).sum())
        points = points_in_tetrahedra(corners, points_for(volume, density))
        outlines = [outline]
        if ellipsoids != 1:
            outlines = slab_outlines(corners[:, FACES].reshape(-1, 3, 3), ellipsoids)
        solid = phi_of_tetrahedra(corners)
        bodies = bodies_of_materials(*weighted_points(corners, SAMPLES), solid)
        return cls.of_parts(outlines, solid, bodies, points)

    @classmethod
    def of_parts(
        cls, outlines: Sequence[Array], solid: Array, bodies: Array, points: Array
    ) -> Shape:
        """Return a shape with one bounding ellipsoid around each outline.

        Args:
            outlines: Points whose convex hulls contain the body together, each (N, 3) [m].
            solid: phi of the homogeneous solid of mass 1, shape (10,).
            bodies: phi of other bodies of mass 1 that it may be, shape (S, 10).
            points: Places for point masses, shape (n, 3) [m].
        """
        corners = np.vstack(list(outlines))
        lower, upper = corners.min(axis=0), corners.max(axis=0)
        ellipsoids = tuple(bounding_ellipsoid(outline) for outline in outlines)
        return cls(points, ellipsoids, lower, upper, solid, bodies, upper - lower)

    def transformed(self, rotation: Array, translation: Array) -> Shape:
        """Return the shape seen from another frame.

        The box around the centre of mass grows, since it has the other frame's axes.

        Args:
            rotation: R_ab, the axes of this frame b in frame a, shape (3, 3).
            translation: Origin of b in a, shape (3,) [m].
        """
        back = np.eye(4)
        back[:3, :3], back[:3, 3] = rotation.T, -rotation.T @ translation
        middle = rotation @ (self.com_lower + self.com_upper) / 2 + translation
        half = np.abs(rotation) @ (self.com_upper - self.com_lower) / 2
        change = change_of_frame(rotation, translation)
        return replace(
            self,
            points=self.points @ rotation.T + translation,
            ellipsoids=tuple(back.T @ Q @ back for Q in self.ellipsoids),
            com_lower=middle - half,
            com_upper=middle + half,
            solid=change @ self.solid,
            bodies=self.bodies @ change.T,
        )

    def rows(self) -> Array:
        """Return rows c with c phi >= 0 for every body inside the shape, shape (K, 10).

        Centre of mass and second moments in the box, the ellipsoid if it is one.
        """
        rows = [row_of(Q) for Q in slabs(self.com_lower, self.com_upper)]
        for bound, sign in ((self.com_lower, -1.0), (self.com_upper, 1.0)):
            rows += [*np.column_stack([sign * bound, -sign * np.eye(3), np.zeros((3, 6))])]
        if len(self.ellipsoids) == 1:
            rows.append(row_of(self.ellipsoids[0]))
        return np.stack(rows)


def points_for(volume: float, density: float) -> int:
    """Return the number of point masses for a volume [m3] and a density [1/cm3]."""
    if not (np.isfinite(density) and density > 0):
        raise InputError(f"Point masses need a density above 0 per cm3; found {density!r}.")
    return int(np.clip(round(density * 1e6 * volume), FEWEST, MOST))


def checked(points: Array) -> Array:
    """Return points as an array (N, 3) of at least four that do not lie in a plane.

    Raises:
        InputError: They are too few, not finite, or flat.
    """
    array = real_numbers(points, "points of a shape")
    if array.ndim != 2 or array.shape[1] != 3 or len(array) < 4:
        raise InputError(f"A shape needs at least four points in space; found {array.shape}.")
    if not np.isfinite(array).all():
        count = int(np.count_nonzero(~np.isfinite(array).all(axis=1)))
        raise InputError(f"{count} of {len(array)} points of the shape are not finite; drop them.")
    size = np.linalg.svd(array - array.mean(axis=0), compute_uv=False)
    if size[2] < FLAT * size[0] or size[0] == 0.0:
        raise InputError(
            f"The shape is flat: its thickness is below {FLAT:g} of its length. Give it thickness."
        )
    return array
