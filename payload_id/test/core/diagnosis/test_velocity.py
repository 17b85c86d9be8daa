"""Velocities that are not those of the positions are a contradiction; stated errors never are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.cli.identify.comparison import compared
from payload_id.core.calibration.calibrate import calibrate
from payload_id.core.diagnosis import WindowBuffer
from payload_id.core.diagnosis.hypotheses.velocity import other_velocities
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.history.known_run import KnownLoad, KnownRun
from payload_id.core.identification.identify import identify
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.samples.joint_samples import Samples
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from stated_arm import measured_run

JOINTS = ("one", "two", "three")
STATED = Uncertainty(position_error=1e-3, velocity_error=0.02, stamp_jitter=2e-4)
EXACT = Uncertainty()
OTHERS = "are not those of its positions"


def moving(rate: float, seconds: float = 8.0, pace: float = 1.3) -> Samples:
    """Return exact samples of joints that swing, each at its own pace."""
    t = np.arange(0.0, seconds, 1.0 / rate)
    w = pace * np.array([0.6, 1.0, 1.7])
    q, dq = 1.5 * np.sin(np.outer(t, w)), 1.5 * w * np.cos(np.outer(t, w))
    return Samples(t, q, dq, np.zeros_like(q))


def said(samples: Samples, stated: Uncertainty = EXACT, window: float = 0.1) -> str:
    """Return the contradiction in samples."""
    windows = WindowBuffer.of(WindowCutter(window).add(samples))
    found = other_velocities(windows.stretches(), stated, JOINTS)
    return "" if found is None else found.sentence


def late(samples: Samples, seconds: float) -> Samples:
    """Return samples whose velocities are late."""
    t = samples.stamp
    return replace(samples, dq=np.stack([np.interp(t - seconds, t, v) for v in samples.dq.T], 1))


@pytest.mark.parametrize("rate", [20.0, 125.0, 1000.0])
def test_errors_within_what_is_stated_contradict_nothing(rate) -> None:
    rng, true = np.random.default_rng(int(rate)), moving(rate)
    drawn = rng.choice([-1.0, 1.0], size=true.q.shape)
    for sign in (1.0, np.sign(true.dq), drawn):
        stamp = true.stamp + 2e-4 * rng.uniform(-1.0, 1.0, len(true))
        seen = replace(true, stamp=stamp, q=true.q + 1e-3 * drawn, dq=true.dq + 0.02 * sign)
        assert [said(seen, STATED, window) for window in (0.1, 0.4)] == ["", ""]


@pytest.mark.parametrize("window", [0.1, 0.5, 2.0])
def test_stamps_that_err_against_the_motion_within_what_is_stated_contradict_nothing(window):
    true = moving(100.0, pace=4.0)
    acceleration = np.gradient(true.dq[:, 2], true.stamp)
    off = replace(true, stamp=true.stamp - 0.0045 * np.sign(acceleration))
    exact = Uncertainty(position_error=1e-6, velocity_error=1e-6, stamp_jitter=0.0045)
    assert said(off, exact, window) == ""


def test_what_encoders_and_drivers_do_contradicts_nothing() -> None:
    slow, true, rng = moving(500.0, pace=0.4), moving(200.0), np.random.default_rng(1)
    assert said(replace(slow, q=np.round(slow.q / 1e-3) * 1e-3)) == ""  # that nobody stated
    still = replace(slow, q=1e-3 * (rng.random(slow.q.shape) > 0.5), dq=0.0 * slow.dq)
    assert said(still) == ""
    creeping = replace(slow, q=np.ones_like(slow.q), dq=0.01 * np.ones_like(slow.q))
    assert said(creeping, STATED) == ""
    wrapped = replace(true, q=(3.0 * true.q + np.pi) % (2.0 * np.pi) - np.pi, dq=3.0 * true.dq)
    assert said(wrapped) == ""


def test_velocities_of_something_else_are_told_in_a_size() -> None:
    true = moving(250.0)
    for false in (
        late(true, 0.05),
        late(true, -0.05),
        replace(true, dq=true.dq * np.array([1.0, 0.0, 1.0])),  # not measured
        replace(true, dq=true.dq * np.array([1.0, 1.0, -1.0])),
        replace(true, dq=true.dq[:, [1, 0, 2]]),
        replace(true, dq=true.dq + 0.2),
        replace(true, q=true.q * [0.0, 1.0, 1.0]),  # stuck while the velocity goes on
    ):
        sentence = said(false)
        assert OTHERS in sentence and " 1 times" not in sentence
    for factor in (0.97, 1.03):
        assert f"{factor:.3g} times" in said(replace(true, stamp=factor * true.stamp))


@pytest.mark.parametrize("period", [0.25, 0.5, 1.0])
def test_motions_that_are_back_after_a_second_hide_nothing(period: float) -> None:
    t, w = np.arange(0.0, 6.0, 0.004), 2.0 * np.pi / period * np.array([1.0, 2.0, 1.0])
    q, dq = 0.4 * np.sin(np.outer(t, w)), 0.4 * w * np.cos(np.outer(t, w))
    true = Samples(t, q, dq, np.zeros_like(q))
    assert said(true) == ""
    for false in (replace(true, dq=0.5 * true.dq), late(true, 0.02)):
        assert OTHERS in said(false)


def test_nothing_is_learnt_from_such_data_whatever_the_torques_say() -> None:
    robot = RobotFile.load("kinova_gen3")
    model = RobotModel.from_robot_file(robot)
    stated = replace(robot.uncertainty, torque_absolute=20.0)  # no torque contradicts anything
    samples, _ = measured_run(model, robot.uncertainty, 3, 4.0)
    false = replace(samples, stamp=1.05 * samples.stamp)
    found = identify(false, model, stated)
    assert (found.status, found.cause) == (Status.INCONSISTENT, "velocity")
    assert identify(false, model, replace(stated, velocity_error=0.3)).cause != "velocity"
    for each, consistent in ((samples, True), (false, False)):
        online = OnlineIdentifier(model, Settings(stated))
        online.add(each)
        _, (spread,) = compared(online.problem(), (), ("hull",))
        assert spread.consistent is consistent
    with pytest.raises(InputError, match="velocities"):
        online.tare()
    with pytest.raises(RecordingError, match="velocities"):
        calibrate([false], model, stated)
    with pytest.raises(RecordingError, match="'run'.*velocities"):
        KnownRun.of("run", false, KnownLoad.none(), MomentumRows.of(model, stated), 0.1)
