"""Offsets of clocks that motion excludes: never the true one, and what is left is next to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hinged_trials import NOISE, drawn_run
from payload_id.core.team.blocks import Blocks
from payload_id.core.team.bounds import TeamBounds
from payload_id.core.team.estimate import Fault, TeamStatus
from payload_id.core.team.kinematic_bounds.clock_bounds import ClockBounds
from payload_id.core.team.online import TeamEstimator
from team_motion import Path, Team, disturbed

HARDLY_KNOWN = replace(NOISE, clock=0.05)
SHARP = replace(
    HARDLY_KNOWN, orientation=4e-4, position=2e-4, angular_velocity=2e-3, linear_velocity=2e-3
)  # fmt: skip


@pytest.mark.parametrize(("seed", "kind"), [(0, "uniform"), (1, "corners")])
def test_what_is_left_of_fifty_milliseconds_holds_the_true_offset(seed, kind):
    rng = np.random.default_rng(seed)
    late = np.append(0.0, rng.uniform(-0.05, 0.05, 2))
    team = Team.drawn(rng, 3, clock=late)
    ideal = team.samples(Path.drawn(rng, length=8.0, holds=1), rng)
    robots = [disturbed(robot, SHARP, rng, kind) for robot in ideal]
    estimator = TeamEstimator(team.names, TeamBounds(SHARP))
    for start in (0.0, 5.5):
        for robot in robots:
            estimator.add(robot.between(start, np.nextafter(start + 5.5, 0.0)))
        found = estimator.update()
        assert found.status is not TeamStatus.INCONSISTENT
        for name, true in zip(team.names[1:], late[1:], strict=True):
            frame = found.frames[name]
            assert abs(frame.clock - true) <= frame.clock_bound
    assert max(frame.clock_bound for frame in found.frames.values()) < 0.012
    assert found.contains(team.phi).all()


@pytest.mark.slow
def test_a_small_hinge_is_named_though_clocks_are_hardly_known_and_stays_named():
    seed, size = 3, np.array([0.018, 0.012])  # [rad]
    team, _, _ = drawn_run(seed, (0, 1, 1))
    team, robots, rng = drawn_run(
        seed, (0, 1, 1), clock=0.05, swing=size, rate=team.rate[:2], phase=team.phase[:2]
    )
    robots = [disturbed(robot, HARDLY_KNOWN, rng) for robot in robots]
    estimator = TeamEstimator([r.name for r in robots], TeamBounds(HARDLY_KNOWN))
    contradicted = []
    for start in np.arange(4) * 6.5:
        for robot in robots:
            estimator.add(robot.between(start, np.nextafter(start + 6.5, 0.0)))
        found = estimator.update()
        contradicted.append(found.status is TeamStatus.INCONSISTENT)
    assert contradicted[-1] and contradicted == sorted(contradicted)
    assert Fault.ARTICULATED in {finding.fault for finding in found.findings}


def test_stretches_are_all_that_is_stated():
    stated = ClockBounds.stated(0.05)
    assert np.allclose(stated.ends, [-0.05, 0.05]) and len(stated.middle) == 20
    assert np.allclose(np.diff(stated.middle), 2 * stated.half)
    least, most = stated.none_left().ends
    assert least > most and stated.left


@pytest.mark.parametrize("step", [0.002, 0.01, 0.04])
def test_rate_and_bend_of_a_block_are_those_of_its_mean(step):
    rng = np.random.default_rng(1)
    team = Team.drawn(rng, 2)
    way = Path.drawn(rng, length=6.0, holds=0)
    (_, robot) = team.samples(way, rng, rate=500.0)
    time, late = np.arange(0.5, 5.5, 0.3), 1e-3

    def at(shift):
        return Blocks.of([None, robot], time, np.full(2, shift), step)

    here, before, after = at(0.0), at(-late), at(late)
    rate = (after.twist[1] - before.twist[1]) / (2 * late)
    assert np.abs(here.rate[1] - rate).max() < 1e-4 * np.abs(rate).max()
    bend = np.linalg.norm(
        (after.twist[1] - 2 * here.twist[1] + before.twist[1]).reshape(-1, 2, 3), axis=2
    ) / late**2  # fmt: skip
    assert (bend < 1.1 * here.bend[1] + 1e-2 * bend.max()).all()
