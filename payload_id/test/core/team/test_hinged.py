"""A payload of two bodies on a hinge: seventeen sums, exact without noise, honest with it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hinged_team import HingedTeam
from hinged_trials import NOISE, drawn_run, score, sides, truth
from payload_id.core.body.inertial import is_physical
from payload_id.core.team.bounds import RobotBounds, TeamBounds
from payload_id.core.team.estimate import Fault, Finding, TeamStatus
from payload_id.core.team.hinged.two_bodies import Side, two_bodies
from payload_id.core.team.hinged_payload import BASE_OF_BOTH
from payload_id.core.team.online import TeamEstimator
from payload_id.core.team.online.articulated import Articulated
from team_motion import Path, disturbed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("side", "clock"), [((0, 0, 1), 0.0), ((0, 1, 1), 0.0), ((0, 0, 1, 1), 0.04)]
)
def test_without_noise_the_sums_of_both_bodies_are_exact(side, clock):
    team, robots, _ = drawn_run(1, side, clock)
    bounds = RobotBounds(clock=clock)
    found = two_bodies(*sides(team, robots, bounds), 1.0, 0.01, 2.0)
    assert abs(found.axis[0] @ team.axis) == pytest.approx(1.0, abs=1e-9)
    assert np.abs(np.cross(found.place[0] - team.place, team.axis)).max() < 1e-6
    tight = 1e-6 if not clock else 1e-5  # interpolation between samples of other clocks
    assert np.abs(found.base - truth(team, found)).max() < tight * np.abs(found.base).max()
    assert found.determined.all() and found.robots[1][0] == f"omnid{side.index(1) + 1}"
    assert all(is_physical(phi) for phi in found.phi)
    assert np.allclose(BASE_OF_BOTH @ found.phi.ravel(), found.base, atol=1e-3)


@pytest.mark.slow
def test_friction_of_the_hinge_is_told_apart_from_the_bodies():
    team, robots, _ = drawn_run(3, friction=np.array([0.4, 0.7]))
    found = two_bodies(*sides(team, robots, RobotBounds()), 1.0, 0.01, 2.0)
    assert np.allclose(found.friction, [0.4, 0.7], atol=0.02)
    assert np.abs(found.base - truth(team, found)).max() < 1e-3 * np.abs(found.base).max()


@pytest.mark.slow
def test_deviations_are_those_of_the_errors():
    """Errors over deviations of five runs, 85 numbers: about one, and hardly any above four."""
    kinds = ("uniform", "slow")
    scores = np.array([score(seed, kinds[seed % 2]) for seed in range(20, 25)])
    assert 0.6 < np.sqrt((scores**2).mean()) < 1.5
    assert (np.abs(scores) > 4.0).mean() < 0.03


def test_mass_on_the_axis_may_belong_to_either_body():
    """What is moved along the axis from one body to the other changes no sum."""
    s = 0.3
    point = np.array([1.0, 0, 0, s, s**2, 0, 0, s**2, 0, 0])  # 1 kg at (0, 0, s)
    assert np.abs(BASE_OF_BOTH @ np.concatenate([point, -point])).max() < 1e-12
    assert np.linalg.matrix_rank(BASE_OF_BOTH) == 17


@pytest.mark.slow
def test_the_team_estimator_names_the_hinge_and_tells_both_bodies():
    team, robots, rng = drawn_run(5)
    robots = [disturbed(robot, NOISE, rng) for robot in robots]
    estimator = TeamEstimator([r.name for r in robots], TeamBounds(NOISE))
    for start in np.arange(0.0, 26.0, 6.5):
        for robot in robots:
            estimator.add(robot.between(start, np.nextafter(start + 6.5, 0.0)))
        found = estimator.update()
    assert found.status is TeamStatus.INCONSISTENT  # of one rigid body
    assert found.findings[0].fault is Fault.ARTICULATED
    hinged = found.hinged
    assert hinged.robots == (("omnid1", "omnid2"), ("omnid3",))
    true = truth(team, hinged)
    assert (np.abs(hinged.base - true) < 5.0 * hinged.deviation).all()
    assert abs(hinged.base[0] - true[0]) < 0.01 * true[0]
    assert "weigh" in " ".join(hinged.sentences())
    axis = found.findings[0].axis
    assert np.array_equal(axis, hinged.axis[0]) and abs(axis @ team.axis) > 0.9999
    assert found.findings[0].sentence in found.message


class LateHinge(HingedTeam):
    """A hinge that does not turn before 12 s."""

    def angle(self, t):
        angle, rate, change = super().angle(t)
        x = (t - 12.0) / 0.5
        on = 0.5 * (1.0 + np.tanh(x))
        slope, bend = 1.0 / np.cosh(x) ** 2, -4.0 * np.tanh(x) / np.cosh(x) ** 2
        return (
            on * angle, on * rate + slope * angle, on * change + 2.0 * slope * rate + bend * angle
        )  # fmt: skip


# A small one is seen in the poses: errors of angular velocities add up to more than it turns by.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("swing", "errors"),
    [((0.15, 0.1), {}), ((0.05, 0.025), {"angular_velocity": 0.02, "clock": 0.05})],
    ids=["large", "small"],
)
def test_a_hinge_that_begins_to_turn_is_no_slip_for_nothing_is_rigid_after_it(swing, errors):
    bounds = replace(NOISE, **errors)
    team, _, _ = drawn_run(2, clock=bounds.clock)
    rng = np.random.default_rng(2)
    late = LateHinge(**{**vars(team), "swing": np.array(swing)})
    robots = late.samples(Path.drawn(rng, length=26.0, holds=2), rng)
    estimator = TeamEstimator([r.name for r in robots], TeamBounds(bounds))
    for robot in robots:
        estimator.add(disturbed(robot, bounds, rng))
    found = estimator.update()
    assert found.status is TeamStatus.INCONSISTENT
    assert [(f.fault, f.robots) for f in found.findings] == [(Fault.ARTICULATED, ("omnid3",))]


@pytest.mark.slow
def test_nobody_is_put_on_the_wrong_body_where_clocks_are_hardly_known():
    bounds = replace(NOISE, clock=0.05)
    _, robots, rng = drawn_run(1, (0, 1, 1), clock=0.05)
    robots = [disturbed(robot, bounds, rng) for robot in robots]
    estimator, ends = (
        TeamEstimator([r.name for r in robots], TeamBounds(bounds)),
        np.arange(2) * 13.0,
    )
    for start in ends:
        for robot in robots:
            estimator.add(robot.between(start, np.nextafter(start + 13.0, 0.0)))
        hinged = estimator.update().hinged
        assert hinged is None or hinged.robots == (("omnid1",), ("omnid2", "omnid3"))


@pytest.mark.slow
def test_both_bodies_are_found_anew_from_new_samples_though_old_ones_go():
    """Samples that are kept are of the last minute: their length says nothing of what is new."""
    team, robots, rng = drawn_run(7)
    robots = [disturbed(robot, NOISE, rng) for robot in robots]
    hinge = Finding(Fault.ARTICULATED, ("omnid3",), "It turns.", axis=team.axis)
    articulated = Articulated(1.0, 2.0)
    found = [
        articulated.update([hinge], [r.between(a, b) for r in robots], [NOISE] * 3, 0.01, ())
        for a, b in ((0.0, 20.0), (1.0, 21.0), (6.0, 26.0))
    ]
    assert found[1] is found[0]  # a twentieth is new
    assert not np.array_equal(found[2].base, found[0].base)


def test_a_payload_that_turns_about_two_axes_gives_no_numbers():
    team, robots, _ = drawn_run(1)
    one, across = robots[2], np.cross(team.axis @ team.R[2], [0.3, -0.5, 0.8])
    turn = 0.06 * np.sin(2.1 * one.time)[:, None] * across
    rate = 0.06 * 2.1 * np.cos(2.1 * one.time)[:, None] * across
    Q = Rotation.from_rotvec(turn)
    omega, v = (Q.inv().apply(x) for x in np.hsplit(one.twist, 2))
    robots[2] = replace(
        one, rotation=one.rotation @ Q.as_matrix(), twist=np.hstack([omega + rate, v]),
        force=Q.inv().apply(one.force),
    )  # fmt: skip
    assert two_bodies(*sides(team, robots, NOISE), 1.0, 0.01, 2.0) is None


def test_a_rigid_payload_has_no_hinge():
    team, robots, rng = drawn_run(6, swing=np.zeros(2))
    robots = [disturbed(robot, NOISE, rng) for robot in robots]
    assert two_bodies(*sides(team, robots, NOISE), 1.0, 0.01, 2.0) is None


@pytest.mark.slow
def test_the_same_samples_give_the_same_bits_whatever_else_memory_holds():
    """What a run says is repeated bit for bit from its file, in another process."""
    said = set()
    for seed in range(3):
        junk = [np.random.default_rng(seed).normal(size=n) for n in range(1, 2000, 7)]
        del junk[::2]  # holes of every size, full of numbers
        team, robots, rng = drawn_run(5)
        estimator = TeamEstimator([r.name for r in robots], TeamBounds(NOISE))
        for robot in robots:
            estimator.add(disturbed(robot, NOISE, rng).between(0.0, 9.0))
        found = estimator.update()
        axis = found.findings[0].axis
        said.add((repr(found), found.hinged.base.tobytes(), axis.tobytes()))
    assert len(said) == 1


@pytest.mark.parametrize("parts", [((0,), (1, 2)), ((0, 2), (1,))])
def test_robots_that_do_not_hold_one_body_give_no_numbers(parts):
    """As with two hinges, where no two groups of robots hold one body each."""
    _, robots, rng = drawn_run(8)
    robots = [disturbed(robot, NOISE, rng) for robot in robots]
    first, second = (Side([robots[i] for i in part], [NOISE] * len(part)) for part in parts)
    assert two_bodies(first, second, 1.0, 0.01, 2.0) is None
