"""Kinematics of grasps and features of windows: identities, derivatives, bounds that hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor
from payload_id.core.team.blocks import Blocks
from payload_id.core.team.bounds import RobotBounds
from payload_id.core.team.closed_form.correlation import freed
from payload_id.core.team.closed_form.pairwise import grasp_position, kabsch_umeyama
from payload_id.core.team.equations import Equations
from payload_id.core.team.grasp_frames import START, FrameWeights, GraspFrames
from payload_id.core.team.refine import begun
from payload_id.core.team.window_series import GRAVITY
from payload_id.core.team.windows import windows_of
from team_motion import Path, Team, wrench_on

TIMES = np.arange(0.5, 14.0, 0.1)


def path(rng):
    """A short path with two holds."""
    return Path.drawn(rng, length=10.0, holds=2, hold=1.5)


def weights(N, clock):
    """Equal weights of level robots."""
    return FrameWeights(np.ones((4, N)), np.zeros(N), np.full(N, clock), 2.0)


def test_rotation_and_position_follow_from_twists_and_of_a_mirror_image_none_does():
    rng = np.random.default_rng(0)
    R, p = Rotation.random(random_state=1).as_matrix(), rng.normal(size=3)
    omega, v = rng.normal(size=(2, 40, 3))
    omega_j, v_j = omega @ R, (v + np.cross(omega, p)) @ R
    rotation, residual = kabsch_umeyama(omega, omega_j)
    np.testing.assert_allclose(rotation, R, atol=1e-12)
    np.testing.assert_allclose(grasp_position(omega, v, v_j, R), p, atol=1e-12)
    assert residual < 1e-12
    rotation, residual = kabsch_umeyama(omega, omega * [1.0, -1.0, 1.0])
    assert residual > 1e-12 and np.linalg.det(rotation) == pytest.approx(1.0)


def test_jacobian_of_the_refinement_is_that_of_finite_differences():
    rng = np.random.default_rng(0)
    team = Team.of_table_1(rng, clock=np.array([0.0, 0.01, -0.02]))
    blocks = Blocks.of(team.samples(path(rng), rng), TIMES[::8], np.zeros(3), 0.01)
    frames = GraspFrames.unknown(3)
    for i in (1, 2):
        frames = begun(blocks, frames, i, 0.02, True)
    problem = Equations(blocks, frames, weights(3, 0.02), np.array(START))
    x = 0.02 * rng.normal(size=problem.size)
    step = 1e-6 * np.eye(problem.size)
    ends = [(problem.residual(x + e), problem.residual(x - e)) for e in step]
    numeric = np.stack([(ahead - behind) / 2e-6 for ahead, behind in ends], axis=1)
    J = problem.jacobian(x)
    np.testing.assert_allclose(J, numeric, atol=1e-8 * np.abs(J).max())


def test_features_of_windows_are_those_of_the_motion_seen_from_any_grasp():
    rng = np.random.default_rng(0)
    team = Team.of_table_1(rng)
    way = Path.drawn(rng, length=6.0, holds=1)
    robots, start = team.samples(way, rng), np.array([3.5, 5.0])
    windows = windows_of(
        robots, [RobotBounds()] * 3, start, 1.0, np.zeros(3), 0.01, np.ones((3, 2), bool)
    )
    fine = np.linspace(0.0, 1.0, 2001)
    weight = (1.0 - np.cos(2 * np.pi * fine)) / 2000.0
    for n, begin in enumerate(start):
        motion = way.motion(begin + fine)
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


def test_rows_whose_errors_hang_together_are_freed_of_it():
    errors = np.random.default_rng(3).normal(size=(4000, 2))
    for k in range(1, len(errors)):
        errors[k] = [0.8, -0.3] * errors[k - 1] + np.sqrt(1.0 - np.square([0.8, -0.3])) * errors[k]
    start = 0.5 * np.arange(4000.0)
    start[2000:] += 7.0  # a gap: nothing follows over it
    A, every = np.random.default_rng(4).normal(size=(8000, 10)), np.repeat(start, 2)
    rows = RowBlock(A, 0 * A, A[:, :0], errors.ravel(), A[:, 0] ** 0, np.tile([0, 1], 4000), every,
                    every)  # fmt: skip
    free = freed(rows, start, np.zeros(10)).b.reshape(-1, 2)
    assert (free[[0, 2000]] == errors[[0, 2000]]).all()
    np.testing.assert_allclose(free.std(axis=0), 1.0, atol=0.05)
    np.testing.assert_allclose((free[1:] * free[:-1]).mean(axis=0), 0.0, atol=0.05)
