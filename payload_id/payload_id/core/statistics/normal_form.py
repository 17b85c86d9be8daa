"""A least-squares problem in phi as a triangular factor, and what its noise does to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array

MOST_NOISE = 0.9  # largest part of a direction's information that may be taken for noise


@dataclass(frozen=True)
class NormalForm:
    """A least-squares problem in phi alone: |R phi - z|^2 + residual^2.

    Attributes:
        R: Upper triangular, shape (10, 10).
        z: Shape (10,).
        residual: Norm of what no phi explains.
        rows: Number of rows it stands for.
    """

    R: Array
    z: Array
    residual: float
    rows: int


def normal_form(factor: Array, rows: int) -> NormalForm:
    """Split the factor of [A b], shape (11, 11)."""
    return NormalForm(factor[:10, :10], factor[:10, 10], float(abs(factor[10, 10])), rows)


def noise_share(form: NormalForm, moments: Array) -> float:
    """Return the factor on the noise's moments that the rows suggest: min eig([A b]'[A b], D).

    The noise-free rows are singular, [A b] (phi, -1) = 0, so that what is left in the direction
    where there is least is noise [Fuller1987, Sec. 2.2].

    Args:
        form: The rows.
        moments: Diagonal of D, the noise's sums of squares in each column up to a factor, (11,).
    """
    F = np.zeros((11, 11))
    F[:10, :10], F[:10, 10], F[10, 10] = form.R, form.z, form.residual
    values = np.linalg.svd(F, compute_uv=False)
    if values[-1] <= 1e-12 * values[0] or not moments.any():
        return 0.0
    # min eig(F'F, D) = 1 / (largest singular value of D^(1/2) inv(F))^2
    return float(np.linalg.norm(np.linalg.solve(F.T, np.diag(np.sqrt(moments))), 2) ** -2)


def without_attenuation(form: NormalForm, moments: Array) -> NormalForm:
    """Return a problem without the bias that noise in the coefficients brings.

    Noise in A adds to A'A, so that least squares draws phi to zero; here it is taken away again, by
    at most `MOST_NOISE` of what there is in any direction.

    Args:
        form: The problem.
        moments: As in `noise_share`.
    """
    noise = noise_share(form, moments) * moments[:10]
    U, values, Vt = np.linalg.svd(form.R)
    seen = values > 1e-12 * max(values[0], 1e-300)
    if not seen.any() or not noise.any():
        return form
    half = (np.sqrt(noise)[:, None] * Vt[seen].T) / values[seen]  # (10, k)
    share, axes = np.linalg.eigh(half.T @ half)
    kept = np.sqrt(1.0 - np.minimum(share, MOST_NOISE))
    turned = U[:, seen] @ axes
    R = (turned * kept) @ turned.T @ form.R
    z = (turned / kept) @ turned.T @ form.z
    return NormalForm(R, z, form.residual, form.rows)


def condition_number(form: NormalForm) -> float:
    """Return the 2-norm condition number of the regressor; infinite when it is singular."""
    values = np.linalg.svd(form.R, compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 0 else float("inf")
