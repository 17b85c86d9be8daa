"""How often is a broken assumption noticed, and rightly named? And how often without one?

Every cause on the list is injected into simulated runs of each arm, all else within the bounds;
see `payload_id/test/support/injected_faults.py`. `flagged` counts INCONSISTENT verdicts, `named`
those of them whose cause is the injected one alone, `among` those that name it beside others that
explain the rows as well, `joint` those whose message names the right joint, where the cause is
about one, `value off` the median error of the value that it names, in parts of the true one.
Samples that are left out as false count as flagged. The last lines are runs with nothing wrong.

    ./payload-id python benchmarks/diagnosis.py --trials 10
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
from injected_faults import (
    CAUSES,
    OF_SAMPLES,
    SINGLE_JOINT,
    USUAL,
    Fault,
    inject,
    inject_in_samples,
)
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status

ARMS = ("gen3", "ur10", "panda")
NOISE = ("uniform", "vertices", "correlated")
NONE = "nothing wrong"
ABOUT_A_JOINT = (*SINGLE_JOINT, "joint zero")
# What a message says of the size of a fault, and its unit.
VALUE = {
    "torque delay": (r"about ([\d.e+-]+) ms", 1e-3),
    "gravity direction": (r"([\d.e+-]+) deg off", np.pi / 180.0),
    "joint zero": (r"about -?([\d.e+-]+) deg", np.pi / 180.0),
}


@dataclass(frozen=True)
class Outcome:
    """What was made of one run.

    Attributes:
        flagged: Whether it was INCONSISTENT.
        named: The cause or causes that were named; empty if none.
        off: Error of the value that was named, in parts of the true one; NaN if there is none.
        joint: Whether the right joint was named, where the cause is about one.
        seconds: Time of the identification with the diagnosis [s].
        contained: Whether the intervals hold the truth, if there are any.
    """

    flagged: bool
    named: str
    joint: bool
    seconds: float
    contained: bool
    off: float = float("nan")


def outcome(fault: Fault, cause: str) -> Outcome:
    """Return what is made of a recording."""
    begin = time.perf_counter()
    found = identify(fault.samples, fault.model, USUAL)
    seconds = time.perf_counter() - begin
    likely = found.message.partition("Most likely")[2]
    joint = fault.model.joints[fault.joint]
    right = cause not in ABOUT_A_JOINT or re.search(rf"\b{re.escape(joint)}\b", likely) is not None
    would = "They would be true if this is so" in found.message
    flagged = found.status in (Status.INCONSISTENT, Status.NO_DATA)
    contained = bool(found.contains(fault.phi).all())
    named = "units" if would and "units" in cause else found.cause
    return Outcome(flagged, named, right, seconds, contained, _off(likely, cause, fault.size))


def _off(likely: str, cause: str, size: float) -> float:
    """Return by how much the value that a message names is off, in parts of the true one."""
    pattern, unit = VALUE.get(cause, (r"(?!)", 1.0))
    told = re.search(pattern, likely)
    return abs(float(told[1]) * unit / abs(size) - 1.0) if told else float("nan")


def sound(name: str, cause: str, seed: int, noise: str) -> Fault:
    """Return a recording with nothing wrong."""
    model, rng = arm(name), np.random.default_rng(seed)
    links = perturbed_links(model, rng, USUAL.link_relative)
    run = record(model, seed, seconds=5.0, links=links).measured(USUAL, noise, seed)
    return Fault(model, run.samples, run.phi, 0, float("nan"))


def faulty(name: str, cause: str, seed: int, noise: str) -> Fault:
    """Return a recording with a fault."""
    make = inject_in_samples if cause in OF_SAMPLES else inject
    return make(name, cause, seed, noise=noise)


def row(
    make: Callable[[str, str, int, str], Fault], name: str, cause: str, seeds: range
) -> list[str]:
    """Return the cells of one cause and arm."""
    trials = len(seeds)
    found = [outcome(make(name, cause, k, NOISE[k % len(NOISE)]), cause) for k in seeds]
    flagged = [x for x in found if x.flagged]
    named = [x for x in flagged if x.named == cause]
    among = [x for x in flagged if x.named != cause and cause in x.named.split(" or ")]
    others = [x.named or "none" for x in flagged if cause not in x.named.split(" or ")]
    off = [x.off for x in named if np.isfinite(x.off)]
    quiet = [x for x in found if not x.flagged]
    return [
        cause,
        name,
        f"{len(flagged)}/{trials}",
        f"{len(named)}/{len(flagged)}",
        f"{len(among)}" if among else "",
        f"{sum(x.joint for x in named)}/{len(named)}" if cause in ABOUT_A_JOINT else "",
        f"{np.median(off):.1%}" if off else "",
        ", ".join(f"{others.count(other)} {other}" for other in sorted(set(others))),
        f"{sum(not x.contained for x in quiet)}/{len(quiet)}",
        f"{np.median([x.seconds for x in found]):.1f}",
    ]


def main() -> int:
    """Run the campaign; return 0 if there was no false alarm."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=6, help="runs of each cause and arm")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--causes", nargs="+", default=[*CAUSES, *OF_SAMPLES])
    parser.add_argument("--arms", nargs="+", default=list(ARMS))
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.trials)
    table = Table(title="runs of 5 s")
    for column in ("cause", "arm", "flagged", "named", "among", "joint", "value off", "else",
                   "quiet misses", "time [s]"):  # fmt: skip
        table.add_column(column)
    for cause in given.causes:
        for name in given.arms:
            table.add_row(*row(faulty, name, cause, seeds))
    alarms = [row(sound, name, NONE, seeds) for name in given.arms]
    for cells in alarms:
        table.add_row(*cells)
    Console(width=130).print(table)
    return int(any(not cells[2].startswith("0/") for cells in alarms))


if __name__ == "__main__":
    sys.exit(main())
