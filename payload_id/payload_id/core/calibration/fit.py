r"""All links, friction and sensors at once: the constrained least squares of [WKS, eq. 25].

    minimise |R psi - z|^2 + pull^2 |P (psi - psi0)|^2
    subject to  physical consistency of every link,  lower <= psi <= upper  (friction >= 0)

[R z] is the triangular factor of all weighted rows, so that the cost does not grow with the data.
Links' parameters enter scaled by one mass and one length, x = phi / scale, so that one epsilon
serves links of all sizes.

How far a link may be from its description phi0, P says:

`quadratic`: every parameter deviates by about `relative` of its value; a parameter whose value is
zero deviates by as much of the link's typical size.

`entropic`: the second-order form of the entropic divergence d(J0, J) of Lee, Wensing and Park
[Lee2020] at the description, 1/2 tr((J0^-1 dJ)^2) / relative^2: what an affine change of
coordinates leaves as it is, so that it does not depend on the choice of frame.

`euclidean`: |phi - phi0| in SI units, as in [WKS, eq. 25]; it depends on units and frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from scipy import linalg

from ..arrays import Array
from ..body.ellipsoid import row_of
from ..body.inertial import INERTIA_BASIS, PSEUDO_INERTIA_BASIS, pseudo_inertia, skew, typical_size
from ..conic import solve_convex

PROGRAM = "multi-link least-squares program"
EPSILON = 1e-6  # smallest eigenvalue of a scaled matrix that counts as consistent
RANK = 1e-13  # relative size of singular values that count as zero


class Consistency(str, Enum):
    """What is required of every link's parameters; each contains the next one's set."""

    NONE = "unconstrained"
    SEMI = "semi-consistent"  # m > 0 and I > 0 about the centre of mass [WKS, Theorem 1]
    FULL = "consistent"  # J > 0 [WKS, Theorem 3]
    ELLIPSOID = "ellipsoid"  # ... and tr(J Q) >= 0 [WKS, Theorem 4]


class LinkPrior(str, Enum):
    """How far a link may be from its description."""

    QUADRATIC = "quadratic"
    ENTROPIC = "entropic"
    EUCLIDEAN = "euclidean"


@dataclass(frozen=True)
class ArmFit:
    """What is estimated, and what is known of it beforehand.

    Attributes:
        psi0: Description: links' parameters, zeros for what it does not know, shape
            (15 n + 10,).
        lower: Smallest values, may be -inf, shape (15 n + 10,).
        upper: Largest values, may be inf; a candidate with upper = lower is known.
        consistency: What is required of every link.
        ellipsoids: Q of each link's bounding ellipsoid in its joint's frame, (x, 1)' Q (x, 1) >= 0
            inside, shape (4, 4); None where not known.
        prior: How links are drawn to the description.
        relative: Size of the deviations that the prior expects [-].
        pull: Weight of the prior: standard deviation of the weighted rows.
        rest_size: Size of the joints' and the tool's parameters that the prior expects, shape
            (5 n + 10,); empty: nothing is expected of them.
    """

    psi0: Array
    lower: Array
    upper: Array
    consistency: Consistency = Consistency.FULL
    ellipsoids: Sequence[Array | None] = ()
    prior: LinkPrior = LinkPrior.QUADRATIC
    relative: float = 0.05
    pull: float = 0.0
    rest_size: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.psi0) // 15

    def link_phi(self) -> Array:
        """Return the description's links, shape (n, 10)."""
        return self.psi0[: 10 * self.n].reshape(self.n, 10)

    def scale(self) -> Array:
        """Return sizes that make psi's entries comparable, shape (15 n + 10,)."""
        links = np.concatenate([typical_size(phi) for phi in self.link_phi()])
        return np.append(links, np.ones(5 * self.n + 10))  # those of joints in SI units

    def prior_matrix(self) -> Array:
        """Return P, shape (K, 15 n + 10)."""
        blocks = [prior_rows(self.prior, phi, self.relative) for phi in self.link_phi()]
        size = self.rest_size if len(self.rest_size) else np.full(5 * self.n + 10, np.inf)
        rest = np.divide(1.0, size, out=np.zeros(len(size)), where=size > 0)
        return np.asarray(linalg.block_diag(*blocks, np.diag(rest)))

    def solve(self, factor: Array) -> Array:
        """Return psi, shape (15 n + 10,).

        Args:
            factor: R factor of [C t] with weighted rows, shape (15 n + 11, 15 n + 11).

        Raises:
            SolverError: The program did not end with an answer.
        """
        import cvxpy

        scale, free = self.scale(), self.upper > self.lower
        P = self.pull * self.prior_matrix()
        tall = np.vstack([factor[:, :-1], P]) * scale
        x0 = np.where(free, 0.0, self.lower) / scale
        right = np.concatenate([factor[:, -1], P @ self.psi0]) - tall @ x0
        if free.any():
            x0[free] = linalg.lstsq(tall[:, free], right, cond=RANK)[0]
            # The step from the free optimum: what it costs is |R step|^2, so that the solver's
            # tolerances are relative to what the constraints cost.
            step = cvxpy.Variable(int(free.sum()))
            x = x0 + np.eye(len(x0))[:, free] @ step
            R = np.linalg.qr(tall[:, free], mode="r")
            rules = self._constraints(x, scale, free)
            solve_convex(PROGRAM, cvxpy.sum_squares(R @ step), rules)
            x0[free] += step.value
        return np.asarray(np.clip(x0 * scale, self.lower, self.upper))

    def _constraints(self, x: Any, scale: Array, free: Array) -> list[Any]:
        """Return the bounds, and what is required of every link that has free parameters."""
        rules = []
        for sign, bound in ((1.0, self.upper), (-1.0, -self.lower)):
            kept = free & np.isfinite(bound)
            if kept.any():
                rules.append(sign * x[kept] <= (bound / scale)[kept])
        if self.consistency is Consistency.NONE:
            return rules
        for link in range(self.n):
            own = slice(10 * link, 10 * link + 10)
            if free[own].any():
                inside = self.ellipsoids[link] if len(self.ellipsoids) else None
                rules += link_constraints(self.consistency, x[own], scale[own], inside)
        return rules


