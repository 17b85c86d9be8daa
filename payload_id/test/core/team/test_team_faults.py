"""What is wrong with a team's data is named, with the robot; nobody else is blamed."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.team.bounds import TeamBounds
from payload_id.core.team.estimate import Fault, TeamStatus
from payload_id.core.team.faults.evidence import LEAST_TURN
from payload_id.core.team.online import TeamEstimator
from payload_id.core.team.samples import RobotSamples
from team_motion import Path, Team, disturbed, wrench_on
from team_scene import NOISE, POINT, PRIOR, estimated, team_and_samples


def false_force(robot, factor):
    """The same robot with other forces."""
    return replace(robot, force=factor * robot.force)


def mirrored(robot):
    """The same robot with the y axis of all its frames turned round."""
    M = np.diag([1.0, -1.0, 1.0])
    twist = np.hstack([robot.twist[:, :3] @ M, robot.twist[:, 3:] @ M])
    return RobotSamples(
        robot.name, robot.time, M @ robot.rotation @ M, robot.position @ M, twist, robot.force @ M
    )


def in_degrees(robot):
    """The same robot with angular velocities in degrees per second."""
    return replace(robot, twist=robot.twist * np.repeat([180.0 / np.pi, 1.0], 3))


def slipped(robot, time):
    """The same robot with its grasp turned from a time on."""
    R, late = Rotation.from_rotvec([0.0, 0.0, 0.2]).as_matrix(), robot.time > time
    rotation, twist, force = robot.rotation.copy(), robot.twist.copy(), robot.force.copy()
    rotation[late], force[late] = rotation[late] @ R, force[late] @ R
    twist[late] = np.hstack([twist[late, :3] @ R, twist[late, 3:] @ R])
    return RobotSamples(robot.name, robot.time, rotation, robot.position, twist, force)


def mirrored_whole(robot):
    """The same robot in a left-handed frame: vectors of turning are as a mirror shows them."""
    other = mirrored(robot)
    return replace(other, twist=other.twist * np.repeat([-1.0, 1.0], 3))


def slipping(robot, begin, seconds):
    """The same robot with its grasp turned by and by, which it tells with its twist."""
    part = np.clip((robot.time - begin) / seconds, 0.0, 1.0)
    axis = np.array([0.0, 0.6, 0.8])
    X = Rotation.from_rotvec(0.3 * (part**2 * (3.0 - 2.0 * part))[:, None] * axis).as_matrix()
    rate = 0.3 * 6.0 * part * (1.0 - part) / seconds
    own = lambda vectors: np.einsum("kji,kj->ki", X, vectors)  # noqa: E731
    twist = np.hstack([own(robot.twist[:, :3]) + rate[:, None] * axis, own(robot.twist[:, 3:])])
    return RobotSamples(
        robot.name, robot.time, robot.rotation @ X, robot.position, twist, own(robot.force)
    )


def locked(robot):
    """The same robot with a gimbal whose encoders stand still."""
    rotation = np.tile(robot.rotation[0], (len(robot), 1, 1))
    twist = np.hstack([0.0 * robot.twist[:, :3], robot.twist[:, 3:]])
    return RobotSamples(robot.name, robot.time, rotation, robot.position, twist, robot.force)


def force_from(robot, time, turned):
    """The same robot whose sensor shows a force times a matrix from a time on."""
    late = robot.time > time
    force = np.where(late[:, None], robot.force @ np.asarray(turned).T, robot.force)
    return RobotSamples(
        robot.name, robot.time, robot.rotation, robot.position, robot.twist, force, robot.moment
    )


FAULTS = {
    "inverted in mid-run": (Fault.FORCE_FALSE, 0, lambda r: force_from(r, 7.0, -np.eye(3))),
    "one axis": (Fault.FORCE_FALSE, 1, lambda r: force_from(r, 0.0, np.diag([1.0, 1.0, -1.0]))),
    "one axis of the reference": (
        Fault.FORCE_FALSE,
        0,
        lambda r: force_from(r, 0.0, np.diag([-1.0, 1.0, 1.0])),
    ),
    "axes exchanged": (Fault.FORCE_FALSE, 2, lambda r: force_from(r, 0.0, np.eye(3)[[1, 0, 2]])),
    "an axis dead from a time": (
        Fault.FORCE_FALSE,
        1,
        lambda r: force_from(r, 6.0, np.diag([0.0, 1.0, 1.0])),
    ),
    "inverted": (Fault.FORCE_INVERTED, 1, lambda r: false_force(r, -1.0)),
    "gain": (Fault.FORCE_FALSE, 0, lambda r: false_force(r, 0.7)),
    "stands still": (Fault.FORCE_FALSE, 2, lambda r: replace(r, force=0.0 * r.force + [0, 5, 9.0])),
    "mirrored": (Fault.MIRRORED, 1, mirrored),
    "the reference is mirrored": (Fault.MIRRORED, 0, mirrored),
    "degrees": (Fault.UNKNOWN, 1, lambda r: in_degrees(r)),
    "the reference in degrees": (Fault.UNKNOWN, 0, lambda r: in_degrees(r)),
    "slips": (Fault.SLIPS, 2, lambda r: slipped(r, 14.0)),
    "the reference slips": (Fault.SLIPS, 0, lambda r: slipped(r, 14.0)),
    "locked": (Fault.GIMBAL_LOCKED, 1, locked),
    "clock": (Fault.CLOCK, 2, lambda r: replace(r, time=r.time + 0.2)),
    "the reference's clock": (Fault.CLOCK, 0, lambda r: replace(r, time=r.time + 0.2)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_is_named_with_the_robot(name):
    fault, who, spoil = FAULTS[name]
    _, robots = team_and_samples(8, NOISE)
    robots[who] = spoil(robots[who])
    found = estimated(robots)
    assert found.status is TeamStatus.INCONSISTENT
    assert found.findings[0].fault is fault
    assert found.findings[0].robots == (robots[who].name,)
    assert robots[who].name in found.message


@pytest.mark.slow
@pytest.mark.parametrize("clock", [0.0, 0.02])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_left_handed_frame_is_named_though_clocks_are_hardly_known(seed, clock):
    rng, bounds = np.random.default_rng(seed), replace(NOISE, clock=clock)
    team = Team.drawn(rng, 3)
    samples = team.samples(Path.drawn(rng, length=12.0, holds=2), rng)
    robots = [disturbed(r, bounds, rng) for r in samples]
    robots[1] = mirrored_whole(robots[1])
    found = estimated(robots, bounds)
    assert found.status is TeamStatus.INCONSISTENT
    assert [(f.fault, f.robots) for f in found.findings] == [(Fault.MIRRORED, (robots[1].name,))]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_false_moments_of_one_robot_are_blamed_on_no_other(seed):
    """Moments about any grasp know them; about one that is far away they only look smaller."""
    rng = np.random.default_rng(seed)
    team = Team.drawn(rng, 3, moments=True)
    team.p[1] = 1.3 * team.p[1] / np.linalg.norm(team.p[1])  # far away, moments look smaller
    samples = team.samples(Path.drawn(rng, length=10.0, holds=2), rng)
    robots = [disturbed(r, NOISE, rng) for r in samples]
    swings = np.sin(1.7 * robots[0].time)[:, None] * rng.choice([-12.0, 12.0], 3)
    robots[0] = replace(robots[0], moment=robots[0].moment + swings)
    found = estimated(robots)
    assert found.status is TeamStatus.INCONSISTENT
    assert {name for f in found.findings for name in f.robots} <= {"omnid1"}, found.message


def test_at_rest_a_gyroscopes_bias_is_no_motion_that_a_still_force_contradicts():
    """One robot bears the payload, and a second one joins."""
    t, bias = np.arange(0.0, 12.0, 0.02), 0.9 * NOISE.angular_velocity
    n = len(t)
    estimator = TeamEstimator(["a"], TeamBounds(NOISE), PRIOR)
    for name, place, force, since in (("a", 0.0, 19.6, 0.0), ("b", 0.3, 0.0, 8.0)):
        robot = RobotSamples(
            name, t, np.tile(np.eye(3), (n, 1, 1)), np.tile([place, 0.0, 0.0], (n, 1)),
            np.tile([bias, bias, bias, 0.0, 0.0, 0.0], (n, 1)), np.tile([0.0, 0.0, force], (n, 1)),
        )  # fmt: skip
        estimator.add(robot.where(t >= since))
    found = estimator.update()
    assert bias * np.sqrt(3.0) > LEAST_TURN
    assert not [f for f in found.findings if f.fault is Fault.FORCE_FALSE], found.message


def test_a_robot_alone_is_compared_with_nobody():
    _, robots = team_and_samples(8, NOISE)
    found = estimated([force_from(robots[0], 6.0, 5.0 * np.eye(3))])
    assert not [f for f in found.findings if f.fault is Fault.FORCE_FALSE]


@pytest.mark.slow
@pytest.mark.parametrize("who", [0, 2])
def test_nobody_else_is_said_to_slip_while_a_slip_is_seen_first(who):
    """The first blocks after it may speak against one pair of three alone."""
    _, robots = team_and_samples(8, NOISE)
    robots[who] = slipped(robots[who], 14.0)
    estimator = TeamEstimator([r.name for r in robots], TeamBounds(NOISE), PRIOR)
    named = []
    for end in (13.0, 14.2, 14.4, 14.6, 15.0, 16.0):
        for robot in robots:
            estimator.add(robot.where(robot.time <= end))
        named += [f.robots for f in estimator.update().findings if f.fault is Fault.SLIPS]
    assert set(named) == {(robots[who].name,)}


HINGE = np.array([0.8, 0.6, 0.0])  # its axis


def on_a_hinge(team, path, robots, who, half, rate, begin=0.0):
    """Return a robot's samples where it holds a part of the payload that turns on a hinge."""
    t, motion = robots[0].time, path.motion(robots[0].time)
    q = np.array([0.9, 0.0, 0.0])
    late = np.maximum(t - begin, 0.0)[:, None]
    turn = Rotation.from_rotvec(half * np.sin(rate * late) * HINGE)
    relative = half * rate * np.cos(rate * late) * (late > 0.0) * HINGE
    X, arm = turn.as_matrix() @ team.R[who], turn.apply(team.p[who] - q)
    velocity = motion.v + np.cross(motion.omega, q + arm) + np.cross(relative, arm)
    base = Rotation.from_euler("z", team.yaw[who]).as_matrix()
    place = motion.x + np.einsum("kij,kj->ki", motion.R, q + arm) - team.origin[who]
    omega = np.einsum("kji,kj->ki", X, motion.omega + relative)
    return RobotSamples(
        f"omnid{who + 1}", t, base.T @ motion.R @ X, place @ base,
        np.hstack([omega, np.einsum("kji,kj->ki", X, velocity)]), robots[who].force,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("who", [2, 0])
def test_a_hinged_payload_is_named_with_its_axis_and_who_is_alone_on_a_part(who):
    rng = np.random.default_rng(3)
    team = Team.of_table_1(rng)
    path = Path.drawn(rng, length=14.0, holds=2)
    robots = team.samples(path, rng)
    robots[who] = on_a_hinge(team, path, robots, who, 0.15, 1.7)
    found = estimated([disturbed(r, NOISE, rng) for r in robots])
    assert found.status is TeamStatus.INCONSISTENT
    finding = found.findings[0]
    assert finding.fault is Fault.ARTICULATED and finding.robots == (f"omnid{who + 1}",)
    assert abs(finding.axis @ HINGE) > 0.99


@pytest.mark.slow
def test_a_hinge_that_begins_to_turn_late_is_no_slip():
    # Errors within which what follows may pass for the motion of one body.
    bounds = replace(NOISE, clock=0.05, orientation=2e-3, position=1e-3, moment_absolute=0.05)
    rng = np.random.default_rng(1)
    team = Team.drawn(rng, 2, moments=True)
    path = Path.drawn(rng, length=16.0, holds=1)
    robots = team.samples(path, rng)
    hinged = on_a_hinge(team, path, robots, 1, 0.5, 1.3, begin=6.0)
    robots[1] = replace(hinged, moment=robots[1].moment)
    found = estimated([disturbed(r, bounds, rng) for r in robots], bounds, POINT)
    finding = found.findings[0]
    assert finding.fault is Fault.ARTICULATED and finding.robots == ("omnid2",), finding
    assert abs(finding.axis @ HINGE) > 0.99


def test_without_rotation_only_the_mass_is_given_and_it_says_so():
    rng = np.random.default_rng(0)
    team = Team.of_table_1(rng)
    still = Path.drawn(rng, length=0.0, holds=1, hold=8.0)
    still = replace(still, holds=np.zeros((1, 6)))
    robots = [disturbed(r, NOISE, rng) for r in team.samples(still, rng)]
    found = estimated(robots)
    assert not found.frames["omnid2"].known
    assert any("cannot be given" in sentence for sentence in found.cannot)
    assert found.findings[0].fault is Fault.NO_ROTATION
    assert found.lower[0] <= team.phi[0] <= found.upper[0] and found.half_width[0] < 1.0


@pytest.mark.slow
def test_a_newcomer_whose_frame_is_unknown_yet_does_not_take_the_intervals():
    team, robots = team_and_samples(13, NOISE, length=8.0)
    end = float(robots[0].time[-1])
    before = estimated(robots)
    estimator = TeamEstimator(team.names, TeamBounds(NOISE), PRIOR)
    for robot in robots:
        estimator.add(robot)
    new = replace(robots[1].between(end - 0.3, end), name="omnid9")
    estimator.add(new)
    found = estimator.update()
    assert not found.frames["omnid9"].known
    assert (found.half_width <= 1.5 * before.half_width + 1e-9).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4, 5, 6])
