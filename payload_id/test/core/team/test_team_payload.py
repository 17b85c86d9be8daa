"""A team's payload: rows that hold, exactness without noise, clocks, robots that go and come."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.body.inertial import change_of_frame
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor
from payload_id.core.team.bounds import RobotBounds, TeamBounds
from payload_id.core.team.closed_form.correlation import Correlation
from payload_id.core.team.estimate import Fault, TeamStatus
from payload_id.core.team.online import TeamEstimator
from payload_id.core.team.sequential import sequential
from payload_id.core.team.window_series import GRAVITY
from payload_id.core.team.windows import feature_transform, windows_of
from team_motion import Path, Team, disturbed, wrench_on
from team_scene import NOISE, POINT, PRIOR, estimated, team_and_samples


def test_features_of_windows_are_those_of_the_motion_seen_from_any_grasp():
    rng = np.random.default_rng(0)
    team = Team.of_table_1(rng)
    path = Path.drawn(rng, length=6.0, holds=1)
    robots = team.samples(path, rng)
    start = np.array([3.5, 5.0])
    windows = windows_of(
        robots, [RobotBounds()] * 3, start, 1.0, np.zeros(3), 0.01, np.ones((3, 2), bool)
    )
    fine = np.linspace(0.0, 1.0, 2001)
    weight = (1.0 - np.cos(2 * np.pi * fine)) / 2000.0
    for n, begin in enumerate(start):
        motion = path.motion(begin + fine)
        Y = newton_euler_regressor(motion.a + GRAVITY * motion.R[:, 2], motion.omega, motion.alpha)
        np.testing.assert_allclose(
            np.einsum("k,kij,j->i", weight, Y, team.phi), weight @ wrench_on(team.phi, motion),
            rtol=1e-9, atol=1e-9,
        )  # fmt: skip
        for i in range(3):
            F, error = windows.as_seen_from(i, team.R[i], team.p[i])
            first, first_error = windows.as_seen_from(0, np.eye(3), np.zeros(3))
            assert (np.abs(F[n] - first[n]) <= error[n] + first_error[n] + 1e-9).all()
            np.testing.assert_allclose(F[n], first[n], atol=1e-6)


def test_transforms_of_features_compose():
    rng = np.random.default_rng(0)
    R, S = (Rotation.random(random_state=k).as_matrix() for k in (1, 2))
    p, q = rng.normal(size=(2, 3))
    both = feature_transform(R, p) @ feature_transform(S, q)
    np.testing.assert_allclose(both, feature_transform(R @ S, p + R @ q), atol=1e-12)


@pytest.mark.parametrize("N", [2, 3, 5])
def test_without_noise_the_payload_is_exact(N):
    rng = np.random.default_rng(10 + N)
    team = Team.drawn(rng, N, moments=N == 2)
    robots = team.samples(Path.drawn(rng, length=10.0, holds=2), rng)
    found = estimated(robots, RobotBounds(), POINT)
    np.testing.assert_allclose(found.phi, team.phi, rtol=1e-6, atol=1e-6 * np.abs(team.phi).max())


@pytest.mark.slow
def test_clocks_are_found_and_do_not_matter():
    late = np.array([0.0, 0.05, -0.05])
    bounds = replace(NOISE, clock=0.05)
    team, robots = team_and_samples(1, clock=late)
    exact = estimated(robots, RobotBounds(clock=0.05), POINT)
    np.testing.assert_allclose(exact.phi, team.phi, rtol=1e-6, atol=1e-5)
    rng = np.random.default_rng(2)
    noisy = estimated([disturbed(r, bounds, rng) for r in robots], bounds)
    clocks = np.array([noisy.frames[name].clock for name in team.names])
    assert np.abs(clocks - late).max() < 2e-3
    assert noisy.contains(team.phi).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["uniform", "corners", "slow", "constant"])
def test_intervals_hold_the_truth_in_every_grasp_frame(kind):
    bounds = replace(NOISE, friction=0.1, force_bias=0.3, force_gain=0.01, tilt=0.003)
    tilt = np.array([[0.002, 0, 0], [0, 0.002, 0], [-0.002, 0, 0]])
    team, robots = team_and_samples(5, bounds, kind, clock=np.array([0, 0.01, -0.02]), tilt=tilt)
    found = estimated(robots, bounds)
    assert found.status in (TeamStatus.GOOD, TeamStatus.USABLE)
    assert found.contains(team.phi).all()
    for i, name in enumerate(team.names):
        X, p, own = team.R[i], team.p[i], found.payload[name]
        phi = change_of_frame(X.T, -X.T @ p) @ team.phi
        assert ((own.lower <= phi) & (phi <= own.upper)).all()
    shares = [found.payload[name] for name in team.names]
    assert sum(s.share for s in shares) == pytest.approx(1.0, abs=1e-6)
    assert all(s.share_lower <= s.share <= s.share_upper for s in shares)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_at_every_update_the_estimate_is_one_that_its_intervals_allow(seed):
    team, robots = team_and_samples(seed, NOISE, "slow")
    estimator = TeamEstimator([r.name for r in robots], TeamBounds(NOISE), PRIOR)
    start = min(r.time[0] for r in robots)
    usable = 0
    for end in start + np.arange(1.8, 10.0, 1.8):
        for robot in robots:
            estimator.add(robot.between(end - 1.8, np.nextafter(end, 0.0)))
        found = estimator.update()
        assert (found.lower <= team.phi).all() and (team.phi <= found.upper).all()
        if found.status in (TeamStatus.GOOD, TeamStatus.USABLE):
            usable += 1
            room = 1e-6 * (found.upper - found.lower)
            assert (found.phi >= found.lower - room).all()
            assert (found.phi <= found.upper + room).all()
    assert usable >= 3


@pytest.mark.slow
def test_in_pieces_and_in_any_order_it_is_the_same():
    _, robots = team_and_samples(3, NOISE, length=8.0)
    whole = estimated(robots, settings=POINT)
    pieces = TeamEstimator([r.name for r in robots], TeamBounds(NOISE), PRIOR, POINT)
    for start in np.arange(0.0, 30.0, 1.7):
        for robot in robots[::-1]:
            pieces.add(robot.between(start, np.nextafter(start + 1.7, 0)))
    np.testing.assert_array_equal(pieces.update().phi, whole.phi)


@pytest.mark.slow
def test_a_robot_that_falls_silent_is_named_and_the_estimate_stays():
    team, robots = team_and_samples(4, NOISE)
    end = float(robots[2].time[-1])
    found = estimated([*robots[:2], robots[2].between(0.0, end - 6.0)])
    assert found.findings[0].fault is Fault.SILENT and found.findings[0].robots == ("omnid3",)
    assert found.status is not TeamStatus.INCONSISTENT
    assert found.contains(team.phi).all()


@pytest.mark.slow
@pytest.mark.parametrize("lag", [1.5, 6.0])
def test_what_a_robot_says_late_counts_as_if_it_had_come_in_time(lag):
    """One robot's samples are held up for a while, again and again; in the end all are there."""
    team, robots = team_and_samples(4, length=8.0)
    estimator = TeamEstimator([r.name for r in robots], TeamBounds(NOISE), PRIOR)
    heard = 0.0
    for now in np.arange(0.7, float(robots[0].time[-1]) + lag, 0.7):
        estimator.add(robots[0].between(now - 0.7, np.nextafter(now, 0.0)))
        estimator.add(robots[1].between(now - 0.7, np.nextafter(now, 0.0)))
        if now >= heard + lag:
            estimator.add(robots[2].between(heard, np.nextafter(now, 0.0)))
            heard = now
        found = estimator.update()
        assert found.contains(team.phi).all()
    estimator.add(robots[2].between(heard, np.inf))
    found, whole = estimator.update(), estimated(robots)
    assert found.status is whole.status is TeamStatus.GOOD
    np.testing.assert_allclose(found.phi, whole.phi, atol=1e-3)
    assert (found.half_width <= 1.1 * whole.half_width).all()


