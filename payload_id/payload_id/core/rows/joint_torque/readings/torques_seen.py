"""Whether the torque of every joint is measured at all times.

A sensor that is measured finely is never the same for long: its noise changes the last digit. A
torque that is exactly the same while the others change is what stands for no measurement (most
often 0), what a filter or a driver held, or a sensor at its end. Another payload may explain it
all the same, as one whose weight has no moment about that joint.

A joint is not judged where its sensor is coarse, so that what changes is below its resolution;
where no payload moves its rows by much of their bound, as those of a vertical joint at rest; and
where no less than all torques is stated as its error, so that nothing is concluded from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....arrays import Array, BoolArray, IntArray
from ....samples.joint_samples import Samples
from ..momentum import MomentumRows

LONGEST = 0.3  # [s] for which a torque that is measured may be the same
MANY = 20  # samples that are the same by no chance, and changes that tell a sensor's resolution
ENOUGH = 1000  # samples with changes after which no more is to be learnt of it
FINE = 1e-4  # part of the largest torque: resolution of a sensor that is measured finely
FEW = 100  # multiples of a resolution that tell it from rounding
OFF = 0.1  # of a resolution, by which a change is no multiple of it
RARE = 0.2  # part of the changes that are no multiples of a resolution although it is one
MOTION = 1e-2  # [rad or m] of a joint in a window, with which torques change
NOTHING = 0.1  # part of its bound, by which no payload of the prior moves a row that says nothing


@dataclass(frozen=True)
class TorquesSeen:
    """The windows of a run so far, n joints.

    Attributes:
        steps: First changes from sample to sample, as magnitudes, shape (K, n) [N m or N].
        largest: Largest torque, as a magnitude, shape (n,) [N m or N].
        value: The newest torque, shape (n,) [N m or N].
        same: For how long it has been exactly that while other things changed, shape (n,) [s].
        samples: In how many samples, shape (n,).
        since: When that began, shape (n,) [s].
        longest: The longest such time so far, shape (n,) [s].
        stuck: What it was then, shape (n,) [N m or N].
        stuck_from: When it began, shape (n,) [s].
        stuck_to: When it ended, shape (n,) [s].
    """

    steps: Array
    largest: Array
    value: Array
    same: Array
    samples: IntArray
    since: Array
    longest: Array
    stuck: Array
    stuck_from: Array
    stuck_to: Array

    @classmethod
    def none(cls, n: int) -> TorquesSeen:
        """Return what is seen before any window."""
        nan, zero = np.full(n, np.nan), np.zeros(n)
        none = np.zeros(n, dtype=int)
        return cls(np.zeros((0, n)), zero, nan, zero, none, nan, zero, nan, nan, nan)

    def with_window(self, samples: Samples, rows: MomentumRows) -> TorquesSeen:
        """Return what is seen with one more window of at least two samples.

        Args:
            samples: The window's, of n joints.
            rows: Makes the rows of the window.
        """
        tau, stamp = samples.tau, samples.stamp
        step = np.abs(np.diff(tau, axis=0))
        news = step[step.any(axis=1)]
        flat = ~news.any(axis=0)
        still = flat & (tau[0] == self.value)  # what it was in the window before
        seen = replace(
            self,
            steps=self.steps if len(self.steps) > ENOUGH else np.vstack([self.steps, news]),
            largest=np.maximum(self.largest, np.abs(tau).max(axis=0)),
            value=tau[-1],
            same=np.where(still, self.same, 0.0),
            samples=np.where(still, self.samples, 0),
            since=np.where(still, self.since, stamp[0]),
        )
        if not flat.any():
            return seen
        moved = bool((np.ptp(samples.q, axis=0) > MOTION).any())
        return seen._counted(samples, np.asarray(flat & (moved or not flat.all())), rows)

    def _counted(self, samples: Samples, flat: BoolArray, rows: MomentumRows) -> TorquesSeen:
        """Return the same with the time of a window in which some torques did not change."""
        seconds = float(samples.stamp[-1] - samples.stamp[0])
        same = self.same + np.where(flat, seconds, 0.0)
        count = self.samples + np.where(flat, len(samples), 0)
        longer = (same > np.maximum(self.longest, LONGEST)) & (count >= MANY)
        longer &= longer.any() and _of_payload(samples, rows)
        return replace(
            self,
            same=same,
            samples=count,
            longest=np.where(longer, same, self.longest),
            stuck=np.where(longer, self.value, self.stuck),
            stuck_from=np.where(longer, self.since, self.stuck_from),
            stuck_to=np.where(longer, samples.stamp[-1], self.stuck_to),
        )

    def contradiction(self, joints: Sequence[str], absolute: Array) -> str:
        """Say which joint's torque is not measured at all times; empty if all are.

        Args:
            joints: Their names.
            absolute: Stated error of each torque, shape (n,) [N m or N].
        """
        unused = absolute >= self.largest.max(initial=0.0)
        stuck = np.where(self._fine() & ~unused, self.longest, 0.0)
        if not stuck.any():
            return ""
        j = int(np.argmax(stuck))
        others = [name for name, seconds in zip(joints, stuck, strict=True) if seconds]
        others.remove(joints[j])
        also = f" (so are those of {', '.join(others)} for a while)" if others else ""
        return (
            f"The torque of {joints[j]} is exactly {self.stuck[j]:.6g} N m (N) from "
            f"{self.stuck_from[j]:.2f} s to {self.stuck_to[j]:.2f} s while others "
            f"change{also}: nothing measured it then. What is not measured is unknown, not "
            f"{self.stuck[j]:.3g}. Look at its sensor and at the driver, or leave that time out; "
            "where a joint has no sensor, state its torque_absolute as large as the arm's largest "
            "torque."
        )

    def _fine(self) -> BoolArray:
        """Return whose sensors resolve finely, shape (n,).

        That of a joint that hardly ever changed is taken to be like the others.
        """
        known = (self.steps > 0.0).sum(axis=0) >= MANY
        fine = known.copy()
        for j in np.flatnonzero(known):
            fine[j] = _is_fine(self.steps[self.steps[:, j] > 0.0, j], float(self.largest[j]))
        return np.asarray(np.where(known, fine, fine.any() or not self.steps.any()))


def _is_fine(steps: Array, largest: float) -> bool:
    """Return whether changes are multiples of no resolution, or of a fine one.

    Args:
        steps: Their magnitudes, shape (K,), positive [N m or N].
        largest: Largest torque, as a magnitude [N m or N].
    """
    least = float(steps.min())
    for resolution in (least, least / 2.0, least / 3.0):
        multiples = steps[steps < FEW * resolution] / resolution
        if np.mean(np.abs(multiples - np.round(multiples)) > OFF) < RARE:
            return resolution < FINE * largest
    return True


def _of_payload(samples: Samples, rows: MomentumRows) -> BoolArray:
    """Return of which joints a window has rows that say something of the payload, shape (n,)."""
    block = rows.window(samples)
    most = np.abs(rows.prior.box()).max(axis=0)
    says = np.abs(block.A) @ most > NOTHING * block.d
    return np.isin(np.arange(rows.model.n), block.joint[says])
