"""Margins of the torque, from its enclosure over slices of time; slices that fail are cut."""

from __future__ import annotations

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array, IntArray
from ...motion.limits import MotionLimits
from ...motion.trajectory import MotionRanges, Trajectory
from ..margins.margin import Margin, Refusal
from ..tube.tracking_tube import TrackingTube
from .bilinear_bound import CRUDE, SPLITS
from .parameter_box import ParameterBox
from .slice_torque_bounds import slice_torque_bounds

PARTS = 16  # ranges of the motion that each slice is made of
DEPTH = 7  # times that a slice is cut in two before a proof is given up
REPORT_DEPTH = 1  # times that it is cut only to tell the margin better
REPORT = 0.05  # part of the limit to which the margin is reported


def torque_margins(
    model: ArmModel,
    limits: MotionLimits,
    tube: TrackingTube,
    box: ParameterBox,
    trajectory: Trajectory,
    edges: Array,
) -> Margin | Refusal:
    """Return the smallest margin of the torque, or the earliest time at which it is not kept.

    Args:
        model: The arm.
        limits: What may not be exceeded.
        tube: Bounds of the tracking error.
        box: Bounds of the payload's and the arm's parameters.
        trajectory: The desired motion.
        edges: Of the first slices, shape (K + 1,) [s].
    """
    search = _Search(model, limits.torque, tube, box, trajectory)
    return search.run(edges)


def torque_use(
    model: ArmModel,
    limits: MotionLimits,
    tube: TrackingTube,
    box: ParameterBox,
    trajectory: Trajectory,
    edges: Array,
) -> Array:
    """Return the part of each torque limit that slices may need, shape (K, n) [-].

    Args as for `torque_margins`.
    """
    search = _Search(model, limits.torque, tube, box, trajectory)
    peak, _ = search.peak(search.ranges(edges[:-1], edges[1:]), PARTS)
    return search.part(peak)


