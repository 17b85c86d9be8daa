"""Efforts are not the torques that the joints apply: another part of them, or another side's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...arm.kinetics import body_motion, gravity_regressor
from ...arrays import Array
from ...rows.joint_torque.momentum import MomentumRows
from ...rows.joint_torque.uncertainty import Uncertainty
from ...rows.row_block import RowBlock
from ...rows.windows import WindowCutter
from ...samples.joint_samples import Samples
from ..hypothesis import Hypothesis, Reading, Recorded, told

LEAST = 5.0  # times as large as read; less is a gain, a unit or a payload
LITTLE = 0.03  # of a joint's torque, that a typical payload counts as, and of the largest joint's
JOINT_TERMS = "friction_coulomb", "friction_viscous", "torque_offset", "stiction_velocity", "prior"
REACH = 0.7  # of a round, of the factor's logarithm


class MotorSide(Hypothesis):
    """Torques before the gears, by one ratio of all joints or by each joint's."""

    name = "motor side"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        source, n = recorded.source, recorded.source.model.n
        stated = {name: getattr(source.uncertainty, name) for name in JOINT_TERMS}
        described = MomentumRows.of(source.model, Uncertainty(**stated))
        rows = RowBlock.stack([
            described.window(window)
            for stretch in recorded.stretches
            for window in WindowCutter(recorded.window).add(stretch)
        ])  # fmt: skip
        for factors in much_too_small(rows, n, source.prior.typical):
            size, k = np.log(np.abs(factors)), len(factors)
            larger = _larger(float(np.sign(factors[0])))
            yield Reading(_motor_side, larger, None, size, np.full(k, REACH), k)


class KindOfEfforts(Hypothesis):
    """Efforts without what the arm itself takes, all of it or its weight."""

    name = "kind of efforts"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        remedy = "record those that the joints apply"
        what = "The efforts are external torques, from which what the arm itself takes is taken out"
        yield Reading(told(what, remedy), source=_without_links)
        what = "What the links weigh is taken out of the efforts, which are compensated for gravity"
        model = recorded.source.model

        def with_weight(samples: Samples, _: Array) -> Samples:
            still = body_motion(model, samples.q, np.zeros_like(samples.q))
            per_link = gravity_regressor(still, model.gravity)[:, :-1]
            held = -np.einsum("nljp,lp->nj", per_link, model.link_phi)
            return replace(samples, tau=samples.tau + held)

        yield Reading(told(what, remedy), with_weight)


def _larger(sign: float) -> Callable[[Samples, Array], Samples]:
    """Return what multiplies torques by exp(v), of all joints or of each."""
    return lambda samples, value: replace(samples, tau=sign * np.exp(value) * samples.tau)


def _without_links(source: MomentumRows, value: Array) -> MomentumRows:
    """Return the source with links that take nothing, but for what is not known of them."""
    links, *others = source.arm
    return replace(source, arm=(replace(links, centre=0.0 * links.centre), *others))


def _motor_side(value: Array) -> tuple[str, str]:
    listed = ", ".join(f"{factor:.2g}" for factor in np.exp(value))
    return (
        f"The efforts are some {listed} times smaller than what the joints need, so that they are "
        "torques at the motors' side of the gears, or currents, or the description's masses are "
        "too large by as much",
        "see which, by the data sheet; then multiply them by the gears' ratios, or mend the masses",
    )


def much_too_small(rows: RowBlock, n: int, typical: Array) -> Iterator[Array]:
    """Give the factors of all efforts alike, then of each joint's, that are far too small.

    Args:
        rows: Of n joints each window.
        n: Number of joints.
        typical: |phi| of a typical payload, shape (10,).
    """
    for groups in (np.ones((n, 1)), np.eye(n)):
        factors = needed_factors(rows, groups, typical)
        size = np.abs(factors)
        if size.max() > LEAST and size.min() > 1.0 and np.ptp(np.sign(factors)) == 0.0:
            yield factors


def needed_factors(rows: RowBlock, groups: Array, typical: Array) -> Array:
    """Return the factors of efforts with which a payload fits best, one of each group of joints.

    Least squares of A phi + B u - sum_k c_k r_k = -l, r_k the readings of group k, l what the
    described links take, each joint's rows in parts of its own c0 r, c0 the factor without a
    payload; phi and u are drawn to zero.

    Args:
        rows: Of n joints each window.
        groups: 1 where a joint is of a group, shape (n, k).
        typical: |phi| of a typical payload, shape (10,).

    Returns:
        Factors, shape (k,), zeros where nothing tells them.
    """
    n, k = groups.shape
    read, links = rows.reading, rows.reading - rows.b
    size = np.sqrt(np.mean(read.reshape(-1, n) ** 2, axis=0))
    weight = np.tile(1.0 / np.maximum(size, LITTLE * size.max() + 1e-30), len(rows) // n)
    alone = (weight * read) @ (weight * links) / max(float(np.sum((weight * read) ** 2)), 1e-30)
    if alone == 0.0:
        return np.zeros(k)
    own = read[:, None] * np.tile(groups, (len(rows) // n, 1))
    columns = weight[:, None] * np.hstack([rows.A * typical / alone, rows.B / alone, -own])
    others = columns.shape[1] - k
    drawn = LITTLE * np.sqrt(len(rows)) * np.eye(others, others + k)
    right = np.append(-weight * links / alone, np.zeros(others))
    x, *_ = np.linalg.lstsq(np.vstack([columns, drawn]), right, rcond=None)
    return np.asarray(alone * x[others:])
