"""Forgetting parameters of a calibration that differ from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arm.calibration import Calibration
from ..arrays import Array
from ..rows.joint_torque.nuisance import group_slice
from ..rows.quadrature import ROUNDING
from ..statistics.triangular_factor import factor_of


def without(calibration: Calibration, groups: Sequence[str]) -> Calibration:
    """Return the calibration with parameters forgotten that differ from run to run.

    The rows stay valid for the others: what a forgotten parameter can do within its box goes
    into the rows' bounds.

    Args:
        calibration: What is known.
        groups: Some of `JOINT_GROUPS`, such as "torque_offset".

    Raises:
        UnknownNameError: There is no such group.
    """
    gone = np.zeros(len(calibration.lower), dtype=bool)
    for group in groups:
        gone[group_slice(group, calibration.n)] = True
    gone &= np.isfinite(calibration.lower)  # what is forgotten already has no coefficients
    if not gone.any():
        return calibration
    low, high = calibration.lower[gone], calibration.upper[gone]
    centre, half = (low + high) / 2, (high - low) / 2
    e = calibration.equations
    C = np.where(gone, 0.0, e.C)
    d = e.d + np.abs(e.C[:, gone]) @ half
    d = d + ROUNDING * (np.abs(e.C[:, gone]) @ (np.abs(centre) + half) + np.abs(e.t))
    return replace(
        calibration,
        lower=np.where(gone, -np.inf, calibration.lower),
        upper=np.where(gone, np.inf, calibration.upper),
        equations=replace(e, C=C, t=e.t - e.C[:, gone] @ centre, d=d),
        factors=np.array([_eliminated(factor, gone) for factor in calibration.factors]),
    )


def _eliminated(factor: Array, gone: Array) -> Array:
    """Return the R factor of what rows say after some parameters have been fitted freely."""
    kept = np.append(~gone, True)
    count = int(gone.sum())
    left = factor_of(np.hstack([factor[:, ~kept], factor[:, kept]]))[count:, count:]
    full = np.zeros((len(left), len(kept)))
    full[:, kept] = left
    return factor_of(full)
