"""Whether the arm is where a certificate assumes it to be: tracking errors against the tube.

An arm that something brakes follows the motion late and slower: at time t it is where the motion
was at t - lag, at a fraction of the speed there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Trajectory
from .tracking_tube import TrackingTube

LAGS = 50  # that are looked at, twice: the second time around the best of the first
TINY = 1e-9


@dataclass(frozen=True)
class TubeUse:
    """The largest tracking error of some samples, as a part of what the tube allows.

    Attributes:
        part: Above 1: the tube is left [-].
        joint: Index of the joint that it was found at.
        kind: "position" or "velocity".
        error: The error [rad or m, or rad/s or m/s].
        allowed: The tube's bound.
        time: On the motion [s].
        unsure: By how much larger the error may be than it was measured, in its unit.
    """

    part: float
    joint: int
    kind: str
    error: float
    allowed: float
    time: float
    unsure: float = 0.0

    def sentence(self, joints: Sequence[str]) -> str:
        """Say it, with the joint's name."""
        unit = "rad (m)" if self.kind == "position" else "rad/s (m/s)"
        more = f", or {self.unsure:.2g} more as the encoder may err," if self.unsure > 0.0 else ""
        return (
            f"The {self.kind} of {joints[self.joint]} was {abs(self.error):.4g} {unit}{more} from "
            f"the planned one {self.time:.2f} s into the motion; the certificate allows "
            f"{self.allowed:.4g}"
        )


def tube_use(
    trajectory: Trajectory,
    tube: TrackingTube,
    time: Array,
    q: Array,
    dq: Array,
    continuous: Sequence[bool],
    encoder_error: Array | float = 0.0,
) -> TubeUse:
    """Return the largest part of the tube that measured samples take.

    Args:
        trajectory: The desired motion; before and after it the arm rests at its ends.
        tube: The tube; where it is zero, any error counts as infinitely large.
        time: Of the samples on the motion, shape (N,) with N > 0 [s].
        q: Measured positions, shape (N, n) [rad or m].
        dq: Measured velocities, shape (N, n); NaN where not measured [rad/s or m/s].
        continuous: Joints whose position may be reported up to whole turns, n of them.
        encoder_error: Largest error of a measured position, shape (n,) [rad or m]: the arm may be
            so much farther from the motion than it seems.
    """
    desired = trajectory.at(np.clip(time, 0.0, trajectory.duration))
    resting = ((time < 0.0) | (time > trajectory.duration))[:, None]
    e = position_error(desired.q, q, continuous)
    de = np.nan_to_num(dq - np.where(resting, 0.0, desired.dq), nan=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.stack([(np.abs(e) + encoder_error) / tube.position, np.abs(de) / tube.velocity])
    exact = np.broadcast_to(np.asarray(encoder_error) == 0.0, e.shape)
    parts = np.where(np.stack([(e == 0.0) & exact, de == 0.0]), 0.0, parts)
    kind, sample, joint = np.unravel_index(int(np.argmax(parts)), parts.shape)
    return TubeUse(
        part=float(parts[kind, sample, joint]),
        joint=int(joint),
        kind=("position", "velocity")[kind],
        error=float((e, de)[kind][sample, joint]),
        allowed=float((tube.position, tube.velocity)[kind][joint]),
        time=float(time[sample]),
        unsure=0.0 if kind else float(np.broadcast_to(encoder_error, e.shape)[sample, joint]),
    )


@dataclass(frozen=True)
class LateUse:
    """Where on its path a late arm is.

    Attributes:
        lag: How far behind the motion's time it is [s].
        part: Part of the tube that is taken there; above 1: it is not on its path either [-].
    """

    lag: float
    part: float


def late_use(
    trajectory: Trajectory,
    tube: TrackingTube,
    time: float,
    q: Array,
    dq: Array,
    continuous: Sequence[bool],
    encoder_error: Array | float,
    latest: float,
) -> LateUse:
    """Return where on its path an arm is that may be late and slower.

    Args:
        trajectory: The desired motion.
        tube: The tube.
        time: Of the sample on the motion [s].
        q: Measured positions, shape (n,) [rad or m].
        dq: Measured velocities, shape (n,); NaN where not measured [rad/s or m/s].
        continuous: Joints whose position may be reported up to whole turns, n of them.
        encoder_error: Largest error of a measured position, shape (n,) [rad or m].
        latest: Largest lag that is looked at [s].
    """
    lag, step = 0.0, latest / LAGS
    for around in (np.linspace(0.0, latest, LAGS + 1), np.linspace(-step, step, LAGS + 1)):
        lags = lag + around
        there = trajectory.at(np.clip(time - lags, 0.0, trajectory.duration))
        error = np.abs(position_error(there.q, q, continuous)) + encoder_error
        part = np.max(error / np.maximum(tube.position, TINY), axis=1)
        best = int(np.argmin(part + TINY * np.abs(lags)))
        lag = float(lags[best])
    rates = np.linspace(0.0, 1.0, LAGS + 1)[:, None]
    slower = np.nan_to_num(dq - rates * there.dq[best], nan=0.0)
    speed = np.min(np.max(np.abs(slower) / np.maximum(tube.velocity, TINY), axis=1))
    return LateUse(lag, float(max(part[best], speed)))


def position_error(desired: Array, q: Array, continuous: Sequence[bool]) -> Array:
    """Return q - desired, whole turns of continuous joints left out, shape (N, n) [rad or m]."""
    e = q - desired
    turns = np.where(np.asarray(continuous), np.rint(e / (2 * np.pi)), 0.0)
    return np.asarray(e - 2 * np.pi * turns)