@pytest.mark.slow
def test_a_robot_that_joins_late_takes_back_what_was_said_without_it():
    """Its first samples are of a time that the others had left behind."""
    rng = np.random.default_rng(6)
    team = Team.drawn(rng, 4)
    four = team.samples(Path.drawn(rng, length=14.0, holds=2), rng)
    estimator = TeamEstimator(team.names[:3], TeamBounds(NOISE), PRIOR)
    estimator.touched(0.0, 8.0)  # the fourth held already: forces before miss
    for robot in four[:3]:
        estimator.add(robot.between(0.0, 12.0))
    estimator.update()  # without the force of the fourth, of which nobody knows
    estimator.add(four[3].between(8.0, 12.0))
    assert estimator.update().contains(team.phi).all()
    for robot in four:
        estimator.add(robot)
    found = estimator.update()
    assert found.status in (TeamStatus.GOOD, TeamStatus.USABLE)
    assert found.contains(team.phi).all()


@pytest.mark.slow
def test_a_touch_that_is_told_late_takes_back_what_its_forces_said():
    team, robots = team_and_samples(2, NOISE)
    lifted = [  # by a human, from 7 s to 12 s
        replace(r, force=np.where(((r.time > 7.0) & (r.time < 12.0))[:, None], 0.7, 1.0) * r.force)
        for r in robots
    ]
    names = [r.name for r in robots]
    told, late = (TeamEstimator(names, TeamBounds(NOISE), PRIOR) for _ in range(2))
    told.touched(6.9, 7.5)
    told.touched(7.4, 12.5)
    for robot in lifted:
        told.add(robot)
        late.add(robot)
    assert late.update().status is TeamStatus.INCONSISTENT
    late.touched(6.9, 12.5)
    one, other = told.update(), late.update()
    assert one.status in (TeamStatus.GOOD, TeamStatus.USABLE)
    assert (other.lower <= team.phi).all() and (team.phi <= other.upper).all()
    assert (np.abs(one.lower - other.lower) <= 1e-3 * (one.upper - one.lower)).all()


