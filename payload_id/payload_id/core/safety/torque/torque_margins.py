"""Margins of the torque, from its enclosure over slices of time; slices that fail are cut.

Under a robust design the bound of the disturbance, which is part of the enclosure, is held against
what the design is made for: it is a second constraint, proved on the same slices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array, BoolArray
from ...motion.limits import MotionLimits
from ...motion.trajectory import MotionRanges, Trajectory, even_edges
from ..margins.margin import Margin, Refusal, part_used
from ..margins.subdivision import Slices, SmallestMargins, prove
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
    bound = TorqueBound(model, limits.torque, tube, box, trajectory)
    return bound.margins(edges)


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
    bound = TorqueBound(model, limits.torque, tube, box, held, "holding torque", enough=1.0)
    found = bound.margins(even_edges(trajectory, HOLDING_STEP))
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
    bound = TorqueBound(model, limits.torque, tube, box, trajectory)
    return bound.judge(Slices.between(edges)).used[:, : model.n]


@dataclass(frozen=True, eq=False)
class JudgedTorques:
    """What slices may need.

    Attributes:
        slices: The slices, shape (I,).
        peak: At most, by column, shape (I, C) [N m or N].
        used: That as parts of the limits, shape (I, C) [-].
        loose: Where a finer cut would tell the margin better, shape (I,).
    """

    slices: Slices
    peak: Array
    used: Array
    loose: BoolArray

    @property
    def failed(self) -> BoolArray:
        """Slices on which a limit may be exceeded."""
        return np.asarray((self.used > 1.0).any(axis=1))


class TorqueBound:
    """Torques of a motion, to be proved within their limits.

    Columns are the joints' torques and, under a robust design, their disturbances.
    """

    depth, report_depth = DEPTH, REPORT_DEPTH

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
        """Prove nothing yet.

        Args:
            model: The arm.
            limit: Torque limits, shape (n,) [N m or N].
            tube: Bounds of the tracking error.
            box: Bounds of the payload's and the arm's parameters.
            trajectory: The desired motion.
            torque: Name of the constraint.
            enough: Part of a limit up to which any bound will do.
        """
        design = tube.reserve
        self.limit = limit if design is None else np.concatenate([limit, design.disturbance])
        self.names = (torque,) if design is None else (torque, "disturbance")
        self.model, self.tube, self.box = model, tube, box
        self.trajectory = trajectory
        self._enough, self._goal, self._splits = enough, 0.0, SPLITS
        self._smallest = SmallestMargins()

    def margins(self, edges: Array) -> tuple[Margin, ...] | Refusal:
        """Return the smallest margins, or the refusal; edges are of the first slices [s]."""
        hard = self._after_crude_bounds(Slices.between(edges))
        self._splits = 0
        refused = prove(self, hard) if len(hard.start) else None
        found = self._smallest.found
        return refused if refused is not None else tuple(found[name] for name in self.names)

    def judge(self, slices: Slices) -> JudgedTorques:
        """Return what slices may need; the closest bounds are worth their time after a failure."""
        peak, _ = self._peak(slices.ranges(self.trajectory, PARTS), PARTS, self._splits)
        used = part_used(peak, self.limit)
        self._splits = SPLITS if (used > 1.0).any() else 0
        loose = np.asarray((used[:, : self.model.n] > self._goal).any(axis=1))
        return JudgedTorques(slices, peak, used, loose)

    def refused(self, found: JudgedTorques, last: bool) -> Refusal | None:
        """Return the earliest torque that no finer cut can prove; None if there is hope."""
        middle = found.slices.middle[found.failed]
        doubtful = np.flatnonzero(self._at_instants(middle, 0)[0].max(axis=1) > 1.0)
        if len(doubtful):
            most, least = self._at_instants(middle[doubtful])
            hopeless = most.max(axis=1) > 1.0
            if hopeless.any():
                k = int(np.argmax(hopeless))
                j = self._worst(most[k])
                certain = bool(least[k, j] > 1.0)
                what = "for every payload" if certain else "for some payload or tracking error"
                time = float(middle[doubtful[k]])
                return self._refusal(j, time, float(most[k, j]), certain, f"{what} in bounds")
        if not last:
            return None
        used = found.used[found.failed][0]
        j = self._worst(used)
        reason = "as far as could be proved on the finest slices"
        return self._refusal(j, float(middle[0]), float(used[j]), False, reason)

    def settle(self, found: JudgedTorques, done: BoolArray) -> None:
        """Keep the largest parts used among the slices that are done."""
        slices, peak, n = found.slices.take(done), found.peak[done], self.model.n
        for kind, name in enumerate(self.names):
            own = slice(kind * n, (kind + 1) * n)
            self._smallest.take(name, self.model.joints, peak[:, own], self.limit[own], slices)

    def halves(self, found: JudgedTorques, again: BoolArray) -> Slices:
        """Return both halves of slices."""
        return found.slices.halves(again)

    def _after_crude_bounds(self, slices: Slices) -> Slices:
        """Settle the slices for which the first bounds will do; return the others."""
        n = self.model.n
        peak, _ = self._peak(slices.ranges(self.trajectory, PARTS), PARTS, CRUDE)
        used = part_used(peak, self.limit)
        done = np.asarray((used <= self._enough).all(axis=1))
        if not done.all():
            top = np.argsort(used[:, :n].max(axis=1))[-4:]
            near = float(self._at_instants(slices.middle[top], 0)[0][:, :n].max()) + REPORT
            self._goal = max(near, self._enough)
            within = (used[:, :n] <= self._goal).all(axis=1)
            done = np.asarray(within & (used <= 1.0).all(axis=1))
        self.settle(JudgedTorques(slices, peak, used, ~done), done)
        return slices.take(~done)

    def _peak(
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

    def _worst(self, used: Array) -> int:
        """Return the column of one slice to name: without its design, no torque has a bound."""
        n = self.model.n
        beyond = used[n:] > 1.0
        return n + int(np.argmax(used[n:])) if beyond.any() else int(np.argmax(used[:n]))

    def _at_instants(self, time: Array, splits: int = SPLITS) -> tuple[Array, Array]:
        """Return the part of each limit used at instants, at most and at least, by column."""
        instants = MotionRanges.at_instants(self.trajectory.at(time))
        most, least = self._peak(instants, 1, splits)
        return part_used(most, self.limit), part_used(least, self.limit)

    def _refusal(self, column: int, time: float, used: float, certain: bool, why: str) -> Refusal:
        """Return the refusal of a joint's torque or disturbance at a time."""
        kind, joint = divmod(column, self.model.n)
        name, limit = self.model.joints[joint], self.limit[column]
        constraint = self.names[kind]
        missing = float((used - 1.0) * limit) if limit > 0.0 else float("inf")
        what = f"{name} needs up to {used * limit:.4g} of {limit:.4g} N m (or N)"
        if constraint == "disturbance":
            what = (
                f"{name} may be disturbed by {used:.4g} times the {limit:.4g} N m (or N) that the "
                "robust controller is designed for,"
            )
        sentence = f"Refused ({constraint}): {what} at {time:.3f} s, {why}."
        return Refusal(constraint, (name,), time, missing, certain, sentence)
