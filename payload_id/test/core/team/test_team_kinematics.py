"""Grasp kinematics of a team: identities, derivatives, exactness, bounds that hold."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.errors import RecordingError
from payload_id.core.team.blocks import Blocks
from payload_id.core.team.bounds import RobotBounds
from payload_id.core.team.closed_form.hinge import hinge
from payload_id.core.team.closed_form.pairwise import grasp_position, kabsch_umeyama
from payload_id.core.team.closed_form.resample import Resampling
from payload_id.core.team.equations import Equations
from payload_id.core.team.grasp_frames import START, FrameWeights, GraspFrames
from payload_id.core.team.kinematic_bounds.frame_bounds import frame_bounds
from payload_id.core.team.refine import begun, refine
from payload_id.core.team.samples import RobotSamples
from team_motion import Path, Team, disturbed

TIMES = np.arange(0.5, 14.0, 0.1)


def path(rng):
    """A short path with two holds."""
    return Path.drawn(rng, length=10.0, holds=2, hold=1.5)


def weights(N, clock=0.0):
    """Equal weights of level robots."""
    return FrameWeights(np.ones((4, N)), np.zeros(N), np.full(N, clock), 2.0)


def fitted(robots, shift, clock=0.0):
    """Blocks and the frames that they give."""
    N = len(robots)
    blocks = Blocks.of(robots, TIMES, shift, 0.01)
    frames = GraspFrames.unknown(N)
    for i in range(1, N):
        frames, _ = begun(blocks, frames, i, clock, True)
    return blocks, refine(blocks, frames, weights(N, clock))


def test_rotation_and_position_follow_from_twists_in_closed_form():
    rng = np.random.default_rng(0)
    R, p = Rotation.random(random_state=1).as_matrix(), rng.normal(size=3)
    omega, v = rng.normal(size=(2, 40, 3))
    omega_j, v_j = omega @ R, (v + np.cross(omega, p)) @ R
    fit = kabsch_umeyama(omega, omega_j)
    np.testing.assert_allclose(fit.rotation, R, atol=1e-12)
    np.testing.assert_allclose(grasp_position(omega, v, v_j, R), p, atol=1e-12)
    assert not fit.mirrored and fit.residual < 1e-12


def test_a_mirror_image_is_told_from_a_rotation():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(30, 3))
    fit = kabsch_umeyama(a, a * [1.0, -1.0, 1.0])
    assert fit.mirrored and fit.mirror_residual < 1e-12 < fit.residual
    assert np.linalg.det(fit.rotation) == pytest.approx(1.0)


def test_interpolation_is_exact_for_cubics_and_bounds_what_it_leaves_out():
    stamp = np.cumsum(np.random.default_rng(0).uniform(0.008, 0.012, 200))
    time = np.linspace(stamp[3], stamp[-3], 317)
    at = Resampling.of(stamp, time, 0.05)
    cubic = np.polynomial.Polynomial([1.0, -2.0, 3.0, 4.0])
    np.testing.assert_allclose(at.values(cubic(stamp)), cubic(time), rtol=1e-12)
    wave = np.sin(12.0 * stamp)
    error = np.abs(at.values(wave) - np.sin(12.0 * time))
    assert (error <= 1.5 * at.remainder(wave) + 1e-12).all()
    assert at.inside.all() and not Resampling.of(stamp, stamp[-1:] + 1.0, 0.05).inside.any()


def test_jacobian_of_the_refinement_is_that_of_finite_differences():
    rng = np.random.default_rng(0)
    team = Team.of_table_1(rng, clock=np.array([0.0, 0.01, -0.02]))
    blocks = Blocks.of(team.samples(path(rng), rng), TIMES[::8], np.zeros(3), 0.01)
    frames = GraspFrames.unknown(3)
    for i in (1, 2):
        frames, _ = begun(blocks, frames, i, 0.02, True)
    problem = Equations(blocks, frames, weights(3, 0.02), np.array(START))
    x = 0.02 * rng.normal(size=problem.size)
    numeric = np.stack(
        [
            (problem.residual(x + 1e-6 * e) - problem.residual(x - 1e-6 * e)) / 2e-6
            for e in np.eye(problem.size)
        ],
        axis=1,
    )
    J = problem.jacobian(x)
    np.testing.assert_allclose(J, numeric, atol=1e-8 * np.abs(J).max())


@pytest.mark.parametrize("N", [2, 3, 5])
def test_without_noise_frames_are_exact_and_loops_close(N):
    rng = np.random.default_rng(N)
    team = Team.drawn(rng, N, moments=N == 2)
    _, frames = fitted(team.samples(path(rng), rng), np.zeros(N))
    np.testing.assert_allclose(frames.rotation, team.R, atol=1e-8)
    np.testing.assert_allclose(frames.position, team.p, atol=1e-8)


def test_bounds_of_frames_hold_the_truth_and_covariance_its_scale():
    bounds = RobotBounds(
        orientation=1e-3, position=5e-4, angular_velocity=0.02, linear_velocity=0.01, clock=0.01
    )
    rng = np.random.default_rng(3)
    team = Team.of_table_1(rng, clock=np.array([0.0, 0.008, -0.01]))
    ideal = team.samples(path(rng), rng)
    for kind in ("uniform", "corners"):
        robots = [disturbed(r, bounds, rng, kind) for r in ideal]
        blocks, frames = fitted(robots, np.zeros(3), 0.01)
        assert np.abs(frames.clock - team.clock).max() < 2e-3
        for i in (1, 2):
            found = frame_bounds(blocks, i, frames, bounds, bounds, 2.0, (-0.01, 0.01))
            eps = Rotation.from_matrix(frames.rotation[i].T @ team.R[i]).as_rotvec()
            assert found.consistent
            assert (np.abs(eps) <= found.rotation_vector).all()
            assert (np.abs(team.p[i] - frames.position[i]) <= found.position).all()
            assert abs(team.clock[i] - frames.clock[i]) <= found.clock
            deviation = np.sqrt(np.diag(frames.covariance[i])[:3])
            assert (np.abs(eps) < 6.0 * deviation).all()


@pytest.mark.parametrize("late", [0.0, 0.04, -0.04])
def test_robots_of_two_bodies_on_a_hinge_show_its_axis(late):
    rng = np.random.default_rng(0)
    t = TIMES
    n = np.array([0.6, 0.0, 0.8])
    angle = 0.3 * np.sin(1.3 * t)
    motion = path(rng).motion(t)
    X = Rotation.random(random_state=2) * Rotation.from_rotvec(np.zeros(3))
    turn = Rotation.from_rotvec(angle[:, None] * n) * X
    rate = 0.39 * np.cos(1.3 * t)[:, None] * n
    other = turn.inv().apply(motion.omega + rate)
    vertical = np.stack([motion.R[:, 2], turn.inv().apply(motion.R[:, 2])])
    other, vertical[1] = (  # as a clock that is off shows them
        np.stack([np.interp(t + late, t, x) for x in values.T], axis=1)
        for values in (other, vertical[1])
    )
    rate = np.gradient(other, t, axis=0)
    found = hinge(t, np.stack([motion.omega, other]), rate, vertical, 0.0, 0.05)
    assert abs(found.axis @ n) > 1.0 - (1e-6 if late == 0.0 else 1e-3)
    assert found.angle == pytest.approx(0.3, rel=0.2)


def test_samples_that_are_no_rotations_or_of_wrong_shape_are_refused():
    ok = {
        "time": np.arange(3.0), "rotation": np.tile(np.eye(3), (3, 1, 1)),
        "position": np.zeros((3, 3)), "twist": np.zeros((3, 6)), "force": np.zeros((3, 3)),
    }  # fmt: skip
    mirrored = np.tile(np.diag([1.0, 1.0, -1.0]), (3, 1, 1))
    with pytest.raises(RecordingError, match="right-handed"):
        RobotSamples("a", **{**ok, "rotation": mirrored})
    with pytest.raises(RecordingError, match="twist of robot a must have shape"):
        RobotSamples("a", **{**ok, "twist": np.zeros((3, 5))})
    for name in ok:
        with pytest.raises(RecordingError, match=f"{name} of robot a is missing"):
            RobotSamples("a", **{**ok, name: None})
    bad = RobotSamples("a", **{**ok, "time": np.array([0.0, 2.0, 1.0])})
    assert len(bad) == 2 and sum(bad.dropped.values()) == 1
