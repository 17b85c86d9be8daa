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
MOST = 0.5  # of the energy of a difference
LATEST, STEP = 0.05, 5e-4  # [s] of delay that is tried, and between two of them
FOLLOWS = 0.2  # part of what a velocity is off that a scale or a delay must leave to explain it

Pieces = Sequence[tuple[Array, Array, Array]]


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
    """Say how velocities differ from those of the positions, of the joints where they do."""
    found = {}
    for j, name in enumerate(joints):
        pieces = [(s.stamp, velocities(s.stamp, s.q[:, [j]])[:, 0], s.dq[:, j]) for s in stretches]
        true = np.concatenate([piece[1] for piece in pieces])
        seen = np.concatenate([piece[2] for piece in pieces])
        size, off = np.linalg.norm(true), np.linalg.norm(seen - true)
        slight = off > SLIGHT * size and _is_explained(pieces, true, seen)
        if slight or off > OFF * size:
            found[j] = f"{name}'s {_difference(pieces, true, seen, float(off))}"
    return found


def _is_explained(pieces: Pieces, true: Array, seen: Array) -> bool:
    """Tell whether a scale or a small delay is most of how a velocity differs from another."""
    rate = np.concatenate([np.gradient(v, t) if len(t) > 1 else 0.0 * v for t, v, _ in pieces])
    off = seen - true
    parts = (float(off @ x) ** 2 / max(float(x @ x), 1e-30) for x in (true, rate))
    return max(parts) > MOST * float(off @ off)


def _difference(pieces: Pieces, true: Array, seen: Array, off: float) -> str:
    """Say how one velocity differs from another: by a factor, a delay, or neither."""
    size = float(np.linalg.norm(true))
    scale = float(seen @ true / max(true @ true, 1e-30))
    scaled = float(np.linalg.norm(seen - scale * true))
    delays = np.arange(-LATEST, LATEST + STEP / 2, STEP)
    left = [
        float(np.linalg.norm(np.concatenate([np.interp(t - x, t, v) - w for t, v, w in pieces])))
        for x in delays
    ]
    late = 1e3 * float(delays[int(np.argmin(left))])
    if min(scaled, *left) > FOLLOWS * off + 0.01 * size:
        return f"differs by {100 * off / max(size, 1e-30):.2g} %"
    if scaled <= min(left):
        return f"is {scale:.3g} times it"
    return f"is {abs(late):.2g} ms {'late' if late > 0 else 'early'}"
