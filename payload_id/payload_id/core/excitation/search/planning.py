"""The best certified candidate of a family: optimise freely, then certify.

The certifier is asked best first. What it refuses is not repaired by loosening anything: the next
candidate is tried, or a refused one drawn towards the calmest motion of the family, with as much
more torque or clearance in reserve as was missing. With a certified motion in hand the search goes
on for the rest of the time. Only what the certifier accepts is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Trajectory
from ...threads import one_thread
from .candidate_queue import Queue
from .candidate_search import MOST_STARTS, STARTS, Counter, Late, Search
from .planning_task import PlanningTask
from .verdict import Verdict

HURRY = 2.5  # certifications for which there is time left when ...
PASSED_OVER = 60  # candidates before it is given up
SEARCH_SHARE = 0.5  # of the time that goes into searching before the certifier is asked
REFINED = 0.9  # of the time after which a certified motion is not made better any more, less ...
ANSWERS = 3.0  # certifications
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
    """

    seconds: float = np.inf
    evaluations: float = 4000
    certifications: int = 20


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
        self._counter = Counter(budget.evaluations)
        self._asked, self._longest = 0, 0.0  # certifications, and the longest [s]
        self._nearest: Verdict | None = None

    def plan(self, seed: int, warm: Array | None) -> Plan | NoPlan:
        """Return the best certified motion."""
        seconds = self._budget.seconds
        late = self._after(SEARCH_SHARE * seconds)
        search = Search(self._task, seed, self._counter, late, warm)
        search.refine(STARTS, late)
        queue = Queue(self._task, search.pool)
        found = self._first(queue)
        if found is None:
            return self._none()
        # What is certified is in hand: the rest of the time can only make it better.
        late = self._after(REFINED * seconds - ANSWERS * self._longest)
        if not search.done and not late():
            search.refine(MOST_STARTS, late)
            queue.renew(search.pool)
            found = self._better(queue, found)
        return replace(found, evaluations=self._counter.used, asked=self._asked,
                       seconds=self._clock() - self._start)  # fmt: skip

    def _after(self, seconds: float) -> Late:
        """Return what tells whether so much time has passed since the beginning."""
        return lambda: self._clock() - self._start > seconds

    def _left(self) -> float:
        """Return how much time is left [s]."""
        return self._start + self._budget.seconds - self._clock()

    def _first(self, queue: Queue) -> Plan | None:
        """Return the first candidate that is certified."""
        return self._asked_for(
            queue,
            lambda: queue.next(hurry=self._left() < HURRY * self._longest),
            self._budget.certifications,
        )

    def _better(self, queue: Queue, found: Plan) -> Plan:
        """Return the best candidate that is certified and better than what was found so far."""
        most = min(self._asked + AGAIN, self._budget.certifications)
        return self._asked_for(queue, lambda: queue.better(found.value - WORTH), most) or found

    def _asked_for(
        self, queue: Queue, following: Callable[[], Array | None], most: int
    ) -> Plan | None:
        """Return the first of candidates that is certified, having asked so often at most."""
        passed = 0
        # There must be time for one more answer, which may take as long as the longest so far.
        while self._asked < most and self._left() >= self._longest and passed < PASSED_OVER:
            x = following()
            if x is None:
                break
            if queue.passes_over(x):
                passed += 1
                continue
            found = self._ask(queue, x)
            if found is not None:
                return found
        return None

    def _ask(self, queue: Queue, x: Array) -> Plan | None:
        """Return a candidate's plan if it is certified; its refusal teaches the queue."""
        before, trajectory = self._clock(), self._task.family.trajectory(x)
        verdict = self._certify(trajectory)
        self._asked += 1
        self._longest = max(self._longest, self._clock() - before)
        if verdict.accepted:
            value = float(self._task.value(x[None])[0])
            return Plan(trajectory, x, value, verdict.answer, 0, 0, 0.0)
        queue.refused(x, verdict)
        if self._nearest is None or verdict.missing < self._nearest.missing:
            self._nearest = verdict
        return None

    def _none(self) -> NoPlan:
        """Return why there is no plan."""
        nearest = self._nearest
        if nearest is not None:
            reason = (
                f"None of {self._asked} candidates was certified; the nearest: {nearest.reason}"
            )
        elif self._left() > 0.0:
            # No candidate keeps the limits at samples: what keeps the arm from staying says why.
            family = self._task.family
            nearest, self._asked = self._certify(family.trajectory(family.calm)), 1
            reason = ONLY_STAY if nearest.accepted else f"{NOT_EVEN_STAY} {nearest.reason}"
        else:
            given = f"{self._budget.seconds:g} s"
            reason = f"The time of {given} was over before any candidate was certified."
        answer = None if nearest is None else nearest.answer
        seconds = self._clock() - self._start
        return NoPlan(reason, answer, self._counter.used, self._asked, seconds)
