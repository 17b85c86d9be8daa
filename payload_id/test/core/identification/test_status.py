"""Verdicts say no more than the intervals do."""

import numpy as np

from payload_id.core.body.inertial import PARAMETERS
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import Interval
from payload_id.core.identification.headline import CONFIDENCE, PROOF, Enough, Headline
from payload_id.core.identification.status import Status, verdict

PRIOR, ENOUGH = Interval(*PayloadPrior(10.0, 0.3).box()), Enough()


def found(mass=(1.95, 2.05), com=0.004, kind=PROOF, missing=(), enough=ENOUGH, **told):
    """Return the verdict on a number whose intervals are so wide, and proofs of all but some."""
    middle, half = (mass[0] + mass[1]) / 2, (mass[1] - mass[0]) / 2
    value, width = np.array([middle, 0.0, 0.0, 0.1]), np.array([half, com, com, com])
    number = Headline(kind, value, value - width, value + width)
    known = np.array([name not in missing for name in PARAMETERS])
    lower, upper = np.where(known, -1e-3, PRIOR.lower), np.where(known, 1e-3, PRIOR.upper)
    if known[0]:
        lower[0], upper[0] = mass
    return verdict(Interval(lower, upper), number, PRIOR, enough, **told)


def test_good_is_what_is_as_near_as_was_asked_for_by_whatever_kind():
    for kind in (PROOF, CONFIDENCE):
        assert found(kind=kind)[0] is Status.GOOD
        assert found((1.8, 2.2), kind=kind)[0] is Status.TOO_WIDE
        assert found(com=0.02, kind=kind)[0] is Status.TOO_WIDE
        assert found((1.81, 2.19), 0.019, kind, enough=Enough(0.1, 0.0, 0.02))[0] is Status.GOOD
    assert "no proof" in found(kind=CONFIDENCE)[1] and "no proof" not in found()[1]
    assert found((0.06, 0.14))[0] is Status.GOOD and found((0.001, 0.002))[0] is Status.SMALL_LOAD


def test_too_wide_says_how_wide_what_makes_it_so_and_what_is_enough():
    status, message = found((1.5, 2.5), width="Half of it is friction.")
    assert status is Status.TOO_WIDE
    assert "± 0.5 kg" in message and "± 0.1 kg" in message and "Half of it is friction." in message


def test_small_loads_have_small_intervals_and_without_the_mass_nothing_is_known():
    assert found((0.0, 0.1))[0] is Status.SMALL_LOAD
    assert found((0.0, 4.0))[0] is Status.TOO_WIDE
    assert found((0.0, 10.0), missing=PARAMETERS)[0] is Status.NOT_IDENTIFIABLE
    status, message = found((0.0, 10.0), missing=(PARAMETERS[0], *PARAMETERS[4:]))
    assert status is Status.NOT_IDENTIFIABLE and ", ".join(PARAMETERS[1:4]) in message


def test_what_the_data_do_not_tell_is_named():
    for missing in PARAMETERS[4:]:
        status, message = found(missing=(missing,))
        assert status is Status.GOOD and f": {missing}." in message