def test_gains_that_are_stated_do_not_draw_the_payload_to_nothing(seed):
    stated = replace(NOISE, force_gain=0.01, force_absolute=2.0, orientation=3e-3, clock=0.0)
    team, robots = team_and_samples(seed, stated, "slow", length=20.0)
    assert abs(estimated(robots, stated).phi[0] - team.phi[0]) < 0.015 * team.phi[0]


def test_two_passive_robots_say_what_they_cannot_give():
    _, robots = team_and_samples(9, NOISE)
    found = estimated(robots[:2], settings=POINT)
    assert any(f.fault is Fault.COLLINEAR for f in found.findings)
    assert any("one line" in sentence for sentence in found.cannot)


def test_nothing_is_no_data():
    found = TeamEstimator().update()
    assert found.status is TeamStatus.NO_DATA and np.isnan(found.phi).all()


@pytest.mark.parametrize("kind", ["slow", "corners"])
def test_a_robot_that_holds_the_payload_alone_is_not_called_false(kind):
    """Some payload explains its forces whatever their scale, none at all those of scale 0."""
    rng = np.random.default_rng(4)
    team = Team.drawn(rng, 1, moments=True)
    bounds = replace(NOISE, force_absolute=0.5, moment_absolute=0.08)
    (robot,) = team.samples(Path.drawn(rng, length=24.0, holds=2), rng)
    found = estimated([disturbed(robot, bounds, rng, kind)], bounds)
    assert found.status is not TeamStatus.INCONSISTENT and not found.findings
    assert found.contains(team.phi).all()


