"""Windows are the same however the stream of samples is chopped up."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.rows.quadrature import LEAST_SAMPLES
from payload_id.core.rows.windows import GAP_FRACTION, WindowCutter
from payload_id.core.samples.joint_samples import Samples


def stream(stamp, seed=0):
    """Return samples of two joints at these stamps."""
    q, dq, tau = np.random.default_rng(seed).normal(size=(3, len(stamp), 2))
    return Samples(np.asarray(stamp), q, dq, tau)


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        for name in ("stamp", "q", "dq", "tau"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_windows_do_not_depend_on_the_pieces():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        step = rng.uniform(0.2, 1.8, 900) * rng.choice([1e-3, 4e-3])
        step[rng.integers(0, 900, 3)] += rng.choice([0.02, 0.3, 5.0], 3)
        samples = stream(rng.choice([0.0, 1.7e9]) + np.cumsum(step), seed)
        whole, pieces, found, start = WindowCutter(0.1), WindowCutter(0.1), [], 0
        while start < len(samples):
            stop = start + int(rng.choice([0, 1, 2, 7, 60, 400]))
            found += pieces.add(samples.part(start, stop))
            start = stop
        expected = whole.add(samples)
        assert expected and pieces.gaps == whole.gaps
        assert_same(found, expected)


def test_neighbours_share_one_sample_and_nothing_is_lost():
    windows = WindowCutter(0.1).add(stream(np.arange(1001) * 1e-3))
    assert [len(window) for window in windows] == [101] * 10
    ends = [(window.stamp[0], window.stamp[-1]) for window in windows]
    assert [a for a, _ in ends[1:]] == [b for _, b in ends[:-1]]
    assert (ends[0][0], ends[-1][1]) == pytest.approx((0.0, 1.0))


def test_windows_of_irregular_samples_are_full_and_hardly_more():
    stamp = np.cumsum(np.random.default_rng(1).uniform(1e-3, 9e-3, 2000))
    for window in WindowCutter(0.1).add(stream(stamp)):
        assert 0.1 - 2e-6 < window.stamp[-1] - window.stamp[0] < 0.109
        assert window.stamp[-2] - window.stamp[0] < 0.1


def test_nothing_is_integrated_over_a_gap():
    stamp = np.concatenate([np.arange(250) * 1e-3, 10.0 + np.arange(250) * 1e-3])
    cutter = WindowCutter(0.1)
    windows = cutter.add(stream(stamp))
    assert cutter.gaps == 1
    assert [window.stamp[0] for window in windows] == pytest.approx([0.0, 0.1, 10.0, 10.1])
    assert all(np.diff(window.stamp).max() < GAP_FRACTION * 0.1 for window in windows)


def test_windows_with_too_few_samples_are_left_out():
    step = 0.1 / (LEAST_SAMPLES - 1)
    assert len(WindowCutter(0.1).add(stream(np.arange(41) * step))) == 10
    assert not WindowCutter(0.1).add(stream(np.arange(41) * step * 1.3))
    cutter = WindowCutter(0.1)
    assert [cutter.add(stream(stamp)) for stamp in ([], [0.0], [])] == [[], [], []]


def test_late_and_repeated_samples_are_ignored():
    samples, cutter = stream(np.arange(301) * 1e-3), WindowCutter(0.1)
    found = cutter.add(samples.part(0, 150)) + cutter.add(samples.part(100, 301))
    assert_same(found, WindowCutter(0.1).add(samples))


def test_impossible_lengths_are_refused():
    for length in (0.0, -1.0, float("nan"), float("inf"), 1e-7):
        with pytest.raises(InputError, match="window"):
            WindowCutter(length)


@pytest.mark.parametrize("step", [1e7, 1e290])
def test_stamps_that_leave_the_length_no_digit_end(step):
    class Stamps:
        stamp = 1e18 + step * np.arange(20)

        def part(self, start, stop):
            return range(start, stop)

    cutter = WindowCutter(0.1)
    assert cutter.add(Stamps()) == [] and cutter.gaps == 19
