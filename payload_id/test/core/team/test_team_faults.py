"""What is wrong with a team's data is named, with the robot; nobody else is blamed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.identification.status import Status
from payload_id.core.team.bounds import TeamBounds
from payload_id.core.team.estimate import Fault
from payload_id.core.team.online import TeamEstimator
from team_motion import Path, Team, disturbed, wrench_on
from team_scene import NOISE, POINT, PRIOR, estimated, estimator_of, measured, updates

AXIS = np.array([0.0, 0.6, 0.8])
FALSE, CLOCK, SLIPS = Fault.FORCE_FALSE, Fault.CLOCK, Fault.SLIPS


def turned(angle, told=True):
    """Return what turns a robot's grasp frame about an axis, and has its twist tell so or not."""

    def changed(robot):
        there = angle(robot.time)
        own = Rotation.from_rotvec(there[:, None] * AXIS).inv().apply
        rate = np.gradient(there, robot.time)[:, None] * AXIS if told else 0.0
        omega, v = np.hsplit(robot.twist, 2)
        X = Rotation.from_rotvec(there[:, None] * AXIS).as_matrix()
        return replace(
            robot, rotation=robot.rotation @ X, twist=np.hstack([own(omega) + rate, own(v)]),
            force=own(robot.force),
        )  # fmt: skip

    return changed


def mirrored(sign):
    """Return what turns round the y axis of all frames; -1: vectors of turning as mirrors do."""
    M = np.diag([1.0, -1.0, 1.0])

    def changed(robot):
        omega, v = np.hsplit(robot.twist, 2)
        return replace(
            robot, rotation=M @ robot.rotation @ M, position=robot.position @ M,
            twist=np.hstack([sign * omega @ M, v @ M]), force=robot.force @ M,
        )  # fmt: skip

    return changed


def force(matrix, since=-1.0):
    """Return what has a sensor show a matrix times the force from a time on."""
    return lambda r: replace(
        r, force=np.where((r.time > since)[:, None], r.force @ np.asarray(matrix).T, r.force)
    )


def twist(omega=lambda R, w: w, v=lambda R, v: v):
    """Return what gives a robot other twists than its poses have."""
    return lambda r: replace(
        r, twist=np.hstack([omega(r.rotation, r.twist[:, :3]), v(r.rotation, r.twist[:, 3:])])
    )


def held(field, since):
    """Return what has a driver give the same attitude or position from a time on."""
    return lambda r: replace(r, **{field: getattr(r, field)[np.minimum(
        np.arange(len(r)), np.searchsorted(r.time, since))]})  # fmt: skip


def scalar_first(robot):
    quaternion = Rotation.from_matrix(robot.rotation).as_quat()[:, [3, 0, 1, 2]]
    return replace(robot, rotation=Rotation.from_quat(quaternion).as_matrix())


def locked(robot):
    return held("rotation", 0.0)(twist(omega=lambda R, w: 0.0 * w)(robot))


def late(offset, since=-1.0):
    return lambda r: replace(r, time=r.time + offset * (r.time > since))


def base_axes(R, vectors):
    return np.einsum("nij,nj->ni", R, vectors)


DEGREES = twist(omega=lambda R, w: np.degrees(w))
INVERTED, HINGE = force(-np.eye(3)), turned(lambda t: 0.15 * np.sin(1.7 * t))
FAULTS = {
    "inverted": (Fault.FORCE_INVERTED, INVERTED),
    "inverted in mid-run": (FALSE, force(-np.eye(3), 4.0)),
    "axes exchanged": (FALSE, force(np.eye(3)[[1, 0, 2]])),
    "an axis dead from a time": (FALSE, force(np.diag([0.0, 1.0, 1.0]), 3.0)),
    "gain": (FALSE, force(0.5 * np.eye(3))),
    "stands still": (FALSE, lambda r: replace(r, force=0.0 * r.force + [0.0, 5.0, 9.0])),
    "dead": (Fault.NO_FORCE, force(0.0 * np.eye(3))),
    "mirrored": (Fault.MIRRORED, mirrored(1.0)),
    "slips": (SLIPS, turned(lambda t: 0.2 * (t > 6.0), told=False)),
    "locked": (Fault.GIMBAL_LOCKED, locked),
    "clock": (CLOCK, late(0.2)),
    "clock leaps": (CLOCK, late(0.3, 5.0)),
    "hinge": (Fault.UNKNOWN, HINGE),
    "scalar first": (None, scalar_first),
    "frozen": (None, held("rotation", 0.0)),
    "angular velocity in other axes": (None, twist(omega=base_axes)),
    "mm": (None, twist(v=lambda R, v: 1e3 * v)),
    "attitudes stop": (None, held("rotation", 4.0)),
    "degrees": (None, DEGREES),
}