@pytest.mark.slow
def test_arms_that_share_the_load_in_a_constant_proportion_are_not_called_false():
    """Of the noisier one's forces only errors tell a factor: without them less would be left."""
    rng = np.random.default_rng(12)
    team = Team.drawn(rng, 2, moments=True)
    path = Path.drawn(rng, length=16.0, holds=2)
    robots = team.samples(path, rng)
    loud = replace(NOISE, force_absolute=1.5, moment_absolute=0.2)
    quiet = replace(NOISE, force_absolute=0.2, moment_absolute=0.03)
    whole = wrench_on(team.phi, path.motion(robots[0].time))
    shared = []
    for i, (robot, part, bounds) in enumerate(zip(robots, (0.4, 0.6), (loud, quiet), strict=True)):
        f = part * whole[:, :3]
        moment = part * whole[:, 3:] - np.cross(team.p[i], f)
        mine = replace(robot, force=f @ team.R[i], moment=moment @ team.R[i])
        shared.append(disturbed(mine, bounds, rng, "slow"))
    stated = TeamBounds(robots=dict(zip(team.names, (loud, quiet), strict=True)))
    estimator = TeamEstimator(team.names, stated, PRIOR)
    for robot in shared:
        estimator.add(robot)
    found = estimator.update()
    assert found.status is not TeamStatus.INCONSISTENT, found.message
    assert found.contains(team.phi).all()


