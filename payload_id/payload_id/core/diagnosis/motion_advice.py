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
from ..rows.joint_torque.position_gate import position_limits
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


def advise(
    row_source: MomentumRows,
    seen: MotionSeen,
    statistics: Statistics,
    weak: Sequence[int],
    left: Array,
    typical: Array,
    window: float,
) -> tuple[str, ...]:
    """Say which joints' motion would help most with weak parameters.

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
    sweeps = [sweep(row_source.model, seen.last, k, window) for k in range(row_source.model.n)]
    blocks = row_source.windows([x for of_joint in sweeps for x in of_joint])
    for first in range(0, len(blocks), len(PHASES)):
        rows = RowBlock.stack(blocks[first : first + len(PHASES)])
        wide = np.hstack([rows.B, rows.A]) / rows.bound(typical)[:, None] / box
        after.append(_deviations(known + wide.T @ wide, p))
    ratio = np.divide(after, before, out=np.ones((len(after), 10)), where=before > 0.0)
    best = {k: int(np.argmin(ratio[:, k])) for k in weak}
    helped = {k: joint for k, joint in best.items() if ratio[joint, k] <= HELPS}
    joints = sorted(set(helped.values()), key=lambda j: (-list(helped.values()).count(j), j))
    return tuple(
        _sentence(row_source.model, seen, j, [k for k, other in helped.items() if other == j])
        for j in joints[:MOST_NAMED]
    )


def _sentence(model: ArmModel, seen: MotionSeen, joint: int, parameters: Sequence[int]) -> str:
    """Say what a joint did, and what motion of it would help with parameters."""
    revolute, moved = bool(model.revolute[joint]), float(seen.upper[joint] - seen.lower[joint])
    turn, turned = ("turn", "turned") if revolute else ("move", "moved")
    sweep, now = 2.0 * (SWEEP_ANGLE if revolute else SWEEP_LENGTH), float(seen.speed[joint])
    speed = sweep * np.pi / PERIOD / 2.0

    def size(value: float) -> str:
        return f"{np.rad2deg(value):.0f} deg" if revolute else f"{value:.2f} m"

    if moved < sweep / 2.0:
        remedy = f"{turn} it by about {size(sweep)}"
    elif now < speed:
        remedy = f"{turn} it faster, at about {size(speed)}/s (now at most {size(now)}/s)"
    else:
        remedy = f"{turn} it by about {size(sweep)} more, from where it is now"
    names = ", ".join(PARAMETERS[k] for k in parameters)
    return f"For {names}: {model.joints[joint]} {turned} {size(moved)}; {remedy}."


def _deviations(information: Array, p: int) -> Array:
    """Return the standard deviations of phi that go with an information matrix, shape (10,)."""
    return np.sqrt(np.maximum(np.diag(np.linalg.inv(information))[p:], 0.0))  # but for rounding


def sweep(model: ArmModel, q: Array, joint: int, window: float) -> list[Samples]:
    """Return windows of a sinusoidal sweep of one joint about a configuration, one a phase."""
    size = SWEEP_ANGLE if model.revolute[joint] else SWEEP_LENGTH
    middle = _inside(model, joint, float(q[joint]), size)
    rate = 2.0 * np.pi / PERIOD
    windows = []
    for phase in PHASES:
        steps = max(5, int(np.ceil(window * RATE)))
        t = phase * PERIOD + np.linspace(0.0, window, steps + 1)
        Q, dQ, ddQ = (np.tile(x, (len(t), 1)) for x in (q, 0.0 * q, 0.0 * q))
        Q[:, joint] = middle + size * np.sin(rate * t)
        dQ[:, joint] = size * rate * np.cos(rate * t)
        ddQ[:, joint] = -size * rate**2 * np.sin(rate * t)
        windows.append(Samples(t, Q, dQ, _torques(model, Q, dQ, ddQ)))
    return windows


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
    lower, upper = position_limits(model)
    low, high = float(lower[joint]) + size, float(upper[joint]) - size
    return float(np.clip(middle, low, high)) if low < high else middle
