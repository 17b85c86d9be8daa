"""All links, friction and sensors at once: the constrained least squares of [WKS, eq. 25].

    minimise |R psi - z|^2 + pull^2 |P (psi - psi0)|^2
    subject to  physical consistency of every link,  lower <= psi <= upper  (friction >= 0)

[R z] is the triangular factor of all weighted rows, so that the cost does not grow with the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import clarabel
import numpy as np
from scipy import linalg, sparse

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..body.ellipsoid import row_of
from ..conic import SOLVED, solve_cones
from ..errors import SolverError
from ..rows.joint_torque.nuisance import JOINT_GROUPS, NOT_NEGATIVE
from .physical_consistency import Consistency, cone_rows, typical_scale
from .prior import Prior, prior_rows

PROGRAM = "multi-link least-squares program"
RANK = 1e-13  # relative size of singular values that count as zero
FRICTION_SCALE = 1.0  # [N m], [N m s/rad], [kg m2] and [-] alike: size of a joint's own parameters


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
    prior: Prior = Prior.QUADRATIC
    relative: float = 0.05
    pull: float = 0.0
    rest_size: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(
        cls,
        model: ArmModel,
        groups: Sequence[str] = ("friction_coulomb", "friction_viscous", "rotor_inertia"),
        consistency: Consistency = Consistency.FULL,
        ellipsoids: Sequence[Array | None] = (),
        prior: Prior = Prior.QUADRATIC,
        relative: float = 0.05,
        pull: float = 1e-3,
    ) -> ArmFit:
        """Return the problem of [WKS, eq. 25]: every link free, and the groups of joint parameters.

        Args:
            model: The arm as described.
            groups: Which of `JOINT_GROUPS` are estimated; the others are zero.
            consistency: What is required of every link.
            ellipsoids: Q of each link's bounding ellipsoid.
            prior: How links are drawn to the description.
            relative: Size of the deviations that the prior expects [-].
            pull: Weight of the prior.
        """
        n = model.n
        links = model.link_phi.ravel()
        free = np.where(np.repeat(model.link_phi[:, 0] > 0, 10), np.inf, 0.0)
        upper, lower = [free], [-free]
        for group in JOINT_GROUPS:
            bound = np.full(n, np.inf if group in groups else 0.0)
            upper.append(bound)
            lower.append(np.zeros(n) if group in NOT_NEGATIVE else -bound)
        upper.append(np.zeros(10))  # the tool is as described
        lower.append(np.zeros(10))
        psi0 = np.concatenate([links, np.zeros(5 * n + 10)])
        return cls(
            psi0, np.concatenate(lower), np.concatenate(upper), consistency, tuple(ellipsoids),
            prior, relative, pull,
        )  # fmt: skip

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.psi0) // 15

    def link_phi(self) -> Array:
        """Return the description's links, shape (n, 10)."""
        return self.psi0[: 10 * self.n].reshape(self.n, 10)

    def scale(self) -> Array:
        """Return sizes that make psi's entries comparable, shape (15 n + 10,)."""
        links = np.concatenate([typical_scale(phi) for phi in self.link_phi()])
        return np.append(links, np.full(5 * self.n + 10, FRICTION_SCALE))

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
        scale = self.scale()
        P = self.pull * self.prior_matrix()
        tall = np.vstack([factor[:, :-1], P]) * scale
        right = np.concatenate([factor[:, -1], P @ self.psi0])
        free = self.upper > self.lower
        known = np.where(free, 0.0, self.lower) / scale
        right = right - tall @ known
        x = known.copy()
        if free.any():
            x[free] = _Program(self, scale, free, known).minimise(tall[:, free], right)
        return np.asarray(np.clip(x * scale, self.lower, self.upper))


class _Program:
    """The conic program in the free, scaled parameters."""

    def __init__(self, problem: ArmFit, scale: Array, free: Array, known: Array) -> None:
        self._problem, self._scale, self._free, self._known = problem, scale, free, known.copy()
        self._G: list[Array] = []
        self._h: list[Array] = []
        self._cones: list[object] = []

    def minimise(self, tall: Array, right: Array) -> Array:
        """Return the x that minimises |tall x - right|^2, shape (K,).

        Unknowns are the step s from the free optimum and y = R s: the cost is |y|^2 and a constant,
        so that the solver's tolerances are relative to what the constraints cost.
        """
        best = np.linalg.lstsq(tall, right, rcond=RANK)[0]
        self._known[self._free] = best  # the constraints are then those of the step
        R = _square(tall)
        k = len(best)
        self._add(np.hstack([R, -np.eye(k)]), np.zeros(k), clarabel.ZeroConeT(k))
        self._bounds(best)
        self._links()
        P = sparse.block_diag([sparse.csc_matrix((k, k)), sparse.identity(k)], format="csc")
        G, h = np.vstack(self._G), np.concatenate(self._h)
        solution = solve_cones(PROGRAM, P, np.zeros(2 * k), G, h, self._cones)
        if solution.status not in SOLVED:
            raise SolverError(PROGRAM, str(solution.status))
        return np.asarray(best + np.array(solution.x[:k]))

    def _add(self, G: Array, h: Array, cone: object) -> None:
        """Add h - G (x, y) in a cone; columns of y may be left out."""
        k = int(self._free.sum())
        missing = 2 * k - G.shape[1]
        self._G.append(np.hstack([G, np.zeros((len(G), missing))]))
        self._h.append(h)
        self._cones.append(cone)

    def _bounds(self, best: Array) -> None:
        """Add lower <= x <= upper where they are finite."""
        problem, free = self._problem, self._free
        identity = np.eye(int(free.sum()))
        for sign, bound in ((1.0, problem.upper), (-1.0, problem.lower)):
            limit = bound[free] / self._scale[free] - best
            finite = np.isfinite(limit)
            if finite.any():
                cone = clarabel.NonnegativeConeT(int(finite.sum()))
                self._add(sign * identity[finite], sign * limit[finite], cone)

    def _links(self) -> None:
        """Add what is required of every link that has free parameters."""
        problem = self._problem
        if problem.consistency is Consistency.NONE:
            return
        for link in range(problem.n):
            own = slice(10 * link, 10 * link + 10)
            if not self._free[own].any():
                continue
            G, g, k = cone_rows(problem.consistency, self._scale[own])
            self._link_rows(own, G, g, clarabel.PSDTriangleConeT(k))
            inside = problem.ellipsoids[link] if len(problem.ellipsoids) else None
            if problem.consistency is Consistency.ELLIPSOID and inside is not None:
                row = row_of(inside)[None] * self._scale[own] / self._scale[own][0]
                self._link_rows(own, row, np.zeros(1), clarabel.NonnegativeConeT(1))

    def _link_rows(self, own: slice, G: Array, g: Array, cone: object) -> None:
        """Add G x + g in a cone for the parameters of one link."""
        wide = np.zeros((len(G), len(self._free)))
        wide[:, own] = G
        self._add(-wide[:, self._free], g + wide @ self._known, cone)


def _square(tall: Array) -> Array:
    """Return a square R with |R s| = |tall s|."""
    k = tall.shape[1]
    R = np.linalg.qr(tall, mode="r")
    return np.vstack([R, np.zeros((k - len(R), k))])
