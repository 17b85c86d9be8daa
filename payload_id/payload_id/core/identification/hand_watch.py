r"""Tells from the newest rows that another payload is in the hand, or that something is touched.

Rows of all payloads share u, the constants of the arm; so x = (u, phi) is followed by a Gaussian
posterior, with noise as large as its residuals show. The newest windows are compared under

    the same payload | another one after window e | an empty hand after window e,

each with windows [s, e) left free: the grasp while it takes the load, or a contact. What explains
them is decided by the likelihood of all their rows, u and phi integrated out (generalised
likelihood ratio, [Willsky1976]), so that a payload, which has ten parameters, is preferred to a
contact, which has one number for each joint and window, where it explains as much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
import scipy.linalg
import scipy.special

from ..arrays import Array
from ..body.payload_prior import PayloadPrior
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.row_block import RowBlock
from ..rows.row_source import RowSource
from ..statistics.variance_components import UNIFORM_VARIANCE
from .change_detector import PayloadChange

CERTAIN = float(np.log(1e6))  # odds: ten windows a second, one wrong in a hundred thousand seconds
SETTLED = 3  # windows that are judged with later ones: a load that comes within 0.2 s spoils three
PART = 50  # rows that are learnt at a time
MEMORY = 3600.0  # [s] in which an arm that warms up may wander through the bounds of its constants
MOST = 8  # windows that may wait for a decision; its cost grows with their square
SURE = 2.0  # standard deviations by which a mass is surely above zero
EXACT = 1e-7  # part of the largest that a row may be: covariances of more exact ones are singular
SIZES = 10.0 ** -np.arange(0.0, 2.5, 0.5)  # a contact's, log-uniform; parts of the heaviest payload


class Seen(str, Enum):
    """What the newest windows show."""

    SAME = "same"
    UNSURE = "unsure"
    TOUCHED = "touched"
    PICKED = "picked"
    RELEASED = "released"
    CHANGED = "changed"


DECIDED = (Seen.SAME, Seen.PICKED, Seen.RELEASED, Seen.CHANGED)


TOLD = {
    Seen.PICKED: "Something is in the hand since about {:.2f} s.",
    Seen.RELEASED: "The hand is empty since about {:.2f} s, as far as the torques tell.",
    Seen.CHANGED: "Another payload is in the hand since about {:.2f} s: part of it was lost, it "
    "slipped, or more was taken up; look at the grasp if that was not meant.",
}


@dataclass(frozen=True)
class HandEvent:
    """What has happened to the hand.

    Attributes:
        seen: What.
        start: Since when [s].
        told: When it was certain [s].
        first: Number of the first window of what is in the hand now.
        again: Whether it was told before, and only since when is known better now.
    """

    seen: Seen
    start: float
    told: float
    first: int
    again: bool = False

    @property
    def sentence(self) -> str:
        """What to say of it."""
        return TOLD[self.seen].format(self.start)


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Posterior of x = (u, phi): mean, shape (p + 10,), and covariance."""

    mean: Array
    covariance: Array

    def given(self, H: Array, left: Array, noise: Array) -> Gaussian:
        """Return the posterior after H (x - mean) = left + errors of some variances, (m,) each."""
        PH = self.covariance @ H.T
        gain = scipy.linalg.solve(H @ PH + np.diag(noise), PH.T, assume_a="pos").T
        P = self.covariance - gain @ PH.T
        return Gaussian(self.mean + gain @ left, (P + P.T) / 2)

    def drifted(self, part: float) -> Gaussian:
        """Return what is known later, by some part of `MEMORY`: what was learnt of u fades."""
        P = (1.0 - part) * self.covariance
        P[-10:, -10:] = self.covariance[-10:, -10:]
        u = np.arange(len(P) - 10)
        P[u, u] += part * UNIFORM_VARIANCE
        return Gaussian(self.mean, P)

    def with_payload(self, variance: Array | float) -> Gaussian:
        """Return the same u with a payload of which only its variance about none is known."""
        mean, P = self.mean.copy(), self.covariance.copy()
        mean[-10:], P[-10:], P[:, -10:] = 0.0, 0.0, 0.0
        P[-10:, -10:] = variance * np.eye(10)
        return Gaussian(mean, P)


