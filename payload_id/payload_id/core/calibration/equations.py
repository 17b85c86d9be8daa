"""Equations of runs with known payloads in all the arm's own parameters psi.

    |C psi + P x - t| <= d  for every row,   psi = (links' inertial parameters, friction, sensors)

psi has the 15 n + 10 parameters of `rows.joint_torque.nuisance`, in physical units, so that the
same rows serve whatever box is stated later. x is what is not known of the run's payload, in units
of its box: all but the mass of a weight that was only put on scales, nothing of a bare arm.
"""

from __future__ import annotations

import numpy as np

from ..arm.calibration import ArmEquations
from ..arrays import Array
from ..body.payload_prior import PayloadPrior
from ..rows.joint_torque.momentum import MomentumRows, WindowTerms
from ..rows.nuisance import Nuisance
from ..rows.quadrature import ROUNDING
from ..statistics.triangular_factor import factor_of


def payload_box(payload: Array, prior: PayloadPrior) -> tuple[Array, Array]:
    """Return middle and half-width of what a payload can be, shape (10,) each.

    Args:
        payload: What is known of its parameters, NaN elsewhere, shape (10,).
        prior: Of any payload.
    """
    known = np.isfinite(payload)
    mass = payload[0] if known[0] and payload[0] > 0.0 else prior.mass_max
    lower, upper = PayloadPrior(float(mass), prior.com_max).box()
    return (
        np.where(known, payload, (lower + upper) / 2),
        np.where(known, 0.0, (upper - lower) / 2),
    )


def window_equations(row_source: MomentumRows, terms: WindowTerms, payload: Array) -> ArmEquations:
    """Return the equations of one window, [C P] in the place of C.

    Args:
        row_source: Of the rows; its nuisance's box bounds what errors of the coefficients do.
        terms: Of the window.
        payload: What is known of the payload's inertial parameters, NaN elsewhere; zeros for a bare
            arm, shape (10,).
    """
    rows, of_run = row_source.rows(terms), Nuisance.of(row_source.run)
    of_arm = len(row_source.of_arm.centre)
    middle, half = payload_box(payload, row_source.uncertainty.prior)
    largest = np.abs(middle) + half
    return ArmEquations(
        C=np.hstack([terms.columns[:, :of_arm], (terms.payload * half)[:, half > 0.0]]),
        t=terms.reading
        - terms.middle
        - terms.columns[:, of_arm:] @ of_run.centre
        - terms.payload @ middle,
        d=rows.bound(largest)
        # Not learnt: they are of a run, not of the arm.
        + np.abs(terms.columns[:, of_arm:]) @ of_run.half_width
        + ROUNDING * (np.abs(terms.payload) @ largest),
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
        factors: shape (n, 15 n + 11, 15 n + 11).
    """
    weighted = np.column_stack([equations.C, equations.t]) / equations.d[:, None]
    return np.array([factor_of(weighted[equations.joint == joint]) for joint in range(n)])
