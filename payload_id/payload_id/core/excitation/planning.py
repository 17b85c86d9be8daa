"""The best certified candidate of a family: optimise freely, then certify [design section 5].

Many random candidates are screened at once, the best of them refined by sequential quadratic
programming (SciPy's SLSQP), and then the certifier is asked, best first. What it refuses is not
repaired by loosening anything: the next candidate is tried, or the best one drawn towards the
calmest motion of the family. Only what the certifier accepts is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from ..inertial import Array
from ..threads import one_thread
from .screening import Counter, Task
from .trajectory import Trajectory

CANDIDATES = 150  # random ones of the first screening
STARTS = 3  # best ones that are refined
STEPS = 12  # of the optimiser for each
PART = 0.97  # of the limits that sampled candidates may take
SHRINKING = (0.85, 0.7, 0.5, 0.3, 0.15, 0.0)  # of a refused candidate's distance to the calm one
APART = 0.15  # root mean square distance of parameters from which two candidates are two
SEARCH_SHARE = 0.5  # of the time that goes into searching before the certifier is asked


@dataclass(frozen=True)
class Verdict:
    """What the certifier said of one motion.

    Attributes:
        accepted: Whether it is certified.
        certificate: Its certificate, or what the certifier gave as refusal.
        reason: Why not, one sentence; empty if accepted.
        excess: How much of the limit is taken by what is violated (1.2: a fifth too much); 1 if
            that is not a question of size.
    """

    accepted: bool
    certificate: Any = None
    reason: str = ""
    excess: float = 1.0


Certify = Callable[[Trajectory], Verdict]
Clock = Callable[[], float]


@dataclass(frozen=True)
class Budget:
    """When to stop looking.

    Attributes:
        seconds: Time for everything, certification included; infinite for none.
        evaluations: Number of candidates evaluated before certification; with this alone the
            same seed gives the same answer.
        certifications: How often the certifier may be asked.
    """

    seconds: float = np.inf
    evaluations: float = 2000
    certifications: int = 20


@dataclass(frozen=True)
class Plan:
    """A certified motion.

    Attributes:
        trajectory: The motion.
        parameters: Its parameters in the family, for a warm start.
        value: Its criterion.
        certificate: What the certifier gave.
        usage: Largest part of any sampled limit that it takes.
        evaluations: Candidates evaluated.
        asked: How often the certifier was asked.
        seconds: Time taken.
    """

    trajectory: Trajectory
    parameters: Array
    value: float
    certificate: Any
    usage: float
    evaluations: int
    asked: int
    seconds: float


@dataclass(frozen=True)
class NoPlan:
    """No candidate could be certified within the budget.

    Attributes:
        reason: The sentence of the candidate that came nearest.
        nearest: What the certifier gave for that one; None if it was never asked.
        evaluations: Candidates evaluated.
        asked: How often the certifier was asked.
        seconds: Time taken.
    """

    reason: str
    nearest: Any
    evaluations: int
    asked: int
    seconds: float


@dataclass(frozen=True)
class _Ranked:
    """Candidates in the order in which they are worth asking for."""

    x: Array
    value: Array
    usage: Array


def plan(
    task: Task,
    certify: Certify,
    budget: Budget,
    seed: int,
    clock: Clock,
    warm: Array | None = None,
) -> Plan | NoPlan:
    """Return the best certified motion that the budget allows.

    Args:
        task: Candidates, criterion, limits.
        certify: Proves or refuses a motion.
        budget: Time or evaluations.
        seed: Of the random candidates.
        clock: Time [s]; only differences are used.
        warm: Parameters to begin with beside the random ones, shape (P,).
    """
    start = clock()
    search_ends = start + SEARCH_SHARE * budget.seconds
    counter = Counter(budget.evaluations)
    with one_thread():
        ranked = _screen(task, np.random.default_rng(seed), counter, warm)
        ranked = _refined(task, ranked, counter, lambda: clock() > search_ends)
        return _certified(task, ranked, certify, budget, counter, clock, start)


def _screen(task: Task, rng: np.random.Generator, counter: Counter, warm: Array | None) -> _Ranked:
    """Return random candidates, those that keep sampled limits first, best first among them."""
    P, calm = task.family.size, task.family.calm
    count = int(max(2, min(CANDIDATES, counter.limit - counter.used)))
    x = rng.uniform(-1.0, 1.0, (count, P))
    x[0] = calm
    if warm is not None:
        x[1] = np.clip(warm, -1.0, 1.0)
    usage = task.usage(x).max(axis=1)
    # Those that take too much of the torque are brought towards the calm one, where they may fit.
    over = usage > PART
    x[over] = calm + 0.6 * (x[over] - calm)
    usage[over] = task.usage(x[over]).max(axis=1) if over.any() else usage[over]
    counter.take(count + int(over.sum()))
    return _rank(task, x, usage)


def _rank(task: Task, x: Array, usage: Array) -> _Ranked:
    """Return candidates sorted by how likely they keep limits, then by the criterion."""
    clear = task.clearances(x)
    fits = (usage <= PART) & (clear > 0.0)
    value = np.full(len(x), np.inf)
    if fits.any():
        value[fits] = task.value(x[fits])
    trouble = np.maximum(usage - PART, 0.0) + np.maximum(-clear, 0.0)
    order = np.lexsort((value, trouble))
    return _Ranked(x[order], value[order], usage[order])


def _refined(task: Task, ranked: _Ranked, counter: Counter, late: Callable[[], bool]) -> _Ranked:
    """Return the candidates together with what the best of them were refined to."""
    found = []
    for x in _distinct(ranked, STARTS):
        if counter.spent or late():
            break
        found.append(_refine(task, x, counter, late))
    if not found:
        return ranked
    x = np.array(found)
    counter.take(len(x))
    better = _rank(task, x, task.usage(x).max(axis=1))
    every = _Ranked(
        np.concatenate([better.x, ranked.x]),
        np.concatenate([better.value, ranked.value]),
        np.concatenate([better.usage, ranked.usage]),
    )
    fits = np.isfinite(every.value)
    order = np.lexsort((every.value, ~fits))
    return _Ranked(every.x[order], every.value[order], every.usage[order])


class _Stop(Exception):
    """The budget of the optimiser is spent."""


def _refine(task: Task, x: Array, counter: Counter, late: Callable[[], bool]) -> Array:
    """Return where SLSQP came from x within the limits; x itself if nowhere better."""
    best, best_value = x, np.inf
    batch = 1 + 2 * len(x)

    def objective(y: Array) -> tuple[float, Array]:
        nonlocal best, best_value
        if counter.spent or late():
            raise _Stop
        counter.take(batch)
        value, slope = task.value_and_gradient(y)
        if value < best_value and usage(y)[0].max() <= PART:
            best, best_value = y.copy(), value
        return value, slope

    memory: dict[bytes, tuple[Array, Array]] = {}

    def usage(y: Array) -> tuple[Array, Array]:
        key = y.tobytes()
        if key not in memory:
            memory.clear()
            counter.take(batch)
            memory[key] = task.usage_and_gradient(y)
        return memory[key]

    limits = {
        "type": "ineq",
        "fun": lambda y: PART - usage(y)[0],
        "jac": lambda y: -usage(y)[1],
    }
    try:
        minimize(
            objective,
            x,
            jac=True,
            method="SLSQP",
            bounds=[(-1.0, 1.0)] * len(x),
            constraints=[limits],
            options={"maxiter": STEPS, "ftol": 1e-4},
        )
    except _Stop:
        pass
    return best


def _distinct(ranked: _Ranked, count: int) -> Iterator[Array]:
    """Give out the first candidates that keep the limits and are not alike."""
    chosen: list[Array] = []
    for x, value in zip(ranked.x, ranked.value, strict=True):
        if len(chosen) == count or not np.isfinite(value):
            return
        if all(np.sqrt(np.mean((x - other) ** 2)) > APART for other in chosen):
            chosen.append(x)
            yield x


def _certified(
    task: Task,
    ranked: _Ranked,
    certify: Certify,
    budget: Budget,
    counter: Counter,
    clock: Clock,
    start: float,
) -> Plan | NoPlan:
    """Return the first candidate that is certified, in the order in which they are asked for."""
    asked, nearest, longest = 0, None, 0.0
    for x in _in_turn(task, ranked):
        before = clock()
        # There must be time for one more answer, which may take as long as the longest so far.
        if asked >= budget.certifications or before + longest - start > budget.seconds:
            break
        trajectory = task.family.trajectory(x)
        verdict = certify(trajectory)
        asked += 1
        longest = max(longest, clock() - before)
        if verdict.accepted:
            value, usage = float(task.value(x[None])[0]), float(task.usage(x[None]).max())
            done = clock() - start
            return Plan(trajectory, x, value, verdict.certificate, usage, counter.used, asked, done)
        if nearest is None or verdict.excess < nearest.excess:
            nearest = verdict
    if nearest is None:
        worst = f"The budget of {budget.seconds:g} s was spent before any candidate was certified."
        return NoPlan(worst, None, counter.used, asked, clock() - start)
    reason = f"None of {asked} candidates was certified; the nearest: {nearest.reason}"
    return NoPlan(reason, nearest.certificate, counter.used, asked, clock() - start)


def _in_turn(task: Task, ranked: _Ranked) -> Iterator[Array]:
    """Give out candidates: a few distinct ones, the best one ever calmer between them."""
    calm = task.family.calm
    best = ranked.x[0]
    others = _distinct(ranked, 1 + len(SHRINKING))
    yield next(others, best)
    for part in SHRINKING:
        yield calm + part * (best - calm)
        other = next(others, None)
        if other is not None:
            yield other
