"""Triangular factors of matrices to which rows are added."""

from __future__ import annotations

import numpy as np

from ..arrays import Array


def factor_of(*parts: Array) -> Array:
    """Return the square R factor of matrices under each other."""
    stacked = np.vstack(parts)
    factor = np.linalg.qr(stacked, mode="r")
    size = stacked.shape[1]
    square = np.zeros((size, size))
    square[: len(factor)] = factor
    return square


def channels_with(factors: Array, channel: Array, rows: Array) -> Array:
    """Return the factors of each channel, shape (C, k, k), with more rows."""
    number = np.bincount(channel, minlength=len(factors))
    if more := len(number) - len(factors):
        factors = np.pad(factors, ((0, more), (0, 0), (0, 0)))
    if len(channel) and (number == number[0]).all():  # all at once is faster
        order = np.argsort(channel, kind="stable")
        stacked = rows[order].reshape(len(number), -1, rows.shape[1])
        return np.asarray(np.linalg.qr(np.concatenate([factors, stacked], axis=1), mode="r"))
    factors = factors.copy()
    for c in np.flatnonzero(number):
        factors[c] = factor_of(factors[c], rows[channel == c])
    return factors
