"""Which joint's motion would tell most of the parameters that the data do not bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..body.inertial import PARAMETERS
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.row_block import RowBlock
from ..samples.joint_samples import Samples
from ..statistics.statistics import Statistics

SWEEP_ANGLE, SWEEP_LENGTH = 0.5, 0.1  # amplitude of a trial sweep [rad], [m]
PERIOD = 2.0  # of a sweep [s]
RATE = 100.0  # of its samples [Hz]
PHASES = (0.0, 0.125, 0.25, 0.375)  # at which a window of a sweep begins, in periods
HELPS = 0.8  # standard deviation, relative to that without the sweep, that is worth a mention
MOST_NAMED = 2  # joints


@dataclass(frozen=True)
class MotionSeen:
    """Where the joints were in a run.

    Attributes:
        lower: Least position, shape (n,) [rad or m].
        upper: Largest position, shape (n,) [rad or m].
        speed: Largest speed, shape (n,) [rad/s or m/s].
        mean_speed: Mean speed, shape (n,) [rad/s or m/s].
        last: Newest position, shape (n,) [rad or m].
        samples: Number of samples that it is the mean of.
    """

    lower: Array
    upper: Array
    speed: Array
    mean_speed: Array
    last: Array
    samples: int

    @classmethod
    def of(cls, samples: Samples, before: MotionSeen | None = None) -> MotionSeen:
        """Return what is seen with at least one more sample."""
        lower, upper = samples.q.min(axis=0), samples.q.max(axis=0)
        each = np.abs(samples.dq)
        speed, mean, count = each.max(axis=0), each.mean(axis=0), len(samples)
        if before is not None:
            lower, upper = np.minimum(lower, before.lower), np.maximum(upper, before.upper)
            speed = np.maximum(speed, before.speed)
            count += before.samples
            mean = before.mean_speed + (mean - before.mean_speed) * (len(samples) / count)
        return cls(lower, upper, speed, mean, samples.q[-1], count)


@dataclass(frozen=True)
class Advice:
    """A joint whose motion would help.

    Attributes:
        joint: Its number.
        parameters: Parameters for which it would help most.
        moved: How far it moved [rad or m].
        speed: How fast [rad/s or m/s].
        revolute: Whether it turns.
    """

    joint: int
    parameters: tuple[int, ...]
    moved: float
    speed: float
    revolute: bool

    def sentence(self, joints: Sequence[str]) -> str:
        """Return the advice in words."""
        turn, turned = ("turn", "turned") if self.revolute else ("move", "moved")
        sweep = 2.0 * (SWEEP_ANGLE if self.revolute else SWEEP_LENGTH)
        speed = sweep * np.pi / PERIOD / 2.0
        by = self._quantity(sweep)
        if self.moved < sweep / 2.0:
            remedy = f"{turn} it by about {by}"
        elif self.speed < speed:
            now = f"{self._quantity(self.speed)}/s"
            remedy = f"{turn} it faster, at about {self._quantity(speed)}/s (now at most {now})"
        else:
            remedy = f"{turn} it by about {by} more, from where it is now"
        names = ", ".join(PARAMETERS[k] for k in self.parameters)
        moved = self._quantity(self.moved)
        return f"For {names}: {joints[self.joint]} {turned} {moved}; {remedy}."

    def _quantity(self, value: float) -> str:
        """Return an angle in degrees, or a length."""
        return f"{np.rad2deg(value):.0f} deg" if self.revolute else f"{value:.2f} m"


def advise(
    row_source: MomentumRows,
    seen: MotionSeen,
    statistics: Statistics,
    weak: Sequence[int],
    left: Array,
    typical: Array,
    window: float,
) -> tuple[Advice, ...]:
    """Return the joints whose motion would help most with weak parameters.

    A sweep of each joint alone about the newest configuration is added to the rows in turn; of the
    least-squares estimate with the nuisance parameters in their boxes, the joint counts that leaves
    the smallest standard deviation of the parameter.

    Args:
        row_source: Makes the rows of a sweep.
        seen: The motion of the run.
        statistics: Of all rows of the run.
        weak: The parameters.
        left: Half widths that the prior leaves, shape (10,).
        typical: |phi| of a typical payload, shape (10,).
        window: Length of a window [s].
    """
    p = row_source.p
    box = np.concatenate([np.ones(p), 1.0 / np.maximum(left, 1e-12)])
    factor = statistics.weighted[:, : p + 10] / box  # in units of the boxes
    known = factor.T @ factor + np.eye(p + 10)
    before = _deviations(known, p)
    after = []
    for joint in range(row_source.model.n):
        rows = sweep_rows(row_source, seen.last, joint, window)
        wide = np.hstack([rows.B, rows.A]) / rows.bound(typical)[:, None] / box
        after.append(_deviations(known + wide.T @ wide, p))
    ratio = np.divide(after, before, out=np.ones((len(after), 10)), where=before > 0.0)
    best = {k: int(np.argmin(ratio[:, k])) for k in weak}
    helped = {k: joint for k, joint in best.items() if ratio[joint, k] <= HELPS}
    joints = sorted(set(helped.values()), key=lambda j: (-list(helped.values()).count(j), j))
    return tuple(
        Advice(
            joint,
            tuple(k for k, other in helped.items() if other == joint),
            float(seen.upper[joint] - seen.lower[joint]),
            float(seen.speed[joint]),
            bool(row_source.model.revolute[joint]),
        )
        for joint in joints[:MOST_NAMED]
    )


def _deviations(information: Array, p: int) -> Array:
    """Return the standard deviations of phi that go with an information matrix, shape (10,)."""
    return np.sqrt(np.maximum(np.diag(np.linalg.inv(information))[p:], 0.0))  # but for rounding


def sweep_rows(row_source: MomentumRows, q: Array, joint: int, window: float) -> RowBlock:
    """Return rows of windows of a sinusoidal sweep of one joint about a configuration."""
    model = row_source.model
    size = SWEEP_ANGLE if model.revolute[joint] else SWEEP_LENGTH
    middle = _inside(model, joint, float(q[joint]), size)
    rate = 2.0 * np.pi / PERIOD
    blocks = []
    for phase in PHASES:
        steps = max(5, int(np.ceil(window * RATE)))
        t = phase * PERIOD + np.linspace(0.0, window, steps + 1)
        Q, dQ, ddQ = (np.tile(x, (len(t), 1)) for x in (q, 0.0 * q, 0.0 * q))
        Q[:, joint] = middle + size * np.sin(rate * t)
        dQ[:, joint] = size * rate * np.cos(rate * t)
        ddQ[:, joint] = -size * rate**2 * np.sin(rate * t)
        blocks.append(row_source.window(Samples(t, Q, dQ, _torques(model, Q, dQ, ddQ))))
    return RowBlock.stack(blocks)


def _torques(model: ArmModel, q: Array, dq: Array, ddq: Array) -> Array:
    """Return the bare arm's torques, which tell the size of relative errors, shape (N, n)."""
    data, order = model.pinocchio.createData(), list(model.order)
    tau = np.empty_like(q)
    for k in range(len(q)):
        configuration = model.pinocchio_q(q[k])
        tau[k, order] = pin.rnea(model.pinocchio, data, configuration, dq[k, order], ddq[k, order])
    return tau


def _inside(model: ArmModel, joint: int, middle: float, size: float) -> float:
    """Return the middle of a sweep that keeps within the joint's limits, as far as it can."""
    if model.continuous[joint]:
        return middle
    index = model.pinocchio.idx_qs[list(model.order).index(joint) + 1]
    lower = float(model.pinocchio.lowerPositionLimit[index]) + size
    upper = float(model.pinocchio.upperPositionLimit[index]) - size
    return float(np.clip(middle, lower, upper)) if lower < upper else middle
