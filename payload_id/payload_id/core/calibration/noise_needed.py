"""The least bounds on the noise of the torques that recordings need, at several lengths of time.

With d0 all that the other stated bounds leave open and a_j the bound on the mean of joint j's noise
over a window of length L, rows are consistent if some phi, u within their boxes give

    |A phi + B u - b| <= d0 + a_j L   for every row,

The least a is a linear program. It is what these recordings need, not what holds: noise that looks
like a payload, a link or an offset is not seen, and another motion may have more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..bounds.conic_cuts import cones_of
from ..bounds.cutting_planes import CuttingPlanes
from ..bounds.interval import Interval
from ..bounds.scaled_rows import ScaledRows
from ..errors import InputError, RecordingError, SolverError
from ..history import KnownLoad
from ..history.recorded_windows import recorded_windows
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.uncertainty import LISTS, Uncertainty
from ..rows.joint_torque.window_lengths import WindowLengths
from ..rows.row_block import RowBlock
from ..samples.joint_samples import Samples
from ..threads import one_thread

PASSES = 4  # of finding the payload, of which the rows' bounds depend a little
PHASES = 4  # windows of the shortest length begin at every such part of it


@dataclass(frozen=True)
class NoiseNeeded:
    """What recordings need at one length of time.

    Attributes:
        length: Length of the windows [s].
        rows: Number of rows.
        factor: Least common factor on the reference, for all recordings together.
        alone: The same for each recording by itself.
        without: The same for all recordings but one each; empty for a single one.
        absolute: Bounds with the least sum in units of the reference, shape (n,) [N m or N].
    """

    length: float
    rows: int
    factor: float
    alone: tuple[float, ...]
    without: tuple[float, ...]
    absolute: Array

    @property
    def margin(self) -> float:
        """How many times what they need without one recording all of them need; NaN for one."""
        if not self.without:
            return float("nan")
        least = min(self.without)
        return self.factor / least if least > 0.0 else float("inf")


def reference(uncertainty: Uncertainty, n: int) -> Array:
    """Return the proportions of the joints' noise: those of `torque_absolute`, shape (n,)."""
    stated = uncertainty.per_joint("torque_absolute", n)
    return np.where(stated > 0.0, stated, stated.max() if stated.any() else 1.0)


def noise_needed(
    recordings: Sequence[Samples],
    model: ArmModel,
    uncertainty: Uncertainty,
    lengths: Sequence[float],
    payload: Array | None = None,
) -> tuple[NoiseNeeded, ...]:
    """Return the least bounds on the noise for each length, the shortest first.

    Args:
        recordings: At least one, of one payload and one arm; at rest or in motion.
        model: The arm.
        uncertainty: What is assumed beside the noise; `torque_absolute` counts as reference only.
        lengths: Lengths of windows [s].
        payload: Inertial parameters of the payload, shape (10,), zeros for none; None if it is not
            known: then less noise is needed, since a wrong payload may explain some.

    Raises:
        InputError: There is no recording or no length.
        RecordingError: A recording fills no window of some length.
    """
    if not recordings or not len(lengths):
        raise InputError("Give at least one recording and at least one length of windows.")
    increasing = sorted({*lengths})
    load = KnownLoad(np.full(10, np.nan) if payload is None else np.asarray(payload, dtype=float))
    with one_thread():
        problem = LeastNoise.of(model, uncertainty, load)
        runs = [
            rows_by_length(samples, load, model, uncertainty, increasing) for samples in recordings
        ]
        return tuple(map(problem.needed, increasing, map(list, zip(*runs, strict=True))))


