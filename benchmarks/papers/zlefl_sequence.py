r"""The paper's own method, one step after the other [ZLEFL, Sec. III]: `zlefl_tables.py` compares.

Frames from twists, mass and centre of mass from holds, inertia from moments.

Frame {s} is the first robot's. The inertia keeps physical consistency by the linear matrix
inequality instead of eigenvalues that are clipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from payload_id.core.arrays import Array, BoolArray
from payload_id.core.body.inertial import (
    INERTIA_BASIS,
    from_mass_com_inertia,
    inertia_matrix,
    skews,
)
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.estimators.linear_matrix_inequality import LinearMatrixInequality
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.statistics.statistics import Statistics
from payload_id.core.team.closed_form.pairwise import grasp_position, kabsch_umeyama
from payload_id.core.team.samples import RobotSamples
from payload_id.core.team.window_series import GRAVITY


@dataclass(frozen=True)
class Sequential:
    """What the sequence gives.

    Attributes:
        rotation: R_ij of the pairs (i, j), shape (3, 3) each.
        position: p_ij of the pairs, shape (3,) each [m].
        mass: [kg].
        com: p_sc, shape (3,) [m].
        phi: In {s}, shape (10,).
    """

    rotation: Mapping[tuple[int, int], Array]
    position: Mapping[tuple[int, int], Array]
    mass: float
    com: Array
    phi: Array


def sequential(
    robots: Sequence[RobotSamples],
    kinematic: BoolArray,
    still: BoolArray,
    moving: BoolArray,
    prior: PayloadPrior,
) -> Sequential:
    """Return what the paper's steps give.

    Args:
        robots: Samples on common stamps, k of each.
        kinematic: Which are for the grasp frames, shape (k,).
        still: Which are at rest, shape (k,).
        moving: Which are for the inertia, shape (k,).
        prior: Box that holds the payload.
    """
    N = len(robots)
    rotation, position = {}, {}
    for i in range(N):
        for j in range(N):
            if i != j:
                one, two = robots[i].twist[kinematic], robots[j].twist[kinematic]
                R, _ = kabsch_umeyama(one[:, :3], two[:, :3])
                rotation[i, j] = R
                position[i, j] = grasp_position(one[:, :3], one[:, 3:], two[:, 3:], R)
    R_s = [np.eye(3), *(rotation[0, i] for i in range(1, N))]
    p_s = [np.zeros(3), *(position[0, i] for i in range(1, N))]
    mass = _mass(robots, still)
    com = _com(robots, still, R_s, p_s, mass)
    inertia = _inertia(robots, moving, R_s, p_s, mass, com, prior)
    return Sequential(rotation, position, mass, com, from_mass_com_inertia(mass, com, inertia))


def _mass(robots: Sequence[RobotSamples], still: BoolArray) -> float:
    """Return the mass from forces along the vertical, eq. (11)-(13)."""
    lift = sum(np.einsum("ki,ki->k", r.rotation[still, 2], r.force[still]) for r in robots)
    return float(np.mean(lift) / GRAVITY)


def _com(
    robots: Sequence[RobotSamples], still: BoolArray, R: list[Array], p: list[Array], mass: float
) -> Array:
    """Return p_sc from the balance of moments at rest, eq. (14)-(16)."""
    up = robots[0].rotation[still, 2]  # the vertical in {s}
    moment = sum(np.cross(x, r.force[still] @ X.T) for r, X, x in zip(robots, R, p, strict=True))
    A = (mass * GRAVITY * skews(up) * -1.0).reshape(-1, 3)  # p x m g up = -m g [up] p
    return np.asarray(np.linalg.lstsq(A, np.asarray(moment).ravel(), rcond=None)[0])


def _inertia(
    robots: Sequence[RobotSamples], moving: BoolArray, R: list[Array], p: list[Array],
    mass: float, com: Array, prior: PayloadPrior,
) -> Array:  # fmt: skip
    """Return the inertia about the centre of mass from moments, eq. (17)-(32)."""
    omega = robots[0].twist[:, :3]
    alpha = np.gradient(omega, robots[0].time, axis=0)[moving]
    omega = omega[moving]
    turned = np.einsum("nij,kj->kin", INERTIA_BASIS, alpha)
    spin = np.einsum("nij,kj->kin", INERTIA_BASIS, omega)
    A = turned + np.cross(omega[:, None, :], spin.swapaxes(1, 2)).swapaxes(1, 2)
    y = np.asarray(
        sum(np.cross(x - com, r.force[moving] @ X.T) for r, X, x in zip(robots, R, p, strict=True))
    ).ravel()
    rows = np.zeros((len(y), 10))
    rows[:, 4:] = A.reshape(-1, 6)
    start = np.repeat(robots[0].time[moving], 3)
    block = RowBlock(
        rows, np.zeros_like(rows), np.zeros((len(y), 0)), y, np.ones(len(y)),
        np.tile(np.arange(3), len(y) // 3), start, start,
    )  # fmt: skip
    lower, upper = prior.box()
    tight = 1e-6 * max(mass, 1e-3)
    lower[:4], upper[:4] = [mass - tight, *[-tight] * 3], [mass + tight, *[tight] * 3]
    lower[[5, 6, 8]], upper[[5, 6, 8]] = -upper[4], upper[4]
    statistics = Statistics.empty(0).add(block, prior.typical)
    return inertia_matrix(LinearMatrixInequality().estimate(statistics, lower, upper))
