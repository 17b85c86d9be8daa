"""Is it true what a verdict says its mass rests on? Errors that nobody described are simulated.

Weights at the payload frame or on a link, and cables that pull down or up, are put on arms; links,
noise and motion (fast, or slow) are within the stated bounds. Each run names the sizes from which
on such an error would move the mass by half its interval, or make the interval false for certain.
Counted by the true size in parts of the latter: how often the run was INCONSISTENT, and how often
the interval of the mass held the truth where it was not; `shown in time` are errors that the data
contradict before they can make it false.

    ./payload-id python benchmarks/sensitivity.py --trials 4 --first 100
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from injected_faults import USUAL
from payload_id.core.diagnosis import IdentifiedMass
from payload_id.core.diagnosis.hypotheses import ASSUMPTIONS
from payload_id.core.diagnosis.sensitivity import NOTICED
from payload_id.core.errors import InputError
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from undescribed import KINDS, Undescribed, undescribed

ARMS = ("gen3", "ur10", "panda", "xarm7")
PARTS = (0.0, 0.25, 0.5, 1.0, 2.0, np.inf)
NOISE = ("uniform", "vertices", "correlated")


@dataclass(frozen=True)
class Trial:
    """What became of one run.

    Attributes:
        part: The error's size in parts of S*; NaN where the data show it in time (S* about S).
        noticed: Whether the run was INCONSISTENT.
        contained: Whether the interval of the mass holds the truth.
    """

    part: float
    noticed: bool
    contained: bool


def trial(name: str, kind: str, seed: int) -> Trial | None:
    """Return what became of a run; None where no mass is identified."""
    noise = NOISE[seed % len(NOISE)]
    case = undescribed(name, kind, seed, noise)
    found, mass = identified(case)
    noticed = found.status is Status.INCONSISTENT
    if noticed:  # the same run, with nothing wrong, tells from where on
        _, mass = identified(undescribed(name, kind, seed, noise, size=0.0))
    if mass is None:
        return None
    kept, every = threshold(mass, case)
    part = abs(case.size) / kept if kept < NOTICED * every else float("nan")
    contained = bool(found.lower[0] <= case.phi[0] <= found.upper[0])
    return Trial(part, noticed, contained)


def identified(case: Undescribed) -> tuple[Estimate, IdentifiedMass | None]:
    """Return the estimate of a run and what its mass was found from."""
    online = OnlineIdentifier(case.model, Settings(USUAL))
    online.add(case.samples)
    found = online.update()
    return found, online.identified_mass(found)


def threshold(found: IdentifiedMass, case: Undescribed) -> tuple[float, float]:
    """Return S* and S of the case's error, on its side."""
    for hypothesis in ASSUMPTIONS:
        for error in hypothesis.errors(found):
            if hypothesis.assumption == case.assumption and case.error in (error.more, error.less):
                room = found.room(error.column, error.largest)
                sign = 1.0 if case.error == error.more else -1.0
                return room(sign, True), room(sign, False)
    raise InputError(f"no assumption excludes '{case.error}'")


def cells(found: list[Trial]) -> list[str]:
    """Return the counts of some runs."""
    quiet = [one for one in found if not one.noticed]
    inside = sum(one.contained for one in quiet)
    return [f"{len(found)}", f"{len(found) - len(quiet)}", f"{inside}/{len(quiet)}"]


def main() -> int:
    """Count; return 0 if no interval was right that was said to be false for certain."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=20, help="runs of each kind and arm")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.trials)
    table = Table(title="errors by their size in parts of the one that makes the interval false")
    for column in ("error", "size", "runs", "INCONSISTENT", "others with the truth inside"):
        table.add_column(column)
    wrong = 0
    for kind in KINDS:
        every = [trial(name, kind, seed) for name in ARMS for seed in seeds]
        found = [one for one in every if one is not None]
        for low, high in zip(PARTS[:-1], PARTS[1:], strict=True):
            here = [one for one in found if low <= one.part < high]
            wrong += sum(one.contained for one in here if not one.noticed) if low >= 1.0 else 0
            table.add_row(kind, f"{low:g} to {high:g}", *cells(here))
        table.add_row(kind, "shown in time", *cells([x for x in found if np.isnan(x.part)]))
    Console(width=110).print(table)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
