"""Finding candidates: random ones, of which sequential quadratic programming refines the best."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from ...arrays import Array
from ..prediction.candidate_rows import CandidateRows
from .planning_task import PlanningTask

CANDIDATES = 150  # random ones
SHORTER = 3  # times that one beyond sampled limits is drawn towards the calm one
LESS = 0.5  # part of the way that limits leave that is gone at least
TINY = 1e-12
PROMISING = 45  # of them whose criterion and clearance are computed, which costs most
STARTS = 8  # best ones that are refined at most
ALONG = (1.0, 0.8, 0.6, 0.4, 0.2)  # parts of a refined candidate's way that are looked at
STEPS = 25  # of the optimiser for each
PART = 0.97  # of the limits that sampled candidates may take
AIM = 0.96  # ... that the optimiser keeps to, and misses by a little on its way
APART = 0.15  # root mean square distance of parameters from which two candidates are two ...
OWN_SIZE = 0.3  # ... or this part of their own distance from the calm one

Late = Callable[[], bool]  # whether it is time to come to an end


class Search:
    """Candidates that keep sampled limits, clear ones first, best first.

    Attributes:
        evaluations: Number of candidates looked at so far.
    """

    def __init__(
        self, task: PlanningTask, seed: int, most: float = np.inf, warm: Array | None = None
    ) -> None:
        """Draw the random candidates.

        Args:
            task: What is searched.
            seed: Of the random candidates.
            most: Number of candidates that may be looked at.
            warm: Parameters to begin with beside the random ones, shape (P,).
        """
        self._task, self._most, self.evaluations = task, most, 0
        self._x = np.zeros((0, task.family.size))
        self._value, self._clear = np.zeros(0), np.zeros(0, dtype=bool)
        self._add(self._drawn(np.random.default_rng(seed), warm))
        self._starts = list(self.best(STARTS, clear=True))

    @property
    def done(self) -> bool:
        """Whether there is nothing left to refine, or nothing to do it with."""
        return not self._starts or self.evaluations >= self._most

    def best(self, count: int, below: float = np.inf, clear: bool = False) -> Array:
        """Return the first candidates that are not alike, shape (at most count, P).

        Args:
            count: How many.
            below: What their criterion must be smaller than.
            clear: Whether those that are blocked at samples are left out.
        """
        calm, chosen = self._task.family.calm, list[Array]()
        for x in self._x[(self._value < below) & (self._clear | (not clear))]:
            if len(chosen) == count:
                break
            least = min(APART, OWN_SIZE * _size(x - calm))
            if (x != calm).any() and all(_size(x - other) > least for other in chosen):
                chosen.append(x)
        return np.array(chosen).reshape(len(chosen), self._x.shape[1])

    def refine(self, count: int, late: Late) -> None:
        """Refine the next starts; one that time cuts off is gone on with by the next call."""
        found: list[Array] = []
        for _ in range(min(count, len(self._starts))):
            if self.done or late():
                break
            x = self._starts.pop(0)
            better, whole = self._refined(x, late)
            if not whole:
                self._starts.insert(0, better)
            # The optimiser knows nothing of obstacles: its way may be clear where its end is not.
            found += [x + part * (better - x) for part in ALONG]
        if found:
            x = np.array(found)
            self._add(x[self._usage(x).max(axis=(1, 2)) <= PART])

    def _drawn(self, rng: np.random.Generator, warm: Array | None) -> Array:
        """Return random candidates, drawn towards the calm one until they keep sampled limits.

        What a limit takes is about convex along that way: so far that the chord keeps it.
        """
        family, calm = self._task.family, self._task.family.calm
        count = int(max(2, min(CANDIDATES, self._most)))
        x = family.drawn(rng.uniform(-1.0, 1.0, (count, family.size)))
        x[0] = calm
        if warm is not None:
            x[1] = np.clip(warm, -1.0, 1.0)
        usage = self._usage(x)
        for _ in range(SHORTER):
            over = np.flatnonzero(usage.max(axis=(1, 2)) > PART)
            if not len(over):
                break
            more = usage[over] - usage[0]
            part = np.where(usage[over] > PART, (PART - usage[0]) / np.maximum(more, TINY), 1.0)
            part = np.clip(part.min(axis=(1, 2)), 0.0, 1.0) * rng.uniform(LESS, 1.0, len(over))
            x[over] = calm + part[:, None] * (x[over] - calm)
            usage[over] = self._usage(x[over])
        return x[usage.max(axis=(1, 2)) <= PART]

    def _usage(self, x: Array) -> Array:
        """Return the parts of limits that candidates take, shape (C, K, n)."""
        self.evaluations += len(x)
        return self._task.usage(x)

    def _add(self, x: Array) -> None:
        """Add the promising ones of some candidates that keep sampled limits."""
        task = self._task
        if task.criterion.needs_nuisance and len(x) > PROMISING:
            x = x[np.argsort(task.condition_number(x))[:PROMISING]]
        value = task.value(x) if len(x) else np.zeros(0)
        best = np.argsort(value, kind="stable")[:PROMISING]
        x, value = x[best], value[best]
        clear = np.append(self._clear, task.clearances(x) > 0.0)
        x, value = np.vstack([self._x, x]), np.append(self._value, value)
        order = np.lexsort((value, ~clear))
        self._x, self._value, self._clear = x[order], value[order], clear[order]

    def _refined(self, x: Array, late: Late) -> tuple[Array, bool]:
        """Return the best point within limits on SLSQP's way from x, and whether that is whole."""
        task, best, best_value = self._task, x, np.inf
        memory = _Memory(task, self)

        def objective(y: Array) -> float:
            nonlocal best, best_value
            if self.evaluations >= self._most or late():
                raise _Stop
            value = float(task.criterion.value(memory.rows(y), task.collected)[0])
            if value < best_value and memory.usage(y).max() <= PART:
                best, best_value = y.copy(), value
            return value

        limits = {
            "type": "ineq",
            "fun": lambda y: AIM - memory.usage(y),
            "jac": lambda y: -task.usage.gradient(y),
        }
        try:
            minimize(objective, x, jac=lambda y: task.gradient(y, memory.rows(y)), method="SLSQP",
                     bounds=[(-1.0, 1.0)] * len(x), constraints=[limits],
                     options={"maxiter": STEPS, "ftol": 1e-4})  # fmt: skip
        except _Stop:
            return best, False
        return best, True


class _Stop(Exception):
    """The budget of the optimiser is spent."""


class _Memory:
    """What was found at the last point, for which the optimiser asks several times."""

    def __init__(self, task: PlanningTask, search: Search) -> None:
        self._task, self._search = task, search
        self._usage: tuple[Array, Array] | None = None
        self._rows: tuple[Array, CandidateRows] | None = None

    def usage(self, y: Array) -> Array:
        """Return usage at y, flat."""
        if self._usage is None or not np.array_equal(self._usage[0], y):
            self._search.evaluations += 1
            self._usage = y.copy(), self._task.usage(y[None]).ravel()
        return self._usage[1]

    def rows(self, y: Array) -> CandidateRows:
        """Return the rows at y."""
        if self._rows is None or not np.array_equal(self._rows[0], y):
            self._search.evaluations += 1
            self._rows = y.copy(), self._task.rows(y[None])
        return self._rows[1]


def _size(x: Array) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(x**2)))
