"""Finding promising candidates: random multi-start, then sequential quadratic programming."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from ..inertial import Array
from .screening import Counter, Task

CANDIDATES = 150  # random ones of the first screening
PROMISING = 45  # of them whose criterion is computed, when that is costly
LOOKED_AT = 30  # best of them whose clearance is looked at
STARTS = 3  # best ones that are refined
STEPS = 12  # of the optimiser for each
PART = 0.97  # of the limits that sampled candidates may take
APART = 0.15  # root mean square distance of parameters from which two candidates are two


@dataclass(frozen=True)
class Pool:
    """Candidates, those worth asking for first.

    Attributes:
        x: Parameters, shape (C, P).
        value: Criterion, shape (C,); infinite where sampled limits are exceeded.
        usage: Largest part of each limit, over time: torque, position, velocity, acceleration of
            each joint, shape (C, 4, n).
        clear: Rough distance to collision; infinite where nobody looked, shape (C,) [m].
    """

    x: Array
    value: Array
    usage: Array
    clear: Array

    def ordered(self) -> Pool:
        """Return the pool with clear candidates that keep the limits first, best first."""
        over = np.maximum(self.usage.max(axis=(1, 2)) - PART, 0.0)
        order = np.lexsort((self.value, np.maximum(-self.clear, 0.0), over))
        return Pool(self.x[order], self.value[order], self.usage[order], self.clear[order])

    def plus(self, other: Pool) -> Pool:
        """Return both pools as one, ordered."""
        names = ("x", "value", "usage", "clear")
        both = (np.concatenate([getattr(self, k), getattr(other, k)]) for k in names)
        return Pool(*both).ordered()

    def distinct(self, count: int) -> Iterator[Array]:
        """Give out the first clear candidates that keep the limits and are not alike."""
        chosen: list[Array] = []
        for x, value, clear in zip(self.x, self.value, self.clear, strict=True):
            if len(chosen) == count:
                return
            if np.isfinite(value) and clear > 0.0 and all(apart(x, other) for other in chosen):
                chosen.append(x)
                yield x


def apart(x: Array, other: Array) -> bool:
    """Tell whether two candidates are two."""
    return bool(np.sqrt(np.mean((x - other) ** 2)) > APART)


def search(
    task: Task, seed: int, counter: Counter, late: Callable[[], bool], warm: Array | None = None
) -> Pool:
    """Return candidates, the refined ones among them.

    Args:
        task: What is searched.
        seed: Of the random candidates.
        counter: Of evaluations.
        late: Tells whether it is time to come to an end.
        warm: Parameters to begin with beside the random ones, shape (P,).
    """
    pool = _screen(task, np.random.default_rng(seed), counter, warm)
    found = []
    for x in list(pool.distinct(STARTS)):
        if counter.spent or late():
            break
        found.append(_refine(task, x, counter, late))
    if not found:
        return pool
    counter.take(len(found))
    x = np.array(found)
    return pool.plus(_pool(task, x, _over_time(task.usage(x))))


def _screen(task: Task, rng: np.random.Generator, counter: Counter, warm: Array | None) -> Pool:
    """Return random candidates, those that exceed sampled limits drawn towards the calm one."""
    P, calm = task.family.size, task.family.calm
    count = int(max(2, min(CANDIDATES, counter.limit - counter.used)))
    x = task.family.drawn(rng.uniform(-1.0, 1.0, (count, P)))
    x[0] = calm
    if warm is not None:
        x[1] = np.clip(warm, -1.0, 1.0)
    usage = _over_time(task.usage(x))
    counter.take(count)
    over = np.flatnonzero(usage.max(axis=(1, 2)) > PART)
    if len(over):
        x[over] = calm + rng.uniform(0.2, 0.8, (len(over), 1)) * (x[over] - calm)
        usage[over] = _over_time(task.usage(x[over]))
        counter.take(len(over))
    return _pool(task, x, usage)


def _over_time(usage: Array) -> Array:
    """Return the largest parts of limits over time, shape (C, 4, n)."""
    return np.concatenate([usage[:, :-3].max(axis=1, keepdims=True), usage[:, -3:]], axis=1)


def _pool(task: Task, x: Array, usage: Array) -> Pool:
    """Return candidates with their values, and the clearances of the best."""
    fits = np.flatnonzero(usage.max(axis=(1, 2)) <= PART)
    value = np.full(len(x), np.inf)
    if task.criterion.needs_nuisance and len(fits) > PROMISING:
        fits = fits[np.argsort(task.condition_number(x[fits]))[:PROMISING]]
    if len(fits):
        value[fits] = task.value(x[fits])
    pool = Pool(x, value, usage, np.full(len(x), np.inf)).ordered()
    clear = pool.clear.copy()
    clear[:LOOKED_AT] = task.clearances(pool.x[:LOOKED_AT])
    return Pool(pool.x, pool.value, pool.usage, clear).ordered()


class _Stop(Exception):
    """The budget of the optimiser is spent."""


class _Memory:
    """The last point's usage and Jacobian, for which the optimiser asks twice."""

    def __init__(self, task: Task, counter: Counter) -> None:
        self._task, self._counter = task, counter
        self._at: Array | None = None
        self._found = (np.zeros(0), np.zeros((0, 0)))

    def usage(self, y: Array) -> tuple[Array, Array]:
        """Return usage and Jacobian at y."""
        if self._at is None or not np.array_equal(self._at, y):
            self._counter.take(1 + 2 * len(y))
            self._at, self._found = y.copy(), self._task.usage_and_gradient(y)
        return self._found


def _refine(task: Task, x: Array, counter: Counter, late: Callable[[], bool]) -> Array:
    """Return the best point within the limits on SLSQP's way from x."""
    best, best_value = x, np.inf
    memory = _Memory(task, counter)

    def objective(y: Array) -> tuple[float, Array]:
        nonlocal best, best_value
        if counter.spent or late():
            raise _Stop
        counter.take(1 + 2 * len(y))
        value, slope = task.value_and_gradient(y)
        if value < best_value and memory.usage(y)[0].max() <= PART:
            best, best_value = y.copy(), value
        return value, slope

    limits = {
        "type": "ineq",
        "fun": lambda y: PART - memory.usage(y)[0],
        "jac": lambda y: -memory.usage(y)[1],
    }
    box = [(-1.0, 1.0)] * len(x)
    options = {"maxiter": STEPS, "ftol": 1e-4}
    try:
        minimize(objective, x, jac=True, method="SLSQP", bounds=box, constraints=[limits],
                 options=options)  # fmt: skip
    except _Stop:
        pass
    return best
