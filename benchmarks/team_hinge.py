"""How far off are the sums of two bodies on a hinge, against the deviations given with them?

Draws bodies on both sides of an axis, three robots with passive gimbals on them, 26 s of motion
and errors: uniform, three times as large, slow sines (`campaigns/hinged_trials.py`).
Everything is made by Newton and Euler; nothing is tuned on these seeds.

    ./payload-id python benchmarks/team_hinge.py --trials 40 --seed 1000
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from campaign import add_cluster_arguments, campaign
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "payload_id" / "test" / "support"))
sys.path.insert(0, str(Path(__file__).with_name("campaigns")))
from hinged_trials import score  # noqa: E402  # lies in campaigns

ERRORS = {
    "uniform": ("uniform", 1.0),
    "three times as large": ("uniform", 3.0),
    "slow": ("slow", 1.0),
}


def run_trial(trial: tuple[str, int]) -> np.ndarray:
    """Return errors over deviations of one run, shape (17,)."""
    name, seed = trial
    kind, times = ERRORS[name]
    return score(seed, kind, times)


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=40, help="of each kind of errors")
    parser.add_argument("--seed", type=int, default=1000)
    add_cluster_arguments(parser)
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.trials)
    found: dict[str, list[np.ndarray]] = {name: [] for name in ERRORS}
    for (name, _), scores in campaign(run_trial, [(n, s) for n in ERRORS for s in seeds], options):
        found[name].append(scores)
    table = Table("errors", title="Errors of seventeen sums over their standard deviations")
    for column in ("runs", "root mean square", "above 2", "above 3", "largest"):
        table.add_column(column, justify="right")
    for name, scores in found.items():
        z = np.abs(scores)
        table.add_row(
            name, str(len(z)), f"{np.sqrt((z**2).mean()):.2f}", f"{(z > 2).mean():.1%}",
            f"{(z > 3).mean():.1%}", f"{z.max():.1f}",
        )  # fmt: skip
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
