"""How often is a broken assumption noticed, and rightly named? And how often without one?

Every cause on the list is injected into simulated runs of each arm, all else within the bounds;
see `payload_id/test/support/injected_faults.py`. `flagged` counts INCONSISTENT verdicts, `named`
those of them whose cause is the injected one, `joint` those whose message names the right joint,
where the cause is about one. The last lines are runs in which nothing is wrong.

    ./payload-id python benchmarks/diagnosis_campaign.py --trials 10
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import arm, perturbed_links, record
from injected_faults import CAUSES, SINGLE_JOINT, USUAL, Fault, inject
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status

ARMS = ("gen3", "ur10", "panda")
NOISE = ("uniform", "vertices", "correlated")
NONE = "nothing wrong"


@dataclass(frozen=True)
class Outcome:
    """What was made of one run.

    Attributes:
        flagged: Whether it was INCONSISTENT.
        named: The cause that was named; empty if none.
        joint: Whether the right joint was named, where the cause is about one.
        seconds: Time of the identification with the diagnosis [s].
        contained: Whether the intervals hold the truth, if there are any.
    """

    flagged: bool
    named: str
    joint: bool
    seconds: float
    contained: bool


def outcome(fault: Fault, cause: str) -> Outcome:
    """Return what is made of a recording."""
    begin = time.perf_counter()
    found = identify(fault.samples, fault.model, USUAL)
    seconds = time.perf_counter() - begin
    likely = found.message.partition("Most likely")[2]
    joint = fault.model.joints[fault.joint]
    right = cause not in SINGLE_JOINT or re.search(rf"\b{re.escape(joint)}\b", likely) is not None
    flagged = found.status is Status.INCONSISTENT
    contained = bool(found.contains(fault.phi).all())
    return Outcome(flagged, found.cause, right, seconds, contained)


def sound(name: str, cause: str, seed: int, noise: str) -> Fault:
    """Return a recording with nothing wrong."""
    model, rng = arm(name), np.random.default_rng(seed)
    links = perturbed_links(model, rng, USUAL.link_relative)
    run = record(model, seed, seconds=5.0, links=links).measured(USUAL, noise, seed)
    return Fault(model, run.samples, run.phi, 0, float("nan"))


def faulty(name: str, cause: str, seed: int, noise: str) -> Fault:
    """Return a recording with a fault."""
    return inject(name, cause, seed, noise=noise)


def row(
    make: Callable[[str, str, int, str], Fault], name: str, cause: str, trials: int
) -> list[str]:
    """Return the cells of one cause and arm."""
    found = [outcome(make(name, cause, k, NOISE[k % len(NOISE)]), cause) for k in range(trials)]
    flagged = [x for x in found if x.flagged]
    named = [x for x in flagged if x.named == cause]
    others = sorted({x.named or "none" for x in flagged if x.named != cause})
    quiet = [x for x in found if not x.flagged]
    return [
        cause,
        name,
        f"{len(flagged)}/{trials}",
        f"{len(named)}/{len(flagged)}",
        f"{sum(x.joint for x in named)}/{len(named)}" if cause in SINGLE_JOINT else "",
        ", ".join(others),
        f"{sum(not x.contained for x in quiet)}/{len(quiet)}",
        f"{np.median([x.seconds for x in found]):.1f}",
    ]


def main() -> int:
    """Run the campaign; return 0 if there was no false alarm."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=6, help="runs of each cause and arm")
    parser.add_argument("--arms", nargs="+", default=list(ARMS))
    given = parser.parse_args()
    table = Table(title="runs of 5 s")
    for column in ("cause", "arm", "flagged", "named", "joint", "else", "quiet misses", "time [s]"):
        table.add_column(column)
    for cause in CAUSES:
        for name in given.arms:
            table.add_row(*row(faulty, name, cause, given.trials))
    alarms = [row(sound, name, NONE, given.trials) for name in given.arms]
    for cells in alarms:
        table.add_row(*cells)
    Console(width=110).print(table)
    return int(any(not cells[2].startswith("0/") for cells in alarms))


if __name__ == "__main__":
    sys.exit(main())
