"""The best certified candidate of a family: optimise freely, then certify [design section 5].

The certifier is asked best first. What it refuses is not repaired by loosening anything: the next
candidate is tried, or the best one drawn towards the calmest motion of the family, with as much
more torque in reserve as was missing. Only what the certifier accepts is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inertial import Array
from ..threads import one_thread
from .screening import Counter, Task
from .search import Pool, apart, search
from .trajectory import Trajectory

SHRINKING = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05)  # of the way from the calm motion
SEARCH_SHARE = 0.6  # of the time that goes into searching before the certifier is asked
MORE = 1.1  # times the missing torque that the next candidates keep away from


@dataclass(frozen=True)
class Verdict:
    """What the certifier said of one motion.

    Attributes:
        accepted: Whether it is certified.
        answer: Its certificate or refusal.
        reason: Why not, one sentence; empty if accepted.
        missing: By how much a limit is missed, as a part of it; how near it came [-].
        torque: Torque that is missing at each joint, shape (n,) [N m or N]; None if it was not
            refused for torque.
    """

    accepted: bool
    answer: Any = None
    reason: str = ""
    missing: float = 0.0
    torque: Array | None = None


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
        pool = search(task, seed, counter, lambda: clock() > search_ends, warm)
        return _certified(task, pool, certify, budget, counter, clock, start)


def _certified(
    task: Task,
    pool: Pool,
    certify: Certify,
    budget: Budget,
    counter: Counter,
    clock: Clock,
    start: float,
) -> Plan | NoPlan:
    """Return the first candidate that is certified, in the order in which they are asked for."""
    queue, asked, longest = _Queue(task, pool), 0, 0.0
    nearest: Verdict | None = None
    while asked < budget.certifications:
        before = clock()
        # There must be time for one more answer, which may take as long as the longest so far.
        x = None if before + longest - start > budget.seconds else queue.next()
        if x is None:
            break
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
    seconds = clock() - start
    if nearest is None:
        reason = f"The time of {budget.seconds:g} s was over before any candidate was certified."
        return NoPlan(reason, None, counter.used, asked, seconds)
    reason = f"None of {asked} candidates was certified; the nearest: {nearest.reason}"
    return NoPlan(reason, nearest.answer, counter.used, asked, seconds)


class _Queue:
    """Gives out candidates, by turns from the pool and from the best one's way to the calm one."""

    def __init__(self, task: Task, pool: Pool) -> None:
        self._task, self._pool, self._calm = task, pool, task.family.calm
        self._base = pool.x[0]
        self._parts = list(SHRINKING)
        # Where rough distances see a collision even of the calm motion they tell nothing.
        calm = task.clearances(self._calm[None])[0]
        self._least_clear = 0.0 if calm > 0.0 else -np.inf
        if calm <= 0.0:
            self._parts = self._parts[2::3]  # larger steps, since nothing tells which to leave out
        self._refused: list[Array] = []
        self._more = np.zeros(task.predictor.model.n)  # torque in reserve beyond the task's

    def next(self) -> Array | None:
        """Return the next candidate; None if there is none."""
        if not self._refused:
            return self._base
        turns = [self._shrunk, self._other]
        for turn in turns if len(self._refused) % 2 else reversed(turns):
            x = turn()
            if x is not None:
                return x
        return None

    def refused(self, x: Array, verdict: Verdict) -> None:
        """Note a refusal; by how much sampled torques fell short is kept in reserve from now on."""
        self._refused.append(x)
        if verdict.torque is not None:
            limit = self._task.limits.torque
            sampled = self._task.usage(x[None])[0, :-3].max(axis=0) * limit
            short = np.maximum(limit + MORE * verdict.torque - sampled, 0.0)
            self._more = np.where(verdict.torque > 0.0, np.maximum(self._more, short), self._more)

    def _shrunk(self) -> Array | None:
        """Return the best candidate so much calmer that sampled limits and clearances are kept."""
        while self._parts:
            part = self._parts.pop(0)
            x = self._calm + part * (self._base - self._calm)
            usage = self._task.usage(x[None])
            usage[:, :-3] += self._more / self._task.limits.torque
            fits = usage.max() <= 1.0 and self._task.clearances(x[None])[0] > self._least_clear
            if fits or part == SHRINKING[-1]:
                return x
        return None

    def _other(self) -> Array | None:
        """Return the best candidate of the pool that is unlike all that were refused."""
        usage = self._pool.usage.copy()
        usage[:, 0] += self._more / self._task.limits.torque
        fits = (usage.max(axis=(1, 2)) <= 1.0) & np.isfinite(self._pool.value)
        for x in self._pool.x[fits]:
            if all(apart(x, other) for other in self._refused):
                return np.asarray(x)
        return None
