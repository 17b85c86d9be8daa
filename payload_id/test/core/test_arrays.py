"""Arrays at the door: what is not real numbers is refused, not converted in silence."""

from datetime import datetime
from decimal import Decimal

import numpy as np
import pytest

from payload_id.core.arrays import real_numbers
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.samples.wrench_samples import WrenchSamples

NO_NUMBERS = (
    np.ma.masked_array([[1.0], [2.0]], mask=[[True], [False]]),
    np.ma.masked_array([[1.0], [2.0]]),
    np.array([[1 + 1j], [2]]),
    np.array([["1"], ["2"]]),
    np.array([[True], [False]]),
    np.array([[datetime(2020, 1, 1)], [datetime(2020, 1, 2)]], dtype="datetime64[s]"),
    np.array([[Decimal(1)], [Decimal(2)]], dtype=object),
    np.array([[None], [1.0]], dtype=object),
    [[1.0], [2.0, 3.0]],
    {1.0, 2.0},
    {"a": 1.0},
    b"12",
    "1",
    [10**400],
)
OF_JOINTS = {x: np.ones((2, 1)) for x in ("q", "dq", "tau")} | {"stamp": np.arange(2.0)}
OF_WRENCH = {
    "stamp": np.arange(2.0),
    "rotation": np.tile(np.eye(3), (2, 1, 1)),
    "gravity": (0.0, 0.0, -9.81),
    "wrench": np.zeros((2, 6)),
    "angular_velocity": np.zeros((2, 3)),
    "angular_acceleration": np.zeros((2, 3)),
    "linear_acceleration": np.zeros((2, 3)),
}


@pytest.mark.parametrize(("kind", "arrays"), [(Samples, OF_JOINTS), (WrenchSamples, OF_WRENCH)])
def test_samples_refuse_what_is_no_real_number_in_every_place(kind, arrays):
    for name in arrays:
        for wrong in NO_NUMBERS:
            with pytest.raises(RecordingError, match=name):
                kind(**(arrays | {name: wrong}))


def test_real_numbers_of_every_kind_are_taken():
    for given in ([[1], [2]], ((1, 2), (3, 4)), np.arange(4, dtype=np.uint8), 7, 2**80, []):
        taken = real_numbers(given, "q")
        assert taken.dtype == float
        np.testing.assert_array_equal(taken, np.array(given, dtype=float))
    with pytest.raises(InputError):
        real_numbers("1", "x")
