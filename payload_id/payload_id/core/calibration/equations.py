"""Equations of a bare arm (or one with a known payload) in all its own parameters psi.

    |C psi - t| <= d  for every row,   psi = (links' inertial parameters, friction, sensors)

psi has the 15 n candidates of `rows.joint_torque.nuisance` and the ten errors of the tool's
parameters, in physical units, so that the same rows serve whatever box is stated later.
"""

from __future__ import annotations

import numpy as np

from ..arm.calibration import ArmEquations
from ..arrays import Array
from ..rows.joint_torque.momentum import MomentumRows, WindowTerms
from ..rows.quadrature import ROUNDING


def window_equations(row_source: MomentumRows, terms: WindowTerms, payload: Array) -> ArmEquations:
    """Return the equations of one window.

    Args:
        row_source: Of the rows; its nuisance's box bounds what errors of the coefficients do.
        terms: Of the window.
        payload: The payload's inertial parameters, known; zeros for a bare arm, shape (10,).
    """
    rows = row_source.rows(terms)
    known = np.abs(payload)
    return ArmEquations(
        C=np.hstack([terms.candidates, terms.payload]),
        t=terms.torque - terms.middle - terms.payload @ payload,
        d=rows.bound(known)
        + np.abs(terms.constant).sum(axis=1)  # not learnt: they are of a run, not of the arm
        + ROUNDING * (np.abs(terms.payload) @ known),
        joint=rows.joint,
        start=rows.start,
        end=rows.end,
    )


def joint_factors(equations: ArmEquations, n: int) -> Array:
    """Return the R factor of each joint's rows [C t], each row divided by its bound.

    Args:
        equations: Of one arm.
        n: Number of joints.

    Returns:
        factors: shape (n, 15 n + 11, 15 n + 11); see `factor_of`.
    """
    weighted = np.column_stack([equations.C, equations.t]) / equations.d[:, None]
    return np.array([factor_of(weighted[equations.joint == joint]) for joint in range(n)])


def factor_of(matrix: Array) -> Array:
    """Return the square R factor of rows: all that least squares needs of them.

    Args:
        matrix: Shape (..., k); leading axes are put under each other.
    """
    tall = matrix.reshape(-1, matrix.shape[-1])
    k = tall.shape[1]
    factor = np.linalg.qr(tall, mode="r") if len(tall) else np.zeros((0, k))
    return np.vstack([factor, np.zeros((k - len(factor), k))])
