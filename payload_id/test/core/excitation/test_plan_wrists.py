"""Wrist motions of a team: they are one body's, keep their limits, and are better than chance."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.body.inertial import skew
from payload_id.core.errors import InputError
from payload_id.core.excitation.wrists import HeldTeam, WristLimits, plan_wrists
from payload_id.core.excitation.wrists.predicted_widths import WidthPredictor
from payload_id.core.excitation.wrists.wrist_limits import MARGIN
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.trajectory import Motion, MotionRanges
from payload_id.core.team.bounds import RobotBounds, TeamBounds
from payload_id.core.team.closed_form.pair_equations import FrameBounds
from payload_id.core.team.grasp_frames import GraspFrames
from payload_id.core.team.online import TeamEstimator
from team_motion import Team, motion_of, wrench_on

BOUNDS = RobotBounds(
    orientation=6e-4, position=4e-4, angular_velocity=0.012, linear_velocity=0.006,
    force_absolute=0.25, friction=0.25,
)  # fmt: skip
LIMITS = WristLimits(tilt=0.16, reach=0.1, force=100.0, speed=0.5, highest=1.0)


@pytest.fixture(scope="module")
def held() -> HeldTeam:
    """The paper's team, its frames and payload known roughly."""
    rng = np.random.default_rng(2)
    team = Team.of_table_1(rng)
    boxes = [FrameBounds(np.full(3, a), np.full(3, p), 0.0) for a, p in ((0, 0), (0.01, 0.02))]
    turns = Rotation.from_rotvec([[0.05, 0, 0.3], [0, 0.05, 1.0], [0, 0, 2.0]]).as_matrix()
    up = np.einsum("nij,nkj->nki", turns[:1], team.R.swapaxes(1, 2))[0]
    return HeldTeam(
        tuple(team.names), GraspFrames.unknown(3).with_poses(team.R, team.p),
        [boxes[0], boxes[1], boxes[1]], [BOUNDS] * 3, team.phi,
        np.array([0.3] + [0.3] * 3 + [1.5] * 6), up @ team.R.swapaxes(1, 2) @ team.R,
        rng.normal(size=(3, 3)),
    )  # fmt: skip


def series(seed: int, seconds: float = 6.0) -> FourierSeries:
    """A random motion of two degrees and a centimetre or so."""
    free = np.random.default_rng(seed).normal(size=(6, 2, 4))
    return FourierSeries.from_free(np.zeros(6), free * 0.005, seconds)


def test_wrists_move_as_one_body_from_where_they_are(held):
    time = np.linspace(0.0, 6.0, 200)
    at = series(0).at(time)
    turned, place = held.poses(at)
    np.testing.assert_allclose(turned[:, 0], held.attitude, atol=1e-12)
    np.testing.assert_allclose(place[:, 0], held.place, atol=1e-12)
    np.testing.assert_allclose(turned[:, -1], held.attitude, atol=1e-9)
    R, x = held.body(at)
    for i in range(3):
        X, p = held.frames.rotation[i], held.frames.position[i]
        back = held.attitude[i].T @ turned[i]
        np.testing.assert_allclose(X @ back @ X.T, R, atol=1e-12)
        moved = (place[i] - held.place[i]) @ held.attitude[i] @ X.T
        np.testing.assert_allclose(moved, x + R @ p - p, atol=1e-12)


def test_planned_forces_are_those_of_newton_and_euler(held):
    one = series(1)
    time = np.linspace(0.0, 6.0, 3001)
    at = one.at(time)
    Y = held.wrench_regressor(at)
    R, x = held.body(at)
    level = held.attitude[0] @ held.frames.rotation[0].T
    world = Rotation.from_matrix(level @ R).as_euler("ZYX")[:, ::-1]
    whole = np.hstack([np.unwrap(world, axis=0), x @ level.T])
    step = time[1]
    rate = np.gradient(whole, step, axis=0)
    motion = motion_of(whole, rate, np.gradient(rate, step, axis=0))
    inner = slice(10, -10)
    wrench = wrench_on(held.phi, motion)
    np.testing.assert_allclose((Y @ held.phi)[inner], wrench[inner], atol=1e-3)
    G = np.hstack([np.vstack([np.eye(3), skew(p)]) for p in held.frames.position])
    np.testing.assert_allclose(G @ held.share().reshape(9, 6), np.eye(6), atol=1e-9)