@pytest.mark.slow
def test_robots_join_and_leave():
    rng = np.random.default_rng(6)
    bounds = replace(NOISE, clock=0.0)
    team = Team.drawn(rng, 4)
    four = team.samples(Path.drawn(rng, length=14.0, holds=2), rng)
    estimator = TeamEstimator(team.names[:3], TeamBounds(bounds), PRIOR, POINT)
    for robot in four[:3]:
        estimator.add(robot)
    estimator.add(four[3].between(8.0, 100.0))  # it held from the beginning: forces before miss
    estimator.touched(0.0, 8.0)
    found = estimator.update()
    assert set(found.frames) == set(team.names)
    np.testing.assert_allclose(found.phi, team.phi, rtol=1e-5, atol=1e-4)
    estimator.leave("omnid4", 12.0)
    assert estimator.update().frames["omnid4"].known


@pytest.mark.slow
def test_imus_make_up_for_poor_twists_while_they_are_heard():
    poor = replace(NOISE, angular_velocity=0.5, linear_velocity=0.3, position=5e-3, clock=0.0)
    good = replace(poor, imu_angular_velocity=2e-3, imu_specific_force=0.02)
    rng = np.random.default_rng(12)
    team = Team.of_table_1(rng)
    path = Path.drawn(rng, length=10.0, holds=2)
    robots = []
    for i, ideal in enumerate(team.samples(path, rng)):
        motion = path.motion(ideal.time)
        p, X = team.p[i], team.R[i]
        turning = np.cross(motion.alpha, p) + np.cross(motion.omega, np.cross(motion.omega, p))
        felt = (motion.a + turning + GRAVITY * motion.R[:, 2]) @ X
        error = rng.uniform(-1.0, 1.0, (2, len(ideal), 3))
        robots.append(
            replace(
                disturbed(ideal, poor, rng),
                imu_angular_velocity=motion.omega @ X + 2e-3 * error[0],
                imu_specific_force=felt + 0.02 * error[1],
            )
        )
    without = estimated(robots, poor)
    found = estimated(robots, good)
    end = float(robots[0].time[-1])
    unheard = [
        replace(r.between(0.0, end - 3.0), imu_angular_velocity=None, imu_specific_force=None)
        for r in robots
    ]
    mixed = estimated(unheard, good, more=[r.between(end - 2.99, end) for r in robots])
    for estimate in (found, without, mixed):
        assert estimate.contains(team.phi).all()
    assert (found.half_width[4:] < 0.7 * without.half_width[4:]).all()
    assert mixed.half_width[4:].sum() < 0.9 * without.half_width[4:].sum()


def test_rows_whose_errors_hang_together_are_freed_of_it():
    rng = np.random.default_rng(3)
    errors = rng.normal(size=(4000, 2))
    for k in range(1, len(errors)):
        errors[k] = [0.8, -0.3] * errors[k - 1] + np.sqrt(1.0 - np.square([0.8, -0.3])) * errors[k]
    start = 0.5 * np.arange(4000.0)
    start[2000:] += 7.0  # a gap: nothing follows over it
    seen = Correlation.none(start, 2).seen_in(errors)
    np.testing.assert_allclose(seen.c, [0.8, -0.3], atol=0.05)
    freed = seen.freed(errors[..., None])[..., 0]
    assert (freed[[0, 2000]] == errors[[0, 2000]]).all()
    np.testing.assert_allclose(freed.std(axis=0), 1.0, atol=0.05)
    np.testing.assert_allclose((freed[1:] * freed[:-1]).mean(axis=0), 0.0, atol=0.05)


def sequence_of(team, robots):
    """What the paper's sequence gives, all samples for every step but the holds."""
    t = robots[0].time
    every = np.ones(len(t), bool)
    still = (t % 2.8 < 1.8) & (t < 8.4)
    return sequential(robots, every, still, every & (t > 8.6) & (t < t[-1] - 0.1), PRIOR)


def test_the_papers_sequence_finds_the_payload_without_noise():
    team, robots = team_and_samples(7)
    steps = sequence_of(team, robots)
    np.testing.assert_allclose(steps.rotation[0, 2], team.R[2], atol=1e-9)
    np.testing.assert_allclose(steps.position[0, 1], team.p[1], atol=1e-9)
    assert steps.mass == pytest.approx(team.phi[0], rel=1e-9)
    np.testing.assert_allclose(steps.phi, team.phi, rtol=5e-3, atol=5e-3)
