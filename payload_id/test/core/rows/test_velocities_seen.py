"""Velocities that are not those of the positions are a contradiction; stated errors never are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.cli.compare.comparison import compared
from payload_id.core.calibration.calibrate import calibrate
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.history.known_run import KnownRun, Load
from payload_id.core.identification.identify import identify
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.readings.velocities_seen import VelocitiesSeen
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.samples.joint_samples import Samples
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from stated_arm import measured_run

JOINTS = ("one", "two", "three")
STATED = Uncertainty(position_error=1e-3, velocity_error=0.02, stamp_jitter=2e-4)
EXACT = Uncertainty()


def moving(rate: float, seconds: float = 12.0, pace: float = 1.3) -> Samples:
    """Return exact samples of joints that swing, each at its own pace."""
    t = np.arange(0.0, seconds, 1.0 / rate)
    w = pace * np.array([0.6, 1.0, 1.7])
    q, dq = 1.5 * np.sin(np.outer(t, w)), 1.5 * w * np.cos(np.outer(t, w))
    return Samples(t, q, dq, np.zeros_like(q))


def said(samples: Samples, stated: Uncertainty = EXACT, window: float = 0.1) -> str:
    """Return the contradiction in samples."""
    seen = VelocitiesSeen.none(samples.n)
    for piece in WindowCutter(window).add(samples):
        seen = seen.with_window(piece, stated)
    return seen.contradiction(JOINTS)


def late(samples: Samples, seconds: float) -> Samples:
    """Return samples whose velocities are late."""
    t = samples.stamp
    return replace(samples, dq=np.stack([np.interp(t - seconds, t, v) for v in samples.dq.T], 1))


@pytest.mark.parametrize("rate", [20.0, 125.0, 1000.0])
@pytest.mark.parametrize("kind", ["constant", "along the motion", "drawn"])
@pytest.mark.parametrize("window", [0.1, 0.4])
def test_errors_within_what_is_stated_contradict_nothing(rate, kind, window) -> None:
    rng, true = np.random.default_rng(int(rate)), moving(rate)
    drawn = rng.choice([-1.0, 1.0], size=true.q.shape)
    sign = {"constant": 1.0, "along the motion": np.sign(true.dq), "drawn": drawn}[kind]
    measured = replace(
        true,
        stamp=true.stamp + 2e-4 * rng.uniform(-1.0, 1.0, len(true)),
        q=true.q + 1e-3 * rng.choice([-1.0, 1.0], size=true.q.shape),
        dq=true.dq + 0.02 * sign,
    )
    assert said(measured, STATED, window) == ""


def test_rounding_of_encoders_that_nobody_stated_contradicts_nothing() -> None:
    true = moving(500.0, pace=0.4)
    assert said(replace(true, q=np.round(true.q / 1e-3) * 1e-3)) == ""
    still = replace(true, q=1e-3 * (np.random.default_rng(1).random(true.q.shape) > 0.5))
    assert said(replace(still, dq=np.zeros_like(true.dq))) == ""


@pytest.mark.parametrize("factor", [0.97, 1.03])
def test_a_clock_at_another_pace_is_told_with_its_factor(factor: float) -> None:
    true = moving(250.0)
    assert f"{factor:.3g} times" in said(replace(true, stamp=factor * true.stamp))


@pytest.mark.parametrize(
    "false",
    [
        lambda s: late(s, 0.05),
        lambda s: replace(s, dq=s.dq * np.array([1.0, 0.0, 1.0])),
        lambda s: replace(s, dq=s.dq * np.array([1.0, 1.0, -1.0])),
        lambda s: replace(s, dq=s.dq[:, [1, 0, 2]]),
        lambda s: replace(s, dq=s.dq + 0.2),
    ],
    ids=["late", "not measured", "reversed", "exchanged", "offset"],
)
def test_velocities_of_something_else_are_told(false) -> None:
    assert "are not those of its positions" in said(false(moving(250.0)))


@pytest.mark.parametrize("pace", [1.0, 1.3])
def test_what_is_told_of_false_velocities_is_of_a_size(pace) -> None:
    """A late velocity has the right integral, a false factor alone may be off by nothing else."""
    for false in (late(moving(250.0, pace=pace), 0.05), late(moving(250.0, pace=pace), -0.05)):
        sentence = said(false)
        assert sentence and " 1 times" not in sentence and "by up to 0 " not in sentence


def repeating(samples: Samples, start: float, seconds: float) -> Samples:
    """Return samples in which a driver repeats for some time what it had."""
    which = np.arange(len(samples))
    first = int(np.searchsorted(samples.stamp, start))
    which[(samples.stamp >= start) & (samples.stamp <= start + seconds)] = first
    return replace(samples, q=samples.q[which], dq=samples.dq[which], tau=samples.tau[which])


@pytest.mark.parametrize("rate", [50.0, 1000.0])
@pytest.mark.parametrize("window", [0.1, 0.4, 1.0])
def test_a_driver_that_repeats_what_it_had_is_told_with_the_time(rate, window) -> None:
    samples = repeating(moving(rate, seconds=60.0), 20.0, 0.45)
    assert "changed from 20.00 s to 20.4" in said(samples, STATED, window)


def test_a_driver_with_something_new_five_times_a_second_repeats_nothing() -> None:
    true = moving(200.0)
    which = np.arange(len(true)) // 40 * 40
    slow = replace(true, q=true.q[which], dq=true.dq[which])
    assert "changed" not in said(slow, STATED)


def test_an_arm_that_stands_still_repeats_nothing() -> None:
    t = np.arange(0.0, 5.0, 0.004)
    q, dq = np.ones((len(t), 3)), 0.01 * np.ones((len(t), 3))  # within what is stated
    assert said(Samples(t, q, dq, np.zeros_like(q)), STATED) == ""


@pytest.mark.parametrize("period", [0.25, 0.5, 1.0])
@pytest.mark.parametrize(
    "false",
    [lambda s: replace(s, dq=0.5 * s.dq), lambda s: replace(s, stamp=1.04 * s.stamp),
     lambda s: late(s, 0.02)],
    ids=["half", "clock", "late"],
)  # fmt: skip
def test_motions_that_are_back_after_a_second_hide_nothing(period: float, false) -> None:
    t = np.arange(0.0, 6.0, 0.004)
    w = 2.0 * np.pi / period * np.array([1.0, 2.0, 1.0])
    q, dq = 0.4 * np.sin(np.outer(t, w)), 0.4 * w * np.cos(np.outer(t, w))
    true = Samples(t, q, dq, np.zeros_like(q))
    assert said(true) == ""
    assert "are not those of its positions" in said(false(true))


@pytest.mark.parametrize("window", [0.1, 0.5, 1.0, 2.0])
def test_stamps_that_err_against_the_motion_within_what_is_stated_contradict_nothing(
    window,
) -> None:
    true = moving(100.0, pace=4.0)
    acceleration = np.gradient(true.dq[:, 2], true.stamp)
    off = replace(true, stamp=true.stamp - 0.0045 * np.sign(acceleration))
    exact = Uncertainty(position_error=1e-6, velocity_error=1e-6, stamp_jitter=0.0045)
    assert said(off, exact, window) == ""


def test_positions_that_are_stuck_while_the_velocity_goes_on_are_told() -> None:
    true = moving(250.0)
    assert "The velocities of one" in said(replace(true, q=true.q * [0.0, 1.0, 1.0]))


def test_turns_that_are_reported_within_half_a_turn_are_no_way() -> None:
    true = moving(250.0)
    wrapped = replace(true, q=(3.0 * true.q + np.pi) % (2.0 * np.pi) - np.pi, dq=3.0 * true.dq)
    assert said(wrapped) == ""


@pytest.mark.slow
def test_whatever_the_torques_say_such_data_are_inconsistent() -> None:
    robot = RobotFile.load("kinova_gen3")
    model, stated = RobotModel.from_robot_file(robot), robot.uncertainty
    samples, phi = measured_run(model, stated, 3, 6.0)
    estimate = identify(samples, model, stated)
    assert estimate.status is not Status.INCONSISTENT and estimate.contains(phi).all()
    wide = replace(stated, torque_absolute=20.0)  # no torque contradicts anything
    for false in (replace(samples, stamp=1.03 * samples.stamp), late(samples, 0.05)):
        found = identify(false, model, wide)
        assert (found.status, found.cause) == (Status.INCONSISTENT, "velocity")
        assert "within what is stated" in found.message
        assert identify(false, model, replace(wide, velocity_error=0.3)).cause != "velocity"


def test_nothing_is_learnt_of_an_arm_from_such_data() -> None:
    robot = RobotFile.load("kinova_gen3")
    model = RobotModel.from_robot_file(robot)
    stated = replace(robot.uncertainty, torque_absolute=20.0)
    samples, _ = measured_run(model, robot.uncertainty, 3, 4.0)
    false = replace(samples, stamp=1.05 * samples.stamp)
    online = OnlineIdentifier(model, Settings(stated))
    online.add(false)
    with pytest.raises(InputError, match="No tare was made. The velocities of"):
        online.tare()
    with pytest.raises(RecordingError, match="Recording 1 cannot be used: The velocities of"):
        calibrate([false], model, stated)
    with pytest.raises(RecordingError, match="'run' cannot be used: The velocities of"):
        KnownRun.of("run", false, Load.none(), MomentumRows.of(model, stated), 0.1)
    for samples_seen, consistent in ((samples, True), (false, False)):
        online = OnlineIdentifier(model, Settings(stated))
        online.add(samples_seen)
        _, (spread,) = compared(online.problem(), (), ("hull",))
        assert spread.bounds.consistent is consistent
