"""A run whose payload was known, in part or whole, reduced to what later runs need of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray
from ..body.inertial import as_phi, is_physical, pseudo_inertia
from ..diagnosis import MotionSeen
from ..errors import InputError
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.row_block import RowBlock
from ..samples.joint_samples import Samples
from ..statistics.statistics import Statistics
from ..threads import one_thread
from .recorded_windows import believed_windows
from .same_data import stretches_of

ROUNDED = 1e-6  # part of its largest entry by which a known pseudo-inertia may miss a body's
LEAST_STEPS = 10  # between samples in a segment
BATCH = 500  # windows whose rows are in memory at a time


@dataclass(frozen=True)
class KnownLoad:
    """What is known of a run's payload.

    Attributes:
        phi: Inertial parameters about the payload frame, shape (10,); NaN where unknown.
    """

    phi: Array

    @classmethod
    def none(cls) -> KnownLoad:
        """Return the load of a bare arm."""
        return cls(np.zeros(10))

    @classmethod
    def of_mass(cls, mass: float) -> KnownLoad:
        """Return a load of which only the mass is known [kg].

        Raises:
            InputError: The mass is no number of 0 or above.
        """
        if not (np.isfinite(mass) and mass >= 0.0):
            raise InputError(f"The mass of a known payload must be 0 kg or above; found {mass!r}.")
        if mass == 0.0:
            return cls.none()
        return cls(np.append(float(mass), np.full(9, np.nan)))

    @classmethod
    def exactly(cls, phi: Array) -> KnownLoad:
        """Return a load of which all ten parameters are known.

        Raises:
            InputError: They are not ten numbers, or no body has them.
        """
        phi = as_phi(phi)
        size = np.abs(pseudo_inertia(phi)).max()
        if phi.any() and not is_physical(phi, -ROUNDED * size):
            raise InputError(
                f"No body has the parameters {phi.tolist()} of a known payload: m, m c, and the "
                "inertia about the payload frame's origin, not the centre of mass."
            )
        return cls(phi)

    @property
    def known(self) -> BoolArray:
        """Which parameters are known, shape (10,)."""
        return np.isfinite(self.phi)


@dataclass(frozen=True)
class KnownRun:
    """One run of the arm under a load that is known.

    Attributes:
        source: Where it comes from; runs of one source are left out together.
        load: What is known of the payload.
        statistics: Of the rows of this run alone.
        motion: Where the joints were.
        seconds: Time that the windows cover [s].
        stretches: Hashes of its stretches of data, see `stretches_of`.
    """

    source: str
    load: KnownLoad
    statistics: Statistics
    motion: MotionSeen
    seconds: float
    stretches: frozenset[int]

    @classmethod
    def of(
        cls, source: str, samples: Samples, load: KnownLoad, rows: MomentumRows, window: float
    ) -> KnownRun:
        """Return what samples say.

        Raises:
            RecordingError: They do not fit the arm, hold no torques, fill no window, or what
                they read cannot be.
        """
        windows = believed_windows(rows, samples, window, f"'{source}'")
        statistics, motion = Statistics.empty(rows.p, rows.growth), MotionSeen.of(windows[0][0])
        for each, _ in windows[1:]:
            motion = MotionSeen.of(each, motion)
        with one_thread():
            for first in range(0, len(windows), BATCH):
                batch = windows[first : first + BATCH]
                blocks = rows.windows([each for each, _ in batch])
                known = [
                    block.take(~seen.of_rows(block.joint, block.start, block.end))
                    for (_, seen), block in zip(batch, blocks, strict=True)
                ]
                statistics = statistics.add(RowBlock.stack(known), rows.prior.typical)
        seconds = len(windows) * window
        return cls(source, load, statistics, motion, seconds, stretches_of(rows.fitted(samples)))


def segments(samples: Samples, length: float | None) -> list[Samples]:
    """Return the parts of a recording that count as runs: of a length [s], or all in one.

    Raises:
        InputError: The length is no time.
    """
    if length is None or not len(samples):
        return [samples]
    if not (np.isfinite(length) and length > 0.0):
        raise InputError(f"The length of a segment must be above 0 s; found {length!r}.")
    if length < LEAST_STEPS * samples.step:
        raise InputError(
            f"A segment of {length:g} s holds next to no samples, which are {samples.step:.3g} s "
            f"apart; at least {LEAST_STEPS} steps are needed."
        )
    start, end = float(samples.stamp[0]), float(samples.stamp[-1])
    count = max(int((end - start) // length), 1)
    return [samples.between(start + k * length, start + (k + 1) * length) for k in range(count)]
