r"""Least squares on the manifold of physically consistent bodies [TBEN, Sec. III].

A body is theta = (m, c, Q, L) in R>=0 x R^3 x SO(3) x R^3>=0: mass, centre of mass, principal axes
and second moments along them,

    J = [[Q diag(L) Q' + m c c', m c], [m c', m]]                              (Theorem 1, eq. 21)

A step s from a body moves Q by the exponential map of SO(3), m and L by that of the positive
numbers, so that every iterate is consistent and the search may be ended at any of them. With J_r
the right Jacobian of SO(3), d phi / d s at a step is that at the body it leads to, times J_r for Q.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from ..arrays import Array
from ..body.inertial import (
    FROM_PSEUDO_INERTIA_BASIS,
    from_pseudo_inertia,
    pseudo_inertia,
    skew,
    skews,
)
from ..statistics.statistics import Statistics
from .estimator import Estimator
from .problem import denoised, scaled_problem

ROUNDING = 1e-15  # relative changes of cost, step and gradient that end a search
FARTHEST = 50.0  # of a step: the exponential of no more overflows


@dataclass(frozen=True, eq=False)
class Body:
    """A point of the manifold.

    Attributes:
        mass: m > 0.
        com: c, shape (3,).
        axes: Q, principal axes in its columns, shape (3, 3).
        moments: L > 0, second moments along them about the centre of mass, shape (3,).
    """

    mass: float
    com: Array
    axes: Array
    moments: Array

    @classmethod
    def of(cls, phi: Array) -> Body:
        """Return the body of consistent inertial parameters."""
        J = pseudo_inertia(phi)
        com = J[:3, 3] / J[3, 3]
        moments, axes = np.linalg.eigh(J[:3, :3] - J[3, 3] * np.outer(com, com))
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        return cls(float(J[3, 3]), com, axes, np.maximum(moments, 1e-300))

    def phi(self) -> Array:
        """Return the inertial parameters, shape (10,)."""
        x = np.append(self.com, 1.0)
        J = self.mass * np.outer(x, x)
        J[:3, :3] += (self.axes * self.moments) @ self.axes.T
        return from_pseudo_inertia(J)

    def moved(self, step: Array) -> Body:
        """Return the body that local coordinates (log m, c, rotation about Q's axes, log L) reach.

        Args:
            step: Shape (10,).
        """
        step = np.clip(step, -FARTHEST, FARTHEST)
        turn = scipy.spatial.transform.Rotation.from_rotvec(step[4:7]).as_matrix()
        return Body(
            self.mass * float(np.exp(step[0])),
            self.com + step[1:4],
            self.axes @ turn,
            self.moments * np.exp(step[7:]),
        )

    def derivatives(self) -> Array:
        """Return d phi / d step at step zero, shape (10, 10)."""
        x, Q, L = np.append(self.com, 1.0), self.axes, self.moments
        half = np.zeros((10, 4, 4))  # dJ = half + half'
        half[0] = 0.5 * self.mass * np.outer(x, x)
        half[1:4] = self.mass * np.eye(4)[:3, :, None] * x
        half[4:7, :3, :3] = Q @ (skews(np.eye(3)) * L) @ Q.T
        half[7:, :3, :3] = 0.5 * np.einsum("k,ik,jk->kij", L, Q, Q)
        wide = half.reshape(10, 16) @ FROM_PSEUDO_INERTIA_BASIS.reshape(10, 16).T
        return 2.0 * wide.T  # the basis is symmetric

    def slope(self, step: Array) -> Array:
        """Return d phi / d step at a step, shape (10, 10)."""
        slope = self.moved(step).derivatives()
        turn = np.block(
            [[-skew(step[4:7].clip(-FARTHEST, FARTHEST)), np.eye(3)], [np.zeros((3, 6))]]
        )
        slope[:, 4:7] = slope[:, 4:7] @ scipy.linalg.expm(turn)[:3, 3:]
        return slope


class Manifold(Estimator):
    """Minimise |R phi(theta) - z|^2 by the method of Levenberg and Marquardt.

    The search begins at the consistent body nearest to the least-squares fit, and begins again
    where it ends at an edge that is not the minimum.

    Attributes:
        steps: Most steps; fewer give an earlier, still consistent, answer.
    """

    name = "manifold"
    physical = True
    citation = "TBEN"
    steps = 200

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,), with J(phi) > 0; the bounds are not used."""
        problem = scaled_problem(denoised(statistics), upper, self.shape)

        def search(start: Array) -> Array:
            body = Body.of(start)
            found = scipy.optimize.least_squares(
                lambda step: problem.R @ body.moved(step).phi() - problem.z,
                np.zeros(10),
                lambda step: problem.R @ body.slope(step),
                method="lm",
                ftol=ROUNDING,
                xtol=ROUNDING,
                gtol=ROUNDING,
                max_nfev=self.steps,
            )
            return body.moved(found.x).phi()

        return np.asarray(problem.searched(search) * problem.scale)
