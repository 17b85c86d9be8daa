"""The noise that recordings need: what was put in, where nothing else can explain it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import Run, arm, record
from payload_id.core.arrays import Array
from payload_id.core.calibration.noise_needed import noise_needed
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty

LENGTHS = (0.2, 0.5)
REFERENCE = Uncertainty(torque_absolute=1.0)


def largest_mean(stamp: Array, noise: Array, length: float) -> Array:
    """Return the largest |mean| over every stretch at least so long [s], one for each joint.

    Args:
        stamp: Shape (N,) [s].
        noise: Shape (N, n).
        length: Of the shortest stretch; 0 for single samples.
    """
    if length == 0.0:
        return np.abs(noise).max(axis=0)
    steps = np.diff(stamp)[:, None]
    total = np.vstack([0 * noise[:1], np.cumsum(steps * (noise[1:] + noise[:-1]) / 2, axis=0)])
    worst = np.zeros(noise.shape[1])
    for k in range(1, len(stamp)):
        span = stamp[k:] - stamp[:-k]
        long = span >= length - 1e-6
        if long.any():
            mean = np.abs(total[k:] - total[:-k])[long] / span[long][:, None]
            worst = np.maximum(worst, mean.max(axis=0))
    return worst


@lru_cache
def noisy(name: str, seed: int) -> tuple[Run, Array]:
    """Return a run with noise of several frequencies, of another size at every joint, and it."""
    run = record(arm(name), seed, rate=100.0, seconds=2.0)
    rng, t = np.random.default_rng(seed), run.samples.stamp[:, None]
    size = np.linspace(0.2, 1.0, run.model.n) * rng.uniform(0.3, 1.0)
    error = size * sum(np.sin(f * t + rng.uniform(0, 6, run.model.n)) for f in (5.0, 17.0, 41.0))
    return replace(run, samples=replace(run.samples, tau=run.samples.tau + error)), error


def test_it_is_the_noise_itself_where_all_else_is_known() -> None:
    run, error = noisy("branched", 1)
    found = noise_needed([run.samples], run.model, REFERENCE, LENGTHS, run.phi)
    assert [each.length for each in found] == list(LENGTHS)
    for each in found:
        largest = largest_mean(run.samples.stamp, error, each.length)
        assert (each.absolute <= largest + 1e-3).all()
        assert (each.absolute >= 0.7 * largest).all()  # windows begin at every fourth part only
        assert each.factor == pytest.approx(each.absolute.max(), rel=1e-6)
        assert each.without == () and np.isnan(each.margin)


def test_what_cannot_be_measured_is_refused() -> None:
    run = record(arm("pendulum"), 5, seconds=0.3)
    with pytest.raises(InputError, match="at least one length"):
        noise_needed([run.samples], run.model, REFERENCE, [])
    with pytest.raises(RecordingError, match="no window of 0.5 s"):
        noise_needed([run.samples], run.model, REFERENCE, [0.2, 0.5])
