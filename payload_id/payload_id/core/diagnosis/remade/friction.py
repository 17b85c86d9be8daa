"""Torques contain friction that is not stated, or more than is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Array
from ...rows.joint_torque.nuisance import group_slice
from ...rows.quadrature import trapezoid_weights
from ...rows.windows import WindowCutter
from ..causes.cause import Finding
from ..causes.evidence import Evidence
from ..causes.remade_rows import NOTHING, RemadeRows, Unchanged

LARGEST = 1.0  # friction, times the joint's largest torque
NAMED = 3  # joints


class Friction:
    """Columns of Coulomb, viscous and load-dependent friction, none of them negative.

    F sign(dq) + v dq + c |r| sign(dq), r the reading; of one joint, or of all.
    """

    name = "friction"

    def findings(self, remade: RemadeRows) -> Iterator[Finding]:
        """See the protocol."""
        evidence = remade.judged(Unchanged(), NOTHING)
        columns, scale = _columns(remade)
        n = remade.source.model.n
        here = evidence.rows.joint
        for joint in range(n):
            own = [joint, n + joint]
            yield self._of_joint(evidence, columns[:, own] * scale[own], scale[own], joint)
        for count in (2 * n, 3 * n):
            factor, value = _explained(evidence, columns[:, :count] * scale[:count], here)
            yield Finding(self.name, factor, count, _sentence(value * scale[:count], n, remade))

    def _of_joint(self, evidence: Evidence, columns: Array, scale: Array, joint: int) -> Finding:
        """Return what the friction of one joint explains."""
        factor, value = _explained(evidence, columns, evidence.rows.joint)
        coulomb, viscous = value * scale
        sentence = (
            f"The torque of {{joint}} contains friction beyond what is stated: about "
            f"{coulomb:.2g} N m (or N) and {viscous:.2g} N m s/rad (or N s/m). State "
            "friction_coulomb and friction_viscous, or calibrate the arm."
        )
        return Finding(self.name, factor, 2, sentence, joint)


def _explained(evidence: Evidence, columns: Array, joint: Array) -> tuple[float, Array]:
    """Return the factor with columns whose values lie in [0, 1], and these values."""
    half = 0.5 * columns
    shifted = evidence.with_right_hand_side(evidence.rows.b - half.sum(axis=1))
    fit = shifted.relaxed(extra=half)
    value = 0.5 + 0.5 * fit.extra if len(fit.extra) else np.full(columns.shape[1], np.nan)
    return fit.factor, value


def _columns(remade: RemadeRows) -> tuple[Array, Array]:
    """Return columns (m, 3 n) of each joint's friction, and their largest values (3 n,)."""
    source, n = remade.source, remade.source.model.n
    blocks, torques, speeds = [], [], []
    for stretch in remade.stretches:
        for window in WindowCutter(remade.window).add(stretch):
            terms = source.terms(window)
            groups = [group_slice(x, n) for x in ("friction_coulomb", "friction_viscous")]
            load = trapezoid_weights(window.stamp) @ (np.abs(window.tau) * np.sign(window.dq))
            blocks.append(
                np.hstack([*(terms.candidates[:, group] for group in groups), np.diag(load)])
            )
            torques.append(np.abs(window.tau).max(axis=0))
            speeds.append(np.abs(window.dq).max(axis=0))
    tare = np.zeros((int((~remade.evidence.own).sum()), 3 * n))
    largest = LARGEST * np.max(torques, axis=0)
    speed = np.maximum(np.max(speeds, axis=0), 1e-3)
    return np.vstack([tare, *blocks]), np.concatenate([largest, largest / speed, np.ones(n)])


def _sentence(value: Array, n: int, remade: RemadeRows) -> str:
    """Name the joints with most friction; value of shape (2 n,) or (3 n,)."""
    names = remade.source.model.joints
    most = np.argsort(-value[:n], kind="stable")[:NAMED]
    parts = []
    for j in most:
        load = f" and {100 * value[2 * n + j]:.2g} % of the load" if len(value) > 2 * n else ""
        parts.append(f"{names[j]} {value[j]:.2g} N m and {value[n + j]:.2g} N m s/rad{load}")
    return (
        "The torques contain friction beyond what is stated, about, of the joints with most: "
        f"{'; '.join(parts)} (N and N s/m of slides). State friction_coulomb and "
        "friction_viscous, or calibrate the arm."
    )
