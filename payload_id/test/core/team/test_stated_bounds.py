"""Whatever is within the stated bounds is consistent, and the truth is within the intervals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.rigid_team import RigidTeam

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError
from payload_id.core.team.bounds import RobotBounds, TeamBounds
from payload_id.core.team.estimate import Fault, TeamEstimate, TeamStatus
from payload_id.core.team.online import TeamEstimator, TeamSettings
from payload_id.core.team.online.given_samples import GivenSamples
from payload_id.core.team.samples import RobotSamples

PRIOR = PayloadPrior(10.0, 1.5)


def estimate(bounds: RobotBounds, *samples: RobotSamples) -> TeamEstimate:
    """Return what follows from the samples of all robots."""
    estimator = TeamEstimator([s.name for s in samples], TeamBounds(bounds), PRIOR)
    for robot in samples:
        estimator.add(robot)
    return estimator.update()


def test_a_clock_that_is_found_late_leaves_no_trace_in_the_estimate() -> None:
    """Clocks 40 ms apart and nothing else: what was made before that was known is made anew."""
    team = RigidTeam(np.random.default_rng(3), 2, pause=(4.0, 7.0))
    t = np.arange(0.0, 10.0, 0.01)
    found = estimate(
        RobotBounds(clock=0.05), team.samples(0, t), team.samples(1, t + 0.003, clock=0.04)
    )
    assert found.status is not TeamStatus.INCONSISTENT
    assert np.abs(found.phi - team.phi()).max() < 1e-6 * np.abs(team.phi()).max()
    assert found.contains(team.phi()).all()


def test_one_axis_alone_leaves_frames_open_and_contradicts_nothing() -> None:
    """About one axis no more of the frames follows than the verticals tell."""
    team = RigidTeam(np.random.default_rng(5), 2, axis=(0.36, 0.48, 0.8))
    t = np.arange(0.0, 6.0, 0.02)
    size = np.repeat([1e-3, 3e-4], 3)
    bounds = RobotBounds(angular_velocity=1e-3, linear_velocity=3e-4, clock=5e-3, tilt=0.03)
    found = estimate(
        bounds, team.samples(0, t, twist=size), team.samples(1, t, clock=4e-3, twist=-size)
    )
    assert found.status in (TeamStatus.USABLE, TeamStatus.NOT_IDENTIFIABLE)
    assert found.contains(team.phi()).all()


def test_a_clock_that_cannot_be_found_keeps_its_stated_bound() -> None:
    """Errors at their bounds while nothing turns look like clocks that are far off."""
    team = RigidTeam(np.random.default_rng(0), 3, turn=0.0)
    rng, t = np.random.default_rng(1), np.arange(0.0, 6.0, 0.01)
    bounds = RobotBounds(orientation=2e-3, angular_velocity=0.01, clock=5e-3)
    clocks = (0.0, 0.005, -0.005)
    found = estimate(
        bounds,
        *(
            team.samples(
                i, t, clocks[i], rotation=np.tile(rng.choice([-2e-3, 2e-3], 3), (len(t), 1)),
                twist=np.hstack([rng.uniform(-0.01, 0.01, (len(t), 3)), np.zeros((len(t), 3))]),
            )
            for i in range(3)
        ),
    )  # fmt: skip
    for i, clock in enumerate(clocks):
        frame = found.frames[f"r{i}"]
        assert abs(frame.clock - clock) <= frame.clock_bound + 1e-12


@pytest.mark.parametrize(("kind", "seed"), [("constant", 1), ("sine", 0), ("uniform", 2)])
def test_exact_attitudes_beside_coarse_angular_velocities_bound_clocks(kind, seed) -> None:
    """What a clock moves attitudes by is known only as well as angular velocities are."""
    team = RigidTeam(np.random.default_rng(seed), 3, turn=0.15, frequency=0.7)
    rng, t = np.random.default_rng(seed + 10), np.arange(0.0, 8.0, 0.01)
    size, clocks = np.repeat([0.02, 0.01], 3), (0.0, 0.02, -0.02)
    errors = {
        "constant": lambda: np.tile(rng.choice([-1.0, 1.0], 6), (len(t), 1)),
        "sine": lambda: np.sin(rng.uniform(1.0, 9.0, 6) * t[:, None] + rng.uniform(0.0, 6.0, 6)),
        "uniform": lambda: rng.uniform(-1.0, 1.0, (len(t), 6)),
    }
    found = estimate(
        RobotBounds(angular_velocity=0.02, linear_velocity=0.01, clock=0.02),
        *(team.samples(i, t, clocks[i], twist=size * errors[kind]()) for i in range(3)),
    )
    assert not found.findings, found.message
    assert found.contains(team.phi()).all()
    for i, clock in enumerate(clocks):
        frame = found.frames[f"r{i}"]
        assert abs(frame.clock - clock) <= frame.clock_bound + 1e-12
        assert (np.abs(frame.position - team.places[i]) <= frame.position_bound + 1e-12).all()


@pytest.mark.parametrize("rates", [(100.0, 10.0, 100.0), (10.0, 100.0, 100.0), (12.0, 12.0, 15.0)])
def test_samples_that_are_too_far_apart_are_named(rates) -> None:
    """Between two of them no value is taken."""
    team = RigidTeam(np.random.default_rng(2), 3)
    found = estimate(
        RobotBounds(), *(team.samples(i, np.arange(0.0, 8.0, 1.0 / r)) for i, r in enumerate(rates))
    )
    slow = {f"r{i}" for i, rate in enumerate(rates) if rate < 20.0}
    named = {f.robots[0]: f.sentence for f in found.findings if "ms apart" in f.sentence}
    assert set(named) == slow and all("20 Hz" in sentence for sentence in named.values())
    assert found.contains(team.phi()).all()


@pytest.mark.parametrize("shown", [0.0, 1e-310, 1e-6, 0.04])
def test_a_sensor_that_shows_no_more_than_its_error_is_named(shown) -> None:
    """It says that others carry all of the payload, which may then be too light: nothing counts."""
    team = RigidTeam(np.random.default_rng(2), 3)
    t, rng = np.arange(0.0, 8.0, 0.01), np.random.default_rng(3)
    samples = [team.samples(i, t) for i in range(3)]
    dead = rng.uniform(-shown, shown, (len(t), 3))
    samples[1] = replace(samples[1], force=dead)
    found = estimate(RobotBounds(force_absolute=0.05), *samples)
    assert [f.robots for f in found.findings if f.fault is Fault.NO_FORCE] == [("r1",)]
    assert found.status in (TeamStatus.NOT_IDENTIFIABLE, TeamStatus.INCONSISTENT)
    assert not found.identifiable.any() and found.contains(team.phi()).all()


@pytest.mark.parametrize("error", [0.0, 0.1])
@pytest.mark.parametrize("with_moments", [True, False])
def test_where_nobody_shows_any_force_nothing_is_known_of_the_payload(error, with_moments) -> None:
    """Sensors that are not connected show zeros."""
    team, t = RigidTeam(np.random.default_rng(1), 3), np.arange(0.0, 8.0, 0.02)
    samples = [team.samples(i, t) for i in range(3)]
    none = [0.0 * s.moment if with_moments else None for s in samples]
    empty = [replace(s, force=0.0 * s.force, moment=m) for s, m in zip(samples, none, strict=True)]
    found = estimate(RobotBounds(force_absolute=error), *empty)
    assert found.status in (TeamStatus.INCONSISTENT, TeamStatus.NOT_IDENTIFIABLE)
    assert not found.identifiable.any()


@pytest.mark.parametrize("still", [True, False], ids=["at rest", "without turning"])
@pytest.mark.parametrize("dead", [(0, 1, 2), (2,)], ids=["all", "one"])
def test_a_dead_sensor_is_named_though_nothing_turns(dead, still) -> None:
    """Without frames the mass follows from the vertical: what is not shown would be left out."""
    t = np.arange(0.0, 8.0, 0.02)
    team = RigidTeam(np.random.default_rng(1), 3, turn=0.0, pause=(-9.0, 20.0) if still else None)
    samples = [team.samples(i, t) for i in range(3)]
    samples = [replace(s, force=0.0 * s.force) if i in dead else s for i, s in enumerate(samples)]
    found = estimate(RobotBounds(force_absolute=0.05), *samples)
    names = [f.robots for f in found.findings if f.fault is Fault.NO_FORCE]
    assert names == [tuple(f"r{i}" for i in dead)]
    assert found.status is not TeamStatus.USABLE and not found.identifiable.any()


@pytest.mark.parametrize("turn", [0.0, 0.25])
@pytest.mark.parametrize("number", [2, 3])
def test_forces_on_the_robots_instead_of_the_payload_are_named(number, turn) -> None:
    """The sign that most who begin have wrong: that of all."""
    team, t = RigidTeam(np.random.default_rng(2), number, turn=turn), np.arange(0.0, 8.0, 0.02)
    samples = [team.samples(i, t) for i in range(number)]
    wrong = [replace(s, force=-s.force, moment=-s.moment) for s in samples]
    found = estimate(RobotBounds(force_absolute=0.05, moment_absolute=0.05), *wrong)
    assert found.status is TeamStatus.INCONSISTENT
    (finding,) = (f for f in found.findings if f.fault is Fault.FORCE_INVERTED)
    assert finding.robots == tuple(s.name for s in samples)


@pytest.mark.slow
def test_what_is_once_contradicted_stays_so_until_its_cause_is_taken_out(monkeypatch) -> None:
    """A blow, of which a long run keeps no window."""
    monkeypatch.setattr("payload_id.core.team.online.estimator.MOST_WINDOWS", 6)
    team, t = RigidTeam(np.random.default_rng(0), 3), np.arange(0.0, 12.0, 0.02)
    samples = [team.samples(i, t) for i in range(3)]
    struck = ((t > 2.5) & (t < 3.2))[:, None] * np.array([36.0, -38.4, 28.8])
    samples[1] = replace(samples[1], force=samples[1].force + struck)
    bounds = RobotBounds(
        force_absolute=1.0, force_bias=0.2, moment_absolute=0.05, angular_velocity=0.01,
        linear_velocity=0.01, orientation=2e-3, position=2e-3,
    )  # fmt: skip
    said = every_update(bounds, samples, 1.5, {})
    first = next(k for k, found in enumerate(said) if found.status is TeamStatus.INCONSISTENT)
    assert {found.status for found in said[first:]} == {TeamStatus.INCONSISTENT}
    assert "do not take back" in said[-1].message
    estimator = TeamEstimator([s.name for s in samples], TeamBounds(bounds), PRIOR)
    for end in (6.0, 12.0):
        for robot in samples:
            estimator.add(robot.where((robot.time > end - 6.0) & (robot.time <= end)))
        estimator.update()
    estimator.touched(20.0, 21.0)  # nothing is known of then
    assert estimator.update().status is TeamStatus.INCONSISTENT
    estimator.touched(2.4, 3.3)
    found = estimator.update()
    assert found.status in (TeamStatus.GOOD, TeamStatus.USABLE), found.message
    assert found.contains(team.phi()).all()


def test_who_exerts_next_to_nothing_is_asked_to_say_so() -> None:
    """All bounds hold; that it might be a dead sensor is said of nobody."""
    t, places = np.arange(0.0, 8.0, 0.01), np.array([[0.0, 0, 0], [0.5, 0.1, 0], [0.2, -0.4, 0.1]])
    pair = RigidTeam(np.random.default_rng(2), 2, places=places[:2])
    third = RigidTeam(np.random.default_rng(2), 3, places=places).samples(2, t)
    little = np.random.default_rng(3).uniform(-0.03, 0.03, (len(t), 3))
    held = replace(third, force=little, moment=None)
    both = [pair.samples(i, t) for i in range(2)]
    found = estimate(RobotBounds(force_absolute=0.05), *both, held)
    (finding,) = found.findings
    assert finding.fault is Fault.NO_FORCE and "say that it left" in finding.sentence
    assert found.status is TeamStatus.NOT_IDENTIFIABLE and found.contains(pair.phi()).all()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_sign_that_frames_within_their_bounds_could_explain_leaves_no_number(sign) -> None:
    """Of a robot that bears nearly a constant part of the weight; the best frames say otherwise."""
    team, t = RigidTeam(np.random.default_rng(1), 4), np.arange(0.0, 16.0, 0.01)
    samples = [team.samples(i, t) for i in range(4)]
    more = 0.3 * np.sin(1.3 * t)[:, None] * (samples[3].force @ team.X[3].T)
    away = np.cross(team.places[3] - team.places[0], more)
    samples[0] = replace(samples[0], force=samples[0].force - more, moment=samples[0].moment - away)
    held = samples[3].force + more @ team.X[3]
    samples[3] = replace(samples[3], force=sign * held, moment=sign * samples[3].moment)
    bounds = RobotBounds(
        orientation=0.005, position=0.0025, angular_velocity=0.05, linear_velocity=0.025,
        force_absolute=0.3, force_bias=0.2, clock=0.01, tilt=0.002,
    )  # fmt: skip
    found = estimate(bounds, *samples)
    assert found.contains(team.phi()).all()
    if sign > 0.0:
        assert found.status is TeamStatus.USABLE and not found.findings
        return
    (finding,) = found.findings
    assert finding.fault is Fault.FORCE_INVERTED and finding.robots == ("r3",)
    assert found.status is TeamStatus.NOT_IDENTIFIABLE and not found.identifiable.any()


def test_of_two_robots_the_one_whose_force_is_gone_let_go() -> None:
    team = RigidTeam(np.random.default_rng(2), 2)
    t = np.arange(0.0, 12.0, 0.01)
    for who in (0, 1):
        samples = [team.samples(i, t) for i in range(2)]
        late = (t > 6.0)[:, None]
        away = Rotation.from_rotvec(np.maximum(t - 6.0, 0.0)[:, None] * [0.3, 0.2, 0.0])
        free, other = samples[who], samples[1 - who]
        samples[who] = replace(
            free, force=np.where(late, 0.0, free.force), moment=np.where(late, 0.0, free.moment),
            rotation=free.rotation @ away.as_matrix(),
            twist=np.hstack([away.inv().apply(free.twist[:, :3]) + late * [0.3, 0.2, 0.0],
                             away.inv().apply(free.twist[:, 3:])]),
        )  # fmt: skip
        samples[1 - who] = replace(other, force=np.where(late, 2.0, 1.0) * other.force)
        found = estimate(RobotBounds(force_absolute=0.05, force_bias=0.05), *samples)
        assert found.status is TeamStatus.INCONSISTENT
        (finding,) = found.findings
        assert finding.fault is Fault.SLIPS and finding.robots == (f"r{who}",)
        assert "let go" in finding.sentence and finding.since == pytest.approx(6.0, abs=0.6)


@pytest.mark.slow
def test_of_two_robots_the_one_that_has_unloaded_long_before_lets_nothing_go() -> None:
    """The other one slips, later: what is known is that one of both does."""
    team, t = RigidTeam(np.random.default_rng(2), 2), np.arange(0.0, 14.0, 0.01)
    for who in (0, 1):
        samples = [team.samples(i, t) for i in range(2)]
        light, slipping = samples[who], samples[1 - who]
        late, slipped = (t > 5.0)[:, None], (t > 9.0)[:, None]
        part = np.where(late, 0.0, 1.0)
        samples[who] = replace(light, force=part * light.force, moment=part * light.moment)
        turn = Rotation.from_rotvec([0.2, 0.1, 0.0])
        samples[1 - who] = replace(
            slipping,
            rotation=np.where(slipped[..., None], slipping.rotation @ turn.as_matrix(),
                              slipping.rotation),
            twist=np.where(slipped, np.hstack([turn.inv().apply(x)
                           for x in (slipping.twist[:, :3], slipping.twist[:, 3:])]),
                           slipping.twist),
        )  # fmt: skip
        found = estimate(RobotBounds(force_absolute=0.05, force_bias=0.05), *samples)
        assert found.status is TeamStatus.INCONSISTENT
        named = [f for f in found.findings if f.fault is not Fault.COLLINEAR]
        assert [f.robots for f in named] == [("r0", "r1")], found.message
        assert "let go of the payload at" not in found.message


@pytest.mark.slow
def test_what_no_body_does_is_not_forgotten_for_later_data_that_one_could() -> None:
    """A frame that one axis leaves open, and a hand that turns to and fro in a long run."""
    t, axis = np.arange(0.0, 24.0, 0.02), np.array([0.6, -0.8, 0.0])
    team = RigidTeam(np.random.default_rng(5), 2, axis=(0.36, 0.48, 0.8), turn=0.1)
    angle = 0.15 * (np.clip(t - 4.0, 0.0, 1.0) - np.clip(t - 6.0, 0.0, 1.0))
    rate = 0.15 * ((np.abs(t - 4.5) < 0.5) * 1.0 - (np.abs(t - 6.5) < 0.5))
    away, turned = Rotation.from_rotvec(angle[:, None] * axis), team.samples(1, t)
    own = away.inv().apply(turned.twist[:, :3]) + rate[:, None] * axis
    hand = replace(
        turned, rotation=turned.rotation @ away.as_matrix(), force=away.inv().apply(turned.force),
        moment=away.inv().apply(turned.moment),
        twist=np.hstack([own, away.inv().apply(turned.twist[:, 3:])]),
    )  # fmt: skip
    bounds = RobotBounds(
        orientation=0.02, position=0.02, angular_velocity=0.01, linear_velocity=0.02, clock=0.02,
        force_absolute=5.0, moment_absolute=5.0,
    )  # fmt: skip
    said = [found.status for found in every_update(bounds, [team.samples(0, t), hand], 8.0, {})]
    assert set(said) == {TeamStatus.INCONSISTENT}, said


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_forces_that_only_stated_tilts_explain_leave_their_numbers(seed) -> None:
    """Fine sensors of forces beside bases that are three degrees off level."""
    rng, tilt, t = np.random.default_rng(seed), 0.05, np.arange(0.0, 10.0, 0.02)
    team = RigidTeam(rng, 2)
    level = Rotation.from_matrix(team.base)
    team.base = (level * Rotation.from_rotvec([[tilt, 0.0, 0.0], [0.0, -tilt, 0.0]])).as_matrix()
    found = estimate(
        RobotBounds(force_absolute=0.01, moment_absolute=0.01, tilt=tilt, orientation=1e-4,
                    angular_velocity=1e-3, linear_velocity=1e-3, position=1e-4),
        *(team.samples(i, t) for i in range(2)),
    )  # fmt: skip
    assert found.status is not TeamStatus.INCONSISTENT and not found.findings, found.message
    assert found.contains(team.phi()).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 2, 3])
def test_a_dead_axis_that_coarse_frames_could_explain_leaves_no_number(seed) -> None:
    """No factor explains it, and within all bounds some payload does."""
    rng, orientation, t = np.random.default_rng(seed), 0.01, np.arange(0.0, 10.0, 0.02)
    team, n = RigidTeam(rng, 3), len(t)
    bounds = RobotBounds(
        orientation=orientation, position=2e-3, angular_velocity=0.02, linear_velocity=0.01,
        force_absolute=0.2, moment_absolute=0.05,
    )  # fmt: skip
    for whole in (True, False):
        samples = [
            team.samples(
                i, t, rotation=rng.uniform(-orientation, orientation, (n, 3)),
                twist=rng.uniform(-1.0, 1.0, (n, 6)) * np.repeat([0.02, 0.01], 3),
            )
            for i in range(3)
        ]  # fmt: skip
        samples = [replace(s, force=s.force + rng.uniform(-0.2, 0.2, (n, 3))) for s in samples]
        if not whole:
            samples[1] = replace(samples[1], force=samples[1].force * [1.0, 1.0, 0.0])
        found = estimate(bounds, *samples)
        assert found.contains(team.phi()).all()
        assert found.identifiable[0] == whole
        assert [f.robots for f in found.findings] == ([] if whole else [("r1",)])


@pytest.mark.parametrize("value", [1e6, -1e9, np.inf])
@pytest.mark.parametrize("kind", ["position", "twist", "force", "moment"])
def test_one_value_that_no_robot_shows_is_left_out(kind, value) -> None:
    team = RigidTeam(np.random.default_rng(2), 3)
    t = np.arange(0.0, 6.0, 0.01)
    samples = [team.samples(i, t) for i in range(3)]
    changed = getattr(samples[1], kind).copy()
    changed[250, 1] = value
    samples[1] = replace(samples[1], **{kind: changed})
    assert samples[1].dropped == {"not_finite": 1}
    found = estimate(RobotBounds(force_absolute=0.05), *samples)
    assert found.contains(team.phi()).all() and not found.findings
    assert found.frames["r1"].known and found.frames["r2"].known


def test_stamps_off_by_more_than_a_step_contradict_nothing() -> None:
    """Between stamps that lie close by chance, interpolation lets the errors of stamps grow."""
    team = RigidTeam(np.random.default_rng(1), 2, turn=0.4, frequency=1.0)
    rng, t = np.random.default_rng(2), np.arange(0.0, 5.0, 0.002)
    found = estimate(
        RobotBounds(jitter=2e-3),
        *(team.samples(i, t, jitter=rng.uniform(-2e-3, 2e-3, len(t))) for i in range(2)),
    )
    assert found.status is not TeamStatus.INCONSISTENT
    assert found.contains(team.phi()).all()
    frame = found.frames["r1"]
    assert (np.abs(frame.position - team.places[1]) <= frame.position_bound).all()


def test_a_robot_on_another_clock_is_named_and_stops_nobody() -> None:
    """One that counts from 1970 beside two that count from their start, or leaps in a run."""
    team = RigidTeam(np.random.default_rng(1), 3)
    t = np.arange(0.0, 6.0, 0.02)
    late = np.where(t > 4.0, 1e8, 0.0)
    for jitter, clock in ((0.0, 1.7e9), (0.0, -1.7e9), (late, 0.0)):
        estimator = TeamEstimator(["r0", "r1", "r2"], TeamBounds(), PRIOR)
        robots = [team.samples(0, t), team.samples(1, t), team.samples(2, t, clock, jitter)]
        for first in range(0, 300, 75):
            for robot in robots:
                estimator.add(robot.where(slice(first, first + 75)))
            found = estimator.update()
        assert [(f.fault, f.robots) for f in found.findings] == [(Fault.CLOCK, ("r2",))]
        assert found.frames["r1"].known
        assert found.time > 5.5


@pytest.mark.slow
@pytest.mark.parametrize("leap", [0.03, -0.05, -0.3])
@pytest.mark.parametrize(("number", "who"), [(2, 0), (3, 0), (3, 2)])
def test_a_clock_that_leaps_in_mid_run_is_named_and_no_slip(number, who, leap) -> None:
    """Of two robots either may be meant."""
    team = RigidTeam(np.random.default_rng(6), number)
    t = np.arange(0.0, 10.0, 0.02)
    samples = [team.samples(i, t) for i in range(number)]
    leapt = np.where(t > 5.0, t + leap, t)
    new = leapt > np.append(-np.inf, np.maximum.accumulate(leapt)[:-1])
    samples[who] = replace(samples[who].where(new), time=leapt[new])
    small = dict.fromkeys(
        ("orientation", "position", "angular_velocity", "linear_velocity"), 1e-3
    )  # fmt: skip
    found = estimate(RobotBounds(clock=0.01, **small), *samples)
    assert found.status is TeamStatus.INCONSISTENT
    (finding,) = found.findings
    assert finding.fault is Fault.CLOCK and "leapt" in finding.sentence, finding.sentence
    assert finding.robots == ((f"r{who}",) if number > 2 else ("r0", "r1"))
    assert finding.since == pytest.approx(5.0, abs=0.6)


def test_a_robot_that_never_spoke_is_named() -> None:
    """Nothing has come from it since the beginning."""
    team = RigidTeam(np.random.default_rng(1), 2)
    t = np.arange(0.0, 3.0, 0.02)
    estimator = TeamEstimator(["r0", "r1", "r2"], TeamBounds(), PRIOR)
    for i in range(2):
        estimator.add(team.samples(i, t))
    named = [finding.robots for finding in estimator.update().findings]
    assert ("r2",) in named


def test_gravity_that_is_not_as_usual_is_held_by_its_bound() -> None:
    """At the equator a payload is lighter than a gravity of 9.81 m/s2 tells."""
    team = RigidTeam(np.random.default_rng(4), 2, gravity=9.78)
    t = np.arange(0.0, 5.0, 0.02)
    for bound, held in ((0.0, False), (0.03, True)):
        found = estimate(RobotBounds(gravity=bound), team.samples(0, t), team.samples(1, t))
        consistent = found.status is not TeamStatus.INCONSISTENT
        assert bool(consistent and found.contains(team.phi()).all()) is held
    assert found.half_width[0] < 0.01 * team.mass


def test_no_samples_are_samples_too() -> None:
    """A robot may give none."""
    none = RigidTeam(np.random.default_rng(4), 2).samples(1, np.zeros(0))
    assert len(none) == 0


def test_an_estimate_leaves_no_interval_however_narrow() -> None:
    """Intervals narrower than what estimators solve to still hold the estimate."""
    team = RigidTeam(np.random.default_rng(1), 2)
    t = np.arange(0.0, 5.0, 0.01)
    errors = [3e-3 * np.sign(team.truth(i, t)["twist"][:, 3:]) for i in range(2)]
    samples = (team.samples(i, t, position=errors[i]) for i in range(2))
    found = estimate(RobotBounds(position=3e-3), *samples)
    assert found.half_width[0] < 1e-6
    assert found.contains(found.phi).all()


def test_a_gain_of_forces_alone_is_within_the_bound_of_gains() -> None:
    """Moments may be right while forces are 10 % too large, or too small."""
    team = RigidTeam(np.random.default_rng(1), 2)
    t = np.arange(0.0, 5.0, 0.02)
    wrong = [gain * team.truth(i, t)["force"] for i, gain in enumerate((0.1, -0.1))]
    samples = (team.samples(i, t, force=wrong[i]) for i in range(2))
    found = estimate(RobotBounds(force_gain=0.1), *samples)
    assert found.status is not TeamStatus.INCONSISTENT
    assert found.contains(team.phi()).all()


def test_a_step_that_no_memory_holds_is_refused() -> None:
    for step in (1e-9, 1e-5, -1.0, 2.0):
        with pytest.raises(InputError, match="'step' must"):
            TeamSettings(step=step)
    assert TeamSettings(step=0.0).step == 0.0


@pytest.mark.parametrize("names", [5, None, (1, 2), ("a", None), ("a", ""), "ab", ("a", "a")])
def test_names_of_robots_are_different_texts(names):
    with pytest.raises(InputError, match="different names of robots"):
        TeamEstimator(names)


@pytest.mark.parametrize("time", [np.nan, np.inf, "soon", None, [1.0]])
def test_times_of_a_team_are_finite_numbers(time):
    estimator = TeamEstimator(("a", "b"))
    for call in (lambda: estimator.leave("b", time), lambda: estimator.touched(time, 1.0),
                 lambda: estimator.touched(0.0, time)):  # fmt: skip
        with pytest.raises(InputError, match="time|start|end"):
            call()
    with pytest.raises(InputError, match="start must not be after end"):
        estimator.touched(2.0, 1.0)


@pytest.mark.parametrize("since", [0.0, 1.7e9], ids=["from the start", "from 1970"])
@pytest.mark.parametrize("number", [2, 3, 4])
def test_exact_data_with_bounds_of_zero_contradict_nothing(number: int, since: float) -> None:
    """Also where stamps that count from 1970 are rounded to a quarter of a microsecond."""
    team = RigidTeam(np.random.default_rng(7), number)
    t = np.arange(0.0, 6.0, 0.01)
    robots = [team.samples(i, t) for i in range(number)]
    found = estimate(RobotBounds(), *(replace(r, time=r.time + since) for r in robots))
    assert found.status is not TeamStatus.INCONSISTENT, found.message
    assert not any(f.fault in (Fault.SLIPS, Fault.UNKNOWN) for f in found.findings)


def test_an_estimate_of_a_clock_beyond_what_is_stated_makes_nobody_silent() -> None:
    """What is not known of a robot's frame leaves its clock's estimate open, too."""
    bounds = TeamBounds(RobotBounds(clock=0.05))
    given = GivenSamples(["r0", "r1"], bounds)
    team = RigidTeam(np.random.default_rng(7), 2)
    t = np.arange(0.0, 3.0, 0.01)
    for i in range(2):
        given.add(team.samples(i, t))
    robots = given.every()
    front, silent, ahead = given.front(robots, np.array([0.0, 0.93]), patience=0.5)
    assert not silent and not ahead and front == pytest.approx(t[-1] - 0.93)
    given.add(team.samples(0, np.arange(3.0, 4.0, 0.01)))
    assert list(given.front(given.every(), np.array([0.0, 0.93]), patience=0.5)[1]) == ["r1"]


def every_update(
    bounds: RobotBounds, samples: list[RobotSamples], step: float, late: dict[int, float]
) -> list[TeamEstimate]:
    """Return the estimate of every moment while the samples arrive, those of some robots late."""
    estimator = TeamEstimator([s.name for s in samples], TeamBounds(bounds), PRIOR)
    found, begin = [], np.full(len(samples), -np.inf)
    for end in np.arange(step, samples[0].time[-1] + step, step):
        for i, robot in enumerate(samples):
            until = end - late.get(i, 0.0)
            estimator.add(robot.where((robot.time > begin[i]) & (robot.time <= until)))
            begin[i] = until
        found.append(estimator.update())
    return found


@pytest.mark.slow
def test_the_clock_of_a_robot_whose_frame_is_unknown_stays_within_its_bound() -> None:
    """It hardly moves at first: each update would find it a bit later than the one before."""
    team = RigidTeam(np.random.default_rng(4), 3, pause=(-9.0, 3.0))
    t, rng = np.arange(0.0, 7.0, 0.02), np.random.default_rng(5)
    bounds = RobotBounds(
        orientation=1e-3, position=1e-3, angular_velocity=2e-3, linear_velocity=2e-3, clock=0.05
    )
    samples = [
        team.samples(
            i, t, clock, rotation=np.tile(rng.choice([-1e-3, 1e-3], 3), (len(t), 1)),
            twist=rng.choice([-2e-3, 2e-3], (len(t), 6)),
        )
        for i, clock in enumerate((0.0, 0.05, -0.05))
    ]  # fmt: skip
    for found in every_update(bounds, samples, 0.3, {}):
        assert found.status is not TeamStatus.INCONSISTENT, found.message
        for frame in found.frames.values():
            assert frame.known or abs(frame.clock) <= 0.05 + 1e-12
    assert all(frame.known for frame in found.frames.values())
    assert found.contains(team.phi()).all()


@pytest.mark.parametrize("who", [0, 1])
def test_a_robot_whose_samples_come_late_is_silent_and_nobody_elses_clock_is_off(who: int) -> None:
    team = RigidTeam(np.random.default_rng(4), 2)
    t = np.arange(0.0, 6.0, 0.02)
    samples = [team.samples(i, t) for i in range(2)]
    for found in every_update(RobotBounds(), samples, 0.5, {who: 1.3}):
        assert not [f for f in found.findings if f.fault is Fault.CLOCK], found.message
    assert [f.robots for f in found.findings if f.fault is Fault.SILENT] == [(f"r{who}",)]


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.3, 2.0])
def test_who_let_go_and_went_away_slips_no_more_once_that_is_said(delay: float) -> None:
    """What was made of the motion after it is made anew without."""
    left, t = 4.0, np.arange(0.0, 8.0, 0.02)
    before, after = RigidTeam(np.random.default_rng(4), 3), RigidTeam(np.random.default_rng(4), 2)
    after.places, after.X = before.places[:2], before.X[:2]
    after.base, after.origin = before.base[:2], before.origin[:2]
    gone = np.maximum(t - left, 0.0)[:, None] * [0.3, 0.0, 0.1]
    third = before.samples(2, t, position=gone, twist=np.hstack([0.0 * gone, np.sign(gone) * 0.3]))
    samples = []
    for i in range(2):
        one, two = before.samples(i, t[t <= left]), after.samples(i, t[t > left])
        samples.append(RobotSamples.joined([one, two]))
    small = dict.fromkeys(
        ("orientation", "position", "angular_velocity", "linear_velocity", "force_absolute",
         "moment_absolute"), 1e-5
    )  # fmt: skip
    estimator = TeamEstimator(["r0", "r1", "r2"], TeamBounds(RobotBounds(**small)), PRIOR)
    said = False
    for end in np.arange(0.5, 8.5, 0.5):
        for robot in (*samples, third):
            estimator.add(robot.where((robot.time > end - 0.5) & (robot.time <= end)))
        if not said and end >= left + delay:
            estimator.leave("r2", left)
            said = True
        found = estimator.update()
        if said:
            assert found.status is not TeamStatus.INCONSISTENT, found.message
    assert found.contains(before.phi()).all()
    assert found.half_width[0] < 0.01


def test_a_sensor_that_shows_nothing_of_a_small_force_within_its_bound_is_not_false() -> None:
    team = RigidTeam(np.random.default_rng(4), 3, mass=0.05)
    t = np.arange(0.0, 6.0, 0.02)
    samples = [team.samples(i, t) for i in range(3)]
    largest = max(float(np.abs(s.force).max()) for s in samples)
    shown = [replace(s, force=np.zeros_like(s.force)) if i == 2 else s
             for i, s in enumerate(samples)]  # fmt: skip
    found = estimate(RobotBounds(force_absolute=largest, moment_absolute=0.1), *shown)
    assert found.status is not TeamStatus.INCONSISTENT, found.message


@pytest.mark.slow
def test_errors_along_a_slow_turn_do_not_lock_a_gimbal() -> None:
    """Those of one robot hide it, those of the others double it, all within their bounds."""
    rate, t = 0.02, np.arange(0.0, 4.0, 0.02)
    team = RigidTeam(np.random.default_rng(4), 3, turn=0.02, frequency=0.2)
    samples = []
    for i, side in enumerate((1.0, -1.0, 1.0)):
        exact = team.truth(i, t)["twist"]
        error = np.clip(exact, -rate, rate) * np.repeat([1.0, 0.0], 3)
        samples.append(team.samples(i, t, twist=side * error))
    for found in every_update(RobotBounds(angular_velocity=rate), samples, 0.5, {}):
        assert not [f for f in found.findings if f.fault is Fault.GIMBAL_LOCKED], found.message
