r"""How errors of the stamps reach the coefficients of the rows.

Positions, velocities and torques of a sample belong together; only the instant is uncertain, by at
most e. The trapezoid rule on wrong stamps errs by  sum_i delta_i c_i,  |delta_i| <= e, with f the
integrand (here d/dt W_m theta, all that is integrated together) and, by summation by parts,

    c_1 = -(f_1 + f_2)/2,   c_i = -(f_{i+1} - f_{i-1})/2,   c_N = (f_N + f_{N-1})/2.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array


def stamp_error(stamp: Array, momentum: Array, jitter: float) -> Array:
    """Return the error bound of the coefficients of one window, shape (n + 1, n, 10).

    Args:
        stamp: Measured stamps, shape (N,) [s].
        momentum: W_m at every sample, shape (N, n + 1, n, 10).
        jitter: Largest error of a stamp [s].
    """
    if jitter == 0.0:
        return np.zeros(momentum.shape[1:])
    f = np.gradient(momentum, stamp, axis=0)
    ends = np.abs(f[0] + f[1]) / 2 + np.abs(f[-1] + f[-2]) / 2
    inside = np.abs(f[2:] - f[:-2]).sum(axis=0) / 2
    # f itself is differentiated on stamps that may be wrong by as much.
    own = 1.0 + 2.0 * jitter / float(np.median(np.diff(stamp)))
    return own * jitter * (ends + inside)
