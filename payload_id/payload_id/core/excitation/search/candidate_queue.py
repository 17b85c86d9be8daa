"""In which order the certifier is asked for candidates, and what its refusals teach.

By turns the best candidate of the pool that is unlike those refused, and a refused one drawn
towards the calmest motion of the family. By how much samples were wrong about a refused candidate,
in torque or clearance, is kept in reserve by those that follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ...arrays import Array
from .candidate_pool import Pool, apart, over_time
from .planning_task import PlanningTask
from .verdict import Verdict

PARTS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05)  # of a refused candidate
CALMER = 0.9  # of the part that was refused last
ROOM = 0.5  # of the calm motion's clearance is the most that is kept in reserve
HURRIED = 0.35  # ... only this part of a candidate is asked for
PROVABLE = 0.93  # of a torque limit, used at an instant, can be proved without many cuts
TINY = 1e-9
WHOLE = 1.0  # of a limit is kept in reserve where the torque is unbounded
MORE = 1.1  # times the missing torque or distance that the next candidates keep away from


class Queue:
    """Gives out candidates, by turns from the pool and from refused ones' ways to the calm one."""

    def __init__(self, task: PlanningTask, pool: Pool) -> None:
        self._task, self._pool, self._calm = task, pool, task.family.calm
        self._refused: list[Array] = []
        self._ways: list[_Way] = []
        self._short: list[tuple[float, Array]] = []  # sizes, and torque that samples lacked
        self._passed = False  # whether the last candidate was passed over
        # Where even the calm motion takes more, every proof is long.
        calm = task.missing_torque(self._calm, PROVABLE) > 0.0
        self._provable = 1.0 if calm.any() else PROVABLE
        self._room = 0.0  # clearance that sampled poses must have [m]
        # Where the calm motion itself looks blocked, samples do not tell what can be certified.
        self._most_room = ROOM * float(task.clearances(self._calm[None])[0])
        if self._most_room <= 0.0:
            self._room = -np.inf

    def passes_over(self, x: Array) -> bool:
        """Tell whether a candidate need not be asked for; it then counts as refused.

        One that needs nearly all of a torque at an instant is passed over: a proof, if there is
        one, would take long.
        """
        missing = self._task.missing_torque(x, self._provable)
        if missing.any():
            self.refused(x, Verdict(False, torque=missing))
        self._passed = bool(missing.any())
        return self._passed

    def next(self, hurry: bool) -> Array | None:
        """Return the next candidate; None if there is none.

        Args:
            hurry: Whether there is time for few more only, so that it should be a safe one.
        """
        calmer = partial(self._calmer, HURRIED if hurry else 1.0)
        turns = (calmer, self._other) if hurry or len(self._refused) % 2 else (self._other, calmer)
        # What samples lacked may shrink with the motion: believed at once where little is lost by
        # being wrong, else when nothing else is left.
        for shrinking in (False, True) if self._task.peaks is None else (True,):
            found = (x for x in (turn(shrinking) for turn in turns) if x is not None)
            # What was passed over cost little: then the better one is next, else it goes by turns.
            x = min(found, key=self._value, default=None) if self._passed else next(found, None)
            if x is not None:
                return x
        return None

    def renew(self, pool: Pool) -> None:
        """Give out candidates of another pool from now on; what refusals taught is kept."""
        self._pool = pool

    def better(self, value: float) -> Array | None:
        """Return the best candidate of the pool with a smaller criterion; None if there is none."""
        return self._other(shrinking=True, below=value)

    def _value(self, x: Array) -> float:
        """Return the criterion of one candidate."""
        return float(self._task.value(x[None])[0])

    def refused(self, x: Array, verdict: Verdict) -> None:
        """Note a refusal; by how much samples fell short is kept in reserve from now on."""
        self._refused.append(x)
        if not any(way.leads_to(x) for way in self._ways):
            self._ways.append(_Way.of(self._task, x))
        if verdict.torque is not None:
            limit = self._task.limits.torque
            sampled = self._task.usage(x[None])[0, :-3].max(axis=0)
            short = np.maximum(1.0 + MORE * verdict.torque / limit - sampled, 0.0)
            # Disturbed beyond what the controller is designed for: only calmer motions are left.
            short = np.where(np.isfinite(short), short, WHOLE)
            size = max(float(self._size(x[None])[0]), TINY)
            self._short.append((size, np.where(verdict.torque > 0.0, short, 0.0)))
        elif verdict.distance > 0.0 and np.isfinite(self._room):
            sampled_room = max(float(self._task.clearances(x[None])[0]), 0.0)
            room = max(self._room, sampled_room + MORE * verdict.distance)
            self._room = min(room, self._most_room)

    def _size(self, x: Array) -> Array:
        """Return the distances of candidates from the calm one, shape (C,)."""
        return np.asarray(np.linalg.norm(x - self._calm, axis=1))

    def _more(self, x: Array, shrinking: bool) -> Array:
        """Return what to keep of each torque limit beyond the task's reserve, shape (C, n)."""
        more = np.zeros((len(x), self._task.predictor.model.n))
        for size, short in self._short:
            part = np.minimum(self._size(x) / size, 1.0) if shrinking else np.ones(len(x))
            more = np.maximum(more, part[:, None] * short)
        return more

    def _calmer(self, most: float, shrinking: bool) -> Array | None:
        """Return the largest part of a refused candidate that samples allow, each in its turn."""
        for way in list(self._ways):
            x = way.next(self._more(way.x, shrinking), self._room, most)
            if x is not None:
                self._ways.remove(way)
                self._ways.append(way)
                return x
        return None

    def _other(self, shrinking: bool, below: float = np.inf) -> Array | None:
        """Return the best candidate of the pool that is unlike all that were refused."""
        pool = self._pool
        usage = pool.usage.copy()
        usage[:, 0] += self._more(pool.x, shrinking)
        fits = (usage.max(axis=(1, 2)) <= 1.0) & (pool.value < below)
        fits &= (pool.clear > self._room) & (pool.x != self._calm).any(axis=1)
        return next((x for x in pool.x[fits] if apart(x, self._refused, self._calm)), None)


@dataclass(eq=False)  # ways are told apart by identity: they hold arrays
class _Way:
    """The way from a refused candidate to the calm one.

    Attributes:
        x: Points on it, the nearest to the candidate first, shape (L, P).
        part: Which part of the candidate's size they are, shape (L,).
        usage: Largest parts of limits, as of the pool, shape (L, 4, n).
        clear: Sampled clearance, shape (L,) [m].
        given: Least part that was given out so far.
    """

    x: Array
    part: Array
    usage: Array
    clear: Array
    given: float = 1.0

    @classmethod
    def of(cls, task: PlanningTask, x: Array) -> _Way:
        """Return the way from x."""
        part, calm = np.array(PARTS), task.family.calm
        points = calm + part[:, None] * (x - calm)
        return cls(points, part, over_time(task.usage(points)), task.clearances(points))

    def leads_to(self, x: Array) -> bool:
        """Tell whether x is one of the points."""
        return bool((self.x == x).all(axis=1).any())

    def next(self, more: Array, room: float, most: float) -> Array | None:
        """Return the largest part below those given that keeps reserves; None if there is none."""
        usage = self.usage.copy()
        usage[:, 0] += more
        fits = (usage.max(axis=(1, 2)) <= 1.0) & (self.clear > room)
        fits &= (self.part < CALMER * self.given) & (self.part <= most)
        if not fits.any():
            return None
        k = int(np.argmax(fits))
        self.given = float(self.part[k])
        return np.asarray(self.x[k])
