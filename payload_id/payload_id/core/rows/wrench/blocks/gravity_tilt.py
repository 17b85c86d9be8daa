"""Tilt of the world against true gravity, by small angles d_i about two horizontal axes e_i.

It changes gravity by d_i e_i x g: the wrench by d_i times a known matrix times (m, h). The eight
products d_i m and d_i h_j are parameters of their own; that only widens. Their boxes follow from
the payload's prior, and what is of second order in d_i stands in the coefficients' errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....body.inertial import skew
from ...nuisance import Effect, NuisanceBlock
from ..uncertainty import WrenchUncertainty
from .time_offset import WrenchWindow

TILTED = ("m", "hx", "hy", "hz")


@dataclass(frozen=True)
class GravityTilt(NuisanceBlock[WrenchWindow]):
    """d_i m and d_i h_j."""

    @classmethod
    def of(cls, stated: WrenchUncertainty) -> GravityTilt:
        """Return the box that gravity_error and the prior leave."""
        names = tuple(f"tilt_{i}.{name}" for i in (1, 2) for name in TILTED)
        moments = np.tile(stated.prior.box()[1][: len(TILTED)], 2)
        return cls(names, np.zeros(len(names)), stated.gravity_error * moments)

    def effect(self, window: WrenchWindow) -> Effect:
        """Return the columns of d_i m and d_i h_j."""
        g = np.asarray(window.samples.gravity)
        size = np.linalg.norm(g)
        least = np.eye(3)[np.argmin(np.abs(g))]
        first = np.cross(g, least) / np.linalg.norm(np.cross(g, least))
        columns = np.zeros((6, 8))
        turn = np.tensordot(window.weight, window.samples.rotation, axes=1).T  # integral of R'
        for i, axis in enumerate((first, np.cross(g / size, first))):
            q = -turn @ np.cross(axis, g)  # change of the integral of a_p
            columns[:3, 4 * i] = q
            columns[3:, 4 * i + 1 : 4 * i + 4] = -skew(q)
        return Effect(columns, np.zeros(6))
