"""Bounds on the noise of the torques that a new run keeps with a stated probability.

Of run k with a known payload, a_k(L) is the least bound on the mean of the noise over windows of
length L, in proportions of a reference, with which its rows are consistent (`noise_needed.py`).
The first run sets the proportions of several lengths, m(L) = a_1(L), and of the others

    s_k = max_L a_k(L) / m(L)

is one number for all lengths at once; of a single length m = 1, and the first run counts too. If
these K runs and a new one are exchangeable, s of the new one is at most the r-th smallest of the
s_k with probability r / (K + 1) [Vovk2005], and then its rows are consistent with bounds s m(L) at
every length together: with these bounds stated, the interval of what was known of the payload holds
with that probability. Where only masses were known, that is the mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..errors import InputError
from ..history import KnownLoad
from ..history.conformal import largest_score, runs_needed
from ..rows.joint_torque.uncertainty import Uncertainty
from ..samples.joint_samples import Samples
from ..threads import one_thread
from .noise_needed import LeastNoise, reference, rows_by_length


@dataclass(frozen=True)
class NoiseOfRuns:
    """What runs with known payloads show of the noise.

    Attributes:
        lengths: Of windows, increasing, shape (L,) [s].
        reference: Proportions of the joints' noise, shape (n,) [N m or N].
        factors: Least factor of the reference that each run needs, shape (K, L).
        level: Probability that is asked for.
    """

    lengths: Array
    reference: Array
    factors: Array
    level: float

    @property
    def scores(self) -> Array:
        """s_k of the runs that are ranked, shape (K,)."""
        ranked = self.factors if len(self.lengths) == 1 else self.factors[1:]
        return np.asarray((ranked / self._proportions).max(axis=1))

    @property
    def bounds(self) -> Array:
        """Factors that a new run keeps at all lengths, shape (L,); infinite: too few runs."""
        return largest_score(self.scores, self.level) * self._proportions

    @property
    def missing(self) -> int:
        """Number of runs that are missing for the level."""
        return max(runs_needed(self.level) - len(self.scores), 0)

    @property
    def _proportions(self) -> Array:
        """m, shape (L,); a length at which the first run needs nothing takes its neighbour's."""
        if len(self.lengths) == 1 or not self.factors[0].any():
            return np.ones(len(self.lengths))
        needs = np.flatnonzero(self.factors[0] > 0.0)
        nearest = np.abs(np.subtract.outer(np.arange(len(self.lengths)), needs)).argmin(axis=1)
        return self.factors[0, needs[nearest]]


def noise_of_runs(
    runs: Sequence[tuple[Samples, KnownLoad]],
    model: ArmModel,
    uncertainty: Uncertainty,
    lengths: Sequence[float],
    level: float = 0.95,
) -> NoiseOfRuns:
    """Return the least bounds on the noise of each run by itself.

    Args:
        runs: At least one, with what is known of its payload.
        model: The arm.
        uncertainty: What is assumed beside the noise; `torque_absolute` counts as reference only.
        lengths: Lengths of windows [s].
        level: Probability with which a new run is to keep the bounds.

    Raises:
        InputError: There is no run or no length, or the level is no probability.
        RecordingError: A run fills no window of some length.
    """
    runs_needed(level)
    if not runs or not len(lengths):
        raise InputError("Give at least one run and at least one length of windows.")
    increasing = sorted({*lengths})
    with one_thread():
        factors = [
            [
                LeastNoise.of(model, uncertainty, load).factor([rows])
                for rows in rows_by_length(samples, load, model, uncertainty, increasing)
            ]
            for samples, load in runs
        ]
    joints = reference(uncertainty, model.n)
    return NoiseOfRuns(np.array(increasing), joints, np.array(factors), level)
