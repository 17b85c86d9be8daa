"""How often do a team's intervals contain the truth, and how wide are they? Always, is the claim.

Draws payloads, grasps, clocks, tilts, motions and errors within stated bounds: uniform, at the
corners of their box, slow sines, constant; stamps that are off, samples that are lost; two to five
robots with passive gimbals (three or more) or with moments. Half of the trials see all samples at
once; in the others they come in pieces, one robot's seconds after the others', or one robot is
heard of only when it joins, and every update is looked at. All that is stated is true, so nobody is
to be blamed. Forces come from Newton-Euler, motions from closed forms (`test/support`).

    ./payload-id python benchmarks/team_containment.py --trials 200 --seed 0
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from campaign import add_cluster_arguments, campaign
from rich.console import Console
from rich.table import Table

from payload_id.core.identification.status import Status

sys.path.insert(0, str(Path(__file__).parents[1] / "payload_id" / "test" / "support"))
from team_trials import ARRIVALS, KINDS, Trial, run_trial  # noqa: E402  # lies in the folder above


def report(trials: Sequence[Trial]) -> Table:
    """Return counts and widths."""
    table = Table("errors, arrival", title="Teams")
    widths = ("m [kg]", "h [kg m]", "I [kg m2]")
    for column in ("trials", "misses", *widths, "GOOD", "INCONSISTENT", "blamed", "time [s]"):
        table.add_column(column, justify="right")
    for kind in (*KINDS, *ARRIVALS, "all"):
        some = [trial for trial in trials if kind in (trial.kind, trial.arrival, "all")]
        if some:
            width = np.median([trial.width for trial in some], axis=0)
            said = Counter(trial.estimate.status for trial in some)
            blamed = sum(not trial.blameless for trial in some)
            table.add_row(
                kind, str(len(some)), str(sum(bool(trial.missed) for trial in some)),
                *(f"{x:.3g}" for x in width), str(said[Status.GOOD]),
                str(said[Status.INCONSISTENT]), str(blamed),
                f"{np.mean([trial.seconds for trial in some]):.2f}",
            )  # fmt: skip
    return table


def main() -> int:
    """Run the campaign; the number of misses is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    add_cluster_arguments(parser)
    options = parser.parse_args()
    console = Console()
    trials = []
    seeds = range(options.seed, options.seed + options.trials)
    for seed, trial in campaign(run_trial, seeds, options):
        trials.append(trial)
        if trial.missed or not trial.blameless:
            how = f"{trial.robots} robots, errors {trial.kind}, samples {trial.arrival}"
            console.print(f"seed {seed}: {how}: {trial.missed}")
            console.print(trial.estimate.message)
    console.print(report(trials))
    return min(sum(bool(trial.missed) for trial in trials), 1)


if __name__ == "__main__":
    sys.exit(main())
