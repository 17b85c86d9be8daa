"""The sums that rows of two bodies tell, and two physical bodies that have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import clarabel
import numpy as np
from scipy import sparse

from ...arrays import Array
from ...body.inertial import PSEUDO_INERTIA_BASIS
from ...conic import SOLVED, solve_cones, triangle
from ...errors import SolverError
from ..bounds import RobotBounds
from ..hinged_payload import BASE_OF_BOTH
from .momentum_rows import OF_BODIES, OF_FRICTION, ROWS, HingedRows

ROUNDS = 4  # of weights from residuals
LEAST = 1e-9  # standard deviation of a row [N, N m]
KNOWN = 1e-9  # half-width of an error that counts as none [N, -]
KINDS = (slice(0, 3), slice(3, 6), slice(6, 7))  # of rows: force, moment, about the axis
DEGREES = (0, 1, 2, 1, 1, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 2)  # of length, in each sum
PHYSICAL = 1e-6  # least eigenvalue of a scaled pseudo-inertia
FAINT = 1e-3  # weight of what shares mass on the axis, against the sums'
PROGRAM = "program of two bodies"


@dataclass(frozen=True)
class Sums:
    """What a fit says.

    Attributes:
        base: Base parameters, shape (17,).
        friction: Dry and viscous, shape (2,) [N m, N m s].
        constant: Standard deviation of the base parameters by the sensors' constant errors, (17,).
    """

    base: Array
    friction: Array
    constant: Array


def fitted_sums(rows: HingedRows, bounds: Sequence[RobotBounds]) -> Sums:
    """Return base parameters by least squares, each kind of row weighted by its residuals.

    Args:
        rows: Of both bodies in their hinge frames.
        bounds: Of the robots, in the order of the rows' constant errors.
    """
    inverse = np.linalg.pinv(BASE_OF_BOTH)
    A = np.concatenate([rows.A[..., :OF_BODIES] @ inverse, rows.A[..., OF_BODIES:]], axis=2)
    count = len(BASE_OF_BOTH)
    half = [[b.force_bias] * 3 + [b.force_gain] for b in bounds]
    drawn = np.maximum(np.ravel(half), KNOWN) / np.sqrt(3.0)
    prior = np.zeros((len(drawn), A.shape[2]))
    prior[:, count + OF_FRICTION :] = np.diag(1.0 / drawn)
    size = np.ones(len(KINDS))
    for _ in range(ROUNDS):
        weight = np.repeat(1.0 / size, [3, 3, 1])
        G = (A * weight[:, None]).reshape(ROWS * len(A), -1)
        y = np.append((rows.b * weight).ravel(), np.zeros(len(drawn)))
        whole = np.vstack([G, prior])
        scale = np.maximum(np.linalg.norm(whole, axis=0), 1e-12)
        U, values, Vt = np.linalg.svd(whole / scale, full_matrices=False)
        told = np.where(values > 1e-10 * values[0], 1.0 / values, 0.0)
        x = ((U.T @ y) * told) @ Vt / scale
        left = rows.b - A @ x
        size = np.maximum([np.sqrt((left[:, kind] ** 2).mean()) for kind in KINDS], LEAST)
    # x - truth = -H^-1 P'P (truth of the constant errors), H = G'G + P'P, P the prior's rows
    inverse = (Vt.T * told**2) @ Vt / np.outer(scale, scale)
    moved = inverse @ prior.T
    constant = np.linalg.norm(moved, axis=1)[:count]
    return Sums(x[:count], x[count : count + OF_FRICTION], constant)


def typical(base: Array) -> Array:
    """Return typical sizes of the sums, as powers of one mass and one length, shape (17,)."""
    mass = max(float(base[0]), 1e-3)
    spread = float(np.abs(base[[2, 9, 16]]).sum()) / mass
    length = float(np.clip(np.sqrt(spread), 0.02, 1.0))
    return np.asarray(mass * length ** np.array(DEGREES, dtype=float))


def physical_bodies(base: Array, deviation: Array) -> Array:
    """Return two physical bodies that have these sums as nearly as may be, shape (2, 10).

    Raises:
        SolverError: The program did not end with an answer.
    """
    size = typical(base)
    length = float(np.sqrt(size[2] / size[0]))
    unit = size[0] * length ** np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2], dtype=float)
    weight = size / np.maximum(deviation, 1e-6 * size)
    weight = weight / weight.max()
    R = np.vstack([weight[:, None] * (BASE_OF_BOTH * np.tile(unit, 2) / size[:, None]),
                   FAINT * weight.min() * np.eye(OF_BODIES)])  # fmt: skip
    z = np.append(weight * base / size, np.zeros(OF_BODIES))
    m = len(z)  # unknowns x, and y = R x - z
    cone = np.stack([triangle(E) for E in PSEUDO_INERTIA_BASIS], axis=1)
    none = np.zeros((10, 10))
    matrix = np.vstack([
        np.hstack([R, -np.eye(m)]),
        np.hstack([-cone, none, np.zeros((10, m))]),
        np.hstack([none, -cone, np.zeros((10, m))]),
    ])  # fmt: skip
    edge = -PHYSICAL * triangle(np.eye(4))
    right = np.concatenate([z, edge, edge])
    cones = [clarabel.ZeroConeT(m), clarabel.PSDTriangleConeT(4), clarabel.PSDTriangleConeT(4)]
    P = sparse.diags(np.append(np.zeros(OF_BODIES), np.ones(m)), format="csc")
    solution = solve_cones(PROGRAM, P, np.zeros(OF_BODIES + m), matrix, right, cones)
    if solution.status not in SOLVED:
        raise SolverError(PROGRAM, str(solution.status))
    return np.array(solution.x[:OF_BODIES]).reshape(2, 10) * unit
