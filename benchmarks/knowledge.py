"""What is a statement about the payload worth, and does an interval with it ever miss the truth?

For every kind of the catalogue bodies are drawn of which a statement is true (with tolerances that
they use), and shaken by arms with torque noise and link errors at their stated bounds; every run is
identified with and without the statement.

    ./payload-id python benchmarks/knowledge.py --trials 20
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import ARMS, arm, record
from known_payloads import KINDS, draw
from payload_id import Estimate, PayloadPrior, Settings, Status, Uncertainty
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.knowledge.catalogue import knowledge_of
from payload_id.core.knowledge.knowledge import Knowledge

USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PayloadPrior(10.0, 0.5))
GROUPS = {"m": slice(0, 1), "h": slice(1, 4), "I": slice(4, 10)}


def identified(samples, model, knowledge: Knowledge) -> tuple[Estimate, float]:
    """Return the estimate of a recording, and the seconds that its update took."""
    online = OnlineIdentifier(model, Settings(USUAL, knowledge=knowledge))
    online.add(samples)
    start = time.perf_counter()
    return online.update(), time.perf_counter() - start


def trial(kind: str, seed: int) -> tuple[bool, bool, np.ndarray, np.ndarray]:
    """Return whether the truth was missed, or excluded; ratios of half-widths; seconds."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    known, phi = draw(kind, rng)
    noise = ("uniform", "vertices", "correlated")[seed % 3]
    model = arm(ARMS[seed % len(ARMS)])
    run = record(model, seed, phi=phi, seconds=rng.uniform(1.0, 6.0))
    run = run.measured(USUAL, noise, seed)
    with_it, slow = identified(run.samples, model, knowledge_of({kind: known}))
    without, fast = identified(run.samples, model, knowledge_of({}))
    excluded = with_it.status is Status.INCONSISTENT
    missed = not excluded and not with_it.contains(phi).all()
    ratio = with_it.half_width / without.half_width
    return missed, excluded, ratio, np.array([slow, fast])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=20, help="for each kind")
    parser.add_argument("--seed", type=int, default=0, help="of the first trial")
    chosen = parser.parse_args(arguments)
    table = Table("kind", title="Half-width with the statement, in that without: median")
    for column in ("trials", "misses", "excluded", *GROUPS, "update [s]", "without [s]"):
        table.add_column(column, justify="right")
    for kind in KINDS:
        found = [trial(kind, seed) for seed in range(chosen.seed, chosen.seed + chosen.trials)]
        ratios = np.array([ratio for _, excluded, ratio, _ in found if not excluded])
        seconds = np.median([times for *_, times in found], axis=0)
        print(f"{kind}: {len(found)} trials", file=sys.stderr, flush=True)
        table.add_row(
            kind,
            str(len(found)),
            str(sum(missed for missed, *_ in found)),
            str(sum(excluded for _, excluded, *_ in found)),
            *(f"{np.median(ratios[:, part]):.2f}" for part in GROUPS.values()),
            *(f"{value:.2f}" for value in seconds),
        )
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
