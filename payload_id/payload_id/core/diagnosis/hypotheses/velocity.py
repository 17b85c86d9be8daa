"""Velocities are not the derivatives of positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...samples.differentiation import velocities
from ...samples.joint_samples import Samples
from ..hypothesis import Hypothesis, Reading, Recorded, told

OFF = 0.04  # part of a velocity that is worth a mention
SLIGHT = 0.01  # likewise, where a scale or a delay is most of it


class Velocity(Hypothesis):
    """Velocities from positions instead; how the measured ones differ is told by the samples."""

    name = "velocity"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        found = differences(recorded.stretches, recorded.source.model.joints)
        if found:
            what = f"Velocities are not the derivatives of positions: {'; '.join(found.values())}"
            remedy = "correct the driver, or identify with velocities differentiated from positions"
            yield Reading(told(what, remedy), lambda x, _: replace(x, dq=velocities(x.stamp, x.q)))


def differences(stretches: Sequence[Samples], joints: Sequence[str]) -> dict[int, str]:
    """Say how velocities differ from those of the positions, of the joints where they do.

    By a factor k or a delay T, v = k v0 - T dv0/dt to first order, or neither.
    """
    long = [s for s in stretches if len(s) > 1]
    parts = [(velocities(s.stamp, s.q), s.dq, s.stamp) for s in long]
    with_rate = [(v, dq, np.gradient(v, t, axis=0)) for v, dq, t in parts]
    true, seen, rate = (np.concatenate(x) for x in zip(*with_rate, strict=True))
    known = np.isfinite(rate).all(axis=1)  # a sample alone between gaps has no velocity
    columns = zip(true[known].T, seen[known].T, rate[known].T, joints, strict=True)
    each = {j: (_difference(v, dq, rate), name) for j, (v, dq, rate, name) in enumerate(columns)}
    return {j: f"{name}'s {said}" for j, (said, name) in each.items() if said}


def _difference(true: Array, seen: Array, rate: Array) -> str:
    """Say how one velocity differs from another, whose rate is given; empty if it hardly does."""
    columns = np.stack([true, -rate], axis=1)
    scale, late = np.linalg.lstsq(columns, seen, rcond=None)[0]
    size, off = float(np.linalg.norm(true)), float(np.linalg.norm(seen - true))
    explained = np.linalg.norm(seen - columns @ (scale, late)) < off / 2
    if off <= (SLIGHT if explained else OFF) * size:
        return ""
    if not explained:
        return f"differs by {100 * off / max(size, 1e-30):.2g} %"
    if abs(scale - 1.0) * size > abs(late) * np.linalg.norm(rate):
        return f"is {scale:.3g} times it"
    return f"is {1e3 * abs(late):.2g} ms {'late' if late > 0 else 'early'}"
