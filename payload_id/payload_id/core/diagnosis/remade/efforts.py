"""Efforts are not the torques that the joints apply: another part of them, or another side's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...rows.joint_torque.momentum import MomentumRows
from ...rows.row_block import RowBlock
from ...samples.joint_samples import Samples
from ..causes.cause import Finding
from ..causes.remade_rows import NOTHING, RemadeRows, Unchanged

LEAST = 5.0  # times as large as read; less is a gain, a unit or a payload
LITTLE = 0.03  # of the largest joint's torque that the links take; less is not compared
DRAWN = 0.1  # of a joint's torque, that a typical payload counts as
STEP, REACH = 0.02, 0.7  # of the factor's logarithm: of differences, and of a round

EXTERNAL = "The efforts are external torques: what the arm itself takes has been taken out of them"


class ExternalTorques(Unchanged):
    """What the described links take is not in the efforts; what the payload takes is."""

    def source(self, source: MomentumRows, value: Array) -> MomentumRows:
        """Return the source with links that take nothing, but for what is not known of them."""
        centre = source.nuisance.centre.copy()
        centre[: 10 * source.model.n] = 0.0
        return replace(source, nuisance=replace(source.nuisance, centre=centre))


class OtherSide(Unchanged):
    """Torques are exp(value) times the efforts, of all joints: a gear's ratio."""

    def samples(self, samples: Samples, value: Array) -> Samples:
        """Return the samples with these."""
        return replace(samples, tau=np.exp(value[0]) * samples.tau)


def motor_side(factor: float) -> str:
    """Say that efforts are a part of the torques that joints apply."""
    return (
        f"The efforts are some {factor:.2g} times smaller than what the joints need: torques at "
        "the motors' side of the gears, or currents"
    )


def needed_factor(rows: RowBlock, n: int, typical: Array) -> float:
    """Return the factor of all efforts of n joints with which a payload fits best.

    Least squares of A phi - c r = -l, r the readings, l what the described links take, each joint's
    rows in parts of its own c0 r, c0 the factor without a payload; phi is drawn to zero.

    Args:
        rows: Of n joints each window.
        n: Number of joints.
        typical: |phi| of a typical payload, shape (10,).
    """
    read, links = rows.reading, rows.reading - rows.b
    size = np.sqrt(np.mean(read.reshape(-1, n) ** 2, axis=0))
    weight = np.tile(1.0 / np.maximum(size, LITTLE * size.max() + 1e-30), len(rows) // n)
    alone = (weight * read) @ (weight * links) / max(float(np.sum((weight * read) ** 2)), 1e-30)
    if alone == 0.0:
        return 0.0
    columns = weight[:, None] * np.column_stack([rows.A * typical / alone, -read])
    drawn = DRAWN * np.sqrt(len(rows)) * np.eye(10, 11)
    right = np.append(-weight * links / alone, np.zeros(10))
    return float(alone * np.linalg.lstsq(np.vstack([columns, drawn]), right, rcond=None)[0][-1])


class Efforts:
    """External torques, or torques before the gears."""

    name = "kind of efforts"

    def findings(self, remade: RemadeRows) -> Iterator[Finding]:
        """See the protocol."""
        rows = remade.rows(Unchanged(), NOTHING)
        tare = int((~remade.evidence.own).sum())
        own, source = rows.take(np.arange(tare, len(rows))), remade.source
        factor = needed_factor(own, source.model.n, source.prior.typical)
        left = np.inf
        if factor > LEAST:
            start, step, reach = np.log([factor]), np.full(1, STEP), np.full(1, REACH)
            value, fit = remade.followed(OtherSide(), start, step, reach)
            sentence, left = motor_side(float(np.exp(value[0]))), fit.factor
            yield Finding(self.name, left, 1, f"{sentence}. Multiply them by the gears' ratios.")
        if left > 1.0:  # else small efforts would be anything
            left = remade.judged(ExternalTorques(), NOTHING).factor
            yield Finding(self.name, left, 0, f"{EXTERNAL}. Record those that the joints apply.")