def test_limits_are_proved_for_every_state_of_a_slice(held):
    """No state in a box needs more than is said of it; of one state what is said is exact."""
    rng = np.random.default_rng(0)
    for size in (1e-12, 0.01, 0.1):
        middle, half = (
            rng.normal(size=(3, 1, 6)) * [[[0.3]], [[1.0]], [[3.0]]],
            size * rng.random((3, 1, 6)),
        )
        ends = [x for c, h in zip(middle, half, strict=True) for x in (c - h, c + h)]
        said = {
            x.constraint: x for x in LIMITS.needs(held, MotionRanges(np.array([0.0, 1.0]), *ends))
        }
        states = middle + half * np.sign(rng.uniform(-1, 1, (3, 2000, 6)))
        at = Motion(np.zeros(2000), *states)
        place = np.linalg.norm(held.poses(at)[1] - held.place[:, None], axis=2)
        force = MARGIN * np.linalg.norm(held.forces(at), axis=2) / LIMITS.force
        speed = np.linalg.norm(held.velocities(at)[1], axis=2) / LIMITS.speed
        angle = Rotation.from_rotvec(at.q[:, :3]).magnitude()[None] / LIMITS.tilt
        for name, used in (("tilt", angle), ("reach", place / LIMITS.reach), ("force", force),
                           ("wrist speed", speed)):  # fmt: skip
            bound = said[name].used[0]
            assert (used.max(axis=1) <= bound * (1 + 1e-9)).all(), (name, size)
            assert (bound <= (1.0 + 30.0 * size) * used.max(axis=1) + 1e-9).all(), (name, size)


def test_a_plan_keeps_its_limits_and_is_better_than_chance(held):
    by_chance = plan_wrists(held, LIMITS, 6.0, candidates=3, steps=0)
    plan = plan_wrists(held, LIMITS, 6.0, candidates=3, steps=10)
    assert max(plan.usage.values()) <= 1.0
    time, turned, place = plan.poses(held, 0.01)
    angle = Rotation.from_matrix(held.attitude[0].T @ turned[0]).magnitude()
    assert angle.max() < min(LIMITS.tilt, np.deg2rad(10.0))
    assert np.linalg.norm(place - held.place[:, None], axis=2).max() < LIMITS.reach
    assert np.linalg.norm(np.gradient(place, time[1], axis=1), axis=2).max() < LIMITS.speed
    force = held.samples(plan.pieces[0], time)
    assert MARGIN * max(np.linalg.norm(f.force, axis=1).max() for f in force) < LIMITS.force
    quick = plan.pieces[0].scaled(np.full(6, 1.2))
    assert LIMITS.proved(held, plan.pieces[0]) and not LIMITS.proved(held, quick)
    before, after = WidthPredictor(held).before, plan.predicted[-1]
    assert after.against(before) < by_chance.predicted[-1].against(before) < 0.0
    assert (after.phi <= before.phi).all() and (after.frames <= before.frames).all()


def test_what_cannot_be_planned_is_said(held):
    with pytest.raises(InputError, match="takes forces near the 20 N"):
        plan_wrists(held, replace(LIMITS, force=20.0), 6.0, candidates=2)
    with pytest.raises(InputError, match="make it longer"):
        plan_wrists(held, LIMITS, 1.0)
    with pytest.raises(InputError, match="Wrist limit 'reach'"):
        WristLimits(reach=0.0)
    nothing = TeamEstimator(["a", "b"]).update()
    with pytest.raises(InputError, match="missing of a, b"):
        HeldTeam.of(nothing, TeamBounds(), {})
