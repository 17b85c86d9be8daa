"""Which samples can be used: finite, and newer than all before; the others are counted by cause.

What is larger than any position, velocity, torque or acceleration can be counts as not finite: it
is what sensors and drivers report where they have none, and sums of it are not finite.

`rows_to_keep` judges whole arrays, `SampleGate` one sample after the other, by the same rules: a
replay sees exactly the samples that the live run saw.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from ..arrays import Array, BoolArray
from ..errors import RecordingError
from .stamps import NANOSECONDS

LEAP = 10.0  # a stamp that differs by more from the newest one is doubted [s]
AGREEING = 5  # so many doubted stamps in a row, each going on from the last, are believed

LARGEST = 1e9  # of a measured value, in SI units
FASTEST = 1e2  # [rad/s or m/s] of a joint that is commanded
LATEST = 2.0**62 / 1e9  # of a stamp [s], at which floating point still tells microseconds apart
# Largest |R'R - 1| of a matrix that counts as a rotation; logs round to four digits at the least.
ORTHONORMAL = 1e-3
SAME = 0.5e-9  # [s]: stamps that are closer are one instant, as stamps in nanoseconds have it


class Drop(str, Enum):
    """Why a sample was not used; the value is the name in counts and messages."""

    NOT_FINITE = "not_finite"
    DUPLICATE = "duplicate"
    OUT_OF_ORDER = "out_of_order"
    WRONG_LENGTH = "wrong_length"
    UNKNOWN_JOINTS = "unknown_joints"
    STAMP_LEAP = "stamp_leap"


@dataclass(frozen=True)
class ClockGate:
    """Tells messages with a wrong stamp from a clock that was set, by the stamps alone.

    A single message that is far ahead would make all later ones seem out of order; so it is left
    out. Where the clock itself was set, `AGREEING` messages in a row say so, and the last of them
    and what follows is taken: after a step forward as the rest of the samples, after a step back
    as samples of another time (`times` counts them).

    Live samples and recordings pass it as they arrive, so that a replay sees the same samples.

    Attributes:
        newest_ns: Newest stamp taken [ns]; None before the first.
        doubted_ns: Newest one of those that were doubted last [ns]; None: the newest was taken.
        agreeing: Number of them in a row.
        times: How often the clock was set back.
        leap: By how much a stamp differs from the newest one that is doubted [s].
    """

    newest_ns: int | None = None
    doubted_ns: int | None = None
    agreeing: int = 0
    times: int = 0
    leap: float = LEAP

    def offer(self, stamp_ns: int) -> tuple[ClockGate, Drop | None]:
        """Judge one stamp [ns]; return the state after it, and `Drop.STAMP_LEAP` or None."""
        newest = stamp_ns if self.newest_ns is None else self.newest_ns
        if abs(stamp_ns - newest) <= self.leap * NANOSECONDS:
            newest = max(newest, stamp_ns)
            return replace(self, newest_ns=newest, doubted_ns=None, agreeing=0), None
        if stamp_ns == self.doubted_ns:  # the same message once more says nothing of the clock
            return self, Drop.STAMP_LEAP
        goes_on = (
            self.doubted_ns is not None and 0 < stamp_ns - self.doubted_ns <= LEAP * NANOSECONDS
        )
        agreeing = self.agreeing + 1 if goes_on else 1
        if agreeing < AGREEING:
            return replace(self, doubted_ns=stamp_ns, agreeing=agreeing), Drop.STAMP_LEAP
        times = self.times + (stamp_ns < newest)
        return ClockGate(stamp_ns, None, 0, times, self.leap), None


def rows_to_keep(stamp: Array, *arrays: Array) -> tuple[BoolArray, dict[str, int]]:
    """Find the rows that can be used.

    Args:
        stamp: Time of each row, shape (N,) [s].
        arrays: What was measured, each of shape (N, n).

    Returns:
        keep: Which rows are finite and newer than every usable row before, shape (N,).
        dropped: Number of the other rows by cause, causes that occur only.

    Raises:
        RecordingError: Most stamps are none in seconds.
    """
    near = np.abs(stamp) <= LATEST  # NaN is not
    usual = all((np.abs(x) <= LARGEST).all() for x in arrays) and near.all()
    if usual and (stamp[1:] > stamp[:-1] + SAME).all():
        return np.ones(len(stamp), dtype=bool), {}
    far = np.isfinite(stamp) & ~near
    if 2 * far.sum() > len(stamp):
        raise RecordingError(
            f"Stamps are seconds, up to {LATEST:.3g} (146 years); found {stamp[far][0]:.6g}. "
            "Divide those in nanoseconds by 1e9, after the first one is subtracted."
        )
    finite = near
    for array in arrays:
        finite &= (np.abs(array) <= LARGEST).all(axis=1)
    newest = np.maximum.accumulate(np.where(finite, stamp, -np.inf))
    before = np.concatenate([[-np.inf], newest[:-1]]) if len(stamp) else newest
    counts = {
        Drop.NOT_FINITE: ~finite,
        Drop.DUPLICATE: finite & (stamp >= before) & (stamp <= before + SAME),
        Drop.OUT_OF_ORDER: finite & (stamp < before),
    }
    dropped = {cause.value: int(rows.sum()) for cause, rows in counts.items() if rows.any()}
    return finite & (stamp > before + SAME), dropped


def check_rotations(rotation: Array, axes: str) -> None:
    """Raise unless every matrix, shape (N, 3, 3), is a rotation.

    Args:
        rotation: The matrices.
        axes: What their columns are, for the message.

    Raises:
        RecordingError: Some are not.
    """
    if not len(rotation):
        return
    error = np.abs(np.einsum("nji,njk->nik", rotation, rotation) - np.eye(3)).max(axis=(1, 2))
    bad = (error > ORTHONORMAL) | (np.linalg.det(rotation) < 0)
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise RecordingError(
            f"rotation holds {int(bad.sum())} matrices of {len(bad)} that are no rotations, first "
            f"number {first}: {rotation[first].tolist()}. Give {axes} as columns, orthonormal and "
            "right-handed."
        )


@dataclass(frozen=True)
class SampleGate:
    """Accepts samples that are finite and newer than every accepted one; counts the others.

    Attributes:
        newest: Stamp of the newest accepted sample.
        dropped: Number of rejected samples, by cause.

    """

    newest: float = -math.inf
    dropped: Mapping[str, int] = field(default_factory=dict)

    def offer(self, stamp: float, *arrays: Array) -> tuple[SampleGate, Drop | None]:
        """Judge one sample by the rules of `rows_to_keep`.

        Args:
            stamp: Time of the sample in one unit throughout; integers [ns] compare exactly.
            arrays: What was measured, each of shape (n,).

        Returns:
            gate: The state after this sample.
            cause: Why the sample must not be used, or None.

        """
        cause = self._cause(stamp, arrays)
        return (replace(self, newest=stamp), None) if cause is None else (self.reject(cause), cause)

    def reject(self, cause: Drop) -> SampleGate:
        """Return the state after a sample that was dropped for `cause`."""
        return replace(
            self, dropped={**self.dropped, cause.value: self.dropped.get(cause.value, 0) + 1}
        )

    def _cause(self, stamp: float, arrays: tuple[Array, ...]) -> Drop | None:
        if not (math.isfinite(stamp) and all((np.abs(x) <= LARGEST).all() for x in arrays)):
            return Drop.NOT_FINITE
        if stamp == self.newest:
            return Drop.DUPLICATE
        return Drop.OUT_OF_ORDER if stamp < self.newest else None


@dataclass(frozen=True)
class StreamGate:
    """Accepts messages of one stream: by their clock first, then each as a sample.

    Attributes:
        clock: Judges their stamps.
        samples: Judges them; anew where the clock was set back.
    """

    clock: ClockGate = field(default_factory=ClockGate)
    samples: SampleGate = field(default_factory=SampleGate)

    def offer(self, stamp_ns: int, *arrays: Array) -> tuple[StreamGate, Drop | None]:
        """Judge one message; return the state after it, and why it must not be used, or None."""
        clock, leap = self.clock.offer(stamp_ns)
        if leap is not None:
            return StreamGate(clock, self.samples.reject(leap)), leap
        anew = clock.times != self.clock.times
        samples = SampleGate(dropped=self.samples.dropped) if anew else self.samples
        samples, cause = samples.offer(stamp_ns, *arrays)
        return StreamGate(clock, samples), cause

    def takes(self, stamps_ns: Sequence[int]) -> bool:
        """Tell whether stamps [ns] go on plainly: nothing is doubted, each is newer than before."""
        clock = self.clock
        if clock.newest_ns is None or clock.agreeing or stamps_ns[0] <= self.samples.newest:
            return False
        steps = zip((clock.newest_ns, *stamps_ns), stamps_ns, strict=False)
        return all(0 < after - before <= clock.leap * NANOSECONDS for before, after in steps)

    def after(self, stamp_ns: int) -> StreamGate:
        """Return the state after samples that it `takes`, with the newest of their stamps [ns]."""
        clock = replace(self.clock, newest_ns=stamp_ns)
        return StreamGate(clock, replace(self.samples, newest=stamp_ns))

    def reject(self, cause: Drop) -> StreamGate:
        """Return the state after a message that was dropped for `cause`."""
        return replace(self, samples=self.samples.reject(cause))
