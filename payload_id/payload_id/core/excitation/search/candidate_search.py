"""Finding promising candidates: random multi-start, then sequential quadratic programming."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from ...arrays import Array
from ..prediction.candidate_rows import CandidateRows
from .candidate_pool import PART, Pool, over_time
from .planning_task import PlanningTask

CANDIDATES = 150  # random ones of the first screening
PROMISING = 45  # of them whose criterion is computed, when that is costly
LOOKED_AT = 20  # blocked candidates of which calmer ones are tried
STARTS = 3  # best ones that are refined before the certifier is asked
MOST_STARTS = 8  # ... and in all, while there is time
SHORTER = 4  # times that a candidate beyond sampled limits is drawn towards the calm one
ENOUGH = 8  # clear candidates; where there are fewer, the best ones' way to the calm one is tried
CALMER = (0.6, 0.35, 0.2, 0.1)  # parts of that way
ALONG = (1.0, 0.8, 0.6, 0.4, 0.2)  # parts of a refined candidate's way that are looked at
AIM = 0.96  # of the limits is what the optimiser keeps to, and misses by a little on its way
STEPS = 25  # of the optimiser for each

Late = Callable[[], bool]  # whether it is time to come to an end


@dataclass
class Counter:
    """How many candidates were evaluated so far, and how many may be."""

    limit: float = np.inf
    used: int = 0

    def take(self, count: int) -> None:
        """Count evaluations."""
        self.used += count

    @property
    def spent(self) -> bool:
        """Whether there are none left."""
        return self.used >= self.limit


class Search:
    """Random candidates, of which the best are refined one after the other.

    Attributes:
        pool: All candidates so far, the refined ones among them.
    """

    def __init__(
        self,
        task: PlanningTask,
        seed: int,
        counter: Counter,
        late: Late,
        warm: Array | None = None,
    ) -> None:
        """Draw the random candidates.

        Args:
            task: What is searched.
            seed: Of the random candidates.
            counter: Of evaluations.
            late: Tells whether it is time to come to an end.
            warm: Parameters to begin with beside the random ones, shape (P,).
        """
        self._task, self._counter = task, counter
        pool = _screen(task, np.random.default_rng(seed), counter, warm)
        for part in CALMER:
            few = pool.promising.sum() < ENOUGH
            blocked = np.isfinite(pool.value) & (pool.clear <= 0.0)
            if not few or not blocked.any() or counter.spent or late():
                break
            calm = task.family.calm
            pool = pool.plus(
                _evaluated(task, calm + part * (pool.x[blocked][:LOOKED_AT] - calm), counter)
            )
        self.pool = pool
        self._starts = list(pool.distinct(MOST_STARTS, task.family.calm))

    @property
    def done(self) -> bool:
        """Whether there is nothing left to refine, or nothing to do it with."""
        return not self._starts or self._counter.spent

    def refine(self, count: int, late: Late) -> None:
        """Refine the next candidates; one that time cuts off is gone on with by the next call."""
        task, found = self._task, []
        for _ in range(min(count, len(self._starts))):
            if self._counter.spent or late():
                break
            x = self._starts.pop(0)
            better, whole = _refine(task, x, self._counter, late)
            if not whole:
                self._starts.insert(0, better)
            # The optimiser knows nothing of obstacles: its way may be clear where its end is not.
            found += [x + part * (better - x) for part in ALONG]
        if found:
            self.pool = self.pool.plus(_evaluated(task, np.array(found), self._counter))


def _evaluated(task: PlanningTask, x: Array, counter: Counter) -> Pool:
    """Return candidates with all that is known of them."""
    counter.take(len(x))
    return _pool(task, x, over_time(task.usage(x)))


def _screen(
    task: PlanningTask, rng: np.random.Generator, counter: Counter, warm: Array | None
) -> Pool:
    """Return random candidates, those that exceed sampled limits drawn towards the calm one."""
    P, calm = task.family.size, task.family.calm
    count = int(max(2, min(CANDIDATES, counter.limit - counter.used)))
    x = task.family.drawn(rng.uniform(-1.0, 1.0, (count, P)))
    x[0] = calm
    if warm is not None:
        x[1] = np.clip(warm, -1.0, 1.0)
    usage = over_time(task.usage(x))
    counter.take(count)
    for _ in range(SHORTER):
        over = np.flatnonzero(usage.max(axis=(1, 2)) > PART)
        if not len(over):
            break
        x[over] = calm + rng.uniform(0.2, 0.8, (len(over), 1)) * (x[over] - calm)
        usage[over] = over_time(task.usage(x[over]))
        counter.take(len(over))
    return _pool(task, x, usage)


def _pool(task: PlanningTask, x: Array, usage: Array) -> Pool:
    """Return candidates with their values, and the clearances of the best ones."""
    fits = np.flatnonzero(usage.max(axis=(1, 2)) <= PART)
    value = np.full(len(x), np.inf)
    if task.criterion.needs_nuisance and len(fits) > PROMISING:
        fits = fits[np.argsort(task.condition_number(x[fits]))[:PROMISING]]
    if len(fits):
        value[fits] = task.value(x[fits])
    clear = np.full(len(x), -np.inf)
    best = fits[np.argsort(value[fits], kind="stable")[:PROMISING]]
    clear[best] = task.clearances(x[best])
    return Pool(x, value, usage, clear).ordered()


class _Stop(Exception):
    """The budget of the optimiser is spent."""


class _Memory:
    """What was found at the last point, for which the optimiser asks several times."""

    def __init__(self, task: PlanningTask, counter: Counter) -> None:
        self._task, self._counter = task, counter
        self._usage: tuple[Array, Array] | None = None
        self._rows: tuple[Array, CandidateRows] | None = None

    def usage(self, y: Array) -> Array:
        """Return usage at y, flat."""
        if self._usage is None or not np.array_equal(self._usage[0], y):
            self._counter.take(1)
            self._usage = y.copy(), self._task.usage(y[None]).ravel()
        return self._usage[1]

    def rows(self, y: Array) -> CandidateRows:
        """Return the rows at y."""
        if self._rows is None or not np.array_equal(self._rows[0], y):
            self._counter.take(1)
            self._rows = y.copy(), self._task.rows(y[None])
        return self._rows[1]


def _refine(task: PlanningTask, x: Array, counter: Counter, late: Late) -> tuple[Array, bool]:
    """Return the best point within the limits on SLSQP's way from x, and whether it is whole."""
    best, best_value = x, np.inf
    memory = _Memory(task, counter)

    def objective(y: Array) -> float:
        nonlocal best, best_value
        if counter.spent or late():
            raise _Stop
        value = float(task.criterion.value(memory.rows(y), task.collected)[0])
        if value < best_value and memory.usage(y).max() <= PART:
            best, best_value = y.copy(), value
        return value

    def slope(y: Array) -> Array:
        counter.take(1)
        return task.gradient(y, memory.rows(y))

    limits = {
        "type": "ineq",
        "fun": lambda y: AIM - memory.usage(y),
        "jac": lambda y: -task.usage.gradient(y),
    }
    box = [(-1.0, 1.0)] * len(x)
    options = {"maxiter": STEPS, "ftol": 1e-4}
    try:
        minimize(objective, x, jac=slope, method="SLSQP", bounds=box, constraints=[limits],
                 options=options)  # fmt: skip
    except _Stop:
        return best, False
    return best, True
