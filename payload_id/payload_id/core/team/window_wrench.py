"""Mean force and moment of one robot over each window, and what friction could hide of it."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..rows.quadrature import ROUNDING
from .bounds import RobotBounds
from .closed_form.hann_weights import Weights
from .window_series import QUADRATURE, STILL_LINEAR, Series


def wrench_of(series: Series, bounds: RobotBounds, weights: Weights) -> tuple[Array, ...]:
    """Return mean wrench, error, rate, bend, and mean force along the vertical with its error."""
    w, f = weights.value, series.force
    gain = series.gain[..., None]
    error = gain * bounds.force_absolute + series.left_out[..., 6:]
    error = error + gain * bounds.force_relative * np.abs(f)
    dry = np.abs(series.R).sum(axis=2) * bounds.friction  # |R'| (F, F, F)
    force_error = error + dry
    m = np.zeros_like(f) if series.moment is None else series.moment
    part = 0.0 if series.moment is None else bounds.moment_relative
    moment_error = gain * bounds.moment_absolute + gain * part * np.abs(m)
    six = np.concatenate([f, m], axis=2)
    both = np.concatenate([force_error, np.broadcast_to(moment_error, f.shape)], axis=2)
    rate = np.einsum("m,wmk->wk", weights.slope, six)
    bend = np.abs(np.einsum("m,wmk->wk", weights.bend, six))
    grown = np.maximum(gain[:, 1:], gain[:, :-1])
    change = np.einsum("m,wmk->wk", w[1:], grown * np.abs(np.diff(six, axis=1))) / weights.step
    total = np.einsum("m,wmk->wk", w, both) + bounds.jitter * change
    coarse = np.einsum("m,wmk->wk", weights.coarse.value, six[:, ::2])
    total += QUADRATURE * np.abs(coarse - np.einsum("m,wmk->wk", w, six))
    up = series.R[..., 2, :]
    lift = np.einsum("m,wmk,wmk->w", w, up, f)
    lift_error = np.einsum("m,wmk,wmk->w", w, np.abs(up), force_error)
    across = np.linalg.norm(f, axis=2)
    off = bounds.orientation * np.sqrt(3.0) * series.gain + np.sqrt(2.0) * bounds.tilt
    lift_error += np.einsum("m,wm->w", w, off * across)
    biased = bounds.force_bias + bounds.force_gain * np.abs(lift)
    lift_error += np.sqrt(3.0) * biased + 1e-9
    wrench = np.einsum("m,wmk->wk", w, six)
    return wrench, total + ROUNDING * (1 + np.abs(wrench)), rate, bend, lift, lift_error


def drag_of(series: Series, weights: Weights) -> Array:
    """Return the mean of -R' diag(tanh(velocity / STILL_LINEAR)), shape (W, 3, 3)."""
    velocity = np.einsum("wmki,wmi->wmk", series.R, series.v)
    sign = np.tanh(velocity / STILL_LINEAR)
    return -np.asarray(np.einsum("m,wmki,wmk->wik", weights.value, series.R, sign))
