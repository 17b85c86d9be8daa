"""The best certified candidate of a family: optimise freely, then certify.

The certifier is asked best first. What it refuses is not repaired by loosening anything: the next
candidate is tried, or a refused one drawn towards the calmest motion of the family, with as much
more torque or clearance in reserve as was missing. Only what the certifier accepts is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Trajectory
from ...threads import one_thread
from .candidate_pool import Pool
from .candidate_queue import Queue
from .candidate_search import Counter, search_candidates
from .planning_task import PlanningTask
from .verdict import Verdict

HURRY = 2.5  # certifications for which there is time left when ...
PASSED_OVER = 60  # candidates before it is given up
SEARCH_SHARE = 0.5  # of the time that goes into searching before the certifier is asked


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
    start = clock()
    search_ends = start + SEARCH_SHARE * budget.seconds
    counter = Counter(budget.evaluations)
    with one_thread():
        pool = search_candidates(task, seed, counter, lambda: clock() > search_ends, warm)
        return _certified(task, pool, certify, budget, counter, clock, start)


def _certified(
    task: PlanningTask,
    pool: Pool,
    certify: Certify,
    budget: Budget,
    counter: Counter,
    clock: Clock,
    start: float,
) -> Plan | NoPlan:
    """Return the first candidate that is certified, in the order in which they are asked for."""
    queue, asked, passed, longest = Queue(task, pool), 0, 0, 0.0
    nearest: Verdict | None = None
    while asked < budget.certifications and passed < PASSED_OVER:
        before = clock()
        # There must be time for one more answer, which may take as long as the longest so far.
        left = start + budget.seconds - before
        x = None if left < longest else queue.next(hurry=left < HURRY * longest)
        if x is None:
            break
        if queue.passes_over(x):
            passed += 1
            continue
        before = clock()
        trajectory = task.family.trajectory(x)
        verdict = certify(trajectory)
        asked, longest = asked + 1, max(longest, clock() - before)
        if verdict.accepted:
            value = float(task.value(x[None])[0])
            seconds = clock() - start
            return Plan(trajectory, x, value, verdict.answer, counter.used, asked, seconds)
        queue.refused(x, verdict)
        if nearest is None or verdict.missing < nearest.missing:
            nearest = verdict
    if nearest is None and clock() - start < budget.seconds:
        # No candidate keeps the limits at samples: what keeps the arm from staying says why.
        nearest, asked = certify(task.family.trajectory(task.family.calm)), 1
    answer = None if nearest is None else nearest.answer
    return NoPlan(_why_none(nearest, asked, budget), answer, counter.used, asked, clock() - start)


def _why_none(nearest: Verdict | None, asked: int, budget: Budget) -> str:
    """Return why there is no plan, one sentence."""
    if nearest is None:
        return f"The time of {budget.seconds:g} s was over before any candidate was certified."
    if nearest.accepted:
        return "No candidate keeps limits and clearances; the arm could only stay where it is."
    return f"None of {asked} candidates was certified; the nearest: {nearest.reason}"
