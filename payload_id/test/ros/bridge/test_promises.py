"""Which payload's intervals hold for what moves, and which for what comes."""

from __future__ import annotations

import numpy as np

from numeric_arm import certified
from payload_id.ros.bridge.promises import Promises
from payload_id.ros.certifying.prover import Proved

NARROW, WIDE = (
    Proved(certified(), "", {}, np.zeros(10), np.full(10, high), None, np.ones(7))
    for high in (1.0, 2.0)
)


def test_what_is_promised_is_what_moves_and_what_comes_and_not_what_is_over():
    promises = Promises()
    promises.follow(0.0, NARROW)
    assert promises.in_force(-0.1) == promises.in_force(9.0) == (NARROW,)
    promises.follow(1.5, WIDE)
    assert promises.in_force(1.4) == (NARROW, WIDE)
    assert promises.in_force(1.6) == (WIDE,)
    promises.follow(1.5, NARROW)  # another one takes over then
    assert promises.in_force(1.6) == (NARROW,)
    promises.follow(0.0, WIDE)  # from rest
    assert promises.in_force(-0.1) == (WIDE,)
