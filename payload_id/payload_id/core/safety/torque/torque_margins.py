"""Margins of the torque, from its enclosure over slices of time; slices that fail are cut.

Under a robust design the bound of the disturbance, which is part of the enclosure, is held against
what the design is made for: it is a second constraint, proved on the same slices.
"""

from __future__ import annotations

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array, IntArray
from ...motion.limits import MotionLimits
from ...motion.trajectory import MotionRanges, Trajectory, even_edges
from ..margins.margin import Margin, Refusal
from ..tube.tracking_tube import TrackingTube
from .bilinear_bound import CRUDE, SPLITS
from .held_still import HeldStill
from .parameter_box import ParameterBox
from .slice_torque_bounds import slice_torque_bounds

PARTS = 16  # ranges of the motion that each slice is made of
DEPTH = 7  # times that a slice is cut in two before a proof is given up
REPORT_DEPTH = 1  # times that it is cut only to tell the margin better
HOLDING_STEP = 0.2  # [s] first slices on which poses are looked at
REPORT = 0.05  # part of the limit to which the margin is reported


def torque_margins(
    model: ArmModel,
    limits: MotionLimits,
    tube: TrackingTube,
    box: ParameterBox,
    trajectory: Trajectory,
    edges: Array,
) -> tuple[Margin, ...] | Refusal:
    """Return the smallest margins of torque and disturbance, or where one is not kept first.

    The disturbance has one only under a robust design.

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


def holding_margin(
    model: ArmModel,
    limits: MotionLimits,
    tube: TrackingTube,
    box: ParameterBox,
    trajectory: Trajectory,
) -> Margin | Refusal:
    """Return the smallest margin of the torque that holds the arm anywhere on the path of a motion.

    A motion may need less: where it falls, and elsewhere. But it may be held anywhere. The margin
    is what the first bounds leave that prove it.

    Args as for `torque_margins`.
    """
    held = HeldStill(trajectory)
    search = _Search(model, limits.torque, tube, box, held, "holding torque", enough=1.0)
    found = search.run(even_edges(trajectory, HOLDING_STEP))
    return found if isinstance(found, Refusal) else found[0]


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
    return search.part(peak)[:, : model.n]


class _Search:
    """One search; a slice is judged by the largest part of a limit used.

    Columns are the joints' torques and, under a robust design, their disturbances.
    """

    def __init__(
        self,
        model: ArmModel,
        limit: Array,
        tube: TrackingTube,
        box: ParameterBox,
        trajectory: Trajectory,
        torque: str = "torque",
        enough: float = 0.0,
    ) -> None:
        """Prepare a search.

        Args:
            model: The arm.
            limit: Torque limits, shape (n,) [N m or N].
            tube: Bounds of the tracking error.
            box: Bounds of the payload's and the arm's parameters.
            trajectory: The desired motion.
            torque: Name of the constraint.
            enough: Part of a limit up to which any bound will do.
        """
        self.enough = enough
        design = tube.reserve
        self.limit = limit if design is None else np.concatenate([limit, design.disturbance])
        self.model, self.tube, self.box = model, tube, box
        self.trajectory = trajectory
        names = (torque,) if design is None else (torque, "disturbance")
        self.smallest = {
            name: Margin(name, ("no joint",), float("inf"), -1.0, 0.0, 0.0) for name in names
        }

    def run(self, edges: Array) -> tuple[Margin, ...] | Refusal:
        """Cut until everything is proved, or something cannot be."""
        start, end = edges[:-1], edges[1:]
        start, end, goal = self.crude(start, end)
        splits = 0
        for depth in range(DEPTH + 1):
            if not len(start):
                break
            peak, _ = self.peak(self.ranges(start, end), PARTS, splits)
            used = self.part(peak)
            failed = np.asarray((used > 1.0).any(axis=1))
            # The tightest bounds are worth their time only where others fail.
            splits = SPLITS if failed.any() else 0
            if failed.any():
                refused = self.refused(start[failed], end[failed], peak[failed], depth == DEPTH)
                if refused is not None:
                    return refused
            loose = np.asarray((used[:, : self.model.n] > goal).any(axis=1))
            again = failed if depth >= REPORT_DEPTH else failed | loose
            self.settle(start, end, peak, ~again)
            if not again.any():
                break
            start, end = _halves(start[again], end[again])
        return tuple(self.smallest.values())

    def crude(self, start: Array, end: Array) -> tuple[Array, Array, float]:
        """Settle the slices for which the first bound will do.

        Returns:
            start, end: Of the other slices.
            goal: The part of a torque limit up to which slices may be settled.
        """
        peak, _ = self.peak(self.ranges(start, end), PARTS, CRUDE)
        n, used = self.model.n, self.part(peak)
        top = np.argsort(used[:, :n].max(axis=1))[-4:]
        if (used <= self.enough).all():
            self.settle(start, end, peak, np.ones(len(start), dtype=bool))
            return start[:0], end[:0], 1.0
        goal = float(self.at_instants((start[top] + end[top]) / 2, 0)[0][:, :n].max()) + REPORT
        goal = max(goal, self.enough)
        done = np.asarray((used[:, :n] <= goal).all(axis=1) & (used <= 1.0).all(axis=1))
        self.settle(start, end, peak, done)
        return start[~done], end[~done], goal

    def peak(
        self, ranges: MotionRanges, parts: int = 1, splits: int = SPLITS
    ) -> tuple[Array, Array]:
        """Return the largest and the least that each slice may need, by column [N m or N]."""
        enclosure = slice_torque_bounds(self.model, ranges, self.tube, self.box, parts, splits)
        lower, upper = enclosure.commanded(self.tube)
        most, least = np.maximum(np.abs(lower), np.abs(upper)), np.maximum(lower, -upper)
        if self.tube.reserve is not None:
            w = enclosure.disturbance
            most, least = np.hstack([most, w]), np.hstack([least, np.zeros_like(w)])
        return most, np.maximum(0.0, least)

    def part(self, peak: Array) -> Array:
        """Return the part of each limit used; what has no bound is beyond every limit."""
        used = np.where(peak > 0.0, np.inf, 0.0)
        known = np.isfinite(peak) & (self.limit > 0.0)
        return np.divide(peak, self.limit, out=used, where=known)

    def worst(self, used: Array) -> int:
        """Return the column of one slice to name: without its design, no torque has a bound."""
        n = self.model.n
        beyond = used[n:] > 1.0
        return n + int(np.argmax(used[n:])) if beyond.any() else int(np.argmax(used[:n]))

    def at_instants(self, time: Array, splits: int = SPLITS) -> tuple[Array, Array]:
        """Return the part of each limit used at instants, at most and at least, by column."""
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
                j = self.worst(most[k])
                certain = bool(least[k, j] > 1.0)
                what = "for every payload" if certain else "for some payload or tracking error"
                return self.refusal(
                    j, float(middle[doubtful[k]]), float(most[k, j]), certain, f"{what} in bounds"
                )
        if not last:
            return None
        used = self.part(peak[0])
        j = self.worst(used)
        reason = "as far as could be proved on the finest slices"
        return self.refusal(j, float(middle[0]), float(used[j]), False, reason)

    def refusal(self, column: int, time: float, used: float, certain: bool, why: str) -> Refusal:
        """Return the refusal of a joint's torque or disturbance at a time."""
        kind, joint = divmod(column, self.model.n)
        name, limit = self.model.joints[joint], self.limit[column]
        constraint = tuple(self.smallest)[kind]
        missing = float((used - 1.0) * limit) if limit > 0.0 else float("inf")
        what = f"{name} needs up to {used * limit:.4g} of {limit:.4g} N m (or N)"
        if constraint == "disturbance":
            what = (
                f"{name} may be disturbed by {used:.4g} times the {limit:.4g} N m (or N) that the "
                "robust controller is designed for,"
            )
        sentence = f"Refused ({constraint}): {what} at {time:.3f} s, {why}."
        return Refusal(constraint, (name,), time, missing, certain, sentence)

    def settle(self, start: Array, end: Array, peak: Array, done: Array) -> None:
        """Keep the largest parts used among the slices that are done."""
        if not done.any():
            return
        n, every = self.model.n, np.where(done[:, None], self.part(peak), -1.0)
        for kind, (name, smallest) in enumerate(self.smallest.items()):
            used = every[:, kind * n : (kind + 1) * n]
            k, j = (int(x) for x in np.unravel_index(int(np.argmax(used)), used.shape))
            if used[k, j] > smallest.used:
                column = kind * n + j
                self.smallest[name] = Margin(
                    constraint=name,
                    where=(self.model.joints[j],),
                    value=float(self.limit[column] - peak[k, column]),
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
