"""Efforts are not the torques that the joints apply: another part of them, or another side's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import body_motion, gravity_regressor
from ...arrays import Array
from ...rows.joint_torque.momentum import MomentumRows
from ...rows.row_block import RowBlock
from ...samples.joint_samples import Samples
from ..causes.cause import Finding
from ..causes.remade_rows import NOTHING, RemadeRows, Unchanged

LEAST = 5.0  # times as large as read; less is a gain, a unit or a payload
LITTLE = 0.03  # of the largest joint's torque that the links take; less is not compared
DRAWN = 0.03  # of a joint's torque, that a typical payload counts as
STEP, REACH = 0.02, 0.7  # of the factor's logarithm: of differences, and of a round

EXTERNAL = "The efforts are external torques: what the arm itself takes has been taken out of them"


class ExternalTorques(Unchanged):
    """What the described links take is not in the efforts; what the payload takes is."""

    def source(self, source: MomentumRows, value: Array) -> MomentumRows:
        """Return the source with links that take nothing, but for what is not known of them."""
        centre = source.nuisance.centre.copy()
        centre[: 10 * source.model.n] = 0.0
        return replace(source, nuisance=replace(source.nuisance, centre=centre))


@dataclass(frozen=True)
class WithoutWeight(Unchanged):
    """What the described links weigh is not in the efforts; all else is.

    Attributes:
        model: The arm.
    """

    model: ArmModel

    def samples(self, samples: Samples, value: Array) -> Samples:
        """Return the samples with it."""
        still = body_motion(self.model, samples.q, np.zeros_like(samples.q))
        per_link = gravity_regressor(still, self.model.gravity)[:, :-1]
        held = -np.einsum("nljp,lp->nj", per_link, self.model.link_phi)
        return replace(samples, tau=samples.tau + held)


class OtherSide(Unchanged):
    """Torques are exp(value) times the efforts, of all joints or of each: gears' ratios."""

    def samples(self, samples: Samples, value: Array) -> Samples:
        """Return the samples with these."""
        return replace(samples, tau=np.exp(value) * samples.tau)


WEIGHT = "What the links weigh has been taken out of the efforts: they are compensated for gravity"


def motor_side(factors: Array) -> str:
    """Say that efforts are a part of the torques that joints apply, by one factor or each its."""
    listed = ", ".join(f"{factor:.2g}" for factor in np.abs(factors))
    return (
        f"The efforts are some {listed} times smaller than what the joints need: torques at "
        "the motors' side of the gears, or currents"
    )


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
        Factors, shape (k,); zeros where nothing tells them.
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
    drawn = DRAWN * np.sqrt(len(rows)) * np.eye(others, others + k)
    right = np.append(-weight * links / alone, np.zeros(others))
    x, *_ = np.linalg.lstsq(np.vstack([columns, drawn]), right, rcond=None)
    return np.asarray(alone * x[others:])


class Efforts:
    """External torques, or torques before the gears."""

    name = "kind of efforts"

    def findings(self, remade: RemadeRows) -> Iterator[Finding]:
        """See the protocol."""
        rows = remade.rows(Unchanged(), NOTHING)
        tare = int((~remade.evidence.own).sum())
        own, source = rows.take(np.arange(tare, len(rows))), remade.source
        n = source.model.n
        for groups in (np.ones((n, 1)), np.eye(n)):
            factors = needed_factors(own, groups, source.prior.typical)
            if not (factors.max() > LEAST and factors.min() > 1.0):
                continue
            k = len(factors)
            start, step, reach = np.log(factors), np.full(k, STEP), np.full(k, REACH)
            value, fit = remade.followed(OtherSide(), start, step, reach)
            sentence = motor_side(np.exp(value))
            yield Finding(
                self.name, fit.factor, k, f"{sentence}. Multiply them by the gears' ratios."
            )
            if fit.factor <= 1.0:
                return  # so small that they would be anything
        compensated = (EXTERNAL, ExternalTorques()), (WEIGHT, WithoutWeight(source.model))
        for sentence, hypothesis in compensated:
            left = remade.judged(hypothesis, NOTHING).factor
            yield Finding(self.name, left, 0, f"{sentence}. Record those that the joints apply.")
