"""Condition numbers of the regressors of inverse dynamics and of momentum: Table IV of [ZZV].

Motions of 10 s sampled at 1 kHz, as in the paper. W stacks the payload rows of the inverse dynamics
at every sample, Y(h) those of momentum over every window of h samples, as (30) and (23) of the
paper. Table IV correlates cond(W) with cond(Y(h)) over motions; planning by W is justified as long
as they go together.

The paper states neither frequency nor size of its random series. Its code has one family of series,
of accelerations: a constant and three harmonics of 0.1 Hz, coefficients within 1 rad/s2 of zero
(roahmlab/RAPTOR@a8e2a45, `KinovaRegressorExamplePayload.cpp`); the constant is what makes them
fast. A window averages away what is faster than it, so that all depends on that size: there is a
column for each.

    ./payload-id python benchmarks/zzv_table4.py --trials 200 --sizes 1 2 5
"""

from __future__ import annotations

import numpy as np
from bench import options, show
from zzv_conditions import MODEL, START

from payload_id.core.arrays import Array
from payload_id.core.excitation.prediction.dynamics import kinematics, payload_regressor
from payload_id.core.motion.trajectory import Motion
from payload_id.core.threads import one_thread

PAPER = {1: 1.0, 5: 1.0, 10: 0.9994, 20: 0.9934, 50: 0.9540, 100: 0.6709, 200: 0.3537, 500: 0.2789}
DURATION, RATE, HARMONICS = 10.0, 1000.0, 3  # [s], [Hz]
CHUNK = 2000  # samples whose regressors are made at once


def series(coefficients: Array) -> Motion:
    """Return the motion from rest whose accelerations are a series, shape (n, 1 + 2 HARMONICS)."""
    t = np.arange(round(DURATION * RATE) + 1) / RATE
    w = 2 * np.pi / DURATION * np.arange(1, HARMONICS + 1)
    cos, sin, T = np.cos(np.outer(t, w)), np.sin(np.outer(t, w)), t[:, None]
    c, a, b = coefficients[:, 0], coefficients[:, 1::2].T, coefficients[:, 2::2].T
    ddq = c + cos @ a + sin @ b
    dq = T * c + sin / w @ a + (1 - cos) / w @ b
    q = START + T**2 * c / 2 + (1 - cos) / w**2 @ a + (T / w - sin / w**2) @ b
    return Motion(t, q, dq, ddq)


def condition_numbers(size: float, rng: np.random.Generator) -> tuple[float, Array]:
    """Return the largest speed of a random motion [rad/s], and cond(W), cond(Y(h)) for each h."""
    motion = series(size * rng.uniform(-1.0, 1.0, (MODEL.n, 1 + 2 * HARMONICS)))
    parts = np.array_split(np.arange(len(motion.time)), len(motion.time) // CHUNK)
    states = (kinematics(MODEL, motion.q[k], motion.dq[k], motion.ddq[k]) for k in parts)
    W = np.concatenate([payload_regressor(state) for state in states])  # (N, n, 10)
    impulse = np.cumsum((W[1:] + W[:-1]) / (2 * RATE), axis=0)
    impulse = np.concatenate([np.zeros_like(W[:1]), impulse])
    windows = [impulse[h::h] - impulse[:-h:h] for h in PAPER]
    found = [np.linalg.cond(rows.reshape(-1, 10)) for rows in (W, *windows)]
    return float(np.abs(motion.dq).max()), np.array(found)


def main() -> None:
    """Print the table."""
    given = options(trials=200, seed=0, sizes=(1.0, 2.0, 5.0))
    rng, columns = np.random.default_rng(given.seed), []
    with one_thread():
        for size in given.sizes:
            found = [condition_numbers(size, rng) for _ in range(given.trials)]
            speeds, conditions = zip(*found, strict=True)
            both = np.corrcoef(np.array(conditions).T)[0, 1:]
            columns.append([*(f"{x:.4f}" for x in both), f"{np.median(speeds):.0f}"])
    *rows, speeds = zip(*columns, strict=True)
    show(f"Pearson correlation of cond(W) and cond(Y(h)), {given.trials} motions",
         ("h", *(f"{x:g} rad/s2" for x in given.sizes), "paper"),
         [*((h, *row, f"{printed:.4f}")
            for (h, printed), row in zip(PAPER.items(), rows, strict=True)),
          None, ("rad/s", *speeds, "")])  # fmt: skip


if __name__ == "__main__":
    main()
