r"""Least squares on the manifold of physically consistent bodies [TBEN, Sec. III].

A body is theta = (m, c, Q, L) in R>=0 x R^3 x SO(3) x R^3>=0: mass, centre of mass, principal axes
and second moments along them,

    J = [[Q diag(L) Q' + m c c', m c], [m c', m]] = U U'                   (Theorem 1, eq. 21)
    U = [[Q diag(l), mu c], [0, mu]],   l^2 = L,   mu^2 = m.

A step from a body adds to mu, c and l, and turns Q by the exponential map of SO(3). Every iterate
is consistent, so that the search may be ended at any of them; the edge, where a moment is zero, is
a point like others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from ..arrays import Array
from ..body.inertial import pseudo_inertia, skews
from ..statistics.statistics import Statistics
from .consistent_search import minimum
from .estimator import Estimator
from .problem import denoised, scaled_problem

_TURNS = skews(np.eye(3))  # generators of SO(3)
_BENDS = 0.5 * (  # its exponential map to second order
    np.einsum("iab,jbc->ijac", _TURNS, _TURNS) + np.einsum("jab,ibc->ijac", _TURNS, _TURNS)
)


@dataclass(frozen=True, eq=False)
class Body:
    """A point of the manifold.

    Attributes:
        root_mass: mu, shape ().
        com: c, shape (3,).
        axes: Q, principal axes in its columns, shape (3, 3).
        roots: l, roots of the second moments along them about the centre of mass, shape (3,).
    """

    root_mass: float
    com: Array
    axes: Array
    roots: Array

    @classmethod
    def of(cls, phi: Array) -> Body:
        """Return the body of consistent inertial parameters."""
        J = pseudo_inertia(phi)
        com = J[:3, 3] / J[3, 3]
        moments, axes = np.linalg.eigh(J[:3, :3] - J[3, 3] * np.outer(com, com))
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        return cls(float(np.sqrt(J[3, 3])), com, axes, np.sqrt(np.maximum(moments, 0.0)))

    def factor(self) -> Array:
        """Return U, shape (4, 4)."""
        U = np.zeros((4, 4))
        U[:3, :3] = self.axes * self.roots
        U[:3, 3] = self.root_mass * self.com
        U[3, 3] = self.root_mass
        return U

    def moved(self, step: Array) -> Body:
        """Return the body that local coordinates (mu, c, rotation about Q's axes, l) reach.

        Args:
            step: Shape (10,).
        """
        return Body(
            self.root_mass + float(step[0]),
            self.com + step[1:4],
            self.axes @ Rotation.from_rotvec(step[4:7]).as_matrix(),
            self.roots + step[7:],
        )

    def factor_derivatives(self) -> tuple[Array, Array]:
        """Return the first (10, 4, 4) and second (10, 10, 4, 4) derivatives of U at step zero."""
        turned = self.axes @ _TURNS
        first, second = np.zeros((10, 4, 4)), np.zeros((10, 10, 4, 4))
        first[0, :, 3] = np.append(self.com, 1.0)
        first[1:4, :3, 3] = self.root_mass * np.eye(3)
        second[0, 1:4, :3, 3] = second[1:4, 0, :3, 3] = np.eye(3)
        first[4:7, :3, :3] = turned * self.roots
        second[4:7, 4:7, :3, :3] = self.axes @ _BENDS * self.roots
        for k in range(3):
            first[7 + k, :3, k] = self.axes[:, k]
            second[4:7, 7 + k, :3, k] = second[7 + k, 4:7, :3, k] = turned[:, :, k]
        return first, second


@dataclass(frozen=True, eq=False)
class Manifold(Estimator):
    """Minimise |R phi(theta) - z|^2, begun at the consistent body nearest to the free fit.

    Attributes:
        steps: Most steps of a search; fewer give an earlier, still consistent, answer.
    """

    name = "manifold"
    physical = True
    citation = "TBEN"

    steps: int = 1000

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,), with J(phi) > 0; the bounds are not used."""
        problem = scaled_problem(denoised(statistics), upper, self.shape)
        return np.asarray(minimum(problem, Body.of, self.steps) * problem.scale)
