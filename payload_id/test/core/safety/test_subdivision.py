"""The engine that proves a motion on slices of time, with a bound that is known in closed form."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from payload_id.core.motion.trajectory import Motion, MotionRanges
from payload_id.core.safety.margins.margin import Refusal, part_used
from payload_id.core.safety.margins.subdivision import LimitBound, Need, Slices


def ranges(edges):
    """Return the extrema of x (1 - x) on slices, by the slope: 1/4 is its largest value."""
    x, h = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    value, h = (x * (1 - x))[:, None], h[:, None]
    return MotionRanges(edges, value - h, value + h, *[value] * 4)


def at(x):
    return Motion(x, *[(x * (1 - x))[:, None]] * 3)


def proved(limit, count):
    """Return what is found of a limit of the position."""
    path = SimpleNamespace(at=at, ranges=ranges)
    bound = LimitBound(lambda found: [Need.within("position", "j", found.q_upper, limit)], path)
    return bound.margins(Slices.between(np.linspace(0.0, 1.0, count + 1)))


@pytest.mark.parametrize("count", [1, 3, 10])
def test_what_holds_is_proved_on_all_of_the_motion_and_what_does_not_is_refused(count):
    (margin,) = proved(np.array([0.27]), count)
    assert 0.0 <= margin.value <= 0.02
    refused = proved(np.array([0.24]), count)
    assert isinstance(refused, Refusal) and refused.time * (1 - refused.time) > 0.24
    assert isinstance(proved(np.array([0.2501]), count), Refusal)  # true, beyond the finest slices


def test_a_bound_that_is_no_number_proves_nothing():
    """Rounding may leave 0/0 of an extremum; torques then used nothing of their limit."""
    for used in (np.nan, part_used(np.array(np.nan), np.array(1.0))):
        broken = LimitBound(
            lambda found, used=used: [Need("torque", "j", *[np.full((len(found), 1), x) for x in
                                                            (1.0, used, False)])],
            SimpleNamespace(at=at, ranges=ranges), depth=2,
        )  # fmt: skip
        assert isinstance(broken.margins(Slices.between(np.array([0.0, 1.0]))), Refusal)
