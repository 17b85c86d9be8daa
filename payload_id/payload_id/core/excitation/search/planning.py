"""The best certified candidate of a family: optimise freely, then certify.

The certifier is asked best first: for the best candidates whole, then for ever smaller parts of
them on their way from the calmest motion of the family. Nothing is learnt from what it refuses.
With a certified motion in hand the search goes on for the rest of the time. Only what the certifier
accepts is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Trajectory
from ...threads import one_thread
from .candidate_search import STARTS, Late, Search
from .planning_task import PlanningTask
from .verdict import Verdict

SEARCH_SHARE = 0.5  # of the time that goes into searching before the certifier is asked
FIRST = 3  # candidates that are refined, and asked for, before any is certified
PARTS = (1.0, 0.7, 0.45, 0.25, 0.12, 0.05)  # of a candidate that the certifier is asked for
AGAIN = 3  # times that it may be asked for a better one
WORTH = 0.01  # by which a criterion, a logarithm, must be smaller for another certification
ONLY_STAY = "No candidate keeps limits and clearances; the arm could only stay where it is."
NOT_EVEN_STAY = (
    "Not even the calmest motion is certified, which stays here if it begins at rest. Begin in "
    "another pose, or state tighter bounds, of payload (prior) or tracking errors, if they are "
    "true."
)

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
        least: How often it is asked even if that takes longer, as on a busy machine.
    """

    seconds: float = np.inf
    evaluations: float = 4000
    certifications: int = 20
    least: int = 0


@dataclass(frozen=True)
class Plan:
    """A certified motion.

    Attributes:
        trajectory: The motion.
        parameters: Its parameters in the family, for a warm start.
        value: Its criterion.
        certificate: What the certifier gave.
        evaluations: Candidates evaluated.
        asked: How often the certifier was asked.
        seconds: Time taken.
    """

    trajectory: Trajectory
    parameters: Array
    value: float
    certificate: Any
    evaluations: int
    asked: int
    seconds: float


@dataclass(frozen=True)
class NoPlan:
    """No candidate could be certified within the budget.

    Attributes:
        reason: The sentence of the calmest candidate that was asked for.
        answer: What the certifier gave for that one; None if it was never asked.
        evaluations: Candidates evaluated.
        asked: How often the certifier was asked.
        seconds: Time taken.
    """

    reason: str
    answer: Any
    evaluations: int
    asked: int
    seconds: float


def plan(
    task: PlanningTask,
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
    with one_thread():
        return _Planner(task, certify, budget, clock).plan(seed, warm)


class _Planner:
    """Asks the certifier while there is time; goes on searching with a certified motion in hand."""

    def __init__(self, task: PlanningTask, certify: Certify, budget: Budget, clock: Clock) -> None:
        self._task, self._certify, self._budget, self._clock = task, certify, budget, clock
        self._start = clock()
        self._asked, self._longest = 0, 0.0  # certifications, and the longest [s]
        self._refused: Verdict | None = None  # the last, which is the calmest

    def plan(self, seed: int, warm: Array | None) -> Plan | NoPlan:
        """Return the best certified motion."""
        seconds = self._budget.seconds
        search = Search(self._task, seed, self._budget.evaluations, warm)
        search.refine(FIRST, self._after(SEARCH_SHARE * seconds))
        found = self._first(
            self._ladder(search.best(FIRST)), self._budget.certifications, self._budget.least
        )
        if found is None:
            return self._none(search.evaluations)
        # What is certified is in hand: the rest of the time can only make it better.
        late = self._after(seconds - (AGAIN + 1) * self._longest)
        if not search.done and not late():
            search.refine(STARTS, late)
            better = search.best(AGAIN, found.value - WORTH, clear=True)
            most = min(self._asked + AGAIN, self._budget.certifications)
            found = self._first(iter(better), most) or found
        return replace(found, evaluations=search.evaluations, asked=self._asked,
                       seconds=self._clock() - self._start)  # fmt: skip

    def _after(self, seconds: float) -> Late:
        """Return what tells whether so much time has passed since the beginning."""
        return lambda: self._clock() - self._start > seconds

    def _left(self) -> float:
        """Return how much time is left [s]."""
        return self._start + self._budget.seconds - self._clock()

    def _ladder(self, best: Array) -> Iterator[Array]:
        """Give out candidates, then ever smaller parts of them, which keep limits at samples."""
        task, calm = self._task, self._task.family.calm
        for part in PARTS if len(best) else ():
            x = calm + part * (best - calm)
            x = x[task.usage(x).max(axis=(1, 2)) <= 1.0]
            yield from x[task.clearances(x) > 0.0]

    def _first(self, candidates: Iterator[Array], most: int, least: int = 0) -> Plan | None:
        """Return the first of candidates that is certified, having asked so often at most."""
        # There must be time for one more answer, which may take as long as the longest so far.
        while self._asked < most and (self._asked < least or self._left() >= self._longest):
            x = next(candidates, None)
            if x is None:
                break
            before, trajectory = self._clock(), self._task.family.trajectory(x)
            verdict = self._certify(trajectory)
            self._asked += 1
            self._longest = max(self._longest, self._clock() - before)
            if verdict.accepted:
                value = float(self._task.value(x[None])[0])
                return Plan(trajectory, x, value, verdict.answer, 0, 0, 0.0)
            self._refused = verdict
        return None

    def _none(self, evaluations: int) -> NoPlan:
        """Return why there is no plan."""
        last = self._refused
        if last is not None:
            reason = f"None of {self._asked} candidates was certified; the calmest: {last.reason}"
        elif self._left() > 0.0 or self._budget.least:
            # No candidate keeps the limits at samples: what keeps the arm from staying says why.
            family = self._task.family
            last, self._asked = self._certify(family.trajectory(family.calm)), 1
            reason = ONLY_STAY if last.accepted else f"{NOT_EVEN_STAY} {last.reason}"
        else:
            given = f"{self._budget.seconds:g} s"
            reason = f"The time of {given} was over before any candidate was certified."
        answer = None if last is None else last.answer
        return NoPlan(reason, answer, evaluations, self._asked, self._clock() - self._start)
