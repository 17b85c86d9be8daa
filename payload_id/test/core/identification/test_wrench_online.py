"""Identification from a wrench: the same however samples arrive, what errors explain left in."""

from __future__ import annotations

import re

import numpy as np
import pytest

from payload_id import Settings, WrenchUncertainty
from payload_id.core.identification.identify import estimates_of
from payload_id.core.identification.status import Status
from payload_id.core.identification.wrench.online import OnlineWrench
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows
from payload_id.core.samples.delay_line import DelayLine
from payload_id.core.samples.wrench_samples import WrenchSamples
from wrench_motion import PAYLOAD, simulated

DELAY = 0.0134
BOUNDS = WrenchUncertainty(
    force_error=0.1, torque_error=0.02, linear_acceleration_error=0.05,
    angular_acceleration_error=0.1, time_error=1e-3,
)  # fmt: skip
LOOSE = WrenchUncertainty(force_error=2.0, torque_error=0.5)  # consistent in spite of the delay
UPDATES = (5, 30)
FAST = Settings(intervals="least_squares_image")
EITHER = pytest.mark.parametrize("bounds", [LOOSE, BOUNDS], ids=["left in", "taken out"])


@pytest.fixture(scope="module")
def delayed():
    return simulated(4.0, 100.0, delay=DELAY, noise=0.02)


def fed(samples, sizes, settings=FAST, updates=UPDATES, bounds=LOOSE):
    """Return the run and the estimates of one that got its samples in parts of these sizes."""
    online = OnlineWrench(NewtonEulerRows.of(bounds), settings)
    found, start, due = [], 0, list(updates)
    while start < len(samples):
        size = sizes[start % len(sizes)]
        for window in online.cut(samples.part(start, start + size)):
            while due and due[0] <= online.windows:
                due.pop(0)
                found.append(online.update())
            online.take(window)
        start += size
    return online, [*found, online.update()]


def assert_equal(estimates, others):
    """Raise unless estimates are equal to the last bit."""
    for one, other in zip(estimates, others, strict=True):
        for name in ("phi", "lower", "upper"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@EITHER
def test_result_does_not_depend_on_how_samples_arrive(delayed, bounds):
    """A replay gets them all at once."""
    online, parts = fed(delayed, [57, 100, 64, 3], bounds=bounds)
    assert parts[-1].compensated == (bounds is BOUNDS)
    again = OnlineWrench(NewtonEulerRows.of(bounds), FAST)
    assert_equal(estimates_of(again, delayed, online.updates), parts)


def test_a_delay_that_errors_within_the_bounds_explain_is_told_and_left_in(delayed):
    """The sensor's hysteresis looks like a delay, too: nothing that was stated is made untrue."""
    _, found = fed(delayed, [300], Settings(), (), LOOSE)
    assert not found[-1].compensated and found[-1].status is not Status.INCONSISTENT
    late = float(re.search(r"([\d.]+) ms late", found[-1].message)[1])
    assert late == pytest.approx(1e3 * DELAY, abs=0.2)
    assert "no delay was taken out" in found[-1].message
    exact = simulated(6.0, 100.0)
    error = np.sign(np.gradient(exact.wrench, axis=0)) * np.repeat([0.3, 0.03], 3)
    bounds = WrenchUncertainty(force_error=0.3, torque_error=0.03, time_error=1e-4)
    samples = exact.with_wrench(exact.wrench + error)
    online, found = fed(samples, [300], Settings(), (25, 40), bounds)
    assert online.offset is not None and online.offset.significant
    for estimate in found:
        assert not estimate.compensated and estimate.status is not Status.INCONSISTENT
        assert estimate.contains(PAYLOAD).all()


def test_delay_line_interpolates_and_leaves_gaps_out():
    samples = simulated(2.0, 100.0)
    kept = np.r_[0:80, 120:200]
    holed = samples.chosen(kept, samples.wrench[kept])
    for seconds in (0.0134, -0.0134, 0.1, 1e-4):
        line = DelayLine(seconds, 0.05)
        parts = [line.push(holed.part(k, k + 3)) for k in range(0, len(holed), 3)]
        shifted = WrenchSamples.stacked(parts)
        truth = simulated(2.0, 100.0, delay=-seconds)
        number = np.rint(shifted.stamp * 100).astype(int)
        assert np.abs(shifted.wrench - truth.wrench[number]).max() < 1e-5
        assert len(shifted) > 130 - 200 * abs(seconds)
        at = shifted.stamp + seconds
        assert not ((at > 0.79 + 1e-9) & (at < 1.2 - 1e-9)).any()
