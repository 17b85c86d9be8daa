"""From runs with known payloads to an arm's history: what they share, and how far estimates err.

Every run is estimated as a new one would be, by what the runs of the other sources have shown of
the arm and by its own rows. Its errors over their expected size are the scores that a new run's
are ranked with (`conformal.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import attrgetter

import numpy as np
import scipy

from ..arm.arm_history import ArmHistory
from ..arrays import Array, BoolArray
from ..errors import InputError
from ..rows.joint_torque.momentum import MomentumRows
from ..statistics.own_nuisance import of_the_arm
from ..statistics.posterior import Posterior
from ..statistics.statistics import Statistics
from ..threads import one_thread
from .error_size import Fitted, MassErrors
from .known_run import KnownRun
from .labels import label_notes
from .same_data import check_different

LEAST_RUNS = 3
PASSES = 2
# Nuisance parameters that each run has of its own: friction moves with temperature, offsets between
# power cycles. Links, gains and rotors are the arm's.
OWN = ("friction_", "torque_offset")
BEYOND = 4.0  # times the stated bounds of the noise, by which residuals of most runs are a note
DRIFT = 0.01  # probability by chance below which a trend from run to run is a note


def learn_history(
    runs: Sequence[KnownRun], rows: MomentumRows, window: float, own: Sequence[str] = OWN
) -> ArmHistory:
    """Return what runs have shown.

    Args:
        runs: In the order in which they were made, of at least two sources.
        rows: Made their rows.
        window: Length of their windows [s].
        own: Nuisance parameters that each run has of its own, see `own_columns`.

    Raises:
        InputError: There are too few runs or sources, two runs of the same data, or they tell
            nothing.
    """
    if len(runs) < LEAST_RUNS or len({run.source for run in runs}) < 2:
        raise InputError(
            f"A history needs at least {LEAST_RUNS} runs of at least two recordings; found "
            f"{len(runs)} of {len({run.source for run in runs})}. Intervals of 95 % need 19."
        )
    check_different([run.source for run in runs], [run.stretches for run in runs])
    with one_thread():
        shared = of_the_arm_alone(runs, own_columns(rows, own), rows.prior.box()[1])
        tried = []
        for run, others in _with_others(runs, shared):
            posterior = Posterior.of(others.joined(run.statistics))
            tried.append(Fitted(posterior, run.statistics, posterior.given(run.load.phi)))
        errors = np.array(
            [x.posterior.phi - run.load.phi for x, run in zip(tried, runs, strict=True)]
        )
        width = np.subtract(*rows.prior.box()[::-1])
        told = [each.posterior.deviation(1.0)[0] <= width[0] for each in tried]
        seen = np.flatnonzero(told & np.isfinite(errors[:, 0])).tolist()
        masses = MassErrors.of(errors[seen, 0], [tried[k] for k in seen])
        inflation, load_noise = masses.size()
        own, load = np.swapaxes([each.parts(inflation) for each in tried], 0, 1)
        noise = np.array([each.posterior.noise(len(rows.channels)) for each in tried])
    expected = np.hypot(own, load_noise * load)
    # A run whose errors may be as large as the prior shows nothing of how far others err.
    scores = np.where(expected > width, np.nan, errors / expected)
    whole = reduce(Statistics.joined, shared)
    if not whole.counts[-1] > 0.0 or not np.isfinite(scores).any():
        why = _beyond_bounds(noise) or (
            "They are too short, or move too few axes. Make them, or their segments, several "
            "windows long."
        )
        raise InputError(
            f"These {len(runs)} runs tell nothing of the arm, nor how far estimates err. {why}"
        )
    return ArmHistory(
        digest=rows.model.digest,
        joints=rows.model.joints,
        names=rows.names,
        uncertainty=rows.uncertainty.to_dict(),
        effort=rows.model.effort,
        window=window,
        factor=whole.channels[-1],
        rows=float(whole.counts[-1]),
        inflation=inflation,
        load_noise=load_noise,
        scores=scores,
        masses=_each(runs, "load.phi")[:, 0],
        seconds=_each(runs, "seconds"),
        lower=_each(runs, "motion.lower"),
        upper=_each(runs, "motion.upper"),
        speed=_each(runs, "motion.speed"),
        mean_speed=_each(runs, "motion.mean_speed"),
        noise=noise,
        notes=(
            *_drift(scores[:, 0]),
            *label_notes(masses, runs, seen),
            *filter(None, [_beyond_bounds(noise)]),
            *_untold(scores[:, 0], runs),
        ),
    )


def _each(runs: Sequence[KnownRun], name: str) -> Array:
    """Return an attribute of each run, shape (K, ...)."""
    return np.array([attrgetter(name)(run) for run in runs])


def own_columns(rows: MomentumRows, own: Sequence[str]) -> BoolArray:
    """Return which nuisance parameters are a run's own, shape (p,).

    Args:
        rows: Made the rows.
        own: How the names of these parameters begin, after that of the joint.
    """
    kinds = (name.split(".")[-1] for name in rows.names)
    return np.array([kind.startswith(tuple(own)) for kind in kinds], dtype=bool)


def of_the_arm_alone(runs: Sequence[KnownRun], own: BoolArray, largest: Array) -> list[Statistics]:
    """Return what each run says of the arm alone, as rows of one channel in units of their noise.

    Gains count as a fit has them: first that of the run alone, then one with the other runs.

    Args:
        runs: Of the same arm.
        own: Which nuisance parameters are a run's own, shape (p,).
        largest: Largest magnitudes of phi, shape (10,).
    """
    fits = [Posterior.of(run.statistics) for run in runs]
    for _ in range(PASSES):
        shared = [
            of_the_arm(run.statistics, own, run.load.phi, largest, fit)
            for run, fit in zip(runs, fits, strict=True)
        ]
        arm = reduce(Statistics.joined, shared)
        fits = [Posterior.of(arm.joined(run.statistics)) for run in runs]
    return shared


def _with_others(
    runs: Sequence[KnownRun], shared: Sequence[Statistics]
) -> list[tuple[KnownRun, Statistics]]:
    """Return each run with what the runs of the other sources say of the arm."""
    sources = list(dict.fromkeys(run.source for run in runs))
    parts = [
        reduce(
            Statistics.joined,
            [part for run, part in zip(runs, shared, strict=True) if run.source == source],
        )
        for source in sources
    ]
    nothing = Statistics.empty(parts[0].p)
    before = list(accumulate(parts[:-1], Statistics.joined, initial=nothing))
    after = list(accumulate(parts[:0:-1], Statistics.joined, initial=nothing))[::-1]
    others = {
        source: one.joined(two) for source, one, two in zip(sources, before, after, strict=True)
    }
    return [(run, others[run.source]) for run in runs]


def _drift(scores: Array) -> tuple[str, ...]:
    """Say so if the errors of the mass change from run to run."""
    seen = np.flatnonzero(np.isfinite(scores))
    if len(seen) < 6:
        return ()
    found = scipy.stats.kendalltau(seen, scores[seen])
    if not found.pvalue < DRIFT:
        return ()
    return (
        f"Errors of the mass change from run to run (rank correlation {found.statistic:+.2f}, "
        f"by chance in {found.pvalue:.1%} of cases): the arm warms up or drifts, and later runs "
        "need not be like these. Warm it up first, or make runs over a whole day.",
    )


def _beyond_bounds(noise: Array) -> str:
    """Say so where the residuals of most runs are beyond what is stated; empty: they are not.

    Args:
        noise: Residuals of each run in units of their bounds, shape (K, C).
    """
    times = float(np.median(noise.max(axis=1)))
    if not times > BEYOND:
        return ""
    return (
        f"Residuals of most runs are {times:.3g} times the stated bounds of the noise: these are "
        "too small, or torques are in other units, have other signs, or are another arm's "
        "(payload-id check)."
    )


def _untold(scores: Array, runs: Sequence[KnownRun]) -> tuple[str, ...]:
    """Say which runs with a known mass have no score of it."""
    known = [k for k, run in enumerate(runs) if np.isfinite(run.load.phi[0])]
    without = [f"{k + 1} ('{runs[k].source}')" for k in known if not np.isfinite(scores[k])]
    if not without:
        return ()
    return (
        f"Run {', '.join(without)}: no score, since the run tells less of its mass than the prior "
        "does. It does not count among those that a new run is ranked with.",
    )
