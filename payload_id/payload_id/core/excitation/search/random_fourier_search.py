"""The best of many random Fourier series that keep all limits.

Limits are checked at samples here; a proof in continuous time is another matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from ...arm.arm_model import ArmModel
from ...arm.kinetics import body_motion, force_regressor, momentum_regressor
from ...arrays import Array
from ...errors import InputError
from ...motion.fourier import FourierSeries
from ...motion.limits import MotionLimits, largest_torque
from ...motion.trajectory import Motion, sampled

CHECK_RATE = 50.0  # [Hz] of the samples at which limits and excitation are looked at
HARMONICS = 5
WINDOW = 5  # samples of CHECK_RATE in a window of the excitation measure
PART_OF_LIMITS = 0.8  # what velocity, acceleration and torque may take of their limits
EXCURSION = 1.2  # [rad or m] largest distance from the start


@dataclass(frozen=True)
class Found:
    """The motion that the search settled on.

    Attributes:
        trajectory: The motion.
        condition_number: Of the payload's regressor, columns in units of 1 kg and 0.1 m.
        usage: Largest part of each limit taken, with the worst payload.
        tried: Number of candidates.
    """

    trajectory: FourierSeries
    condition_number: float
    usage: dict[str, float]
    tried: int


def random_fourier_search(
    model: ArmModel,
    start: Array,
    limits: MotionLimits,
    payloads: Sequence[Array],
    seed: int,
    duration: float = 7.5,
    candidates: int = 60,
) -> Found:
    """Return the series of least condition number among random ones that keep the limits.

    Args:
        model: The arm.
        start: Pose at both ends, shape (n,) [rad or m].
        limits: What the motion may not exceed.
        payloads: Payloads for which torque limits must hold, each (10,).
        seed: Of the random candidates.
        duration: Length of the motion [s].
        candidates: Number of candidates.

    Raises:
        InputError: None of the candidates keeps the limits.
    """
    rng = np.random.default_rng(seed)
    best: Found | None = None
    for _ in range(candidates):
        free = _drawn(rng, model.n)
        size = rng.uniform(0.5, 1.0, model.n)
        trajectory = _within(FourierSeries.from_free(start, free, duration), limits, size)
        motion = sampled(trajectory, CHECK_RATE)
        number = excitation(model, motion)
        if best is not None and number >= best.condition_number:
            continue
        torque = np.abs(largest_torque(model, motion, payloads) / limits.torque).max()
        used = [*limits.usage(motion).max(axis=1).tolist(), float(torque)]
        if used[0] <= 1.0 and used[-1] <= PART_OF_LIMITS:
            usage = dict(zip(("position", "velocity", "acceleration", "torque"), used, strict=True))
            best = Found(trajectory, number, usage, candidates)
    if best is None:
        raise InputError(
            f"None of {candidates} random motions of {duration:g} s keeps the limits from the "
            "start pose; start farther from the limits, or allow a smaller payload."
        )
    return best


def _drawn(rng: np.random.Generator, n: int) -> Array:
    """Return free coefficients of a random series, shape (n, 2, K - 1).

    Harmonics are drawn with equal velocities: slow ones then swing far, which changes the lever of
    gravity. They are brought to rest at both ends by projection.
    """
    k = np.arange(1.0, HARMONICS + 1)
    coefficients = rng.normal(size=(n, 2, HARMONICS)) / k
    cosine = coefficients[:, 0] @ null_space(k[None] ** 2)
    sine = coefficients[:, 1] @ null_space(k[None])
    return np.stack([cosine, sine], axis=1)


def _within(series: FourierSeries, limits: MotionLimits, size: Array) -> FourierSeries:
    """Scale each joint so that it takes `size` of what its limits allow."""
    motion = sampled(series, CHECK_RATE)
    room = np.minimum(limits.position_upper - series.start, series.start - limits.position_lower)
    allowed = np.minimum.reduce(
        [
            np.minimum(EXCURSION, 0.95 * room) / np.abs(motion.q - series.start).max(axis=0),
            PART_OF_LIMITS * limits.velocity / np.abs(motion.dq).max(axis=0),
            PART_OF_LIMITS * limits.acceleration / np.abs(motion.ddq).max(axis=0),
        ]
    )
    return series.scaled(size * np.maximum(allowed, 0.0))


def excitation(model: ArmModel, motion: Motion) -> float:
    """Return the condition number of the payload's momentum regressor over windows."""
    bodies = body_motion(model, motion.q, motion.dq)
    momentum = momentum_regressor(bodies)[:, -1]
    force = force_regressor(bodies)[:, -1]
    step = motion.time[1] - motion.time[0]
    impulse = np.cumsum((force[1:] + force[:-1]) * (step / 2), axis=0)[WINDOW - 1 :: WINDOW]
    impulse = np.diff(impulse, axis=0, prepend=0)
    change = np.diff(momentum[::WINDOW], axis=0)
    count = min(len(impulse), len(change))
    rows = (change[:count] - impulse[:count]).reshape(-1, 10)
    return float(np.linalg.cond(rows * UNITS))


UNITS = np.array([1.0] + [0.1] * 3 + [0.01] * 6)  # 1 kg and 0.1 m, in the order of phi
