r"""Errors of neighbouring windows hang together; rows that are freed of it count as independent.

Play, compliance and friction change slowly against the stride of the windows, which overlap, too.
With e_k the errors of one channel in units of its bound,

    e_k = c e_{k-1} + sqrt(1 - c^2) n_k,

c from the residuals, the rows r_k - c r_{k-1} over sqrt(1 - c^2) have independent errors n_k, and
least squares of them is the best linear estimate [Prais1954]. What such errors spoil least, quick
motion, then counts most.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...rows.row_block import RowBlock

LARGEST = 0.95  # of |c|: what is as slow as the run is an offset, and no correlation
ROUNDS = 3  # of c and residuals in turn


def freed(block: RowBlock, start: Array, phi_max: Array) -> RowBlock:
    """Return rows with independent errors, within bounds of one.

    Args:
        block: As many rows of each window as there are channels, window by window; two windows or
            more.
        start: Of the windows, shape (W,) [s]. The first one after a gap stays as it is.
        phi_max: Largest |phi| expected, shape (10,): it sets the rows' weights only.
    """
    step, p = np.diff(start, prepend=-np.inf), block.B.shape[1]
    follows = np.isclose(step, np.median(step[1:]), rtol=1e-3)
    rows = np.column_stack([block.A, block.B, block.b]) / block.bound(phi_max)[:, None]
    rows = rows.reshape(len(start), -1, rows.shape[1])
    boxes = np.eye(p, rows.shape[2], 10)
    c = np.zeros(rows.shape[1])
    for _ in range(ROUNDS):
        each = np.where(follows[:, None], c, 0.0)[..., None]
        independent = (rows - each * np.roll(rows, 1, axis=0)) / np.sqrt(1.0 - each**2)
        whole = np.vstack([independent.reshape(-1, rows.shape[2]), boxes])
        x = np.linalg.lstsq(whole[:, :-1], whole[:, -1], rcond=1e-13)[0]
        e = rows[..., -1] - rows[..., :-1] @ x
        later, before = e[follows], np.roll(e, 1, axis=0)[follows]
        size = 0.5 * (later**2 + before**2).sum(axis=0)
        c = np.divide((later * before).sum(axis=0), size, out=np.zeros_like(c), where=size > 0)
        c = np.clip(c, -LARGEST, LARGEST)
    A, B, b = np.split(whole[: len(block)], [10, 10 + p], axis=1)
    return replace(
        block, A=A, A_error=np.zeros_like(A), A_static=A, B=B, b=b[:, 0], d=np.ones(len(b))
    )
