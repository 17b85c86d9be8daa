r"""Which of the bodies that a shape may be the data suggest.

The prior is a mixture: with probability ONE_MATERIAL the homogeneous solid, else one of the
bodies b_s of several materials that `body/materials` drew, all of mass 1. Around each, bodies
depart as the entropic distance says, to second order: with J(b_s) = X X' and S symmetric,

    phi = M (1 + kappa) b_s + M F(X S X'),   S_ij ~ N(0, 1/gamma_s) in an orthonormal basis,
                                             kappa ~ N(0, 1),

F the inverse of J. M is the mass of a free fit, of which hardly anything is assumed (kappa); each
gamma_s is one draw of the prior that `entropic` has of gamma. With A_s the columns of kappa and S,
rows R phi = z + e in units of their noise e have the evidence

    -2 log p(z | s) = min_u |z - M R b_s - R A_s u|^2 + |u|^2 + log det(1 + A_s' R'R A_s),

and the bodies' mean under the weights p(s) p(z | s) is what the data suggest. It is consistent,
since consistent bodies are a convex cone. No segmentation is chosen, and none needs to be right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from ..arrays import Array
from ..body.inertial import FROM_PSEUDO_INERTIA_BASIS, pseudo_inertia
from ..body.shape import Shape
from ..conic import matrix
from ..statistics.normal_form import NormalForm
from .problem import weight_beside_prior

ONE_MATERIAL = 0.4  # probability that a body is homogeneous
COPIES = 20  # of the homogeneous solid, each with a departure of its own
GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)  # its multiples fill the unit interval evenly
# Symmetric 4x4 matrices B_k with tr(B_j B_k) = 1 if j = k, else 0, shape (10, 4, 4).
ORTHONORMAL_BASIS = np.stack([matrix(unit) for unit in np.eye(10)])


@dataclass(frozen=True, eq=False)
class BodyMixture:
    """The bodies of mass 1 that a shape may be, before any data.

    Attributes:
        bodies: phi of each, the homogeneous solid first, shape (S, 10).
        probability: Of each, shape (S,).
        spread: Its A_s for M = 1, shape (S, 10, 11).
    """

    bodies: Array
    probability: Array
    spread: Array

    @classmethod
    def of(cls, shape: Shape, departure: float, degrees: float) -> BodyMixture:
        """Return the mixture of a shape.

        Args:
            shape: The solid, and what bodies it may be.
            departure: Typical relative departure of second moments from a body of the mixture.
            degrees: Shape of the gamma distribution of 1 / departure^2.
        """
        count, one = len(shape.bodies), ONE_MATERIAL if len(shape.bodies) else 1.0
        bodies = np.vstack([np.tile(shape.solid, (COPIES, 1)), shape.bodies])
        each = [one / COPIES, (1.0 - one) / max(count, 1)]
        quantile = np.concatenate([_evenly(COPIES), _evenly(count)])
        width = departure / np.sqrt(gammaincinv(degrees, quantile) / degrees)
        spread = [departures(bodies) * width[:, None, None], bodies[:, :, None]]
        return cls(bodies, np.repeat(each, [COPIES, count]), np.concatenate(spread, axis=2))

    def suggested(self, form: NormalForm, mass: float) -> Array:
        """Return the mean of the bodies of mass 1 as data weigh them, shape (10,).

        Args:
            form: The data, in units of their noise.
            mass: Of a free fit [kg].
        """
        weight = self.probability * self._likelihood(form, mass)
        return np.asarray(weight @ self.bodies / weight.sum())

    def _likelihood(self, form: NormalForm, mass: float) -> Array:
        """Return p(z | s) up to a common factor, shape (S,)."""
        size = mass * float(np.linalg.norm(form.R, 2) * np.linalg.norm(self.spread[0], 2))
        scale = weight_beside_prior(size)
        R, z = form.R * (scale * mass), form.z * scale
        rows = np.concatenate([R @ self.spread, (z - self.bodies @ R.T)[:, :, None]], axis=2)
        count, unknowns = len(rows), rows.shape[2] - 1
        unit = np.broadcast_to(np.eye(unknowns, unknowns + 1), (count, unknowns, unknowns + 1))
        # The factor's last entry is what the others leave of the last column: misfit at the best u.
        factor = np.linalg.qr(np.concatenate([rows, unit], axis=1), mode="r")
        diagonal = np.diagonal(factor, axis1=1, axis2=2)
        logarithm = -0.5 * diagonal[:, -1] ** 2 - np.log(np.abs(diagonal[:, :-1])).sum(axis=1)
        return np.asarray(np.exp(logarithm - logarithm.max()))


def _evenly(count: int) -> Array:
    """Return numbers that fill the unit interval evenly, neighbours far apart, shape (count,)."""
    return np.asarray((np.arange(count) + 0.5) * GOLDEN % 1.0)


def departures(bodies: Array) -> Array:
    """Return F(X B_k X') for an orthonormal basis B_k of symmetric matrices, shape (S, 10, 10)."""
    X = np.linalg.cholesky(pseudo_inertia(bodies))
    moved = np.einsum("sij,kjl,sml->skim", X, ORTHONORMAL_BASIS, X, optimize=True)
    return np.einsum("aim,skim->sak", FROM_PSEUDO_INERTIA_BASIS, moved, optimize=True)
