"""Verdicts say no more than the intervals do."""

import numpy as np

from payload_id.core.body.inertial import PARAMETERS
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import Bounds, Interval, Memory
from payload_id.core.identification.status import Status, verdict

PRIOR = Interval(*PayloadPrior(10.0, 0.3).box())


def found(identified, mass=(1.9, 2.1)):
    """Return the verdict where some parameters have narrow intervals."""
    known = np.array([name in identified for name in PARAMETERS])
    lower, upper = np.where(known, -1e-3, PRIOR.lower), np.where(known, 1e-3, PRIOR.upper)
    if known[0]:
        lower[0], upper[0] = mass
    return verdict(Bounds(Interval(lower, upper), True, np.nan, {}, np.zeros(0), Memory()), PRIOR)


def test_all_that_is_bounded_by_the_data_is_good_and_without_the_mass_nothing_is_usable():
    assert found(PARAMETERS)[0] is Status.GOOD
    assert found(PARAMETERS, (0.0, 0.1))[0] is Status.SMALL_LOAD
    assert found(())[0] is Status.NOT_IDENTIFIABLE
    status, message = found(PARAMETERS[1:4])
    assert status is Status.NOT_IDENTIFIABLE
    assert "between 0 and 10 kg" in message and ", ".join(PARAMETERS[1:4]) in message


def test_usable_names_what_is_not_identified():
    for missing in PARAMETERS[1:]:
        status, message = found([name for name in PARAMETERS if name != missing])
        assert status is Status.USABLE and f": {missing};" in message