@pytest.mark.slow
def test_what_is_wrong_is_named_with_the_robot():
    """Of the reference as of the others; without a kind, it contradicts its own twists."""
    wrong = {}
    for k, (name, (fault, change)) in enumerate(FAULTS.items()):
        _, robots = measured(k, length=8.5)
        false = robots[k % 3].name
        robots[k % 3] = change(robots[k % 3])
        found = estimated(robots)
        said = [(f.fault, f.robots) for f in found.findings]
        own = all(f.fault is Fault.UNKNOWN and "own" in f.sentence for f in found.findings)
        named = [robots for _, robots in said] == [(false,)] and false in found.message
        if fault is SLIPS:
            assert found.findings[0].since == pytest.approx(6.0, abs=0.6)
        if found.status is not Status.INCONSISTENT or not named or (
            not own if fault is None else said[0][0] is not fault
        ):  # fmt: skip
            wrong[name] = (found.status, said)
    assert not wrong


@pytest.mark.slow
def test_where_one_driver_makes_the_same_of_all_all_are_named():
    for number, change, words in ((2, DEGREES, "rad/s"), (3, scalar_first, "order")):
        _, robots = measured(1, number=number, moments=True)
        found = estimated([change(r) for r in robots])
        assert [f.robots for f in found.findings] == [(r.name,) for r in robots]
        assert all(words in f.sentence for f in found.findings)
    _, robots = measured(2, moments=True)
    found = estimated([replace(r, force=-r.force, moment=-r.moment) for r in robots])
    (finding,) = found.findings
    assert finding.fault is Fault.FORCE_INVERTED and finding.robots == tuple(r.name for r in robots)


@pytest.mark.slow
def test_a_blow_stays_a_contradiction_until_its_time_is_taken_out(monkeypatch):
    """Also when a long run keeps no window of it any more."""
    monkeypatch.setattr("payload_id.core.team.online.estimator.MOST_WINDOWS", 6)
    team, robots = measured(0, length=12.0, moments=True)
    struck = ((robots[1].time > 2.5) & (robots[1].time < 3.2))[:, None] * [36.0, -38.4, 28.8]
    robots[1] = replace(robots[1], force=robots[1].force + struck)
    estimator = estimator_of(robots)
    said = [found.status for found in updates(estimator, robots, 3.0, [0.0] * 3)]
    first = said.index(Status.INCONSISTENT)
    assert first <= 1 and set(said[first:]) == {Status.INCONSISTENT}
    estimator.touched(20.0, 21.0)  # nothing is known of then
    assert estimator.update().status is Status.INCONSISTENT
    estimator = estimator_of(robots)
    for robot in robots:
        estimator.add(robot)
    assert estimator.update().status is Status.INCONSISTENT
    estimator.touched(2.4, 3.3)
    found = estimator.update()
    assert found.status in (Status.GOOD, Status.TOO_WIDE), found.message
    assert found.contains(team.phi).all()


@pytest.mark.slow
def test_a_sensor_that_shows_no_more_than_its_error_leaves_no_number():
    """Others may carry all of the payload, or it is dead: whether anything turns or not."""
    still = replace(Path.drawn(np.random.default_rng(0), length=0.0, holds=1, hold=6.0),
                    holds=np.zeros((1, 6)))  # fmt: skip
    for dead, shown, way in (
        ((1,), 0.0, None), ((1,), 0.15, None), ((0, 1, 2), 0.0, None), ((2,), 0.1, still),
        ((0, 1, 2), 0.0, still),
    ):  # fmt: skip
        team, robots = measured(2, way=way)
        rng = np.random.default_rng(3)
        for i in dead:
            little = rng.uniform(-shown, shown, robots[i].force.shape)
            robots[i] = replace(robots[i], force=little)
        found = estimated(robots)
        named = [f.robots for f in found.findings if f.fault is Fault.NO_FORCE]
        assert named == [tuple(robots[i].name for i in dead)]
        assert found.status in (Status.NOT_IDENTIFIABLE, Status.INCONSISTENT)
        assert not found.identifiable.any() and found.contains(team.phi).all()


