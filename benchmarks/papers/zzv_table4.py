"""Condition numbers of the regressors of inverse dynamics and of momentum: Table IV of [ZZV].

Random Fourier motions of 10 s, sampled at 1 kHz. W stacks the payload rows of the inverse dynamics
at every sample, Y(h) those of momentum over every window of h samples, as (30) and (23) of the
paper. Table IV correlates cond(W) with cond(Y(h)) over motions; planning by W is justified as long
as they go together. The paper does not say how fast its motions are, on which all depends: a window
averages away what is faster than it. So there is a column for each highest frequency.

    ./payload-id python benchmarks/papers/zzv_table4.py --trials 40 --frequencies 0.5 2 5 7

A second table tells how the planner's predicted half widths follow those of the exact hull.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table
from zzv_table5 import HOME, LENGTH, UNSURE, Setting, half_width_of, hull

from payload_id import RobotFile, RobotModel
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import PARAMETERS
from payload_id.core.excitation.candidates.candidates import BezierFamily
from payload_id.core.excitation.criteria.half_widths import HalfWidths
from payload_id.core.excitation.prediction.candidate_rows import Collected
from payload_id.core.excitation.prediction.dynamics import kinematics, payload_regressor
from payload_id.core.excitation.search.certifier import planning_limits
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import sampled
from payload_id.core.threads import one_thread

PAPER = {1: 1.0, 5: 1.0, 10: 0.9994, 20: 0.9934, 50: 0.9540, 100: 0.6709, 200: 0.3537, 500: 0.2789}
DURATION, RATE = 10.0, 1000.0  # [s], [Hz]
CHUNK = 2000  # samples whose regressors are made at once


def condition_numbers(model: ArmModel, frequency: float, rng: np.random.Generator) -> Array:
    """Return cond(W), then cond(Y(h)) for each h, of a random motion up to a frequency [Hz]."""
    harmonics = max(2, round(frequency * DURATION))
    free = rng.normal(size=(model.n, 2, harmonics - 1))
    series = FourierSeries.from_free(HOME, free, DURATION)
    motion = sampled(series, RATE)
    # As large as keeps 1 rad/s.
    size = 1.0 / np.abs(motion.dq).max(axis=0)
    motion = sampled(series.scaled(size), RATE)
    parts = np.array_split(np.arange(len(motion.time)), len(motion.time) // CHUNK)
    states = (kinematics(model, motion.q[k], motion.dq[k], motion.ddq[k]) for k in parts)
    W = np.concatenate([payload_regressor(state) for state in states])  # (N, n, 10)
    impulse = np.cumsum((W[1:] + W[:-1]) / (2 * RATE), axis=0)
    impulse = np.concatenate([np.zeros_like(W[:1]), impulse])
    found = [np.linalg.cond(W.reshape(-1, 10))]
    for h in PAPER:
        Y = impulse[h::h] - impulse[:-h:h]
        found.append(np.linalg.cond(Y.reshape(-1, 10)))
    return np.array(found)


def half_widths(trials: int, seed: int) -> tuple[Array, Array]:
    """Return predicted and exact half widths of random pieces, shape (trials, 10) each."""
    setting = Setting.of(4, "safety_warning")
    limits, rng = planning_limits(setting.case), np.random.default_rng(seed)
    criterion = HalfWidths(half_width_of(UNSURE.prior.box()))
    nothing = Collected.nothing(setting.predictor.p)
    family = BezierFamily.within(MotionState.at_rest(HOME), LENGTH, limits)
    predicted, exact = [], []
    for _ in range(trials):
        x = rng.uniform(0.1, 1.0) * rng.uniform(-1.0, 1.0, (1, family.size))
        rows = setting.predictor.rows(partial(family.motion, x), LENGTH)
        predicted.append(criterion.predicted(rows, nothing)[0])
        exact.append(hull([rows], setting.phi))
    return np.array(predicted), np.array(exact)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--frequencies", type=float, nargs="+", default=[0.5, 2.0, 5.0, 7.0], help="highest [Hz]"
    )
    chosen = parser.parse_args()
    model = RobotModel.from_robot_file(RobotFile.load("kinova_gen3"))
    rng, trials = np.random.default_rng(chosen.seed), range(chosen.trials)
    with one_thread():
        found = [
            np.array([condition_numbers(model, frequency, rng) for _ in trials])
            for frequency in chosen.frequencies
        ]
        predicted, exact = half_widths(chosen.trials, chosen.seed)
    table = Table("h", *(f"{x:g} Hz" for x in chosen.frequencies), "paper")
    table.title = "Pearson correlation of cond(W) and cond(Y(h)), motions up to a frequency"
    for k, (h, printed) in enumerate(PAPER.items(), start=1):
        values = [np.corrcoef(each[:, 0], each[:, k])[0, 1] for each in found]
        table.add_row(str(h), *(f"{value:.4f}" for value in values), f"{printed:.4f}")
    widths = Table("", *PARAMETERS, "mean log", title="predicted half widths against the hull")
    a, b = (np.column_stack([np.log(x), np.log(x).mean(axis=1)]) for x in (predicted, exact))
    correlation = [np.corrcoef(a[:, k], b[:, k])[0, 1] for k in range(11)]
    widths.add_row("Pearson of logarithms", *(f"{x:.3f}" for x in correlation))
    widths.add_row(
        "median predicted / hull", *(f"{x:.2f}" for x in np.exp(np.median(a - b, axis=0)))
    )
    Console(width=140).print(table, widths)


if __name__ == "__main__":
    main()
