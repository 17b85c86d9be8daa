"""Maps of joint states that cannot be are refused."""

import pytest

from payload_id.core.errors import InputError
from payload_id.core.samples.joint_map import JointMap


def test_impossible_maps_are_refused():
    for arguments in (
        {"joints": ()},
        {"joints": ("a", "a")},
        {"joints": ("a", "b"), "effort_sign": (1.0, 0.0)},
        {"joints": ("a", "b"), "effort_sign": (1.0, 1.0, 1.0)},
        {"joints": ("a", "b"), "effort_offset": float("nan")},
    ):
        with pytest.raises(InputError):
            JointMap(**arguments)
