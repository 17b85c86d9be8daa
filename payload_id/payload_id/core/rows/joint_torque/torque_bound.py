"""From measured to true torque: the interval that a per-sample error bound leaves."""

from __future__ import annotations

import numpy as np

from ...arrays import Array


def true_torque(tau: Array, relative: Array, absolute: Array) -> tuple[Array, Array]:
    """Return the middle and half the width of the interval that holds the true torque.

    "Relative" may mean relative to the true or to the measured value; both readings are covered:
    |tau - true| <= r |true| + a  or  |tau - true| <= r |tau| + a.

    Args:
        tau: Measured torques, shape (N, n) [N m].
        relative: Fraction r < 1 for each joint, shape (n,) [-].
        absolute: a for each joint, shape (n,) [N m].

    Returns:
        middle, half_width: shape (N, n) [N m].
    """
    size = np.abs(tau)
    outer = (size + absolute) / (1.0 - relative)  # largest |true| with r of the true value
    inner = np.minimum(
        size * (1.0 - relative) - absolute,  # r of the measured value
        (size - absolute) / np.where(size > absolute, 1.0 + relative, 1.0 - relative),
    )
    return np.sign(tau) * (outer + inner) / 2, np.where(
        tau == 0.0, np.maximum(outer, -inner), (outer - inner) / 2
    )
