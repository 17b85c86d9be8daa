"""How often is a broken assumption noticed, and rightly named? And how often without one?

Every cause on the list is injected into simulated runs of each arm, all else within the bounds;
see `payload_id/test/support/injected_faults.py`. `flagged` counts INCONSISTENT verdicts (samples
that are left out as false, too), `named` those of them whose cause is the injected one alone,
`among` those that name it beside others that explain the rows as well. Of runs that are not flagged
`missed` counts those whose intervals miss the truth. The last lines are runs with nothing wrong.

    ./payload-id python benchmarks/diagnosis.py --trials 10
"""

from __future__ import annotations

import sys

import numpy as np
from bench import options, show

from arms import arm, perturbed_links, record
from injected_faults import CAUSES, OF_SAMPLES, USUAL, Fault, inject, inject_in_samples
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status

NOISE = ("uniform", "vertices", "correlated")
NONE = "nothing wrong"


def fault_of(name: str, cause: str, seed: int) -> Fault:
    """Return a recording with a fault, or with nothing wrong."""
    noise = NOISE[seed % len(NOISE)]
    if cause != NONE:
        make = inject_in_samples if cause in OF_SAMPLES else inject
        return make(name, cause, seed, noise=noise)
    model, rng = arm(name), np.random.default_rng(seed)
    links = perturbed_links(model, rng, USUAL.link_relative)
    run = record(model, seed, seconds=5.0, links=links).measured(USUAL, noise, seed)
    return Fault(model, run.samples, run.phi, 0, float("nan"))


def row(name: str, cause: str, seeds: range) -> tuple[str | int, ...]:
    """Return the cells of one cause and arm."""
    named, quiet, missed = [], 0, 0
    for seed in seeds:
        fault = fault_of(name, cause, seed)
        found = identify(fault.samples, fault.model, USUAL)
        if found.status in (Status.INCONSISTENT, Status.NO_DATA):
            would = "They would be true if this is so" in found.message
            named.append("units" if would and cause == "units" else found.cause)
        else:
            quiet, missed = quiet + 1, missed + (not found.contains(fault.phi).all())
    among = [x for x in named if x != cause and cause in x.split(" or ")]
    others = sorted({x or "none" for x in named if cause not in x.split(" or ")})
    return (cause, name, f"{len(named)} of {len(seeds)}", named.count(cause), len(among),
            ", ".join(others), f"{missed} of {quiet}")  # fmt: skip


def main() -> int:
    """Run the campaign; return 0 if there was no false alarm."""
    given = options(trials=6, seed=0, causes=(*CAUSES, *OF_SAMPLES), arms=("gen3", "ur10", "panda"))
    seeds = range(given.seed, given.seed + given.trials)
    rows = [row(name, cause, seeds) for cause in (*given.causes, NONE) for name in given.arms]
    columns = ("cause", "arm", "flagged", "named", "among", "else", "missed")
    show("Runs of 5 s", columns, rows)
    return int(any(cause == NONE and flagged[0] != "0" for cause, _, flagged, *_ in rows))


if __name__ == "__main__":
    sys.exit(main())