@pytest.mark.slow
def test_robots_that_share_the_load_without_fault_are_not_called_false():
    """In a constant proportion."""
    rng = np.random.default_rng(12)
    team, way = Team.drawn(rng, 2, moments=True), Path.drawn(rng, length=12.0, holds=1)
    ideal = team.samples(way, rng, rate=50.0)
    whole = wrench_on(team.phi, way.motion(ideal[0].time))
    loud = replace(NOISE, force_absolute=1.5, moment_absolute=0.2)
    bounds, shared = (loud, replace(NOISE, moment_absolute=0.03)), []
    for i, (robot, part) in enumerate(zip(ideal, (0.4, 0.6), strict=True)):
        f = part * whole[:, :3]
        moment = part * whole[:, 3:] - np.cross(team.p[i], f)
        mine = replace(robot, force=f @ team.R[i], moment=moment @ team.R[i])
        shared.append(disturbed(mine, bounds[i], rng, "slow"))
    stated = TeamBounds(robots=dict(zip(team.names, bounds, strict=True)))
    estimator = TeamEstimator(team.names, stated, PRIOR)
    for robot in shared:
        estimator.add(robot)
    found = estimator.update()
    assert found.status is not Status.INCONSISTENT, found.message
    assert found.contains(team.phi).all()


def test_what_cannot_be_given_is_said():
    """One force alone, grasps on one line, nothing that turns, nothing at all."""
    _, robots = measured(9)
    assert not [f for f in estimated([INVERTED(robots[0])]).findings if f.fault is FALSE]
    found = estimated(robots[:2], settings=POINT)
    assert any(f.fault is Fault.COLLINEAR for f in found.findings)
    assert any("one line" in sentence for sentence in found.cannot)
    rng = np.random.default_rng(0)
    still = replace(Path.drawn(rng, length=0.0, holds=1, hold=8.0), holds=np.zeros((1, 6)))
    team, robots = measured(0, way=still)
    found = estimated(robots)
    assert not found.frames["omnid2"].known and found.findings[0].fault is Fault.NO_ROTATION
    assert any("cannot be given" in sentence for sentence in found.cannot)
    assert found.lower[0] <= team.phi[0] <= found.upper[0] and found.half_width[0] < 1.0
    nothing = TeamEstimator().update()
    assert nothing.status is Status.NO_DATA and np.isnan(nothing.phi).all()


def test_who_is_silent_late_or_slow_is_named_and_stops_nobody():
    team, robots = measured(4, replace(NOISE, clock=0.0))
    bounds, end = replace(NOISE, clock=0.0), float(robots[0].time[-1])
    silent = robots[2].between(0.0, end - 4.0)
    slow, never = robots[2].where(slice(0, None, 5)), robots[2].where(slice(0, 0))
    for given in (silent, slow, never):  # slow: at 10 Hz
        found = estimated([*robots[:2], given], bounds)
        assert found.status is not Status.INCONSISTENT
        assert ("omnid3",) in [f.robots for f in found.findings], found.message
        assert found.contains(team.phi).all()
    for found in updates(estimator_of(robots, bounds), robots, 4.0, [0.0, 0.0, 1.9]):
        assert not [f for f in found.findings if f.fault is CLOCK], found.message
    for changed in (late(-1.7e9), late(1e8, 4.0)):  # from 1970, or it leaps
        estimator, others = estimator_of(robots, bounds), [*robots[:2], changed(robots[2])]
        for first in range(0, len(robots[0]), 210):
            for robot in others:
                estimator.add(robot.where(slice(first, first + 210)))
            found = estimator.update()
        assert [(f.fault, f.robots) for f in found.findings] == [(CLOCK, ("omnid3",))]
        assert found.frames["omnid2"].known and found.time > end - 1.0