def rows_by_length(
    samples: Samples,
    load: KnownLoad,
    model: ArmModel,
    uncertainty: Uncertainty,
    lengths: Sequence[float],
) -> list[RowBlock]:
    """Return rows of windows of each length that begin often, without noise in their bounds.

    Raises:
        RecordingError: There are none of some length.
    """
    lists: dict[str, Any] = dict.fromkeys(LISTS, ())
    source = MomentumRows.of(model, replace(uncertainty, torque_absolute=0.0, **lists))
    part = min(lengths) / PHASES
    makes = WindowLengths(source, part, lengths)
    what = f"a recording for windows of {min(lengths):g} s, in {PHASES} parts each,"
    windows = recorded_windows(source, samples, part, what)
    rows = RowBlock.stack(makes.blocks(windows))
    if load.known.all():
        rows = rows.with_payload(load.phi)
    found = [rows.take(rows.scale == length) for length in lengths]
    for length, each in zip(lengths, found, strict=True):
        if not len(each):
            raise RecordingError(
                f"A recording holds no window of {length:g} s of which every {PHASES}th part of "
                "the shortest length has 5 samples and no gap. Record longer or faster, or ask for "
                "longer windows."
            )
    return [replace(each, scale=np.zeros(len(each))) for each in found]


@dataclass(frozen=True)
class LeastNoise:
    """The programs for the least noise of one arm.

    Attributes:
        reference: Proportions of the joints' noise, shape (n,) [N m or N].
        prior: Bounds on phi, those of a known part alike.
        shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).
    """

    reference: Array
    prior: Interval
    shape: Array

    @classmethod
    def of(cls, model: ArmModel, uncertainty: Uncertainty, load: KnownLoad) -> LeastNoise:
        """Return the programs for runs with one load."""
        prior = MomentumRows.of(model, uncertainty).prior
        ends = (np.where(load.known, load.phi, end) for end in prior.box())
        return cls(reference(uncertainty, model.n), Interval(*ends), prior.shape())

    def needed(self, length: float, parts: Sequence[RowBlock]) -> NoiseNeeded:
        """Return what recordings need, of each its rows of one length."""
        others = [[*parts[:k], *parts[k + 1 :]] for k in range(len(parts))] if parts[1:] else []
        return NoiseNeeded(
            length=length,
            rows=sum(map(len, parts)),
            factor=self.factor(parts),
            alone=tuple(self.factor([part]) for part in parts),
            without=tuple(map(self.factor, others)),
            absolute=self.absolute(parts),
        )

    def factor(self, parts: Sequence[RowBlock]) -> float:
        """Return the least common factor on the reference."""
        rows = RowBlock.stack(list(parts))
        share = self.reference[rows.joint] * rows.duration
        return float(self._solve(rows, share[:, None], np.ones(1))[0])

    def absolute(self, parts: Sequence[RowBlock]) -> Array:
        """Return the bounds of the joints with the least sum in units of the reference, (n,)."""
        rows, n = RowBlock.stack(list(parts)), len(self.reference)
        share = np.zeros((len(rows), n))
        share[np.arange(len(rows)), rows.joint] = rows.duration
        return self._solve(rows, share * self.reference, np.ones(n)) * self.reference

    def _solve(self, rows: RowBlock, share: Array, cost: Array) -> Array:
        """Return the least cost'a >= 0 with |rows| <= d + share a, shape (k,).

        Errors of the coefficients count as for the payload that is found.
        """
        phi = np.zeros(10)
        for _ in range(PASSES):
            found, phi = self._pass(rows, rows.bound(np.abs(phi)), share, cost)
        return found

    def _pass(self, rows: RowBlock, d: Array, share: Array, cost: Array) -> tuple[Array, Array]:
        """Return the least a for fixed bounds d, shapes (m,) and (k,), and the payload there."""
        scaled = ScaledRows.of(rows, self.prior, d + share.sum(axis=1), narrow=False)
        cones = cones_of(self.shape)
        program = CuttingPlanes(scaled, cones, free=d / scaled.d, share=share / scaled.d[:, None])
        solution = program.minimise(np.append(np.zeros(len(scaled.lower)), cost))
        if solution is None:
            raise SolverError("linear program of the noise", "no payload within the prior")
        return np.maximum(solution.x[-len(cost) :], 0.0), scaled.phi(solution.x)
