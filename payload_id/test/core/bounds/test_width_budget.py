"""A smaller bound narrows the hull by as much as its term says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.bounds.hull import Hull
from payload_id.core.bounds.interval import Interval, Memory
from payload_id.core.identification.width import REMEDIES, width_in_words, width_shares, with_need
from payload_id.core.rows.row_block import RowBlock

PHI = np.array([2.0, 0.1, -0.1, 0.2, 0.08, 0.01, 0.0, 0.09, 0.01, 0.07])
KNOWN = Interval(np.append(0.0, np.full(9, -3.0)), np.append(9.0, np.full(9, 3.0)))
LESS = 1e-3  # part by which a bound is made smaller


def rows() -> RowBlock:
    """Return rows of three channels with two nuisance parameters."""
    rng, m = np.random.default_rng(1), 120
    A, B = rng.normal(size=(m, 10)), 0.05 * rng.normal(size=(m, 2))
    d, joint = np.array([0.02, 0.05, 0.1])[np.arange(m) % 3], np.arange(m) % 3
    b = A @ PHI + B @ [0.3, -0.4] + d * rng.uniform(-1, 1, m)
    time = 0.1 * np.arange(m)
    return RowBlock(A, np.zeros_like(A), B, b, d, joint, time, time + 0.1)


@pytest.mark.slow
def test_a_term_is_what_its_bound_adds_to_first_order():
    block = rows()
    found = Hull().bounds(block, KNOWN, Memory())
    for channel in range(3):
        d = np.where(block.joint == channel, (1.0 - LESS) * block.d, block.d)
        narrower = Hull().bounds(replace(block, d=d), KNOWN, Memory())
        gain = (found.interval.half_width - narrower.interval.half_width) / LESS
        np.testing.assert_allclose(found.budget.noise[:, channel], gain, rtol=0.1, atol=1e-5)
    for column in range(2):
        B = block.B.copy()
        B[:, column] *= 1.0 - LESS
        narrower = Hull().bounds(replace(block, B=B), KNOWN, Memory())
        gain = (found.interval.half_width - narrower.interval.half_width) / LESS
        np.testing.assert_allclose(found.budget.nuisance[:, column], gain, rtol=0.1, atol=1e-5)


def test_shares_are_named_by_bound_and_joint_and_sum_to_one():
    budget = Hull().bounds(rows(), KNOWN, Memory()).budget
    names = ("joint_1.Ixx", "joint_2.friction_coulomb")
    need, joints = np.array([0.1, 0.5, 0.2]), ("joint_1", "joint_2", "joint_3")
    shares = with_need(width_shares(budget, joints, names), joints, need)
    np.testing.assert_allclose(sum(one.share for one in shares), 1.0)
    assert {one.bound for one in shares} == {"noise", "links", "friction_coulomb", "prior"}
    noise = next(one for one in shares if one.bound == "noise")
    assert noise.joints and noise.need == max(need[int(x[-1]) - 1] for x in noise.joints)
    said = width_in_words(shares, 0.5, REMEDIES)
    assert "noise" in said and "payload-id" in said
