"""Of which joint's torque nothing is known for a time, because its sensor shows no change.

A sensor that is measured finely is never the same for long: its noise changes the last digit. A
torque that is exactly the same while the others change may stand for no measurement (most often 0),
be what a driver held, or a sensor at its end; it may also be true, as within a deadband, in a
simulation without noise, or of a joint with hardly any load. So it counts as unknown: its rows are
left out, and looked at by themselves. What is true is never contradicted by them.

A torque that never changes counts as it is where the sensor has shown that it is coarse, so that
what changes is below its resolution. Two joints that show the very same while it changes are one
joint's, shown twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ...samples.joint_samples import Samples
from ..windows import alike_windows

WORTH_A_WORD = 0.3  # [s] of a torque that is unknown
MANY = 20  # changes that tell a sensor's resolution
ENOUGH = 1000  # samples with changes after which no more is to be learnt of it
FINE = 1e-4  # part of the largest torque: resolution of a sensor that is measured finely
FEW = 100  # multiples of a resolution that tell it from rounding
LEAST_MULTIPLE = 12  # of a resolution, that the least change is at the most
OFF = 0.1  # of a resolution, by which a change is no multiple of it
RARE = 0.2  # part of the changes that are no multiples of a resolution although it is one
ROUNDING = 1e-9  # part of the arm's largest torque, below which nothing has changed
TWICE = 0.5  # [s] of changing torques that two joints share by no chance
KEPT = 200  # times that are remembered


@dataclass(frozen=True)
class Unknown:
    """A time in which a joint's torque is unknown.

    Attributes:
        joint: Its number.
        start: When it begins [s].
        end: When its windows end [s].
        until: When the window after them ends, in the beginning of which it still was [s].
        value: What was shown [N m or N].
    """

    joint: int
    start: float
    end: float
    until: float
    value: float


@dataclass(frozen=True)
class TorquesSeen:
    """The windows of a run so far, n joints.

    Attributes:
        steps: First changes from sample to sample, as magnitudes, shape (K, n) [N m or N].
        largest: Largest torque, as a magnitude, shape (n,) [N m or N].
        shared: For how long two joints have shown the very same, shape (n, n) [s].
        unknown: The newest times in which a torque is unknown.
    """

    steps: Array
    largest: Array
    shared: Array
    unknown: tuple[Unknown, ...] = ()

    @classmethod
    def none(cls, n: int) -> TorquesSeen:
        """Return what is seen before any window."""
        return cls(np.zeros((0, n)), np.zeros(n), np.zeros((n, n)))

    def after_each(self, windows: Sequence[Samples]) -> list[TorquesSeen]:
        """Return what is seen with each of some windows more, of at least two samples."""
        seen, found = self, []
        for alike in alike_windows(windows):
            tau = np.stack([samples.tau for samples in alike])
            step = np.abs(np.diff(tau, axis=1))
            each = step, step.max(axis=1), np.abs(tau).max(axis=1)
            for samples, *of_window in zip(alike, *each, strict=True):
                seen = seen._with(samples, *of_window)
                found.append(seen)
        return found

    def _with(self, samples: Samples, step: Array, change: Array, largest: Array) -> TorquesSeen:
        """Return what is seen with one more window.

        Args:
            samples: Its samples, N.
            step: Changes from sample to sample, as magnitudes, shape (N - 1, n) [N m or N].
            change: Largest of them, shape (n,) [N m or N].
            largest: Largest torque, as a magnitude, shape (n,) [N m or N].
        """
        tau, seconds = samples.tau, float(samples.stamp[-1] - samples.stamp[0])
        seen = replace(self, largest=np.maximum(self.largest, largest))
        flat = np.asarray(change <= seen._near)
        if len(self.steps) <= ENOUGH:
            changed = step > seen._near
            news = np.where(changed, step, 0.0)[changed.any(axis=1)]
            seen = replace(seen, steps=np.vstack([self.steps, news]))
        if len(set(tau[-1].tolist())) < len(flat):
            twins = (tau[:, :, None] == tau[:, None, :]).all(axis=0) & ~flat & ~flat[:, None]
            seen = replace(seen, shared=self.shared + seconds * twins)
        if flat.all() or not flat.any():
            return seen
        return seen._with_still(samples, np.flatnonzero(flat & ~seen._coarse()))

    @property
    def _near(self) -> float:
        """By how much torques differ that are the same [N m or N]."""
        return ROUNDING * float(self.largest.max())

    def _with_still(self, samples: Samples, joints: IntArray) -> TorquesSeen:
        """Return the same with a window in which some joints' torques are unknown."""
        start, end = float(samples.stamp[0]), float(samples.stamp[-1])
        unknown = list(self.unknown)
        for joint in joints:
            j, since, value = int(joint), start, float(samples.tau[0, joint])
            before = next((x for x in reversed(unknown) if x.joint == j), None)
            if before and before.until >= start and abs(before.value - value) <= self._near:
                unknown.remove(before)
                since, value = before.start, before.value
            unknown.append(Unknown(j, since, end, end + (end - start), value))
        return replace(self, unknown=tuple(unknown[-KEPT:]))

    def _coarse(self) -> BoolArray:
        """Return whose sensors have shown that they are coarse, shape (n,)."""
        coarse = (self.steps > 0.0).sum(axis=0) >= MANY
        for j in np.flatnonzero(coarse):
            coarse[j] = not _is_fine(self.steps[self.steps[:, j] > 0.0, j], float(self.largest[j]))
        return coarse

    def of_rows(self, joint: IntArray, start: Array, end: Array) -> BoolArray:
        """Return which rows rest on torques that are unknown, shape (m,).

        Args:
            joint: Of each row, shape (m,).
            start: When its data begin, shape (m,) [s].
            end: When they end, shape (m,) [s].
        """
        found = np.zeros(len(joint), dtype=bool)
        for each in self.unknown:
            found |= (joint == each.joint) & (start < each.until) & (end > each.start)
        return found

    @property
    def longest(self) -> Unknown | None:
        """The longest time in which a torque is unknown; None if there is none."""
        return max(self.unknown, key=lambda x: x.end - x.start, default=None)

    def twins(self, joints: Sequence[str]) -> str:
        """Say which two joints show the very same; empty if none do."""
        pairs = np.triu(self.shared, 1)
        one, two = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
        if pairs[one, two] < TWICE:
            return ""
        return (
            f"The torques of {joints[int(one)]} and {joints[int(two)]} are the very same for "
            f"{pairs[one, two]:.2f} s while they change: one joint's are read twice. Check the "
            "names of columns or joints, and the driver."
        )

    def note(self, joints: Sequence[str]) -> str:
        """Say whose torque is unknown, and for how long; empty if of none."""
        longest = self.longest
        if longest is None or longest.end - longest.start < WORTH_A_WORD:
            return ""
        others = {joints[x.joint] for x in self.unknown if x.end - x.start >= WORTH_A_WORD}
        others -= {joints[longest.joint]}
        also = f" (likewise of {', '.join(sorted(others))})" if others else ""
        return (
            f"The torque of {joints[longest.joint]} is exactly {longest.value:.6g} N m (N) from "
            f"{longest.start:.2f} s to {longest.end:.2f} s while others change{also}: that counts "
            "as unknown, not as measured."
        )


def _is_fine(steps: Array, largest: float) -> bool:
    """Return whether changes are multiples of no resolution, or of a fine one.

    Args:
        steps: Their magnitudes, shape (K,), positive [N m or N].
        largest: Largest torque, as a magnitude [N m or N].
    """
    least = float(steps.min())
    for resolution in least / np.arange(1.0, LEAST_MULTIPLE + 1.0):
        multiples = steps[steps < FEW * resolution] / resolution
        if np.mean(np.abs(multiples - np.round(multiples)) > OFF) < RARE:
            return bool(resolution < FINE * largest)
    return True
