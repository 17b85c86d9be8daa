"""Arrays at the door: what is not real numbers is refused, not converted in silence."""

from datetime import datetime
from decimal import Decimal

import numpy as np
import pytest

from payload_id.core.arrays import real_numbers
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.samples.wrench_samples import WrenchSamples

NO_NUMBERS = {
    "masked": np.ma.masked_array([[1.0], [2.0]], mask=[[True], [False]]),
    "masked without a mask": np.ma.masked_array([[1.0], [2.0]]),
    "complex": np.array([[1 + 1j], [2]]),
    "text": np.array([["1"], ["2"]]),
    "flags": np.array([[True], [False]]),
    "dates": np.array([[datetime(2020, 1, 1)], [datetime(2020, 1, 2)]], dtype="datetime64[s]"),
    "objects": np.array([[Decimal(1)], [Decimal(2)]], dtype=object),
    "None": np.array([[None], [1.0]], dtype=object),
    "ragged": [[1.0], [2.0, 3.0]],
    "a set": {1.0, 2.0},
    "a mapping": {"a": 1.0},
    "bytes": b"12",
    "an integer too large": [10**400],
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_what_is_no_real_number_is_refused(kind):
    with pytest.raises(RecordingError, match="q must be real numbers"):
        real_numbers(NO_NUMBERS[kind], "q", RecordingError)


@pytest.mark.parametrize("kind", NO_NUMBERS)
@pytest.mark.parametrize("name", ["stamp", "q", "dq", "tau"])
def test_samples_refuse_it_in_every_place(kind, name):
    arrays = {x: np.ones((2, 1)) for x in ("q", "dq", "tau")} | {"stamp": np.arange(2.0)}
    with pytest.raises(RecordingError, match=name):
        Samples(**(arrays | {name: NO_NUMBERS[kind]}))


@pytest.mark.parametrize("kind", NO_NUMBERS)
@pytest.mark.parametrize("name", ["stamp", "rotation", "wrench", "gravity"])
def test_wrench_samples_refuse_it_in_every_place(kind, name):
    arrays = {"stamp": np.arange(2.0), "rotation": np.tile(np.eye(3), (2, 1, 1))}
    arrays |= {"gravity": (0.0, 0.0, -9.81), "wrench": np.zeros((2, 6))}
    motion = ("angular_velocity", "angular_acceleration", "linear_acceleration")
    arrays |= {x: np.zeros((2, 3)) for x in motion}
    with pytest.raises(RecordingError, match=name):
        WrenchSamples(**(arrays | {name: NO_NUMBERS[kind]}))


@pytest.mark.parametrize(
    "given",
    [[[1], [2]], ((1, 2), (3, 4)), np.arange(4, dtype=np.uint8), np.float32(3), 7, 2**80, []],
)
def test_real_numbers_of_every_kind_are_taken(given):
    taken = real_numbers(given, "q")
    assert taken.dtype == float
    np.testing.assert_array_equal(taken, np.array(given, dtype=float))


def test_the_error_is_one_of_the_package():
    with pytest.raises(InputError):
        real_numbers("1", "x")