@dataclass(frozen=True)
class Hypothesis:
    """Windows [free, since) of those that wait are left free; then `payload` is in the hand.

    Its parameters are at most this `part` of the largest.
    """

    free: int
    since: int
    payload: Seen
    evidence: float
    part: float = 1.0


@dataclass(frozen=True, eq=False)
class HandWatch:
    """What is known of arm and payload, and the windows that are not decided yet.

    Attributes:
        prior: Box of payloads.
        state: Posterior of (u, phi) from the windows that count.
        now: The same with those that wait, where nothing speaks against them.
        growth: See `RowSource`, shape (C, p).
        bare: Whether the hand is empty.
        was_bare: Whether it was before the last event.
        scale: Sum of the squares of errors that a fit leaves, in units of their bound, and their
            degrees of freedom, shape (2, C).
        friction: Of Coulomb friction of each joint: what makes seconds of motion of a row of B,
            shape (C, p), and its bound, shape (C,) [N m or N].
        waiting: Windows that are not decided yet, the oldest first, with their numbers.
        seen: What the newest window showed.
        since: Number of the first window of the payload in the hand.
        counted: Windows that count since the last step.
        events: What is told since the last step.
        grip: Whether the gripper holds something; None: it does not say. It is believed about when,
            torques about how much.
    """

    prior: PayloadPrior
    state: Gaussian
    now: Gaussian
    scale: Array
    friction: tuple[Array, Array]
    growth: Array
    bare: bool = True
    was_bare: bool = True
    waiting: tuple[tuple[int, RowBlock], ...] = ()
    seen: Seen = Seen.SAME
    since: int = 0
    counted: tuple[tuple[int, RowBlock], ...] = ()
    events: tuple[HandEvent, ...] = ()
    grip: bool | None = None

    @classmethod
    def empty_handed(cls, rows: RowSource, known: RowBlock) -> HandWatch:
        """Return the watch of an arm that begins with an empty hand.

        Args:
            rows: Makes the rows.
            known: Of the arm without payload.
        """
        P, channels = np.append(np.full(rows.p, UNIFORM_VARIANCE), np.zeros(10)), len(rows.channels)
        scale = np.stack([np.full(channels, UNIFORM_VARIANCE), np.ones(channels)])
        nothing = Gaussian(np.zeros(len(P)), np.diag(P))
        watch = cls(rows.prior, nothing, nothing, scale, _friction_of(rows), rows.growth)
        known = known.take((known.joint < channels) & (known.end > known.start)).of_own_data()
        for first in range(0, len(known), PART):
            block = known.take(slice(first, first + PART))
            state, scale = watch._learnt(watch.state, watch.scale, block)
            watch = replace(watch, state=state, now=state, scale=scale)
        return watch

    @property
    def doubt(self) -> str:
        """Why no interval is given of what is in the hand; empty: nothing speaks against one.

        A contact and a payload are told apart by likelihood. Friction of unknown sign leaves that
        too little to rest an interval on.
        """
        if self.friction[1].any():
            return (
                "What is in the hand is told with its likely mass, and without intervals, since "
                "torques contain friction (friction_coulomb): for intervals, identify the payload "
                "in a run of its own. These are those before any data."
            )
        if self.seen in DECIDED:
            return ""
        touched = (
            "Something touches the arm, or another" if self.seen is Seen.TOUCHED else "Another"
        )
        return (
            f"{touched} payload may be in the hand: until that is decided the intervals are those "
            "before any data."
        )

    @property
    def phi(self) -> Array:
        """The most likely payload, shape (10,)."""
        return self.now.mean[-10:]

    @property
    def deviation(self) -> Array:
        """Standard deviation of each of its parameters, shape (10,)."""
        return np.sqrt(np.diag(self.now.covariance)[-10:])

    @property
    def fresh(self) -> bool:
        """Whether no window of what is in the hand counts yet: since when it is there is open."""
        return not (self.bare or self.settled.any())

    @property
    def lifted(self) -> bool:
        """Whether windows that count show a weight in the hand."""
        return self.settled[0] > SURE * np.sqrt(self.state.covariance[-10, -10])

    @property
    def settled(self) -> Array:
        """The payload that windows which count tell, shape (10,)."""
        return self.state.mean[-10:]

    @property
    def change(self) -> PayloadChange:
        """Since when the payload is in the hand, after an event."""
        event = self.events[-1]
        return PayloadChange(event.first, event.sentence, event.start)

    @property
    def variance(self) -> Array:
        """Of a payload about none, before any data, shape (10,)."""
        return UNIFORM_VARIANCE * self.prior.box()[1] ** 2

    def _newest(self, now: Gaussian) -> HandWatch:
        """Return the watch with what all windows tell that nothing speaks against; else `now`."""
        if self.bare or self.seen in (Seen.TOUCHED, Seen.UNSURE):
            return replace(self, now=self.state if self.bare else now)
        if not self.waiting:
            return replace(self, now=self.state)
        rows = RowBlock.stack([block.of_own_data() for _, block in self.waiting])
        now = self.state.given(*self.linearised(self.state, rows), self.noise(rows, MOST))
        return replace(self, now=now)

    def linearised(self, state: Gaussian, rows: RowBlock) -> tuple[Array, Array]:
        """Return derivative of rows by x, and what the mean leaves of them, see `nuisance_fit`.

        The noise of a sensor of unknown gain is on both sides of its rows.
        """
        growth = self.growth[rows.joint]
        size = (1.0 + growth @ state.mean[:-10])[:, None]
        H = np.hstack([rows.B, rows.A])
        left = (rows.b - H @ state.mean) / size[:, 0]
        H[:, :-10] += growth * left[:, None]
        return H / size, left

    def with_window(self, number: int, block: RowBlock, grip: bool | None = None) -> HandWatch:
        """Return the watch after the rows of one more window; for `grip` see there."""
        if not len(block.of_own_data()):
            return replace(self, counted=(), events=())
        waiting = (*self.waiting, (number, block))
        newer = replace(self, waiting=waiting, grip=grip, counted=(), events=())
        return newer._decided()._newest(self.now)

    def _decided(self) -> HandWatch:
        """Return the watch after what the waiting windows decide."""
        if self.grip is not None and self.grip is self.bare:
            kind = Seen.PICKED if self.grip else Seen.RELEASED
            return self._taken_up(Hypothesis(0, len(self.waiting) - 1, kind, 0.0))
        stacked = _Waiting.of(self)
        if stacked.quiet and self.seen in DECIDED:
            count = max(len(self.waiting) - SETTLED, 0)
            return self._counting(count, count, Seen.SAME)
        ranked = stacked.ranked()
        same = next(x for x in ranked if x.payload is Seen.SAME)
        least = ranked[0].evidence - CERTAIN
        odds = CERTAIN if self.bare or self.lifted else 0.0
        for kind in (Seen.RELEASED, Seen.PICKED):
            found = next((x for x in ranked if x.payload is kind), same)
            if found.evidence > max(same.evidence + odds, least):  # nothing, unless excluded
                return self._taken_up(found)
        return self._settled(same, ranked)

    def _settled(self, same: Hypothesis, ranked: Sequence[Hypothesis]) -> HandWatch:
        """Return the watch with the oldest windows counted, or dropped where they are touched."""
        last = len(self.waiting)
        plain = next(x for x in ranked if x.payload is Seen.SAME and x.free == x.since)
        if ranked[0] is plain:
            count = max(last - SETTLED, 0)
            return self._counting(count, count, Seen.SAME)
        certain = same.evidence - plain.evidence > CERTAIN
        if certain and same.since < last:
            return self._counting(same.free, same.since, Seen.SAME)
        seen = Seen.TOUCHED if certain else Seen.UNSURE
        if last < MOST:
            return replace(self, seen=seen)
        return self._counting(0, 1, seen)

    def _counting(self, count: int, leaving: int, seen: Seen) -> HandWatch:
        """Return the watch after the oldest windows leave, of which some count."""
        state, scale = self.state, self.scale
        counted = self.waiting[:count]
        for block in (block.of_own_data() for _, block in counted):
            part = float(block.duration[0]) / MEMORY
            state, scale = self._learnt(state.drifted(part), scale * (1.0 - part), block)
        return replace(self, state=state, scale=scale, waiting=self.waiting[leaving:], seen=seen,
                       counted=(*self.counted, *counted))  # fmt: skip

    def _taken_up(self, best: Hypothesis) -> HandWatch:
        """Return the watch with another payload in the hand.

        While a load comes or goes there may be several in a row: they are one event.
        """
        first = self.waiting[best.since][0]
        taken = not self.bare and not self.lifted  # since when, or how much, is open yet
        one_event = taken or 0 < self.since >= first - SETTLED
        was_bare = self.was_bare if one_event else self.bare
        bare = best.payload is Seen.RELEASED
        seen = best.payload if bare or was_bare else Seen.CHANGED
        before = self._counting(best.free, best.since, seen)
        state = before.state.with_payload(0.0 if bare else best.part**2 * self.variance)
        start, told = self.waiting[best.since][1].start[0], self.waiting[-1][1].end[0]
        again = one_event and not (self.bare or bare)
        event = HandEvent(seen, float(start), float(told), first, again)
        return replace(
            before, state=state, bare=bare, was_bare=was_bare, since=first, events=(event,)
        )

    def _learnt(self, state: Gaussian, scale: Array, block: RowBlock) -> tuple[Gaussian, Array]:
        """Return posterior and size of the noise after a window."""
        (H, left), noise = self.linearised(state, block), self.noise(block, MOST)
        weight = np.linalg.inv(H @ state.covariance @ H.T + np.diag(noise))
        unknown = self.unknown(block)
        known = self._known(block, unknown)
        fitted = noise * (weight @ left) / known
        moving, new = unknown < 1e-6 * known, scale.copy()
        np.add.at(new[0], block.joint[moving], fitted[moving] ** 2)
        np.add.at(new[1], block.joint[moving], (noise * np.diag(weight))[moving])
        return state.given(H, left, noise), new

    def unknown(self, block: RowBlock) -> Array:
        """Return the largest friction of unknown sign in each row, shape (m,) [N m s or N s]."""
        seconds, bound = self.friction
        moving = np.abs((block.B * seconds[block.joint]).sum(axis=1))
        return np.asarray(bound[block.joint] * np.clip(block.duration - moving, 0.0, None))

    def _known(self, block: RowBlock, unknown: Array) -> Array:
        """Return the bound on each row's error but for friction, shape (m,) [N m s or N s].

        Where it is a part of a torque near zero, rows are still no more exact than `EXACT`.
        """
        size = np.abs(block.B).sum(axis=1) + np.abs(block.A) @ self.prior.box()[1]
        bound = block.bound(np.abs(self.settled)) - unknown
        return np.asarray(bound + EXACT * size)

    def noise(self, block: RowBlock, alike: int = 1) -> Array:
        """Return the variance of each row's error, shape (m,).

        Args:
            block: The rows.
            alike: Windows with the same friction at rest: together they are to say as much as one.
        """
        unknown = self.unknown(block)
        d = self._known(block, unknown)
        scale = (self.scale[0] / self.scale[1])[block.joint]
        return np.asarray(scale * d**2 + alike * UNIFORM_VARIANCE * unknown**2)


