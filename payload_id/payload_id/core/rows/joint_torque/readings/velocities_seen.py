r"""Whether measured velocities are those of the positions.

Of the integral of the measured velocity, less the change of the measured position,

    r(t) = int dq dt - (q(t) - q(0)),

two values within T seconds differ by at most

    e_dq T + 2 e_q + e_t (2 max |dq| + sum |d1|) + h/12 sum |d2|,

e the stated errors of velocity, position and stamp (the third term by summation by parts), h the
time between samples, d1 to d3 differences of the velocities one after the other; the last term is
what the trapezoidal rule leaves. Where samples are evenly spaced it is corrected by the velocities'
curvature, and d3 takes the place of d2, at corners too. By what the range of r is beyond, that much
is unexplained: of a second or, where a fast swing comes back within it, of each window. Where no
velocity_error is stated half of the range counts, or what is left at the end. Rows of torques
hardly show it: a clock at another pace, a filter's delay or a velocity that is not measured at all
looks like another payload. Where much of a joint's way is unexplained, what is stated of its motion
is false. So it is where nothing at all changes for a time T, while |dq| T > 2 e_q + e_dq T: a
driver that hears nothing new repeats what it heard last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....arrays import Array
from ....samples.joint_samples import Samples
from ...windows import alike_windows
from ..uncertainty import Uncertainty

STRETCH = 1.0  # [s] of windows one after the other over which r is looked at
PIECE = 0.1  # [s] of a joint's way; shorter ones are mostly an encoder's rounding
SLACK = 1.5  # times what is stated
# What encoders and drivers usually leave, where nothing is stated.
USUAL_POSITION, USUAL_VELOCITY = 5e-4, 5e-3  # [rad or m], [rad/s or m/s]
COARSE_POSITION = 2e-3  # [rad or m], in a single window
EVEN = 0.1  # part of the time between samples by which it may differ where they are evenly spaced
PART = 0.01  # of a joint's way, above which it is much
TINY = 1e-6  # [rad or m] in a second, below which nothing is said of it
LEAST_WAY = 0.5  # [rad or m] of a joint that is judged, or
LEAST_OFF = 0.01  # [rad or m] beyond all errors in one stretch
STALLED = 0.3  # [s] for which all values are the same; drivers say something new at 5 Hz or more


@dataclass(frozen=True)
class VelocitiesSeen:
    """The windows of a run so far, n joints.

    Attributes:
        way: Sum of the sizes of changes of position, shape (n,) [rad or m].
        integrated: The same changes as velocities have them, shape (n,) [rad or m].
        unexplained: What is beyond all errors, shape (n,) [rad or m].
        of_windows: What is beyond all errors in each window by itself, shape (n,) [rad or m].
        largest: The largest part of the former that is of one stretch, shape (n,) [rad or m].
        needed: Velocity error that would explain every stretch, shape (n,) [rad/s or m/s].
        stalled: Longest time in which nothing changed although the arm moved, 0 if none [s].
        stalled_to: When it ended [s].
    """

    way: Array
    integrated: Array
    unexplained: Array
    of_windows: Array
    largest: Array
    needed: Array
    _off: Array  # r at the end of the stretch that is going on, shape (n,)
    _lowest: Array
    _highest: Array
    _allowed: Array
    _seconds: float = 0.0
    _end: float = float("nan")
    stalled: float = 0.0
    stalled_to: float = float("nan")
    _same_since: float = float("nan")  # stamp from which on nothing has changed

    @classmethod
    def none(cls, n: int) -> VelocitiesSeen:
        """Return what is seen before any window."""
        return cls(*np.zeros((10, n)))

    def after_each(self, windows: Sequence[Samples], stated: Uncertainty) -> list[VelocitiesSeen]:
        """Return what is seen with each of some windows more, of at least two samples."""
        seen, found = self, []
        for alike in alike_windows(windows):
            for window in _windows_seen(alike, stated):
                seen = seen._with(window, stated)
                found.append(seen)
        return found

    def _with(self, window: _WindowSeen, stated: Uncertainty) -> VelocitiesSeen:
        """Return what is seen with one more window."""
        seen = self if window.samples.stamp[0] <= self._end else self._closed(stated)
        same_since, stalled, stalled_to = self._stalls(window, stated)
        seen = VelocitiesSeen(
            way=seen.way + window.way,
            integrated=seen.integrated + window.integrated,
            unexplained=seen.unexplained,
            of_windows=seen.of_windows + window.unexplained,
            largest=seen.largest,
            needed=seen.needed,
            _off=seen._off + window.off,
            _lowest=np.minimum(seen._lowest, seen._off + window.lowest),
            _highest=np.maximum(seen._highest, seen._off + window.highest),
            _allowed=seen._allowed + window.allowed,
            _seconds=seen._seconds + window.seconds,
            _end=float(window.samples.stamp[-1]),
            stalled=stalled,
            stalled_to=stalled_to,
            _same_since=same_since,
        )
        return seen if seen._seconds < STRETCH else seen._closed(stated)

    def _stalls(self, window: _WindowSeen, stated: Uncertainty) -> tuple[float, float, float]:
        """Return since when nothing changed, the longest such time, and when it ended [s]."""
        samples, stamp, n = window.samples, window.samples.stamp, len(self.way)
        if not window.repeated:  # the first sample was judged with the window before
            return float(stamp[-1]), self.stalled, self.stalled_to
        every = np.hstack([samples.q, samples.dq, samples.tau])
        repeated = (every[1:] == every[:-1]).all(axis=1)
        since = np.append(self._same_since if stamp[0] <= self._end else stamp[0], stamp[1:])
        since[1:][repeated] = -np.inf
        since = np.maximum.accumulate(since)
        same = (stamp - since)[:, None]
        errors = 2.0 * _stated(stated, "position_error", n, USUAL_POSITION)
        errors = errors + _stated(stated, "velocity_error", n, USUAL_VELOCITY) * same
        moved = (np.abs(samples.dq) * same > SLACK * errors).any(axis=1)
        stalled = np.where(moved & (same[:, 0] > STALLED), same[:, 0], 0.0)
        longest = int(np.argmax(stalled))
        if stalled[longest] <= self.stalled:
            return float(since[-1]), self.stalled, self.stalled_to
        return float(since[-1]), float(stalled[longest]), float(stamp[longest])

    def _closed(self, stated: Uncertainty) -> VelocitiesSeen:
        """Return the same once the stretch is judged."""
        if self._seconds == 0.0:
            return self
        n, nothing = len(self.way), np.zeros(len(self.way))
        positions = 2.0 * _stated(stated, "position_error", n, USUAL_POSITION)
        whole = self._highest - self._lowest
        # Nobody states the usual lateness of a filter, which turns with the motion: half of it.
        usual = np.maximum(np.abs(self._off), 0.5 * whole)
        off = np.where(stated.per_joint("velocity_error", n) > 0.0, whole, usual)
        beyond = off - SLACK * (self._allowed + positions)
        return replace(
            self,
            unexplained=self.unexplained + np.maximum(0.0, beyond),
            largest=np.maximum(self.largest, beyond),
            needed=np.maximum(self.needed, (off - positions) / self._seconds),
            _off=nothing,
            _lowest=nothing,
            _highest=nothing,
            _allowed=nothing,
            _seconds=0.0,
        )

    def contradiction(self, joints: Sequence[str]) -> str:
        """Say of which joint the velocities are not those of the positions; empty if of none."""
        if self.stalled > 0.0:
            return (
                f"Nothing of what was measured changed from {self.stalled_to - self.stalled:.2f} s "
                f"to {self.stalled_to:.2f} s although the arm moved: the driver repeated what it "
                "had. Look at its connection, and leave that time out."
            )
        judged = (self.way > LEAST_WAY) | (self.largest > LEAST_OFF)
        unexplained = np.maximum(self.unexplained, self.of_windows)
        much = judged & (unexplained > PART * self.way)
        if not much.any():
            return ""
        j = int(np.argmax(np.where(much, unexplained / np.maximum(self.way, LEAST_WAY), 0.0)))
        size, said = f"{self.integrated[j] / max(self.way[j], 1e-12):.3g}", []
        if size != "1":
            said.append(f"over its way they are {size} times as large")
        if self.needed[j] > TINY:
            said.append(f"in a second they are off by up to {self.needed[j]:.2g} rad (m)")
        how = f": {', and '.join(said)}" if said else ""
        return (
            f"The velocities of {joints[j]} are not those of its positions within what is stated"
            f"{how}. Check the clock of the stamps, delays and filters; leave velocities out, so "
            "that positions are differentiated; or state velocity_error."
        )


@dataclass(frozen=True)
class _WindowSeen:
    """What one window says by itself, of n joints.

    Attributes:
        samples: Its samples.
        seconds: Its length [s].
        way: Sum of the sizes of changes of position, shape (n,) [rad or m].
        integrated: The same changes as velocities have them, shape (n,) [rad or m].
        off: r at its end, shape (n,) [rad or m].
        lowest: Least r, shape (n,) [rad or m].
        highest: Largest r, shape (n,) [rad or m].
        allowed: By how much r may change, but for errors of positions, shape (n,) [rad or m].
        unexplained: What its range is beyond all errors, shape (n,) [rad or m].
        repeated: Whether torques are the same in two samples one after the other.
    """

    samples: Samples
    seconds: float
    way: Array
    integrated: Array
    off: Array
    lowest: Array
    highest: Array
    allowed: Array
    unexplained: Array
    repeated: bool


def _windows_seen(windows: Sequence[Samples], stated: Uncertainty) -> Iterator[_WindowSeen]:
    """Give what each of some windows says by itself; all have as many samples."""
    stamp, q, dq, tau = (
        np.stack([getattr(x, name) for x in windows]) for name in ("stamp", "q", "dq", "tau")
    )
    h, n = np.diff(stamp)[..., None], q.shape[-1]
    seconds = stamp[:, -1] - stamp[:, 0]
    moved = np.diff(q, axis=1)
    moved -= 2.0 * np.pi * np.round(moved / (2.0 * np.pi))  # its end may be reported
    pieces, left = _integrals(h, dq, stated.stamp_jitter)
    change, integral = moved.cumsum(axis=1), pieces.cumsum(axis=1)
    off = integral - change
    allowed = _stated(stated, "velocity_error", n, USUAL_VELOCITY) * seconds[:, None] + left
    if stated.stamp_jitter > 0.0:
        variation = 2.0 * np.abs(dq).max(axis=1) + _variation(dq)
        allowed += stated.stamp_jitter * variation
    highest, lowest = off.max(axis=1), off.min(axis=1)
    swing = np.maximum(0.0, highest) - np.minimum(0.0, lowest)
    swing -= SLACK * (allowed + 2.0 * _stated(stated, "position_error", n, COARSE_POSITION))
    unexplained = np.maximum(0.0, swing)
    repeated = (tau[:, 1:] == tau[:, :-1]).all(axis=2).any(axis=1)
    longest = h.max(axis=1)[:, 0]
    for k, samples in enumerate(windows):
        piece = max(1, round(PIECE / float(longest[k])))
        ends = [*range(0, len(samples) - 1, piece), -1]
        way, integrated = (np.diff(x[k, ends], axis=0, prepend=0.0) for x in (change, integral))
        yield _WindowSeen(
            samples=samples,
            seconds=float(seconds[k]),
            way=np.abs(way).sum(axis=0),
            integrated=(np.sign(way) * integrated).sum(axis=0),
            off=off[k, -1],
            lowest=lowest[k],
            highest=highest[k],
            allowed=allowed[k],
            unexplained=unexplained[k],
            repeated=bool(repeated[k]),
        )


def _integrals(h: Array, dq: Array, jitter: float) -> tuple[Array, Array]:
    """Return integrals of velocities, and what may be left of their sum.

    Args:
        h: Times between samples, shape (K, N - 1, 1) [s].
        dq: Shape (K, N, n) [rad/s or m/s].
        jitter: By which stamps may be off [s].

    Returns:
        integrals: From each sample to the next, shape (K, N - 1, n) [rad or m].
        left: Bound on the error of their sum, shape (K, n) [rad or m].
    """
    integrals, longest = 0.5 * h * (dq[:, 1:] + dq[:, :-1]), h.max(axis=1)
    bent = np.diff(dq, 2, axis=1)
    left = longest / 12.0 * np.abs(bent).sum(axis=1)
    even = longest - h.min(axis=1) <= EVEN * longest + 4.0 * jitter
    if dq.shape[1] < 4 or not even.any():
        return integrals, left
    left = np.where(even, longest / 12.0 * _variation(bent), left)
    bent *= (even * h.mean(axis=1) / 24.0)[:, None]
    integrals[:, 1:] -= bent
    integrals[:, :-1] -= bent
    integrals[:, [0, -1]] -= bent[:, [0, -1]]  # at the first and the last sample, too
    return integrals, left


def _variation(values: Array) -> Array:
    """Return the sum of the sizes of differences, shape (K, n)."""
    return np.asarray(np.abs(np.diff(values, axis=1)).sum(axis=1))


def _stated(uncertainty: Uncertainty, name: str, n: int, usual: float) -> Array:
    """Return an error of each joint, shape (n,); the usual one of those that are 0."""
    stated = uncertainty.per_joint(name, n)
    return np.where(stated > 0.0, stated, usual)