class _Search:
    """One search; the torques of a slice are judged by the largest part of a limit used."""

    def __init__(
        self,
        model: ArmModel,
        limit: Array,
        tube: TrackingTube,
        box: ParameterBox,
        trajectory: Trajectory,
    ) -> None:
        self.model, self.limit, self.tube, self.box = model, limit, tube, box
        self.trajectory = trajectory
        self.smallest = Margin("torque", ("no joint",), float("inf"), -1.0, 0.0, 0.0)

    def run(self, edges: Array) -> Margin | Refusal:
        """Cut until everything is proved, or something cannot be."""
        start, end = edges[:-1], edges[1:]
        start, end, goal = self.crude(start, end)
        splits = 0
        for depth in range(DEPTH + 1):
            if not len(start):
                break
            peak, _ = self.peak(self.ranges(start, end), PARTS, splits)
            used = self.part(peak).max(axis=1)
            failed = used > 1.0
            # The tightest bounds are worth their time only where others fail.
            splits = SPLITS if failed.any() else 0
            if failed.any():
                refused = self.refused(start[failed], end[failed], peak[failed], depth == DEPTH)
                if refused is not None:
                    return refused
            again = failed if depth >= REPORT_DEPTH else failed | (used > goal)
            self.settle(start, end, peak, ~again)
            if not again.any():
                break
            start, end = _halves(start[again], end[again])
        return self.smallest

    def crude(self, start: Array, end: Array) -> tuple[Array, Array, float]:
        """Settle the slices for which the first bound will do.

        Returns:
            start, end: Of the other slices.
            goal: The part of a limit up to which slices may be settled.
        """
        peak, _ = self.peak(self.ranges(start, end), PARTS, CRUDE)
        used = self.part(peak).max(axis=1)
        top = np.argsort(used)[-4:]
        goal = float(self.at_instants((start[top] + end[top]) / 2, 0)[0].max()) + REPORT
        done = used <= min(goal, 1.0)
        self.settle(start, end, peak, done)
        return start[~done], end[~done], goal

    def peak(
        self, ranges: MotionRanges, parts: int = 1, splits: int = SPLITS
    ) -> tuple[Array, Array]:
        """Return the largest and the least |torque| that each slice may need, (K, n) [N m or N]."""
        enclosure = slice_torque_bounds(self.model, ranges, self.tube, self.box, parts, splits)
        lower, upper = enclosure.commanded(self.tube)
        return np.maximum(np.abs(lower), np.abs(upper)), np.maximum(0.0, np.maximum(lower, -upper))

    def part(self, peak: Array) -> Array:
        """Return the part of each limit used; a torque without bound is beyond every limit."""
        bounded = np.isfinite(peak)
        return np.where(bounded, np.where(bounded, peak, 0.0) / self.limit, np.inf)

    def at_instants(self, time: Array, splits: int = SPLITS) -> tuple[Array, Array]:
        """Return the part of each limit used at instants, at most and at least, (N, n)."""
        instants = MotionRanges.at_instants(self.trajectory.at(time))
        most, least = self.peak(instants, 1, splits)
        return self.part(most), self.part(least)

    def ranges(self, start: Array, end: Array) -> MotionRanges:
        """Return the motion's extrema on the parts of slices that do not overlap."""
        parts = np.linspace(start, end, PARTS + 1, axis=1)
        edges = np.unique(parts)
        which = np.searchsorted(edges, parts[:, :-1].ravel())
        return _some(self.trajectory.ranges(edges), which)

    def refused(self, start: Array, end: Array, peak: Array, last: bool) -> Refusal | None:
        """Return the earliest torque that no finer cut can prove; None if there is hope."""
        middle = (start + end) / 2
        doubtful = np.flatnonzero(self.at_instants(middle, 0)[0].max(axis=1) > 1.0)
        if len(doubtful):
            most, least = self.at_instants(middle[doubtful])
            hopeless = most.max(axis=1) > 1.0
            if hopeless.any():
                k = int(np.argmax(hopeless))
                j = int(np.argmax(most[k]))
                certain = bool(least[k, j] > 1.0)
                what = "for every payload" if certain else "for some payload or tracking error"
                return self.refusal(
                    j, float(middle[doubtful[k]]), float(most[k, j]), certain, f"{what} in bounds"
                )
        if not last:
            return None
        used = self.part(peak[0])
        j = int(np.argmax(used))
        reason = "as far as could be proved on the finest slices"
        return self.refusal(j, float(middle[0]), float(used[j]), False, reason)

    def refusal(self, joint: int, time: float, used: float, certain: bool, why: str) -> Refusal:
        """Return the refusal of a joint's torque at a time."""
        name, limit = self.model.joints[joint], self.limit[joint]
        if not np.isfinite(used):
            why = "where the disturbance is larger than the controller is designed for"
        missing = float((used - 1.0) * limit)
        sentence = (
            f"Refused (torque): {name} needs up to {used * limit:.4g} of {limit:.4g} N m (or N) "
            f"at {time:.3f} s, {why}."
        )
        return Refusal("torque", (name,), time, missing, certain, sentence)

    def settle(self, start: Array, end: Array, peak: Array, done: Array) -> None:
        """Keep the largest part used among the slices that are done."""
        if not done.any():
            return
        used = np.where(done[:, None], self.part(peak), -1.0)
        k, j = (int(x) for x in np.unravel_index(int(np.argmax(used)), used.shape))
        if used[k, j] > self.smallest.used:
            self.smallest = Margin(
                constraint="torque",
                where=(self.model.joints[j],),
                value=float(self.limit[j] - peak[k, j]),
                used=float(used[k, j]),
                start=float(start[k]),
                end=float(end[k]),
            )


def _halves(start: Array, end: Array) -> tuple[Array, Array]:
    """Return both halves of slices."""
    middle = (start + end) / 2
    first, last = np.concatenate([start, middle]), np.concatenate([middle, end])
    order = np.argsort(first)
    return first[order], last[order]


def _some(ranges: MotionRanges, which: IntArray) -> MotionRanges:
    """Return some slices side by side, as if they followed one another; widths are kept."""
    width = np.diff(ranges.edges)[which]
    return MotionRanges(
        np.concatenate([[0.0], np.cumsum(width)]),
        ranges.q_lower[which],
        ranges.q_upper[which],
        ranges.dq_lower[which],
        ranges.dq_upper[which],
        ranges.ddq_lower[which],
        ranges.ddq_upper[which],
    )
