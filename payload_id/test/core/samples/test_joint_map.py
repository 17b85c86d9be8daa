"""Conversion of joint states, one message at a time."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.samples.joint_map import JointMap
from payload_id.core.samples.sample_checks import Drop

NAMES = ["a", "b", "c"]


def test_picks_joints_by_name_and_ignores_the_others():
    rng = np.random.default_rng(1)
    position, velocity, effort = rng.normal(size=(3, 3))
    joint_map = JointMap(("c", "a"), effort_sign=(1.0, -2.0), effort_offset=(0.5, 0.25))
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        names = [NAMES[k] for k in order]
        q, dq, tau = joint_map.convert(names, position[order], velocity[order], effort[order])
        np.testing.assert_array_equal(q, position[[2, 0]])
        np.testing.assert_array_equal(dq, velocity[[2, 0]])
        np.testing.assert_array_equal(tau, [effort[2] - 0.5, -2.0 * effort[0] - 0.25])


def test_names_the_cause_of_an_unusable_message():
    joint_map = JointMap(("a", "b"))
    three = np.zeros(3)
    assert joint_map.convert(["a", "x", "c"], three, three, three) is Drop.UNKNOWN_JOINTS
    assert joint_map.convert(["a", "b", "b"], three, three, three) is Drop.UNKNOWN_JOINTS
    assert joint_map.convert([], [], [], []) is Drop.UNKNOWN_JOINTS
    for bad in range(3):
        arrays = [np.zeros(2 if k == bad else 3) for k in range(3)]
        assert joint_map.convert(NAMES, *arrays) is Drop.WRONG_LENGTH


def test_arrays_that_a_driver_leaves_empty_are_not_measured():
    q, dq, tau = JointMap(("b",)).convert(NAMES, np.arange(3.0), [], [])
    assert q == [1.0]
    assert np.isnan(dq).all() and np.isnan(tau).all()


def test_a_result_never_shares_memory_with_the_message():
    position = np.zeros(3)
    q, _, _ = JointMap(tuple(NAMES)).convert(NAMES, position, position, position)
    position += 1.0
    np.testing.assert_array_equal(q, np.zeros(3))


@pytest.mark.parametrize(
    "arguments",
    [
        {"joints": ()},
        {"joints": ("a", "a")},
        {"joints": ("a", "b"), "effort_sign": (1.0, 0.0)},
        {"joints": ("a", "b"), "effort_sign": (1.0, 1.0, 1.0)},
        {"joints": ("a", "b"), "effort_offset": float("nan")},
    ],
)
def test_refuses_impossible_maps(arguments):
    with pytest.raises(InputError):
        JointMap(**arguments)
