"""Margins of the torque, from its enclosure over slices of time; slices that fail are cut.

Under a robust design the bound of the disturbance, which is part of the enclosure, is held against
what the design is made for: it is a second constraint, proved on the same slices.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ...motion.trajectory import MotionRanges, Trajectory, even_edges
from ..certificate.safety_case import SafetyCase
from ..margins.held_still import HeldStill
from ..margins.margin import Margin, Refusal
from ..margins.subdivision import LimitBound, Need, Needs, Slices
from .bilinear_bound import CRUDE, SPLITS
from .slice_torque_bounds import slice_torque_bounds

PARTS = 16  # ranges of the motion that each slice is made of
HOLDING_STEP = 0.2  # [s] first slices on which poses are looked at
REPORT = 0.05  # part of the limit to which the margin is reported


class TorqueBound(LimitBound):
    """Torques of a motion within their limits; under a robust design, disturbances too.

    First bounds are crude; closer ones are worth their time where those do not tell.
    """

    report_depth = 1

    def __init__(self, case: SafetyCase, trajectory: Trajectory, torque: str = "torque") -> None:
        """Prove nothing yet; `torque` is the name of the constraint."""
        needs = partial(self._needs, splits=SPLITS, matters=(1.0, np.inf))
        super().__init__(needs, trajectory, 7)
        self._case, self._torque, self._goal, self._splits = case, torque, np.inf, 0
        self._near = 0.0  # part of a limit that is used for certain

    def margins(self, slices: Slices, enough: float = 0.0) -> tuple[Margin, ...] | Refusal:
        """Return the smallest margins, or the refusal.

        Args:
            slices: The first ones, which cover the motion.
            enough: Part of a limit up to which any bound will do.
        """
        first = self._judged(slices, CRUDE, enough)
        hard = first.failed | first.loose
        if hard.any():
            top = slices.middle[np.argsort(first.needs[-1].used.max(axis=1))[-4:]]
            near = self._needs(MotionRanges.at_instants(self.trajectory.at(top)))[-1].used.max()
            self._near, self._goal = float(near), max(float(near) + REPORT, enough)
            hard = first.failed | replace(first, goal=self._goal).loose
        self.settle(first, ~hard)
        return super().margins(slices.take(hard)) if hard.any() else tuple(self.smallest.values())

    def judge(self, slices: Slices) -> Needs:
        """Return what slices need; the closest bounds are worth their time after a failure."""
        found = self._judged(slices, self._splits, self._goal)
        self._splits = SPLITS if found.failed.any() else 0
        return found

    def _judged(self, slices: Slices, splits: int, goal: float) -> Needs:
        """Return what slices need of crude or closer bounds."""
        ranges = slices.ranges(self.trajectory, PARTS)
        return Needs(slices, self._needs(ranges, splits, PARTS, (self._near, 1.0)), goal)

    def _needs(
        self,
        ranges: MotionRanges,
        splits: int = 0,
        parts: int = 1,
        matters: tuple[float, float] = (-np.inf, np.inf),
    ) -> tuple[Need, ...]:
        """Return what slices need: of the design's disturbance if there is one, of the torque.

        Without its design no torque has a bound, so that the disturbance is named first. Only
        between two parts of the limit that matter are torques told closely.
        """
        case, names = self._case, self._case.model.joints
        ends = matters[0] * case.limits.torque, matters[1] * case.limits.torque
        found = slice_torque_bounds(case.model, ranges, case.tube, case.box, parts, splits, ends)
        lower, upper = found.commanded(case.tube)
        most, least = np.maximum(np.abs(lower), np.abs(upper)), np.maximum(lower, -upper)
        torque = Need.within(self._torque, names, most, case.limits.torque, least)
        if case.tube.reserve is None:
            return (torque,)
        allowed = case.tube.reserve.disturbance
        return Need.within("disturbance", names, found.disturbance, allowed), torque


def torque_margins(
    case: SafetyCase, trajectory: Trajectory, step: float, told: float = 0.0
) -> tuple[Margin, ...] | Refusal:
    """Return the smallest margins of torque and disturbance, or the first that is not kept.

    Args:
        case: What is certified.
        trajectory: The desired motion.
        step: Length of the first slices [s].
        told: Part of a limit up to which any bound will do [-].
    """
    bound = TorqueBound(case, trajectory)
    return bound.margins(Slices.between(even_edges(trajectory, step)), told)


def holding_margins(case: SafetyCase, trajectory: Trajectory) -> tuple[Margin, ...] | Refusal:
    """Return the smallest margin of the torque that holds the arm anywhere on a motion's path.

    A motion may need less: where it falls, and elsewhere. But it may be held anywhere. The margin
    is what the first bounds leave that prove it.
    """
    held = HeldStill(trajectory)
    bound = TorqueBound(case, held, "holding torque")
    found = bound.margins(Slices.between(even_edges(held, HOLDING_STEP)), enough=1.0)
    return found if isinstance(found, Refusal) else (bound.smallest["holding torque"],)
