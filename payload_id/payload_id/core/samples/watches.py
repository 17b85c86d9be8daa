"""What is watched in measurements: their pace, and whether anything is measured at all."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, BoolArray
from .stamps import GAP_STEPS, seconds_since
from .wrench_samples import WrenchSamples

FINE = 1e-4  # part of the largest value, by which values differ that are resolved finely
MANY = 20  # samples that are exactly 0 by no chance
TURNED = 0.1  # [rad] by which a sensor turns before its wrench must have changed
STEPS = 200  # newest steps between samples that are kept for statistics


class PaceWatch:
    """Measures steps between samples and counts gaps; it changes with every sample.

    Attributes:
        newest_ns: Stamp of the newest sample [ns]; None before the first.
        step: Typical step, as of the last `measure` [s].
        gaps: Number of pauses longer than `GAP_STEPS` typical steps.
        longest_gap: Longest of them [s].
    """

    def __init__(self, rate: float) -> None:
        """Begin with an expected rate of samples [Hz]."""
        self.newest_ns: int | None = None
        self.step = 1.0 / rate
        self.gaps, self.longest_gap = 0, 0.0
        self._steps = np.full(STEPS, self.step)  # the newest, in turn
        self._count = 0

    @property
    def jitter(self) -> float:
        """Standard deviation of the newest steps [s]; NaN with too few."""
        count = min(STEPS, self._count)
        return float(np.std(self._steps[:count])) if count > 1 else float("nan")

    def see(self, stamp_ns: int) -> None:
        """Note one more sample."""
        if self.newest_ns is not None:
            step = seconds_since(stamp_ns, self.newest_ns)
            if step > GAP_STEPS * self.step:
                self.gaps += 1
                self.longest_gap = max(self.longest_gap, step)
            self._steps[self._count % STEPS] = step
            self._count += 1
        self.newest_ns = stamp_ns

    def measure(self) -> None:
        """Let the newest steps tell what a typical one is."""
        self.step = float(np.median(self._steps[: max(1, min(STEPS, self._count))]))


@dataclass(frozen=True)
class EffortWatch:
    """How long every effort has been exactly zero.

    Attributes:
        since_ns: Stamp of the first of these samples [ns]; None if the newest is none of them.
        seconds: How long [s].
    """

    since_ns: int | None = None
    seconds: float = 0.0

    def with_samples(self, stamp_ns: NDArray[np.int64], zero: BoolArray) -> EffortWatch:
        """Return the watch after more samples; `zero` tells where all efforts were, (N,)."""
        before = self
        measured = np.flatnonzero(~zero)
        if len(measured):
            before, stamp_ns = EffortWatch(), stamp_ns[measured[-1] + 1 :]
        if not len(stamp_ns):
            return before
        since = int(stamp_ns[0]) if before.since_ns is None else before.since_ns
        return EffortWatch(since, seconds_since(int(stamp_ns[-1]), since))


@dataclass(frozen=True, eq=False)
class WrenchWatch:
    """What has been seen of a wrench since the first sample.

    Attributes:
        axes: The sensor's axes at the first sample, shape (3, 3); None before it.
        turned: Largest angle from there [rad].
        count: Number of samples.
        lower: Least of each channel, shape (6,) [N, N m].
        upper: Largest, shape (6,) [N, N m].
        finest: Smallest step from a sample to the next that is not 0, shape (6,) [N, N m].
    """

    axes: Array | None = None
    turned: float = 0.0
    count: int = 0
    lower: Array = field(default_factory=lambda: np.full(6, np.inf))
    upper: Array = field(default_factory=lambda: np.full(6, -np.inf))
    finest: Array = field(default_factory=lambda: np.full(6, np.inf))

    def seen(self, samples: WrenchSamples) -> WrenchWatch:
        """Return the state after more samples."""
        if not len(samples):
            return self
        axes = samples.rotation[0] if self.axes is None else self.axes
        cosine = (np.einsum("kij,ij->k", samples.rotation, axes) - 1.0) / 2.0
        step = np.abs(np.diff(samples.wrench, axis=0))
        steps = np.where(step > 0.0, step, np.inf).min(axis=0, initial=np.inf)
        return WrenchWatch(
            axes,
            max(self.turned, float(np.arccos(np.clip(cosine, -1.0, 1.0)).max())),
            self.count + len(samples),
            np.minimum(self.lower, samples.wrench.min(axis=0)),
            np.maximum(self.upper, samples.wrench.max(axis=0)),
            np.minimum(self.finest, steps),
        )

    @property
    def largest(self) -> Array:
        """Of each channel, as a magnitude, shape (6,) [N, N m]."""
        return np.asarray(np.maximum(np.abs(self.lower), np.abs(self.upper)))

    @property
    def complaint(self) -> str:
        """Why nothing can be identified from it; empty: nothing is wrong."""
        if not self.count:
            return ""
        if (self.upper > self.lower).any():
            return self._unmeasured()
        if not self.largest.any():
            found = "Force and torque are exactly zero in all samples"
        elif self.turned > TURNED:
            found = (
                "Force and torque are exactly the same in all samples although the sensor turned "
                f"by {self.turned:.2g} rad"
            )
        else:
            return ""
        return (
            f"{found}, so nothing can be identified: the sensor or its driver is stuck. Look "
            "whether it is switched on, and name the topic of what it measures."
        )

    def _unmeasured(self) -> str:
        """Say which channels never change though others of their kind vary finely; else empty.

        Where a sensor resolves coarsely, small values may be shown as 0 throughout.
        """
        same = []
        for kind, part in (("force", slice(0, 3)), ("torque", slice(3, 6))):
            zero, top = self.largest[part] == 0.0, float(self.largest[part].max())
            fine = float(self.finest[part].min()) < FINE * top
            silent = np.isinf(self.finest[part]) if fine else zero & zero.all()
            same += [
                f"{kind} {axis}" if none else f"{kind} {axis} (not 0)"
                for axis, off, none in zip("xyz", silent, zero, strict=True)
                if off
            ]
        if not same or self.count < MANY:
            return ""
        return (
            f"Exactly the same, 0 if nothing else is said, in all {self.count} samples: "
            f"{', '.join(same)}. What no sensor measures is unknown, not 0: name the topic or the "
            "columns of what is measured, all six channels."
        )
