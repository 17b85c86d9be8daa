"""How errors of measured positions and velocities reach the coefficients of the rows.

The coefficients are smooth functions of q and dq. To first order an error of at most e_i on
coordinate i moves a coefficient by at most |dW/dx_i| e_i; errors of different samples are
independent, so that their effects on an integral add up in magnitude. The derivatives are taken
by differences at some of the samples, since they vary as slowly as the motion does.
"""

from __future__ import annotations

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import body_motion, force_regressor, momentum_regressor
from ...arrays import Array
from ...samples.joint_samples import Samples
from .uncertainty import Uncertainty

PROBES = 9  # samples of a window at which derivatives are taken
SECOND_ORDER = 1.05  # allowance for curvature and for the samples between the probes


def regressor_error(
    model: ArmModel,
    uncertainty: Uncertainty,
    samples: Samples,
    duration: float,
    end_weights: tuple[float, float],
) -> Array:
    """Return the error bound of W_m(t2) - W_m(t1) + correction - int W_c, (n + 1, n, 10).

    Args:
        model: The arm.
        uncertainty: What is assumed of its sensors.
        samples: Of one window.
        duration: Of that window [s].
        end_weights: By how much errors of W_m at single samples enter at the start and at the end.
    """
    position = uncertainty.per_joint("position_error", model.n)
    velocity = uncertainty.per_joint("velocity_error", model.n)
    if not (position.any() or velocity.any()):
        return np.zeros((model.n + 1, model.n, 10))
    probe = np.unique(np.linspace(0, len(samples) - 1, PROBES).astype(int))
    q, dq = samples.q[probe], samples.dq[probe]
    force, momentum = _sensitivity(model, q, dq, position, velocity)
    mean_force = np.mean(force, axis=0)
    ends = end_weights[0] * momentum[0] + end_weights[1] * momentum[-1]
    return SECOND_ORDER * (ends + duration * mean_force)


def _sensitivity(
    model: ArmModel, q: Array, dq: Array, position: Array, velocity: Array
) -> tuple[Array, Array]:
    """Return the largest changes of W_c and W_m at each sample, (N, n + 1, n, 10) each."""
    centre = body_motion(model, q, dq)
    force, momentum = force_regressor(centre), momentum_regressor(centre)
    force_change, momentum_change = np.zeros_like(force), np.zeros_like(momentum)
    steps = [(np.diag(position), 0), (np.diag(velocity), 1)]
    for step, is_velocity in ((row, kind) for matrix, kind in steps for row in matrix):
        if step.any():
            moved = body_motion(model, q + step * (1 - is_velocity), dq + step * is_velocity)
            force_change += np.abs(force_regressor(moved) - force)
            momentum_change += np.abs(momentum_regressor(moved) - momentum)
    return force_change, momentum_change
