"""The torque loop's mathematics: bumpless start, saturation, refusal, its own period."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from payload_id.core.control.controller import Measurement
from payload_id.core.control.robust_design import design_for
from payload_id.core.errors import InputError
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory_points import points_of
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.sampling_reserve import Sampling
from payload_id.ros.effort_loop.period_watch import PeriodWatch
from payload_id.ros.effort_loop.torque_follower import Proof, TorqueFollower, controller_of
from safety_scenes import gen3

ROBOT, MODEL = gen3()
HOME, N = np.array(ROBOT.home), len(ROBOT.home)
PAYLOAD = np.array([0.8, 0.0, 0.0, 0.064, 0.0072, 0.0, 0.0, 0.0072, 0.0, 0.002])
START, STILL = 0.5, np.zeros(N)
PERIOD = 1e-3


@lru_cache
def proof(limit: float = 100.0) -> tuple[Proof, JointTrajectory]:
    """Return a motion, and what it would be proved for: a payload that is known exactly."""
    path = BezierPiece(MotionState.at_rest(HOME), np.full(N, 0.15), 3.0)
    rotor = np.full(N, 10.0)
    box = ParameterBox.around(MODEL, (PAYLOAD, PAYLOAD), Uncertainty(), (rotor, rotor))
    design = design_for(ArmDynamics(MODEL, box), [path], 5.0, Sampling(5e-3), 0.2)
    points = points_of(path, 100.0)
    trajectory = JointTrajectory(points.time, points.q, points.dq, points.ddq)
    return Proof(design, box, np.full(N, limit)), trajectory


def follower(away: float = 0.0, limit: float = 100.0, dq=STILL) -> TorqueFollower:
    """Return one that begins from an arm `away` [rad] from where the motion begins."""
    made, trajectory = proof(limit)
    now = Measurement(-START, HOME + away, np.asarray(dq))
    return TorqueFollower(controller_of(MODEL, made), now, trajectory, 0.0)


def held(q):
    """Return the torque that holds the arm with its payload, from another regressor."""
    dynamics = ArmDynamics(MODEL, proof()[0].box)
    return dynamics.regressor(q, STILL, STILL, STILL) @ dynamics.centre


@pytest.mark.parametrize("away", [0.0, 0.004, -0.004])
def test_the_first_torque_is_that_which_holds_the_arm_where_it_is(away):
    """An arm that rests beside the motion's beginning is not pulled there by a step."""
    begun = follower(away)
    first = begun.step(Measurement(-START, HOME + away, STILL))
    assert not first.reasons
    assert np.allclose(first.torque, held(HOME + away), atol=1e-9)
    assert np.allclose(begun.holding_torque(HOME + away), held(HOME + away), atol=1e-9)


def moved(dynamics: ArmDynamics, q, dq, u):
    """Return positions and velocities after a period under a torque."""
    # M is known from unit accelerations; RNEA without them is the rest.
    rest, _ = dynamics.torque(q, dq, dq, STILL)
    M = np.array([dynamics.torque(q, dq, dq, unit)[0] - rest for unit in np.eye(N)]).T
    dq = dq + PERIOD * np.linalg.solve(M, u - rest)
    return q + PERIOD * dq, dq


@pytest.mark.parametrize("late", [0.0, 0.1])
def test_what_replaces_a_motion_before_it_begins_keeps_the_way_there(late):
    """A stop or a part that comes then is no step of what is desired."""
    plain, replaced = follower(0.004), follower(0.004)
    _, trajectory = proof()
    replaced.replace(trajectory, 0.0)
    for time in np.linspace(-0.2 - late, 0.2, 41):
        one, other = plain.desired(time), replaced.desired(time)
        for name in ("q", "dq", "ddq"):
            assert np.array_equal(getattr(one, name), getattr(other, name))


def test_the_way_to_the_beginning_has_no_step_and_ends_where_the_motion_begins():
    begun = follower(0.004)
    times = np.arange(-START, 0.1, PERIOD)
    q, dq, ddq = (
        np.array([getattr(begun.desired(t), name) for t in times]) for name in ("q", "dq", "ddq")
    )
    assert np.allclose(q[0], HOME + 0.004) and np.allclose(dq[0], 0.0)
    # Position and velocity are integrals of what is said of them.
    assert np.allclose(np.diff(q, axis=0), 0.5 * PERIOD * (dq[1:] + dq[:-1]), atol=1e-7)
    assert np.allclose(np.diff(dq, axis=0), 0.5 * PERIOD * (ddq[1:] + ddq[:-1]), atol=1e-5)
    at_start = begun.desired(0.0)
    assert np.allclose(at_start.q, HOME) and np.allclose(at_start.dq, 0.0)
    assert np.abs(np.diff(ddq, axis=0)).max() < 0.01  # no step at the junction either


def test_what_replaces_a_motion_is_followed_at_once_and_its_end_is_held():
    begun = follower(0.004)
    _, trajectory = proof()
    before = begun.desired(0.5)
    begun.replace(trajectory, 1.0)
    assert np.allclose(begun.desired(0.5).q, before.q)  # of a state that comes late
    assert np.allclose(begun.desired(1.0).q, HOME)
    assert not begun.is_over(3.9) and begun.is_over(4.0)
    late = begun.desired(100.0)
    assert np.allclose(late.q, HOME + 0.15) and not late.dq.any() and not late.ddq.any()


