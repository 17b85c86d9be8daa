"""Conversion of joint states, one message at a time."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.samples.joint_map import JointMap

NAMES = ["a", "b", "c"]


def test_picks_joints_by_name_and_shares_no_memory_with_the_message():
    position, velocity, effort = np.random.default_rng(1).normal(size=(3, 3))
    joint_map = JointMap(("c", "a"), effort_sign=(1.0, -2.0), effort_offset=(0.5, 0.25))
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        message = [array[order] for array in (position, velocity, effort)]
        q, dq, tau = joint_map.convert([NAMES[k] for k in order], *message)
        message[0] += 1.0
        np.testing.assert_array_equal(q, position[[2, 0]])
        np.testing.assert_array_equal(dq, velocity[[2, 0]])
        np.testing.assert_array_equal(tau, [effort[2] - 0.5, -2.0 * effort[0] - 0.25])


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
