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


def trajectory(order: int, n: int = 3) -> JointTrajectory:
    """Return random points with `order` of positions, velocities and accelerations."""
    rng = np.random.default_rng(order)
    given = [rng.normal(size=(len(TIME), n)) for _ in range(order)]
    if order > 1:
        given[1][-1] = 0.0
    return JointTrajectory(TIME, *given)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_points_are_met(order):
    """At every point all given derivatives are reached, from both sides where continuous."""
    wanted = trajectory(order)
    for name in FIELDS[:order]:
        field = getattr(wanted, name)
        at = getattr(sample(wanted, TIME[:-1]), name)
        before = getattr(sample(wanted, TIME[1:] - 1e-9), name)
        np.testing.assert_allclose(at, field[:-1], atol=1e-12)
        np.testing.assert_allclose(before, field[1:], atol=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_velocity_and_acceleration_are_derivatives(order):
    """Finite differences of the position inside the segments."""
    wanted, h = trajectory(order), 1e-4
    t = np.array([0.6, 0.75, 1.3, 1.55, 2.0, 2.1])
    here, ahead, behind = (sample(wanted, t + d) for d in (0.0, h, -h))
    np.testing.assert_allclose((ahead.q - behind.q) / (2 * h), here.dq, rtol=1e-5, atol=1e-5)
    second = (ahead.q - 2 * here.q + behind.q) / h**2
    np.testing.assert_allclose(second, here.ddq, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(("order", "degree"), [(1, 1), (2, 3), (3, 5)])
def test_degree_of_the_segments(order, degree):
    """Positions only: linear; velocities: cubic; accelerations: quintic; no more, no less."""
    wanted = trajectory(order)
    t = np.linspace(1.0, 1.8, degree + 3)[:-1]
    q = sample(wanted, t).q[:, 0]
    differences = np.diff(q, n=degree)
    np.testing.assert_allclose(np.diff(differences), 0.0, atol=1e-10)
    assert np.abs(differences).max() > 1e-6


@pytest.mark.parametrize("order", [1, 2, 3])
def test_holds_before_and_after(order):
    """Outside its times a trajectory stands still at its first and last positions."""
    wanted = trajectory(order)
    for t, point in ((-1.0, 0), (0.49, 0), (2.2, -1), (99.0, -1)):
        state = sample(wanted, t)
        np.testing.assert_array_equal(state.q, wanted.q[point])
        assert not state.dq.any()
        assert not state.ddq.any()


def test_one_point_is_a_place_to_hold():
    """A single point has no motion at any time."""
    state = sample(JointTrajectory([0.0], [[1.0, 2.0]]), np.array([-1.0, 0.0, 1.0]))
    np.testing.assert_array_equal(state.q, [[1.0, 2.0]] * 3)
    assert not state.dq.any()


def test_replacement_starts_from_the_desired_state():
    """A new trajectory continues position, velocity and acceleration of the old one."""
    old, new = trajectory(3), trajectory(3)
    present = sample(old, 1.2)
    begun = starting_from(new, present)
    for name in FIELDS:
        start = getattr(sample(begun, 0.0), name)
        np.testing.assert_allclose(start, getattr(present, name), atol=1e-12)
    np.testing.assert_allclose(sample(begun, 0.9).q, sample(new, 0.9).q, atol=1e-12)


def test_replacement_that_starts_later_begins_now():
    """The way to the first point begins at reception, although the trajectory starts later."""
    new = trajectory(2)
    present = DesiredState.rest(np.ones(3))
    begun = starting_from(new, present, at=-2.0)
    np.testing.assert_allclose(sample(begun, -2.0).q, present.q)
    assert (np.abs(sample(begun, -1.0).dq) > 0).all()


def test_replacement_under_way_is_joined():
    """A trajectory that has begun already is followed from where it is."""
    assert starting_from(trajectory(3), DesiredState.rest(np.ones(3)), at=1.0).time[0] == TIME[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"time": [0.5, 1.0, 1.0, 2.2]}, "increase strictly"),
        ({"time": [0.5, 1.0, np.nan, 2.2]}, "finite"),
        ({"time": []}, "at least one point"),
        ({"q": np.zeros((3, 3))}, "shape"),
        ({"dq": np.zeros((4, 2))}, "dq must have shape"),
        ({"dq": np.ones((4, 3))}, "at rest"),
        ({"ddq": np.full((4, 3), np.inf)}, "ddq of point 0 is not finite"),
        ({"dq": None}, "needs velocities"),
    ],
)
def test_bad_trajectories_are_rejected(change, words):
    """Each rule of the controller has one sentence."""
    good = trajectory(3)
    fields = {"time": good.time, "q": good.q, "dq": good.dq, "ddq": good.ddq} | change
    with pytest.raises(InputError, match=words):
        JointTrajectory(**fields)


def test_joints_are_matched_by_name():
    """Columns are reordered; unknown, missing and repeated joints are rejected."""
    assert column_order(["c", "a", "b"], ["a", "b", "c"]) == [1, 2, 0]
    with pytest.raises(UnknownNameError, match="Did you mean 'joint_1'"):
        column_order(["joint1"], ["joint_1"])
    with pytest.raises(InputError, match="b missing"):
        column_order(["a"], ["a", "b"])
    with pytest.raises(InputError, match="twice"):
        column_order(["a", "b", "a"], ["a", "b"])
