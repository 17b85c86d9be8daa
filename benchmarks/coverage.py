"""Gaussian torque noise: the coverage that is stated, and the one that is reached.

For each stated coverage, runs of an arm with independent Gaussian noise of the stated sigma and
nothing else wrong. `rows held`: runs in which no row exceeds its bound at the true payload, which
is what `coverage` promises (for runs of up to 100 000 rows: shorter ones keep it more often).
`intervals hold`: runs in which all ten intervals contain the truth. `tight` is the same with the
bound that would be exact for this number of rows, so that the promise itself is tested.

    ./payload-id python benchmarks/coverage.py --trials 200
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import Run, arm, record, rows_of
from payload_id.core.identification.identify import identify
from payload_id.core.rows.joint_torque import torque_bound
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock

STATED = (0.5, 0.8, 0.95, 0.99)
SIGMA = 0.3  # [N m]


@dataclass(frozen=True)
class Reached:
    """Parts of the runs.

    Attributes:
        rows: In which every row keeps its bound.
        tight: In which every row keeps the bound for its number of rows.
        intervals: In which every interval holds the truth.
        half_width: Median of the mass's [kg].
    """

    rows: float
    tight: float
    intervals: float
    half_width: float


def measure(run: Run, coverage: float, seeds: Sequence[int]) -> Reached:
    """Return what is reached."""
    stated = Uncertainty(torque_sigma=SIGMA, coverage=coverage)
    held, tight, inside, widths = [], [], [], []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        noise = SIGMA * rng.normal(size=run.true.tau.shape)
        noisy = replace(run, samples=replace(run.true, tau=run.true.tau + noise))
        rows = rows_of(run.model, stated, noisy.samples)
        held.append(_kept(rows, run))
        with mock.patch.object(torque_bound, "ROWS_OF_A_RUN", len(rows)):
            tight.append(_kept(rows_of(run.model, stated, noisy.samples), run))
        found = identify(noisy.samples, run.model, stated)
        inside.append(bool(found.contains(run.phi).all()))
        widths.append(found.half_width[0])
    return Reached(*(float(np.mean(x)) for x in (held, tight, inside)), float(np.median(widths)))


def _kept(rows: RowBlock, run: Run) -> bool:
    """Tell whether every row keeps its bound at the truth."""
    error = np.abs(rows.A @ run.phi - rows.b)
    return bool((error <= rows.bound(np.abs(run.phi))).all())


def main() -> int:
    """Measure and print; return 0 if every coverage is reached."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--arm", default="ur10")
    given = parser.parse_args()
    run = record(arm(given.arm), 1, seconds=2.0)
    table = Table("stated", title=f"{given.trials} runs of 2 s, sigma {SIGMA} N m, {given.arm}")
    for column in ("rows held", "tight", "intervals hold", "± mass [kg]"):
        table.add_column(column, justify="right")
    short = False
    for coverage in STATED:
        found = measure(run, coverage, range(given.trials))
        parts = [f"{x:.1%}" for x in (found.rows, found.tight, found.intervals)]
        table.add_row(f"{coverage:.0%}", *parts, f"{found.half_width:.3g}")
        spread = 3.0 * np.sqrt(coverage * (1.0 - coverage) / given.trials)
        short |= min(found.rows, found.tight, found.intervals) < coverage - spread
    Console(width=100).print(table)
    return int(short)


if __name__ == "__main__":
    sys.exit(main())
