"""Confidence intervals are those of least squares, less what boxes and consistency take away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy

from payload_id.core.bounds.confidence import (
    Confidence,
    Residuals,
    confidence_interval,
    independence,
)
from payload_id.core.bounds.interval import NO_SHAPE, Interval
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.statistics.statistics import Statistics

PHI = np.array([2.0, 0.1, -0.1, 0.2, 0.08, 0.01, 0.0, 0.09, 0.01, 0.07])
KNOWN = Interval(np.append(0.0, np.full(9, -9.0)), np.append(9.0, np.full(9, 9.0)))
SIGMA, BOUND = 0.02, 0.5


def rows(rng: np.random.Generator, m: int, box: float = 0.0, lasting: float = 0.0) -> RowBlock:
    """Return rows of two channels with Gaussian noise, and one nuisance parameter with a box.

    Args:
        rng: What they are drawn from.
        m: Their number.
        box: Half the width of the nuisance parameter's box; it is somewhere in it.
        lasting: Correlation of neighbouring errors of a channel.
    """
    A = rng.normal(size=(m, 10))
    B = box * A[:, :1]  # which looks like mass
    noise = SIGMA * rng.normal(size=(m, 2))
    for k in range(1, m):
        noise[k] = lasting * noise[k - 1] + np.sqrt(1.0 - lasting**2) * noise[k]
    joint = np.arange(m) % 2
    b = A @ PHI + B @ rng.uniform(-1, 1, 1) - noise[np.arange(m) // 2, joint]
    time = 0.1 * np.arange(m)
    return RowBlock(A, np.zeros_like(A), B, b, np.full(m, BOUND), joint, time, time + 0.1)


def found(block: RowBlock, level: float = 0.95) -> Confidence:
    statistics = Statistics.empty(1).add(block, KNOWN.magnitude)
    residuals = Residuals.of(statistics, block, KNOWN, NO_SHAPE, level)
    assert residuals is not None
    result = confidence_interval(residuals, block, KNOWN)
    assert result is not None
    return result


def test_without_boxes_they_are_the_intervals_of_ordinary_least_squares():
    block = rows(np.random.default_rng(1), 2000)
    phi, squares, *_ = np.linalg.lstsq(block.A, block.b, rcond=None)
    sigma = np.sqrt(squares[0] / (len(block) - 10))
    half = sigma * np.sqrt(np.diag(np.linalg.inv(block.A.T @ block.A)))
    for level in (0.68, 0.95):
        interval = found(block, level)
        quantile = scipy.stats.norm.ppf(0.5 + level / 2)
        # how long errors last is estimated, too, which costs width where they do not last
        np.testing.assert_allclose(interval.half_width, 1.15 * quantile * half, rtol=0.15)
        np.testing.assert_allclose(
            (interval.lower + interval.upper) / 2, phi, atol=0.3 * half.max()
        )


def test_a_constant_is_anywhere_in_its_box_and_nowhere_else():
    for box in (0.01, 0.1):
        half = found(rows(np.random.default_rng(2), 2000, box)).half_width
        assert box < half[0] < box + 0.003
        assert half[1:].max() < 0.003


def test_four_times_the_data_halve_the_width():
    few, many = (found(rows(np.random.default_rng(3), m)).half_width for m in (1000, 4000))
    np.testing.assert_allclose(few / many, 2.0, rtol=0.2)


def test_how_long_errors_last_is_seen():
    rng = np.random.default_rng(4)
    noise = rng.normal(size=20_000)
    lasting = scipy.signal.lfilter([1.0], [1.0, -0.8], noise)
    channel = np.repeat([0, 1], len(noise))
    (once, long), part = independence(np.append(noise, lasting), channel, 2)
    assert 1.0 <= once < 1.2
    assert long == np.clip(long, 0.8 * 9.0, 1.2 * 9.0)  # (1 + 0.8) / (1 - 0.8)
    assert part == pytest.approx(2.0 / np.sqrt(20_000), rel=0.01)


def test_of_too_few_rows_nothing_is_said():
    block = rows(np.random.default_rng(5), 10)
    statistics = Statistics.empty(1).add(block, KNOWN.magnitude)
    assert Residuals.of(statistics, block, KNOWN, NO_SHAPE, 0.95) is None


def test_the_largest_error_of_each_channel_is_between_what_is_told_whatever_else_was_fitted():
    block = rows(np.random.default_rng(6), 600)
    earlier = replace(block, joint=np.full(len(block), 2))  # of all channels together
    one, other = (Statistics.empty(1).add(x, KNOWN.magnitude) for x in (block, earlier))
    residuals = Residuals.of(one.joined(other), block, KNOWN, NO_SHAPE, 0.95)
    least, most = residuals.errors(block, 2)
    true = np.abs(block.A @ PHI - block.b) / BOUND
    for channel in range(2):
        assert least[channel] < true[block.joint == channel].max() < most[channel]
    np.testing.assert_allclose(residuals.errors(replace(block, d=block.d / 2), 2)[0], 2 * least)
