"""Identification from poses at rest: gravity only, so mass and centre of mass, never inertia."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import scipy

from ...arm.arm_model import STANDARD_GRAVITY
from ...arrays import Array, real_numbers
from ...body.shape import Shape
from ...errors import RecordingError, require_type
from ...knowledge.knowledge import NOTHING, Knowledge
from ...rows.joint_torque.uncertainty import Uncertainty
from ...rows.quadrature import LEAST_SAMPLES
from ...rows.wrench.feature_error import MOTION
from ...rows.wrench.newton_euler import NewtonEulerRows
from ...rows.wrench.uncertainty import WrenchUncertainty
from ...samples.watches import WrenchWatch
from ...samples.wrench_samples import WrenchSamples
from ..settings import Settings
from .identify import WrenchEstimate, WrenchIdentifier

STILL_VELOCITY = 0.01  # [rad/s] below which the sensor counts as at rest
STILL_ACCELERATION = 0.5  # [m/s2] of its mean over `SMOOTHED`: accelerometers are noisy
HELD, APART = 0.1, 100.0  # [s] for which a pose stands that is one reading, and to the next
SHORTEST = 0.3  # [s] of rest after settling that is worth using
SMOOTHED = 0.05  # [s] over which the wrench is averaged to see whether it has settled
SETTLED = 6.0  # standard deviations of that average at the end of the rest: how near it must be
LEAST_POSES = 4  # mass, first moment and bias need as many orientations at the least


@dataclass(frozen=True)
class Rest:
    """Samples number start to stop - 1: at rest, vibration died away."""

    start: int
    stop: int


def one_reading_each(samples: WrenchSamples) -> bool:
    """Tell whether each sample is one settled reading: without motion, far from the next."""
    return samples.step >= SHORTEST and not samples.angular_velocity.any()


def rests(samples: WrenchSamples, velocity: float = STILL_VELOCITY) -> list[Rest]:
    """Return where the sensor is at rest and its wrench has settled.

    At rest: angular velocity below a threshold and hardly any acceleration. Settled: from the first
    instant on after which the wrench, averaged over `SMOOTHED`, stays as near to its final level as
    its own scatter at the end of the rest lets expect. No fixed time to wait.

    Args:
        samples: Of one recording.
        velocity: Angular velocity below which the sensor counts as at rest [rad/s].
    """
    if len(samples) < 2:
        return []
    width = max(1, round(SMOOTHED / samples.step))
    acceleration = scipy.ndimage.uniform_filter1d(samples.linear_acceleration, width, axis=0)
    still = np.linalg.norm(samples.angular_velocity, axis=1) < velocity
    still &= np.linalg.norm(acceleration, axis=1) < STILL_ACCELERATION
    still[1:] &= np.diff(samples.stamp) < SHORTEST
    edges = np.flatnonzero(np.diff(np.concatenate([[False], still, [False]]).astype(int)))
    found = []
    for start, stop in edges.reshape(-1, 2):
        first = int(start) + _settled(samples.wrench[start:stop], width)
        if samples.stamp[stop - 1] - samples.stamp[min(first, stop - 1)] >= SHORTEST:
            found.append(Rest(first, int(stop)))
    return found


def _settled(wrench: Array, width: int) -> int:
    """Return the first sample after which a wrench stays at its final level."""
    smooth = scipy.ndimage.uniform_filter1d(wrench, width, axis=0, mode="nearest")
    tail = smooth[len(smooth) // 2 :]
    level, scatter = np.median(tail, axis=0), tail.std(axis=0)
    rounding = 1e-9 * np.abs(level) + 1e-12
    away = (np.abs(smooth - level) > SETTLED * scatter + rounding).any(axis=1)
    return int(np.flatnonzero(away)[-1]) + 1 if away.any() else 0


def at_rest(samples: WrenchSamples, segments: Sequence[Rest]) -> WrenchSamples:
    """Return the samples of some rests, their motion set to none."""
    chosen = np.concatenate([np.arange(r.start, r.stop) for r in segments])
    none = np.zeros((len(chosen), 3))
    return WrenchSamples(
        samples.stamp[chosen], samples.rotation[chosen], none, none, none, samples.wrench[chosen],
        gravity=samples.gravity,
    )  # fmt: skip


def with_motion_at_rest(
    uncertainty: WrenchUncertainty, samples: WrenchSamples, segments: Sequence[Rest]
) -> WrenchUncertainty:
    """Return an uncertainty that covers the motion which `at_rest` sets to none.

    A slow slide hardly moves, too. What was measured of it, in the mean over a rest, is one more
    error of a motion that is taken for none.
    """
    wider: dict[str, Any] = {}
    for name in MOTION:
        value = getattr(samples, name)
        means = [np.abs(value[rest.start : rest.stop].mean(axis=0)) for rest in segments]
        stated = uncertainty.axes(f"{name}_error")
        wider[f"{name}_error"] = tuple((stated + np.max(means, axis=0)).tolist())
    return replace(uncertainty, **wider)


def identify_static(
    recording: WrenchSamples,
    uncertainty: WrenchUncertainty | None = None,
    estimator: str = "lmi",
    intervals: str = "hull",
    window: float = 0.1,
    frame: str = "sensor",
    shape: Shape | None = None,
    knowledge: Knowledge = NOTHING,
) -> WrenchEstimate:
    """Return mass and centre of mass from the rests of a recording; inertia is not identifiable.

    Each sample may be one settled reading of a pose (`one_reading_each`).

    With a shape or knowledge, in the sensor frame, estimate and intervals of the inertia follow
    from that.

    Raises:
        RecordingError: There are fewer rests than the unknowns need.
    """
    require_type(recording, WrenchSamples, "recording", "a WrenchRecording, or WrenchSamples")
    if one_reading_each(recording):
        return identify_poses(
            recording.rotation, recording.wrench, uncertainty, recording.gravity, estimator,
            intervals, frame, shape, knowledge,
        )  # fmt: skip
    segments = rests(recording)
    if len(segments) < LEAST_POSES:
        raise RecordingError(
            f"The recording holds {len(segments)} rests of {SHORTEST:g} s or more after settling; "
            f"{LEAST_POSES} in different orientations are needed at the least. Hold longer, or "
            "identify from the motion."
        )
    samples = at_rest(recording, segments)
    stated = WrenchUncertainty() if uncertainty is None else uncertainty
    uncertainty = with_motion_at_rest(stated, recording, segments)
    online = _online(uncertainty, estimator, intervals, window, frame, shape, knowledge)
    online.add(samples)
    return cast(WrenchEstimate, online.with_confidence(online.update()))


def identify_poses(
    rotation: Array,
    wrench: Array,
    uncertainty: WrenchUncertainty | None = None,
    gravity: tuple[float, float, float] = STANDARD_GRAVITY,
    estimator: str = "lmi",
    intervals: str = "hull",
    frame: str = "sensor",
    shape: Shape | None = None,
    knowledge: Knowledge = NOTHING,
) -> WrenchEstimate:
    """Return mass and centre of mass from one settled reading for each pose.

    Args:
        rotation: Axes of the sensor in the world, shape (N, 3, 3).
        wrench: What the sensor exerts on the payload, shape (N, 6) [N, N m].
        uncertainty: What is assumed about the sensor; None: only the bias is unknown.
        gravity: In the world [m/s2].
        estimator: Name of the point estimator.
        intervals: Name of the interval method.
        frame: Name of the sensor frame.
        shape: What is known of the payload's shape, in the sensor frame.
        knowledge: What else is stated of it, in the sensor frame.

    Raises:
        RecordingError: There are too few poses, or the sensor does not measure.
    """
    rotation = real_numbers(rotation, "rotation", RecordingError)
    N = len(rotation) if rotation.ndim else 0
    if N < LEAST_POSES:
        raise RecordingError(f"{LEAST_POSES} poses are needed at the least; found {N}.")
    none = np.zeros((N, 3))
    stamp = np.arange(float(N))
    samples = WrenchSamples(stamp, rotation, none, none, none, wrench, gravity=gravity)
    if complaint := WrenchWatch().seen(samples).complaint:
        raise RecordingError(complaint)
    # Each is held for a window, so that a diagnosis can make rows anew as of any other samples.
    held = np.linspace(0.0, HELD, LEAST_SAMPLES)
    many = np.repeat(np.arange(N), len(held))
    samples = WrenchSamples(
        (APART * stamp[:, None] + held).ravel(), rotation[many], none[many], none[many], none[many],
        wrench[many], gravity=gravity,
    )  # fmt: skip
    online = _online(uncertainty, estimator, intervals, HELD, frame, shape, knowledge)
    online.add(samples)
    estimate = cast(WrenchEstimate, online.with_confidence(online.update()))
    return replace(estimate, samples=N)


def _online(
    uncertainty: WrenchUncertainty | None,
    estimator: str,
    intervals: str,
    window: float,
    frame: str,
    shape: Shape | None,
    knowledge: Knowledge,
) -> WrenchIdentifier:
    """Return the identification of a run."""
    row_source = NewtonEulerRows.of(
        WrenchUncertainty() if uncertainty is None else uncertainty, frame
    )
    settings = Settings(Uncertainty(), estimator, intervals, window, shape, knowledge=knowledge)
    return WrenchIdentifier(row_source, settings)
