"""How often do the intervals contain the truth, and how wide are they? Always, is the claim.

Draws arms (of one joint, with slides, with joints without limits, branched), payloads (also point
masses, rods, plates and nothing), motions, sampling rates, link errors, friction and sensor errors
within stated bounds, and measures with noise that is uniform, at the corners of its box, of one
sign for long stretches, a wrong gain of each joint, or chosen to move one parameter as far as it
can. Torques come from Pinocchio's inverse dynamics. See `trials.py` for what a trial is.

    ./payload-id python benchmarks/containment.py --trials 500 --seed 0
    ./payload-id python benchmarks/containment.py --trials 10000 --workers 2 --out trials.jsonl
    ./payload-id python benchmarks/containment.py --broken --trials 300

"leaves out" counts the trials in which a payload that explains the rows lies outside, see
`attained.py`: such an interval is too narrow, whether or not the truth is inside.

With `--out` every trial is kept as a line of that file; begun again, those it holds are not
repeated. `--broken` draws one error 2 to 5 times as large as its bound says: such data should be
INCONSISTENT; where they are not, they must be explained within the bounds by another payload.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from campaign import add_cluster_arguments, campaign
from rich.console import Console
from rich.table import Table
from trials import ARMS, Outcome, Trial, run_broken, run_trial

from payload_id.core.body.inertial import PARAMETERS
from payload_id.core.bounds import METHODS

Key = Callable[[Trial], str]
LABELS = ("arm", "payload", "noise", "assumed", "tare")


def outcomes(trials: Iterable[Trial], method: str) -> list[tuple[Trial, Outcome]]:
    """Return what one method made of the trials."""
    return [(trial, trial.outcomes[method]) for trial in trials if method in trial.outcomes]


def misses(some: Iterable[tuple[Trial, Outcome]]) -> int:
    """Return how many intervals of consistent trials miss the truth."""
    return sum(bool(outcome.missed) for _, outcome in some if not outcome.inconsistent)


def table_of_methods(trials: Sequence[Trial]) -> Table:
    """Return counts and widths for each method."""
    table = Table("method", title="All trials")
    for column in ("trials", "misses", "leaves out", "inconsistent", "not sound"):
        table.add_column(column, justify="right")
    for column in ("m [kg]", "h [kg m]", "I [kg m2]", "overhead", "time [ms]"):
        table.add_column(column, justify="right")
    for method in METHODS:
        some = outcomes(trials, method)
        if not some:
            continue
        width = np.median([o.half_width for _, o in some if not o.inconsistent], axis=0)
        table.add_row(
            method,
            str(len(some)),
            str(misses(some)),
            str(sum(bool(trial.left_out(method).any()) for trial, _ in some if trial.checked)),
            str(sum(o.inconsistent for _, o in some)),
            str(sum(not o.sound for _, o in some)),
            f"{width[0]:.3g}",
            f"{width[1:4].mean():.3g}",
            f"{width[4:].mean():.3g}",
            f"{max(o.overhead for _, o in some):.1e}",
            f"{1e3 * np.median([o.seconds for _, o in some]):.0f}",
        )
    return table


def table_of(trials: Sequence[Trial], title: str, key: Key) -> Table:
    """Return misses of every method, inconsistent verdicts and ratios for each group of trials."""
    table = Table(title, title="Misses of trials")
    for column in (*METHODS, "INCONSISTENT", "hull / sensitivity"):
        table.add_column(column, justify="right")
    for name in sorted({key(trial) for trial in trials}):
        some = [trial for trial in trials if key(trial) == name]
        hull = [outcome for _, outcome in outcomes(some, "hull")]
        ratio = np.concatenate([trial.ratio() for trial in some])
        table.add_row(
            name,
            *(_misses_of(outcomes(some, method)) for method in METHODS),
            str(sum(outcome.inconsistent for outcome in hull)),
            f"{np.median(ratio[np.isfinite(ratio)]):.2g}" if np.isfinite(ratio).any() else "-",
        )
    return table


def _misses_of(some: Sequence[tuple[Trial, Outcome]]) -> str:
    """Return misses and trials."""
    return f"{misses(some)}/{len(some)}"


def table_of_ratios(trials: Sequence[Trial]) -> Table:
    """Return the half-widths of the hull over those of `sensitivity` for each parameter.

    Only where `sensitivity` is meant to work: payloads inside physical consistency, arms that can
    tell every parameter.
    """
    table = Table("", title="hull / sensitivity, identifiable parameters, payloads with extent")
    loaded = [t for t in trials if t.labels["payload"] == "cloud" and t.labels["arm"] in ARMS]
    ratio = np.array([trial.ratio() for trial in loaded])
    rows: list[list[str]] = [["median"], ["mean"], ["90 % below"], ["not narrower"]]
    for k, name in enumerate(PARAMETERS):
        table.add_column(name, justify="right")
        column = ratio[np.isfinite(ratio[:, k]), k]
        if not len(column):
            rows = [[*row, "-"] for row in rows]
            continue
        values = (np.median(column), np.mean(column), np.quantile(column, 0.9))
        for row, value in zip(rows, values, strict=False):
            row.append(f"{value:.2g}")
        rows[-1].append(f"{int((column >= 1.0).sum())}/{len(column)}")
    for row in rows:
        table.add_row(*row)
    return table


def table_of_attained(trials: Sequence[Trial]) -> Table:
    """Return how nearly the hull's ends are attained, and whether anything could be narrower.

    Where the hull of a parameter is at least as wide as `sensitivity`, that must leave out a
    payload which explains the rows: then no valid interval is narrower.
    """
    table = Table("", title="Ends of the hull, identifiable parameters")
    names = ("checked", "median gap", "99 % below", "largest gap", "not found", "not narrower")
    rows = [[name] for name in (*names, "of these necessary")]
    checked = [trial for trial in trials if trial.checked]
    gaps = np.array([trial.gap() for trial in checked]).reshape(-1, 10)
    ratios = np.array([trial.ratio() for trial in checked]).reshape(-1, 10)
    necessary = np.array([t.left_out("sensitivity") for t in checked]).reshape(-1, 10)
    for k, name in enumerate(PARAMETERS):
        table.add_column(name, justify="right")
        counts = np.isfinite(ratios[:, k])
        known = gaps[counts & np.isfinite(gaps[:, k]), k]
        wider = counts & (ratios[:, k] >= 1.0)
        values = [np.median(known), np.quantile(known, 0.99), known.max()] if len(known) else []
        shown = [f"{value:.1e}" for value in values] or ["-"] * 3
        last = (counts.sum() - len(known), wider.sum(), (wider & necessary[:, k]).sum())
        for row, cell in zip(rows, (str(counts.sum()), *shown, *map(str, last)), strict=True):
            row.append(cell)
    for row in rows:
        table.add_row(*row)
    return table


def table_of_broken(trials: Sequence[Trial]) -> Table:
    """Return how often a broken bound was noticed, and what happened where it was not."""
    table = Table("bound", title="One bound broken by a factor of 2 to 5", caption=BROKEN_NOTE)
    for column in ("trials", "INCONSISTENT", "else inside", "missed", "of these GOOD", "can tell"):
        table.add_column(column, justify="right")
    names = sorted({trial.labels["broken"] for trial in trials})
    for name in [*names, "all"]:
        some = [t for t in trials if name in (t.labels["broken"], "all")]
        hull = [outcome for _, outcome in outcomes(some, "hull")]
        quiet = [outcome for outcome in hull if not outcome.inconsistent]
        missed = [outcome for outcome in quiet if outcome.missed]
        table.add_row(
            name,
            str(len(some)),
            f"{sum(o.inconsistent for o in hull)} ({np.mean([o.inconsistent for o in hull]):.0%})",
            str(len(quiet) - len(missed)),
            str(len(missed)),
            str(sum(outcome.status == "GOOD" for outcome in missed)),
            str(sum(outcome.noise_factor > 1.0 + 1e-5 for outcome in missed)),
        )
    return table


BROKEN_NOTE = (
    "can tell: missed although no payload explains the rows within the bounds (a smallest noise "
    "factor above 1, computed apart); this must be 0"
)


def completed(path: Path | None) -> dict[int, Trial]:
    """Return the trials that a file holds, by seed; a last line that was cut off is left out."""
    if path is None or not path.exists():
        return {}
    lines = [line for line in path.read_text().splitlines() if line.endswith("}")]
    return {trial.seed: trial for trial in map(Trial.from_json, lines)}


def _written(trials: Iterable[Trial], path: Path | None) -> Iterator[Trial]:
    """Append each trial to the file."""
    if path is None:
        yield from trials
        return
    with path.open("a") as file:
        for trial in trials:
            file.write(trial.to_json() + "\n")
            file.flush()
            yield trial


def report(trial: Trial, console: Console) -> None:
    """Print a trial in which a guaranteed method failed, with the seed that repeats it."""
    for method, outcome in trial.outcomes.items():
        if method == "sensitivity" or not outcome.failed:
            continue
        found = "INCONSISTENT" if outcome.inconsistent else f"missed {', '.join(outcome.missed)}"
        console.print(f"seed {trial.seed}: {method}, {trial.labels}: {found}", style="red")


def main() -> int:
    """Run the trials; return 0 if no interval missed the truth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first trial")
    add_cluster_arguments(parser)
    parser.add_argument("--out", type=Path, help="file that keeps every trial")
    parser.add_argument("--broken", action="store_true", help="break one bound in every trial")
    given = parser.parse_args()
    console = Console(width=120)
    trials = completed(given.out)
    seeds = [s for s in range(given.seed, given.seed + given.trials) if s not in trials]
    made = campaign(run_broken if given.broken else run_trial, seeds, given)
    for trial in _written((trial for _, trial in made), given.out):
        trials[trial.seed] = trial
        if not given.broken:
            report(trial, console)
    every = [trials[seed] for seed in sorted(trials)]
    if given.broken:
        console.print(table_of_broken(every))
        return 0
    console.print("Half-widths are medians; h and I are means over their elements.")
    console.print(table_of_methods(every), table_of_ratios(every), table_of_attained(every))
    for label in LABELS:
        console.print(table_of(every, label, lambda trial, label=label: trial.labels[label]))
    console.print(
        table_of(every, "noise, assumed", lambda t: f"{t.labels['noise']}, {t.labels['assumed']}"),
        table_of(every, "payload, noise", lambda t: f"{t.labels['payload']}, {t.labels['noise']}"),
    )
    guaranteed = [o for t in every for m, o in t.outcomes.items() if m != "sensitivity"]
    return int(any(outcome.failed for outcome in guaranteed))


if __name__ == "__main__":
    sys.exit(main())
