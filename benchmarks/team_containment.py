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

import sys

import numpy as np
from bench import counted, options, show, tell, trials

from team_trials import ARRIVALS, KINDS, run_trial


def main() -> int:
    """Run the trials; 1 if an interval missed the truth."""
    found = []
    for trial in trials(run_trial, options(trials=100, seed=0, workers=1)):
        found.append(trial)
        if trial.missed or not trial.blameless:
            how = f"{trial.robots} robots, errors {trial.kind}, samples {trial.arrival}"
            tell(f"seed {trial.seed}: {how}: {trial.missed}. {trial.estimate.message}")
    rows = []
    for kind in (*KINDS, *ARRIVALS, "all"):
        some = [x for x in found if kind in (x.kind, x.arrival, "all")]
        if some:
            width = np.median([x.width for x in some], axis=0)
            seconds = float(np.mean([x.seconds for x in some]))
            blamed = sum(not x.blameless for x in some)
            rows.append((kind, counted(x.missed for x in some), *width, blamed, seconds))
    columns = ("errors, arrival", "missed", "m [kg]", "h [kg m]", "I [kg m2]", "blamed", "time [s]")
    show("Half-widths are medians", columns, rows)
    return int(any(x.missed for x in found))


if __name__ == "__main__":
    sys.exit(main())