def two_arms(seed):
    """What two arms with moments measure of a motion."""
    rng = np.random.default_rng(seed)
    team = Team.drawn(rng, 2, moments=True)
    samples = team.samples(Path.drawn(rng, length=10.0, holds=2), rng)
    return [disturbed(r, NOISE, rng) for r in samples]


@pytest.mark.parametrize("who", [0, 1])
def test_of_two_arms_the_one_in_degrees_does_not_make_the_other_look_locked(who):
    robots = two_arms(1)
    robots[who] = in_degrees(robots[who])
    found = estimated(robots)
    assert found.status is TeamStatus.INCONSISTENT
    assert not [f for f in found.findings if f.fault is Fault.GIMBAL_LOCKED], found.message
    assert "check their unit" in found.message


@pytest.mark.slow
def test_of_two_robots_whose_clocks_are_far_apart_the_reference_is_not_named():
    robots = two_arms(1)
    robots[1] = replace(robots[1], time=robots[1].time - 0.6)
    estimator = TeamEstimator([r.name for r in robots], TeamBounds(NOISE), PRIOR)
    for end in np.arange(1.0, 11.0):
        for robot in robots:
            estimator.add(robot.where((robot.time > end - 1.0) & (robot.time <= end)))
        found = estimator.update()
        late = {name for f in found.findings if f.fault is Fault.CLOCK for name in f.robots}
        assert robots[0].name not in late, found.message