def test_a_state_of_before_the_points_of_a_stop_is_compared_with_what_was_followed_then():
    begun = follower()
    _, trajectory = proof()
    times = np.linspace(0.0, trajectory.duration, 200)
    before = [begun.desired(t) for t in times]
    for since in (0.5, 1.0, 1.5):  # each one's points begin later
        kept = trajectory.time >= since
        parts = [None if x is None else x[kept] for x in (trajectory.dq, trajectory.ddq)]
        begun.replace(JointTrajectory(trajectory.time[kept], trajectory.q[kept], *parts), 0.0)
        for t, wanted in zip(times, before, strict=True):
            found = begun.desired(t)
            assert np.allclose(found.q, wanted.q) and np.allclose(found.dq, wanted.dq)


def test_a_part_that_takes_over_has_the_torques_that_it_was_proved_with():
    begun, (made, trajectory) = follower(), proof()
    rotor, phi = np.full(N, 10.0), 1.5 * PAYLOAD
    heavier = ParameterBox.around(MODEL, (phi, phi), Uncertainty(), (rotor, rotor))
    later = controller_of(MODEL, Proof(made.tube, heavier, np.full(N, 50.0)))
    begun.replace(trajectory, 0.0, [(1.0, later)])
    lighter = begun.controller
    at = [(time, begun.desired(time)) for time in (0.9, 1.0)]
    torques = []
    for time, wanted in at:
        found = begun.step(Measurement(time, wanted.q, wanted.dq))
        torques.append(found.torque)
        assert begun.controller is (lighter if time < 1.0 else later)
    expected = ArmDynamics(MODEL, heavier).torque(
        at[1][1].q, at[1][1].dq, at[1][1].dq, at[1][1].ddq
    )[0]
    np.testing.assert_allclose(torques[1], expected, atol=0.02)
    assert np.abs(torques[1] - torques[0]).max() > 1.0
    begun.replace(trajectory, 0.0)  # by a stop of the first part: nothing takes over
    assert not begun._parts


def test_torques_end_at_the_limit_of_the_certificate_and_that_is_said():
    limit = 5.0
    begun = follower(limit=limit)
    found = begun.step(Measurement(-START, HOME, STILL))
    assert np.abs(held(HOME)).max() > limit
    assert np.abs(found.torque).max() == limit
    assert any("the limit is" in reason for reason in found.reasons) and begun.said


def braked(silent: float, again: float = 0.0):
    """Return velocities and positions of an arm from the moment on that it is to be held.

    Until then no state came for some time [s], and it was only held up; and once more after 4 ms.
    """
    begun, dynamics = follower(), ArmDynamics(MODEL, proof()[0].box)
    now = begun.desired(1.4)
    q, dq, old = now.q, now.dq, Measurement(1.4, now.q, now.dq)
    seen = []
    first = round(silent / PERIOD)
    unheard = range(first + 4, first + 4 + round(again / PERIOD))
    for k in range(first + len(unheard) + 1000):
        time = 1.4 + k * PERIOD
        if k == first:
            begun.hold(old)
        fresh = k >= first and k not in unheard
        old = Measurement(time, q, dq) if fresh else old
        u = begun.step(Measurement(time, q, dq)).torque if fresh else begun.holding_torque(old.q)
        q, dq = moved(dynamics, q, dq, u)
        if fresh:
            seen.append((q, dq))
    positions, velocities = (np.array(x) for x in zip(*seen, strict=True))
    return velocities, positions


@pytest.mark.parametrize(("silent", "again"), [(0.0, 0.0), (0.3, 0.0), (0.3, 0.2), (0.0, 0.6)])
def test_an_arm_that_is_to_be_held_after_a_silence_is_not_pulled_back(silent, again):
    velocities, positions = braked(silent, again)
    towards = np.sign(velocities[0])
    assert np.abs(velocities[0]).max() > 0.05
    assert (towards * velocities).min() > -0.02
    assert np.abs(velocities[600:]).max() < 0.02
    assert np.abs(positions[-1] - positions[600]).max() < 2e-3


@pytest.mark.parametrize(
    ("away", "dq", "said"),
    [
        (0.0, np.full(N, 0.1), "at rest"),
        (0.0, np.full(N, np.nan), "velocities are measured"),
        (0.03, STILL, "from where the motion begins"),
    ],
)
def test_torques_do_not_take_over_an_arm_that_moves_or_is_elsewhere(away, dq, said):
    with pytest.raises(InputError, match=said):
        follower(away, dq=dq)


def test_the_closed_loop_stays_within_the_tube_with_a_state_that_is_late():
    """The arm of the box, integrated finely, with torques of states 3 ms old, at 1 kHz."""
    made, _ = proof()
    begun = follower()
    dynamics = ArmDynamics(MODEL, made.box)
    q, dq = HOME.copy(), STILL.copy()
    seen = [(q, dq)] * 4
    for k in range(700):
        time = -0.2 + k * PERIOD
        u = begun.step(Measurement(time - 3 * PERIOD, *seen[-4])).torque
        q, dq = moved(dynamics, q, dq, u)
        seen.append((q, dq))
        desired = begun.desired(time + PERIOD)
        assert made.tube.contains(desired.q - q, desired.dq - dq), time


def test_a_loop_knows_how_well_it_keeps_its_period():
    watch = PeriodWatch(PERIOD)
    true = PERIOD + np.random.default_rng(0).uniform(-1e-4, 1e-4, 501)
    for now in np.cumsum(true):
        watch.step(float(now), 2e-3)
    figures, doubt = watch.judged(4e-3)
    median, error, _, delay = figures.values()
    assert not doubt and delay == pytest.approx(2.0)
    assert median == pytest.approx(1e3 * np.median(true[1:]))
    assert error == pytest.approx(1e3 * np.percentile(np.abs(true[1:] - PERIOD), 99))
    assert "old as their torques are sent" in watch.judged(2.5e-3)[1]
