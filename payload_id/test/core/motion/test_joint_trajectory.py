"""Trajectories are interpolated, held, replaced and rejected as the controller does it."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.errors import InputError, UnknownNameError
from payload_id.core.motion.joint_trajectory import (
    DesiredState,
    JointTrajectory,
    column_order,
    sample,
    starting_from,
)

TIME = np.array([0.5, 1.0, 1.8, 2.2])
FIELDS = ("q", "dq", "ddq")
EVERY_ORDER = pytest.mark.parametrize("order", [1, 2, 3])


def trajectory(order: int, n: int = 3) -> JointTrajectory:
    """Return random points with `order` of positions, velocities and accelerations."""
    given = np.random.default_rng(order).normal(size=(order, len(TIME), n))
    given[1:2, -1] = 0.0
    return JointTrajectory(TIME, *given)


@EVERY_ORDER
def test_points_are_met_with_all_their_derivatives_from_both_sides(order):
    wanted, h = trajectory(order), 1e-4
    for name in FIELDS[:order]:
        field = getattr(wanted, name)
        ahead, before = (getattr(sample(wanted, t), name) for t in (TIME[:-1], TIME[1:] - 1e-9))
        np.testing.assert_allclose(ahead, field[:-1], atol=1e-12)
        np.testing.assert_allclose(before, field[1:], atol=1e-5)
    t = np.array([0.6, 0.75, 1.3, 1.55, 2.0, 2.1])
    here, ahead, behind = (sample(wanted, t + d) for d in (0.0, h, -h))
    np.testing.assert_allclose((ahead.q - behind.q) / (2 * h), here.dq, rtol=1e-5, atol=1e-5)
    second = (ahead.q - 2 * here.q + behind.q) / h**2
    np.testing.assert_allclose(second, here.ddq, rtol=1e-4, atol=1e-3)


@EVERY_ORDER
def test_segments_are_linear_cubic_or_quintic_and_rest_before_and_after(order):
    wanted, degree = trajectory(order), 2 * order - 1
    q = sample(wanted, np.linspace(1.0, 1.8, degree + 3)[:-1]).q[:, 0]
    differences = np.diff(q, n=degree)
    np.testing.assert_allclose(np.diff(differences), 0.0, atol=1e-10)
    assert np.abs(differences).max() > 1e-6
    for t, point in ((-1.0, 0), (0.49, 0), (2.2, -1), (99.0, -1)):
        state = sample(wanted, t)
        np.testing.assert_array_equal(state.q, wanted.q[point])
        assert not state.dq.any() and not state.ddq.any()


def test_one_point_is_a_place_to_hold():
    state = sample(JointTrajectory([0.0], [[1.0, 2.0]]), np.array([-1.0, 0.0, 1.0]))
    np.testing.assert_array_equal(state.q, [[1.0, 2.0]] * 3)
    assert not state.dq.any()


def test_a_replacement_continues_the_desired_state_from_now():
    old, new = trajectory(3), trajectory(2)
    present = sample(old, 1.2)
    begun = starting_from(trajectory(3), present)
    for name in FIELDS:
        start = getattr(sample(begun, 0.0), name)
        np.testing.assert_allclose(start, getattr(present, name), atol=1e-12)
    np.testing.assert_allclose(sample(begun, 0.9).q, sample(old, 0.9).q, atol=1e-12)
    later = starting_from(new, DesiredState.rest(np.ones(3)), at=-2.0)  # starts later: begins now
    np.testing.assert_allclose(sample(later, -2.0).q, 1.0)
    assert (np.abs(sample(later, -1.0).dq) > 0).all()
    joined = starting_from(old, DesiredState.rest(np.ones(3)), at=1.0)  # under way
    assert joined.time[0] == TIME[0]


def test_bad_trajectories_are_rejected_with_their_cause():
    good = trajectory(3)
    for change, words in (
        ({"time": [0.5, 1.0, 1.0, 2.2]}, "increase"),
        ({"time": [0.5, 1.0, np.nan, 2.2]}, "finite"),
        ({"time": []}, "one point"),
        ({"q": np.zeros((3, 3))}, "shape"),
        ({"dq": np.zeros((4, 2))}, "dq"),
        ({"dq": np.ones((4, 3))}, "at rest"),
        ({"ddq": np.full((4, 3), np.inf)}, "ddq"),
        ({"dq": None}, "velocities"),
    ):
        fields = {name: getattr(good, name) for name in ("time", *FIELDS)} | change
        with pytest.raises(InputError, match=words):
            JointTrajectory(**fields)


def test_joints_are_matched_by_name():
    assert column_order(["c", "a", "b"], ["a", "b", "c"]) == [1, 2, 0]
    for error, words, found, wanted in (
        (UnknownNameError, "joint_1", ["joint1"], ["joint_1"]),
        (InputError, "b missing", ["a"], ["a", "b"]),
        (InputError, "twice", ["a", "b", "a"], ["a", "b"]),
    ):
        with pytest.raises(error, match=words):
            column_order(found, wanted)
