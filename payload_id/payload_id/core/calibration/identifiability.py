"""Which parameters a motion can tell, and in which combinations: the base parameters.

Columns of the regressor that depend on each other linearly cannot be told apart by any torque.
QR with pivoting picks independent columns; each of the others is a combination of them and adds
to their parameters [Gautier1991].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy import linalg

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..body.inertial import FROM_PINOCCHIO

TOLERANCE = 1e-8  # smallest pivot of an independent column, relative to the largest
SEEN = 1e-6  # smallest coefficient of a combination
STATES = 200  # random states that show what any motion could tell


@dataclass(frozen=True)
class BaseParameter:
    """A combination of parameters that torques depend on.

    Attributes:
        name: The parameter that stands for it.
        terms: The others in it with their coefficients, in units of their SI values.
    """

    name: str
    terms: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        parts = [f"{factor:+.4g} {name}" for name, factor in self.terms]
        return " ".join([self.name, *parts])


@dataclass(frozen=True)
class Identifiability:
    """What a regressor determines.

    Attributes:
        base: The base parameters, as many as the rank.
        unseen: Parameters that have no effect on any row.
        possible: Rank that a motion without restrictions would reach.
        candidates: Number of parameters asked for.
    """

    base: tuple[BaseParameter, ...]
    unseen: tuple[str, ...]
    possible: int
    candidates: int

    @property
    def rank(self) -> int:
        """Number of combinations that the rows determine."""
        return len(self.base)

    def unseen_links(self, joints: tuple[str, ...]) -> tuple[str, ...]:
        """Return the joints whose links' parameters have no effect at all on the rows."""
        own = {j: sum(name.startswith(f"{j}.") for name in self.unseen) for j in joints}
        return tuple(joint for joint, count in own.items() if count >= 10)


def base_parameters(
    regressor: Array, scale: Array, names: tuple[str, ...]
) -> tuple[tuple[BaseParameter, ...], tuple[str, ...]]:
    """Return the base parameters of a regressor (or its R factor) and what it does not see.

    Args:
        regressor: Shape (m, k).
        scale: Sizes that make the parameters comparable, shape (k,).
        names: Of the parameters, k of them.
    """
    scaled = regressor * scale
    size = np.linalg.norm(scaled, axis=0)
    seen = np.flatnonzero(size > TOLERANCE * max(float(size.max(initial=0.0)), 1e-300))
    unseen = tuple(name for k, name in enumerate(names) if k not in set(seen.tolist()))
    if not len(seen):
        return (), unseen
    # Columns of equal length: how large a column is says nothing of its independence.
    R, pivot = linalg.qr(scaled[:, seen] / size[seen], mode="r", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int((diagonal > TOLERANCE * diagonal[0]).sum())
    first, rest = seen[pivot[:rank]], seen[pivot[rank:]]
    weights = linalg.solve_triangular(R[:rank, :rank], R[:rank, rank:])
    factor = weights * (size[rest] / scale[rest]) / (size[first] / scale[first])[:, None]
    base = [
        BaseParameter(
            names[first[k]],
            tuple(
                (names[rest[j]], float(factor[k, j]))
                for j in np.argsort(-np.abs(weights[k]))
                if abs(weights[k, j]) > SEEN
            ),
        )
        for k in np.argsort(first)
    ]
    return tuple(base), unseen


def structural_rank(model: ArmModel, columns: Array, scale: Array) -> int:
    """Return how many combinations of parameters any motion could tell.

    Args:
        model: The arm.
        columns: Which candidates are asked for, shape (15 n,), boolean.
        scale: Sizes that make the parameters comparable, shape (15 n,).
    """
    rng = np.random.default_rng(0)
    rows = [_row(model, rng) for _ in range(STATES)]
    names = tuple(str(k) for k in range(int(columns.sum())))
    base, _ = base_parameters(np.vstack(rows)[:, columns], scale[columns], names)
    return len(base)


def _row(model: ArmModel, rng: np.random.Generator) -> Array:
    """Return the coefficients of all candidates at a random state, shape (n, 15 n)."""
    n, order = model.n, list(model.order)
    q, dq, ddq = rng.uniform(-3, 3, n), rng.uniform(-2, 2, n), rng.uniform(-5, 5, n)
    data = model.pinocchio.createData()
    theirs = pin.computeJointTorqueRegressor(
        model.pinocchio, data, model.pinocchio_q(q), dq[order], ddq[order]
    ).reshape(n, n, 10)
    links = np.zeros((n, n, 10))
    links[np.ix_(order, order)] = theirs[:, :, FROM_PINOCCHIO]
    tau = np.einsum("ijk,jk->i", links, model.link_phi)
    joints = [np.diag(column) for column in (np.sign(dq), dq, ddq, np.ones(n), -tau)]
    return np.hstack([links.reshape(n, 10 * n), *joints])