@pytest.mark.parametrize("with_moments", [False, True])
@pytest.mark.parametrize("who", [0, 1])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_two_arms_the_one_whose_forces_are_inverted_is_named(seed, who, with_moments):
    """With the other sign of the other one's forces, a payload of negative mass would fit."""
    robots = two_arms(seed)
    robots[who] = false_force(robots[who], -1.0)
    if with_moments:
        robots[who] = replace(robots[who], moment=-robots[who].moment)
    found = estimated(robots)
    assert found.status is TeamStatus.INCONSISTENT
    (finding,) = found.findings
    assert finding.fault is Fault.FORCE_INVERTED and finding.robots == (robots[who].name,)


@pytest.mark.slow
def test_a_robot_with_small_forces_is_not_inverted_where_another_may_be_false():
    rng = np.random.default_rng(15)
    team = Team.drawn(rng, 5)
    path = Path.drawn(rng, length=8.0, holds=2)
    robots = team.samples(path, rng, internal=1.5)
    robots[0] = force_from(robots[0], 0.0, np.eye(3)[[1, 2, 0]])
    bounds = replace(NOISE, orientation=2e-3, position=1e-3, force_absolute=0.3)
    found = estimated([disturbed(r, bounds, rng) for r in robots], bounds)
    assert {name for f in found.findings for name in f.robots} == {robots[0].name}, found.message


@pytest.mark.slow
def test_of_five_robots_the_two_that_slip_are_named_though_one_is_the_reference():
    rng = np.random.default_rng(3)
    team = Team.drawn(rng, 5)
    samples = team.samples(Path.drawn(rng, length=20.0, holds=3, hold=1.8), rng)
    robots = [disturbed(r, NOISE, rng) for r in samples]
    robots[:2] = [slipped(robots[0], 14.0), slipped(robots[1], 17.0)]
    found = estimated(robots)
    assert found.status is TeamStatus.INCONSISTENT
    named = {name for f in found.findings if f.fault is Fault.SLIPS for name in f.robots}
    assert named == {robots[0].name, robots[1].name}, found.message


@pytest.mark.slow
@pytest.mark.parametrize("who", [0, 2])
def test_a_slip_of_long_ago_is_still_that_of_whom_it_was(who):
    rng = np.random.default_rng(6)
    team = Team.drawn(rng, 4)
    bounds = replace(NOISE, clock=0.05)
    samples = team.samples(Path.drawn(rng, length=22.0, holds=2), rng)
    robots = [disturbed(r, NOISE, rng) for r in samples]
    robots[who] = slipped(robots[who], 4.0)
    estimator = TeamEstimator([r.name for r in robots], TeamBounds(bounds), PRIOR)
    for robot in robots:
        estimator.add(robot)
    findings = estimator.update().findings
    assert {(f.fault, f.robots) for f in findings} == {(Fault.SLIPS, (robots[who].name,))}


@pytest.mark.slow
@pytest.mark.parametrize(("begin", "seconds"), [(1.5, 0.3), (4.0, 1.5), (11.0, 1.5)])
@pytest.mark.parametrize("who", [0, 2])
def test_a_hand_that_turns_once_in_its_grasp_is_no_hinge(who, begin, seconds):
    """However early and slowly: what turns about one axis and then no more, slipped."""
    rng = np.random.default_rng(9)
    team = Team.drawn(rng, 3)
    samples = team.samples(Path.drawn(rng, length=20.0, holds=2), rng)
    robots = [disturbed(r, NOISE, rng) for r in samples]
    robots[who] = slipping(robots[who], begin, seconds)
    findings = estimated(robots).findings
    assert [(f.fault, f.robots) for f in findings] == [(Fault.SLIPS, (robots[who].name,))]
    assert findings[0].since == pytest.approx(begin, abs=0.5 + seconds)


@pytest.mark.slow
def test_of_five_robots_the_two_whose_clocks_are_off_are_named_though_one_is_the_reference():
    rng = np.random.default_rng(4)
    team = Team.drawn(rng, 5)
    samples = team.samples(Path.drawn(rng, length=12.0, holds=2), rng)
    robots = [disturbed(r, NOISE, rng) for r in samples]
    for i, off in enumerate((0.2, -0.2)):
        robots[i] = replace(robots[i], time=robots[i].time + off)
    found = estimated(robots)
    assert found.status is TeamStatus.INCONSISTENT
    named = {name for f in found.findings if f.fault is Fault.CLOCK for name in f.robots}
    assert named == {robots[0].name, robots[1].name}, found.message
