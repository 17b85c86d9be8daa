r"""Velocities are not the derivatives of positions.

Rows of torques hardly show it: a clock at another pace, a filter's delay or a velocity that is not
measured at all looks like another payload. So it is asked of positions and velocities alone, too.
Of the integral of the measured velocity, less the change of the measured position,

    r(t) = int dq dt - (q(t) - q(0)),

two values within T seconds differ by at most

    e_dq T + 2 e_q + e_t (2 max |dq| + sum |d1|) + h/12 sum |d2|,

e the stated errors of velocity, position and stamp (the third term by summation by parts), h the
time between samples, d1 and d2 differences of the velocities one after the other; the last term is
what the trapezoidal rule leaves. Where no velocity_error is stated a filter's usual lateness T,
which makes r = -T (dq - dq(0)), is taken out before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...arrays import Array
from ...number_format import short
from ...rows.joint_torque.uncertainty import Uncertainty
from ...samples.differentiation import velocities
from ...samples.joint_samples import Samples
from ..hypothesis import Finding, Hypothesis, Reading, Recorded, told

OFF = 0.04  # part of a velocity that is worth a mention
SLIGHT = 0.01  # likewise, where a scale or a delay is most of it
ABOUT = 0.3  # part by which those in the right unit may be off
PIECE = 1.0  # [s] over which r is looked at
SHORT = 0.1  # [s] of a joint's way; shorter ones are mostly an encoder's rounding
SLACK = 1.5  # times what is stated
# What encoders and drivers usually leave, where nothing is stated [rad or m], [rad/s or m/s].
USUAL = {"position_error": 5e-4, "velocity_error": 5e-3}
LATE = 0.01  # [s] likewise: filters of realistic arms are 7.3 ms late (test_history.py)
MUCH, LEAST = 0.01, 0.01  # beyond all errors: part of a joint's way, and at the least [rad or m]


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


def other_velocities(
    stretches: Sequence[Samples], stated: Uncertainty, joints: Sequence[str]
) -> Finding | None:
    """Return that velocities are not those of the positions, whatever the torques; None if not.

    Args:
        stretches: Samples without gaps, of n joints.
        stated: Their errors.
        joints: Their names.
    """
    pieces = [piece for stretch in stretches for piece in _pieces(stretch)]
    if not pieces:
        return None
    beyond, way = np.sum([_unexplained(piece, stated) for piece in pieces], axis=0)
    part = np.where(beyond > np.maximum(LEAST, MUCH * way), beyond / np.maximum(way, LEAST), 0.0)
    if not part.any():
        return None
    j = int(np.argmax(part))
    how = differences(stretches, joints).get(j, "")
    sentence = (
        f"The velocities of {joints[j]} are not those of its positions within what is stated"
        f"{': ' if how else ''}{how}. Check the clock of the stamps, delays and filters; leave "
        "velocities out, so that positions are differentiated; or state velocity_error."
    )
    return Finding(Velocity.name, float("inf"), 0, sentence, j)


def _pieces(stretch: Samples) -> Iterator[Samples]:
    """Give pieces of about a second each, which share the samples at their ends."""
    count = max(1, round(float(np.ptp(stretch.stamp)) / PIECE))
    ends = np.linspace(0, len(stretch) - 1, count + 1).astype(int).tolist()
    yield from (stretch.part(first, last + 1) for first, last in pairwise(ends) if last > first)


def _unexplained(samples: Samples, stated: Uncertainty) -> tuple[Array, Array]:
    """Return the range of r beyond all errors, and the way of the joints, shape (n,) [rad or m]."""
    position, velocity = (
        np.where((error := stated.per_joint(name, samples.n)) > 0.0, error, usual)
        for name, usual in USUAL.items()
    )
    h, dq = np.diff(samples.stamp)[:, None], samples.dq
    moved = np.diff(samples.q, axis=0)
    moved -= 2.0 * np.pi * np.round(moved / (2.0 * np.pi))  # its end may be reported
    change = np.vstack([0.0 * dq[:1], moved.cumsum(axis=0)])
    r = np.vstack([0.0 * dq[:1], (0.5 * h * (dq[1:] + dq[:-1])).cumsum(axis=0)]) - change
    turning = 2.0 * np.abs(dq).max(axis=0) + np.abs(np.diff(dq, axis=0)).sum(axis=0)
    allowed = velocity * h.sum() + 2.0 * position + stated.stamp_jitter * turning
    allowed += h.max() / 12.0 * np.abs(np.diff(dq, 2, axis=0)).sum(axis=0)
    turned, size = dq - dq[0], ((dq - dq[0]) ** 2).sum(axis=0)
    late = np.clip(-(r * turned).sum(axis=0) / np.maximum(size, 1e-12), -LATE, LATE)
    usual = stated.per_joint("velocity_error", samples.n) == 0.0
    off = np.ptp(r + np.where(usual, late, 0.0) * turned, axis=0)
    short = change[:: max(1, round(SHORT / float(h.max())))]
    return np.maximum(0.0, off - SLACK * allowed), np.abs(np.diff(short, axis=0)).sum(axis=0)


def follow_positions(samples: Samples) -> bool:
    """Tell whether velocities, of all joints together, are about those of the positions."""
    true = velocities(samples.stamp, samples.q)
    return bool(np.linalg.norm(samples.dq - true) <= ABOUT * np.linalg.norm(true) + 1e-6)


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
        return f"differs by {short(100 * off / max(size, 1e-30))} %"
    if abs(scale - 1.0) * size > abs(late) * np.linalg.norm(rate):
        return f"is {scale:.3g} times it"
    return f"is {short(1e3 * abs(late))} ms {'late' if late > 0 else 'early'}"
