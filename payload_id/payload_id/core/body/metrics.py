"""Errors of an estimate against the truth, in per cent of mass and size [NGK, eq. 10-12]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .inertial import as_phi, change_of_frame, mass_com_inertia


@dataclass(frozen=True)
class Errors:
    """Errors in per cent.

    Attributes:
        mass: Of the mass (eq. 10).
        com: Mean over the axes of that of the centre of mass, of the bounding box (eq. 11).
        inertia: Mean over the six entries of that of the inertia, of the solid box (eq. 12).
    """

    mass: float
    com: float
    inertia: float


def errors(
    phi: Array, true: Array, box: Array, axes: Array | None = None, about_com: bool = True
) -> Errors:
    """Return how far an estimate is off.

    Eq. 12 compares entries of the inertia with those of a solid box of the same mass and size:
    m/12 (a_j^2 + a_k^2) on the diagonal, m/12 a_i a_j off it.

    Args:
        phi: Estimate, shape (10,).
        true: Truth, shape (10,), of positive mass.
        box: Lengths of the bounding box, shape (3,) [m].
        axes: The box's axes in the frame of phi, as columns, shape (3, 3); None for the frame's.
        about_com: Whether inertias are compared about each body's centre of mass, or about the
            frame's origin.
    """
    turn = change_of_frame((np.eye(3) if axes is None else axes).T, np.zeros(3))
    phi, true, box = turn @ as_phi(phi), turn @ as_phi(true), np.asarray(box, dtype=float)
    mass, com, inertia = mass_com_inertia(true)
    found_mass, found_com, found_inertia = mass_com_inertia(phi)
    if found_mass <= 0.0:
        found_com, found_inertia = np.full(3, np.inf), np.full((3, 3), np.inf)
    upper = np.triu_indices(3)
    difference = found_inertia[upper] - inertia[upper]
    if not about_com:
        difference = phi[4:] - true[4:]
    return Errors(
        100.0 * abs(found_mass - mass) / mass,
        100.0 * float(np.mean(np.abs(found_com - com) / box)),
        100.0 * float(np.mean(np.abs(difference) / box_inertia(mass, box)[upper])),
    )


def box_inertia(mass: float, box: Array) -> Array:
    """Return by what eq. 12 divides, shape (3, 3) [kg m2]."""
    solid = np.outer(box, box)
    np.fill_diagonal(solid, box @ box - box**2)
    return mass / 12.0 * solid
