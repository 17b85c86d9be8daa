"""Whether the stated mass of a known run is another one than it carried [Rosner1983]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from ..arrays import Array
from .error_size import MassErrors
from .known_run import KnownRun

FALSE_ALARM = 0.01  # probability of naming a label in a history whose labels are right
MOST = 5  # at most one source of so many is named
LEAST_OTHERS = 4  # runs of other sources from which errors are judged


def doubtful(masses: MassErrors, sources: Sequence[str]) -> list[tuple[int, float]]:
    """Return the runs whose errors stand out, and the deviation that others let expect [kg].

    Outliers one by one [Rosner1983]: the source with the largest |error| / deviation is taken
    out, deviations being those that the runs of the others let expect, up to a fifth of the
    sources. Named are all that were taken out up to the last whose ratio is above the quantile
    of Student's distribution that a right label of N runs exceeds with `FALSE_ALARM` / N, if
    errors are normal.

    Args:
        masses: Of K runs.
        sources: Of the same runs; runs of one are judged together.
    """
    names = np.array(sources)
    kept = np.ones(len(names), dtype=bool)
    out: list[list[tuple[int, float]]] = []
    named = 0
    for _ in range(max(1, len(set(sources)) // MOST)):
        found = _farthest(masses, names, kept)
        if found is None:
            break
        ratio, limit, runs = found
        out.append(runs)
        named = len(out) if ratio > limit else named
        kept[[k for k, _ in runs]] = False
    return sorted(run for runs in out[:named] for run in runs)


def _farthest(
    masses: MassErrors, names: Array, kept: Array
) -> tuple[float, float, list[tuple[int, float]]] | None:
    """Return the source that stands out most: its ratio, its limit, its runs with deviations."""
    found = []
    for name in dict.fromkeys(names[kept].tolist()):
        own, others = kept & (names == name), kept & (names != name)
        if others.sum() < LEAST_OTHERS:
            continue
        deviation = masses.deviation(others)
        ratio = float(np.max(np.abs(masses.error[own]) / deviation[own]))
        tail = FALSE_ALARM / kept.sum() / 2.0
        limit = float(scipy.stats.t.isf(tail, others.sum() - 1))
        runs = [(int(k), float(deviation[k])) for k in np.flatnonzero(own)]
        found.append((ratio / limit, ratio, limit, runs))
    return max(found, key=lambda x: x[0])[1:] if found else None


def label_notes(
    masses: MassErrors, runs: Sequence[KnownRun], seen: Sequence[int]
) -> tuple[str, ...]:
    """Return a sentence for each stated mass that the other runs contradict.

    Args:
        masses: Of K runs whose masses are known.
        runs: All runs.
        seen: Which of them the K are.
    """
    said = []
    for k, deviation in doubtful(masses, [runs[i].source for i in seen]):
        run = runs[seen[k]]
        label = float(run.load.phi[0])
        found = label + float(masses.error[k])
        said.append(
            f"Run {seen[k] + 1} ('{run.source}') is stated to carry {label:.3g} kg, but by the "
            f"others it carried {found:.3g} +- {2.0 * deviation:.2g} kg: check what is stated of "
            "it, that its joints move, since friction at rest looks like a load, and that arm, "
            "mounting, order of joints, units, signs and zeros are those of the others (payload-id "
            "check). Intervals are wide as long as it counts."
        )
    return tuple(said)
