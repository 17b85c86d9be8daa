"""Torques contain friction that is not stated, or more than is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...number_format import short
from ...samples.joint_samples import Samples
from ..hypothesis import Hypothesis, Reading, Recorded

NAMED = 3  # joints


class Friction(Hypothesis):
    """Coulomb, viscous and load-dependent friction of every joint, none of it negative.

    F sign(dq) + v dq + c |r| sign(dq), r the reading; the numbers are parts of the joint's
    largest torque.
    """

    name = "friction"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        stretches, joints = recorded.stretches, recorded.source.model.joints
        torque = np.max([np.abs(x.tau).max(axis=0) for x in stretches], axis=0)
        speed = np.max([np.abs(x.dq).max(axis=0) for x in stretches], axis=0)
        largest = np.stack([torque, torque / np.maximum(speed, 1e-3), np.ones(len(joints))])
        none, one = np.zeros(largest.size), np.ones(largest.size)
        yield Reading(
            _words(joints, largest), _without(largest), None, none, one,
            free=largest.size, lower=none, by_joint=True,
        )  # fmt: skip


def _without(largest: Array) -> Callable[[Samples, Array], Samples]:
    """Return what takes friction out of torques."""

    def without(samples: Samples, value: Array) -> Samples:
        coulomb, viscous, load = largest * value.reshape(3, -1)
        friction = (coulomb + load * np.abs(samples.tau)) * np.sign(samples.dq)
        return replace(samples, tau=samples.tau - friction - viscous * samples.dq)

    return without


def _words(names: tuple[str, ...], largest: Array) -> Callable[[Array], tuple[str, str]]:
    def words(value: Array) -> tuple[str, str]:
        coulomb, viscous, load = largest * value.reshape(3, -1)
        parts = [
            f"{names[j]} {short(coulomb[j])} N m and {short(viscous[j])} N m s/rad and "
            f"{short(100 * load[j])} % of the load"
            for j in np.argsort(-coulomb, kind="stable")[:NAMED]
        ]
        return (
            "The torques contain friction beyond what is stated, about, of the joints with most: "
            f"{'; '.join(parts)} (N and N s/m of slides)",
            "state friction_coulomb and friction_viscous, or calibrate the arm",
        )

    return words
