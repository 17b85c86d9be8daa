"""Conversion of joint states, one message at a time."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.samples.joint_map import JointMap
from payload_id.core.samples.sample_checks import Drop

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


def test_names_the_cause_of_an_unusable_message():
    joint_map, three = JointMap(("a", "b")), np.zeros(3)
    for names in (["a", "x", "c"], ["a", "b", "b"]):
        assert joint_map.convert(names, three, three, three) is Drop.UNKNOWN_JOINTS
    assert joint_map.convert([], [], [], []) is Drop.UNKNOWN_JOINTS
    for bad in range(3):
        arrays = [np.zeros(2 if k == bad else 3) for k in range(3)]
        assert joint_map.convert(NAMES, *arrays) is Drop.WRONG_LENGTH


def test_arrays_that_a_driver_leaves_empty_are_not_measured():
    q, dq, tau = JointMap(("b",)).convert(NAMES, np.arange(3.0), [], [])
    assert q == [1.0]
    assert np.isnan(dq).all() and np.isnan(tau).all()


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
