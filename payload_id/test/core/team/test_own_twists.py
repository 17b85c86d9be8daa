"""A robot whose poses do not change as its own twists say is named, whichever it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.rigid_team import RigidTeam

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.team.bounds import RobotBounds, TeamBounds
from payload_id.core.team.estimate import TeamStatus
from payload_id.core.team.online import TeamEstimator

BOUNDS = RobotBounds(
    orientation=2e-3, position=1e-3, angular_velocity=0.02, linear_velocity=0.01,
    force_absolute=0.1, clock=0.02,
)  # fmt: skip


def with_scalar_first(R):
    return Rotation.from_quat(Rotation.from_matrix(R).as_quat()[:, [3, 0, 1, 2]]).as_matrix()


def with_twist(omega=lambda R, w: w, v=lambda R, v: v):
    """Return what gives a robot other twists."""

    def changed(robot):
        w, u = robot.twist[:, :3], robot.twist[:, 3:]
        return replace(robot, twist=np.hstack([omega(robot.rotation, w), v(robot.rotation, u)]))

    return changed


def in_its_own_frame(R, vector):
    return np.einsum("nij,nj->ni", R, vector)


FALSE = {
    "scalar first": lambda r: replace(r, rotation=with_scalar_first(r.rotation)),
    "the other way": lambda r: replace(r, rotation=r.rotation.swapaxes(1, 2)),
    "at random": lambda r: replace(
        r, rotation=Rotation.random(len(r.time), rng=np.random.default_rng(1)).as_matrix()
    ),
    "frozen": lambda r: replace(r, rotation=np.repeat(r.rotation[:1], len(r.time), axis=0)),
    "angular velocity, other frame": with_twist(omega=in_its_own_frame),
    "twice as fast": with_twist(omega=lambda R, w: 2.0 * w),
    "degrees": with_twist(omega=lambda R, w: np.degrees(w)),
    "turns a minute": with_twist(omega=lambda R, w: w * 30.0 / np.pi),
    "velocity, other frame": with_twist(v=in_its_own_frame),
    "mm": with_twist(v=lambda R, v: 1e3 * v),
}


def held_from(field, part):
    """Return what has a robot's driver give the same attitude or position from some time on."""

    def changed(robot):
        given = getattr(robot, field)
        kept = np.minimum(np.arange(len(given)), int(part * len(given)))
        return replace(robot, **{field: given[kept]})

    return changed


FALSE |= {
    "attitudes stop": held_from("rotation", 0.5),
    "attitudes stop late": held_from("rotation", 0.7),
    "positions stop": held_from("position", 0.5),
}


def found(number, which, change, seed=0):
    """Return the estimate of a team of which one robot is changed."""
    team = RigidTeam(np.random.default_rng(seed), number, turn=0.25, frequency=0.7)
    t = np.arange(0.0, 6.0, 0.01)
    clocks = (0.0, 0.015, -0.01)
    robots = [team.samples(i, t, clocks[i]) for i in range(number)]
    for i in range(number) if which is None else [which]:
        robots[i] = change(robots[i])
    estimator = TeamEstimator([r.name for r in robots], TeamBounds(BOUNDS), PayloadPrior(10.0, 1.5))
    for robot in robots:
        estimator.add(robot)
    return estimator.update()


@pytest.mark.parametrize(("number", "which"), [(3, 0), (2, 1)])
@pytest.mark.parametrize("name", FALSE)
def test_who_contradicts_itself_is_named(name, number, which):
    estimate = found(number, which, FALSE[name])
    assert estimate.status is TeamStatus.INCONSISTENT
    assert [f.robots for f in estimate.findings] == [(f"r{which}",)]
    assert "own" in estimate.findings[0].sentence


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("name", ["degrees", "turns a minute", "scalar first"])
def test_where_one_driver_makes_the_same_of_all_all_are_named(name, number):
    estimate = found(number, None, FALSE[name])
    assert [f.robots for f in estimate.findings] == [(f"r{i}",) for i in range(number)]
    assert name == "scalar first" or all("rad/s" in f.sentence for f in estimate.findings)


def test_since_when_a_driver_gives_the_same_is_told():
    (finding,) = found(3, 1, FALSE["attitudes stop"]).findings
    begin = float(finding.sentence.split("attitudes of r1 are the same from ")[1].split()[0])
    assert begin == pytest.approx(3.1, abs=0.15)


@pytest.mark.parametrize("seed", range(3))
def test_who_does_not_is_not(seed):
    estimate = found(3, 0, lambda robot: robot, seed)
    assert not estimate.findings and estimate.status is TeamStatus.GOOD