@dataclass(frozen=True, eq=False)
class _Waiting:
    """Rows of the windows that wait, m in all, and how they may err.

    Attributes:
        watch: Whose windows they are.
        rows: Theirs.
        window: Of each row, shape (m,).
        noise: Variance of each row's error, shape (m,).
    """

    watch: HandWatch
    rows: RowBlock
    window: Array
    noise: Array
    of_arm: Array
    cross: Array
    of_old: Array
    of_new: Array
    left: Array

    @classmethod
    def of(cls, watch: HandWatch) -> _Waiting:
        """Return them."""
        blocks = [block.of_own_data() for _, block in watch.waiting]
        rows, P = RowBlock.stack(blocks), watch.state.covariance
        A, PB = rows.A, P[:, :-10] @ rows.B.T
        noise, unknown = watch.noise(rows), watch.unknown(rows)
        held = UNIFORM_VARIANCE * np.outer(unknown, unknown) * (rows.joint[:, None] == rows.joint)
        window = np.repeat(np.arange(len(blocks)), [len(block) for block in blocks])
        return cls(
            watch, rows, window, noise, rows.B @ PB[:-10] + held, A @ PB[-10:],
            A @ P[-10:, -10:] @ A.T, (A * watch.variance) @ A.T,
            rows.b - rows.B @ watch.state.mean[:-10],
        )  # fmt: skip

    @cached_property
    def same(self) -> Array:
        """Covariance of all rows if the payload is the same, but for their noise."""
        return self.of_arm + self.cross + self.cross.T + self.of_old

    @property
    def quiet(self) -> bool:
        """Whether the same payload leaves no more of the rows than their noise."""
        left = self.left - self.rows.A @ self.watch.settled
        squares, _ = _normal(self.same, self.noise, left)
        return squares < len(left) + np.sqrt(2.0 * len(left))

    @cached_property
    def _free(self) -> Array:
        """What windows that are left free add to the logarithm of the likelihood, shape (K,).

        A contact may do as much at each joint as a payload does at them together.
        """
        K, own = len(self.watch.waiting), np.diag(self.of_new)
        contact = np.array([own[self.window == k].mean() for k in range(K)])[self.window]
        left = self.left - self.rows.A @ self.watch.settled
        said = []
        for size in SIZES:
            variance = np.diag(self.same) + self.noise + size**2 * contact
            said.append(np.bincount(self.window, np.log(variance) + left**2 / variance, K))
        return -0.5 * np.min(said, axis=0) - np.log(len(SIZES))

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Give what may be behind the waiting windows.

        A load that goes is less and less: what is left of it must be seen in two windows. A payload
        that comes out of a contact longer than the windows that wait must explain all of them.
        """
        K, fresh, bare = len(self.watch.waiting), self.watch.fresh, self.watch.bare
        kinds = [] if bare and self.watch.grip is False else [Seen.PICKED]
        if self.watch.grip is None and not bare:
            kinds.append(Seen.RELEASED)
        for free, since in combinations_with_replacement(range(K + 1), 2):
            if free < since or free == K:
                yield self._hypothesis(free, since, Seen.SAME)
            for kind in kinds:
                least, last = (0, K) if bare or kind is Seen.RELEASED else (int(fresh), K - 1)
                begun = free > 0 or since == 0 or fresh or kind is Seen.RELEASED
                if begun and least <= since < last:  # since the first, what is fresh is the same
                    yield self._hypothesis(free, since, kind)

    def ranked(self) -> list[Hypothesis]:
        """Return the hypotheses, the best first; those of payloads that matter as bodies."""
        every = list(self.hypotheses())
        least = max(x.evidence for x in every if x.payload is Seen.SAME) - CERTAIN
        found = [
            self.likely(x) if x.payload is Seen.PICKED and x.evidence > least else x for x in every
        ]
        return sorted(found, key=lambda each: -each.evidence)

    def _hypothesis(self, free: int, since: int, kind: Seen, part: float = 1.0) -> Hypothesis:
        """Return a hypothesis with the likelihood of all rows; for `part` see `likely`."""
        new = (self.window >= since) & (kind is not Seen.SAME)
        kept, old = (self.window < free) | (self.window >= since), ~new
        of_old = self.cross * old[:, None]
        S = self.of_arm + of_old + of_old.T + self.of_old * np.outer(old, old)
        if kind is Seen.PICKED:
            S += part**2 * self.of_new * np.outer(new, new)
        left = self.left - (self.rows.A @ self.watch.settled) * old
        squares, logarithm = _normal(S[np.ix_(kept, kept)], self.noise[kept], left[kept])
        evidence = self._free[free:since].sum() - 0.5 * squares - logarithm
        return Hypothesis(free, since, kind, float(evidence), part)

    def likely(self, found: Hypothesis) -> Hypothesis:
        """Return a payload's hypothesis with all that is known of bodies.

        No mass is below zero, and none is farther away than the largest reach: a part of the
        largest mass has at most that part of the largest moments.
        """
        watch, new = self.watch, self.window >= found.since
        rows, largest = self.rows.take(new), watch.prior.box()[1][0]
        fresh = watch.state.with_payload(watch.variance)
        there = fresh.given(*watch.linearised(fresh, rows), self.noise[new])
        mass, spread = there.mean[-10], np.sqrt(there.covariance[-10, -10])
        if watch.grip and mass < SURE * spread:  # what is held was put down: that is a contact
            return replace(found, evidence=-np.inf)
        part = min(1.0, (max(mass, 0.0) + SURE * spread) / largest)
        scaled = self._hypothesis(found.free, found.since, found.payload, part)
        return replace(scaled, evidence=scaled.evidence + body_odds(there, watch.prior))


def body_odds(state: Gaussian, prior: PayloadPrior) -> float:
    """Return at most the logarithm of how much likelier than before any data phi is of a body.

    No mass is below zero, and none is farther away than the largest reach: each such inequality
    holds for half of all phi about zero.
    """
    P, phi = state.covariance[-10:, -10:], state.mean[-10:]
    moments = np.eye(10)[1:4]
    reach = prior.com_max * np.eye(10)[0]
    above_zero = np.vstack(
        [np.eye(10)[[0, 4, 7, 9]], reach + moments, reach - moments, prior.shape()]
    )
    spread = np.sqrt(np.einsum("ij,jk,ik->i", above_zero, P, above_zero))
    return float(scipy.special.log_ndtr(above_zero @ phi / spread).min()) + np.log(2.0)


def _friction_of(rows: RowSource) -> tuple[Array, Array]:
    """Return `HandWatch.friction`."""
    seconds, bound = np.zeros((len(rows.channels), rows.p)), np.zeros(len(rows.channels))
    if isinstance(rows, MomentumRows):
        half = rows.nuisance.half_width[rows.nuisance.uncertain]
        for j, joint in enumerate(rows.channels):
            if (name := f"{joint}.friction_coulomb") in rows.names:
                k = rows.names.index(name)
                seconds[j, k], bound[j] = 1.0 / half[k], 2.0 * half[k]
    return seconds, bound


def _normal(S: Array, noise: Array, left: Array) -> tuple[float, float]:
    """Return the squares in a normal density, and half the logarithm of its determinant."""
    if not len(left):
        return 0.0, 0.0
    L = np.linalg.cholesky(S + np.diag(noise))
    z = scipy.linalg.solve_triangular(L, left, lower=True, check_finite=False)
    return float(z @ z), float(np.log(np.diag(L)).sum())
