"""Which intervals a goal is planned for: none that no body has, whoever says them."""

from __future__ import annotations

import numpy as np
import pytest
from payload_id_msgs.msg import ExcitationGoal, PayloadEstimate

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError
from payload_id.ros.planner.certified_intervals import ESTIMATED, intervals_from

PRIOR = PayloadPrior(2.0, 0.2)
CURRENT = ExcitationGoal(intervals=ExcitationGoal.INTERVALS_CURRENT)


def estimate(lower: np.ndarray, upper: np.ndarray) -> PayloadEstimate:
    """Return one that says GOOD."""
    middle = 0.5 * (lower + upper)
    return PayloadEstimate(status=PayloadEstimate.GOOD, phi=middle, lower=lower, upper=upper)


def test_intervals_of_a_body_are_taken():
    low, high = PRIOR.box()
    found = intervals_from(CURRENT, estimate(low, high), PRIOR)
    assert found[2] == ESTIMATED
    np.testing.assert_array_equal(found[:2], (low, high))


@pytest.mark.parametrize("which", [0, 4, 7, 9])
def test_estimates_of_no_body_are_refused(which):
    low, high = PRIOR.box()
    low[which], high[which] = -2.0, -0.5
    with pytest.raises(InputError, match="No body has"):
        intervals_from(CURRENT, estimate(low, high), PRIOR)


def test_what_is_given_holds_beside_the_prior():
    low, high = PayloadPrior(0.5, 1.0).box()
    given = ExcitationGoal(
        intervals=ExcitationGoal.INTERVALS_GIVEN, phi_lower=low.tolist(), phi_upper=high.tolist()
    )
    lower, upper, _ = intervals_from(given, None, PRIOR)
    assert upper[0] == 0.5 and upper[1] == 0.4 and lower[1] == -0.4  # 2 kg at 0.2 m at most
    with pytest.raises(InputError, match="within the prior"):
        given.phi_lower = given.phi_upper = (high + 3.0).tolist()  # heavier than any
        intervals_from(given, None, PRIOR)