def link_constraints(
    consistency: Consistency, x: Any, scale: Array, ellipsoid: Array | None
) -> list[Any]:
    """Return what is required of a link's parameters phi = scale * x.

    Args:
        consistency: Not `NONE`.
        x: Expression of CVXPY, shape (10,).
        scale: As `typical_size` gives it.
        ellipsoid: Q of the link's bounding ellipsoid, shape (4, 4); None where not known.
    """
    import cvxpy

    basis = SPATIAL_INERTIA_BASIS if consistency is Consistency.SEMI else PSEUDO_INERTIA_BASIS
    k = basis.shape[1]
    # A congruence by diag(1/length or 1) / sqrt(mass) makes the entries comparable.
    unit = np.array([scale[0] / scale[1]] * 3 + [1.0] * (k - 3)) / np.sqrt(scale[0])
    matrices = basis * scale[:, None, None] * np.outer(unit, unit)
    matrix = cvxpy.reshape(matrices.reshape(10, k * k).T @ x, (k, k), order="C")
    rules = [matrix - EPSILON * np.eye(k) >> 0]
    if consistency is Consistency.ELLIPSOID and ellipsoid is not None:
        rules.append((row_of(ellipsoid) * scale / scale[0]) @ x >= 0)
    return rules


def prior_rows(prior: LinkPrior, phi: Array, relative: float) -> Array:
    """Return P with |P (phi - phi0)|^2 the distance in units of `relative`, shape (10, 10).

    For `EUCLIDEAN` the unit is 1 kg, 1 kg m and 1 kg m2.
    """
    scale = typical_size(phi)
    if prior is LinkPrior.EUCLIDEAN:
        return np.eye(10)
    if prior is LinkPrior.QUADRATIC:
        return np.diag(1.0 / (relative * np.where(np.abs(phi) > 1e-6 * scale, np.abs(phi), scale)))
    # |P dphi|^2 = 1/2 tr((J0^-1 dJ)^2) / relative^2
    unit = np.diag([scale[0] / scale[1]] * 3 + [1.0]) / np.sqrt(scale[0])
    values, vectors = np.linalg.eigh(unit @ pseudo_inertia(phi) @ unit)
    values = np.maximum(values, EPSILON * values[-1])
    whitening = (vectors / np.sqrt(values)).T @ unit
    moved = whitening @ PSEUDO_INERTIA_BASIS @ whitening.T
    return np.asarray(np.linalg.qr(moved.reshape(10, 16).T, mode="r") / (np.sqrt(2.0) * relative))


def _spatial_inertia_basis() -> Array:
    """Return the ten 6x6 matrices of the spatial inertia [[I, [h]], [[h]', m 1]], (10, 6, 6)."""
    basis = np.zeros((10, 6, 6))
    basis[0, 3:, 3:] = np.eye(3)
    for axis in range(3):
        cross = skew(np.eye(3)[axis])
        basis[1 + axis, :3, 3:], basis[1 + axis, 3:, :3] = cross, cross.T
    basis[4:, :3, :3] = INERTIA_BASIS
    return basis


SPATIAL_INERTIA_BASIS = _spatial_inertia_basis()
