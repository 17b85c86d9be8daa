"""What a recording says of itself: each wrong reading is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id import RobotFile, RobotModel
from payload_id.cli.check.recording import looked_at
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.diagnosis.hypotheses.velocity import differences
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import inverse_dynamics
from payload_id.core.motion.trajectory import Motion
from payload_id.core.recording_checks.check_result import CheckResult, Verdict
from payload_id.core.recording_checks.kinematics import kinematics, looks_like_degrees
from payload_id.core.recording_checks.timing import timing
from payload_id.core.recording_checks.torques import torques
from payload_id.core.samples.joint_samples import Samples
from payload_id.files.recordings.recording import Recording

FILE = RobotFile.load("kinova_gen3")
ARM = RobotModel.from_robot_file(FILE)
LIMITS = FILE.limits.position_lower, FILE.limits.position_upper
TURNING = np.ones(7, dtype=bool)
PAYLOAD = from_mass_com_inertia(1.4, [0.02, -0.03, 0.08], 0.004 * np.eye(3))
SWAPPED = [0, 2, 1, 3, 4, 5, 6]
CONSTANTS = np.array([12.0, 12.0, 9.0, 9.0, 4.0, 4.0, 2.0])  # of currents


def moving() -> Motion:
    """Return a motion about the arm's home."""
    free = 0.07 * np.random.default_rng(3).normal(size=(7, 2, 3))
    return FourierSeries.from_free(np.asarray(FILE.home), free, 4.0).at(np.arange(0.0, 4.0, 4e-3))


def honest_recording() -> Samples:
    """Return a recording with friction, offsets and noise."""
    motion, rng = moving(), np.random.default_rng(4)
    tau = inverse_dynamics(ARM, motion, PAYLOAD)
    size = np.abs(tau).max(axis=0)
    tau += size * (0.05 * np.tanh(50 * motion.dq) + 0.04 + 0.03 * rng.normal(size=tau.shape))
    return Samples(motion.time, motion.q, motion.dq, tau)


HONEST = honest_recording()


def with_tau(factor: object) -> Samples:
    """Return the recording with torques times a factor."""
    return replace(HONEST, tau=HONEST.tau * factor)


def wrong(samples: Samples, arm: RobotModel = ARM, stated=FILE.uncertainty) -> dict:
    """Return what is found wrong with the torques, by subject."""
    lines = torques(samples, arm, stated, np.full(7, np.inf))
    return {line.subject: line for line in lines if line.verdict is Verdict.WRONG}


def told(samples: Samples, subject: str, **other: object) -> str:
    """Return what is found wrong with the torques of a subject."""
    return wrong(samples, **other)[subject].found


def moved(samples: Samples) -> dict[str, CheckResult]:
    """Return what is found of positions, velocities and speeds."""
    lines = kinematics(samples, ARM.joints, TURNING, *LIMITS, 3.0 * FILE.limits.velocity)
    return {line.subject: line for line in lines}


def test_torques_at_the_motors_and_currents_are_named_with_their_ratios() -> None:
    """The ratios go with the payload's mass."""
    for ratio in (-50.0, CONSTANTS):
        found = told(with_tau(1.0 / ratio), "motor side")
        assert "motors' side" in found and "currents" in found
        ratios = [float(x) for x in found.split("some ")[1].split(" times")[0].split(", ")]
        np.testing.assert_allclose(ratios, np.abs(ratio), rtol=0.5)


def test_efforts_of_another_kind_are_named() -> None:
    motion, rng = moving(), np.random.default_rng(4)
    bare, whole = (inverse_dynamics(ARM, motion, phi) for phi in (np.zeros(10), PAYLOAD))
    external = whole - bare + 0.01 * np.abs(whole).max() * rng.normal(size=whole.shape)
    narrow = replace(FILE.uncertainty, torque_offset=0.2, friction_coulomb=0.5)
    external = replace(HONEST, tau=external)
    assert "external torques" in told(external, "kind of efforts", stated=narrow)
    still = np.zeros_like(HONEST.q)
    held = inverse_dynamics(ARM, Motion(HONEST.stamp, HONEST.q, still, still), np.zeros(10))
    compensated = replace(HONEST, tau=HONEST.tau - held)
    assert "compensated for gravity" in told(compensated, "kind of efforts", stated=narrow)
    noise = 20 * HONEST.tau.std(axis=0) * rng.normal(size=HONEST.tau.shape)
    assert "torques" in wrong(replace(HONEST, tau=noise))  # without a reason


def test_degrees_are_told_however_seldom_they_are_sampled() -> None:
    """From sample to sample they differ by more than half a turn would in radians."""
    q = 1.5 * np.sin(np.arange(0.0, 12.0, 0.05)[:, None] * np.linspace(0.8, 2.0, 7))
    assert np.abs(np.diff(np.rad2deg(q), axis=0)).max() > np.pi
    assert looks_like_degrees(np.rad2deg(q), TURNING, *LIMITS)
    assert not looks_like_degrees(q, TURNING, *LIMITS)


def test_a_joint_beyond_its_limit_is_no_change_of_unit() -> None:
    beyond = LIMITS[1][3] + 0.25 - HONEST.q[:, 3].max()
    found = moved(replace(HONEST, q=HONEST.q + beyond * np.eye(7)[3]))["positions"]
    assert found.verdict is Verdict.WRONG
    assert "limits" in found.found and "degrees" not in found.found


@pytest.mark.parametrize(
    ("late", "scale", "words"), [(0.03, 1.0, "30 ms late"), (0.0, 1.03, "1.03")]
)
def test_velocities_that_are_late_or_at_another_pace_are_told(late, scale, words) -> None:
    slow = replace(HONEST, stamp=6.0 * HONEST.stamp, dq=HONEST.dq / 6.0)
    noise = 1e-4 * np.random.default_rng(2).normal(size=slow.dq.shape)
    behind = [np.interp(slow.stamp - late, slow.stamp, column) for column in slow.dq.T]
    found = differences([replace(slow, dq=scale * np.stack(behind, axis=1) + noise)], ARM.joints)
    assert len(found) == 7 and all(words in sentence for sentence in found.values())
    assert not differences([replace(slow, dq=slow.dq + noise)], ARM.joints)


def test_an_effort_that_is_stuck_while_its_joint_moves_is_named() -> None:
    for value in (0.0, 3.5):
        stuck = np.where(np.arange(7) == 2, value, HONEST.tau)
        said = told(replace(HONEST, tau=stuck), "torque size")
        assert ARM.joints[2] in said and "throughout" in said


@pytest.mark.slow
def test_another_order_and_another_gravity_are_named() -> None:
    swapped = replace(HONEST, tau=HONEST.tau[:, SWAPPED])
    assert ", ".join(ARM.joints[k] for k in SWAPPED) in told(swapped, "joint order")
    ceiling = replace(ARM, gravity=np.array([0.0, 0.0, 9.81]))
    assert "180 deg off" in told(HONEST, "gravity direction", arm=ceiling)


def test_gaps_stamps_in_another_unit_and_too_few_samples_are_told_apart() -> None:
    with_gap = HONEST.where(np.abs(HONEST.stamp - 2.0) > 0.2)
    (gaps,) = (line for line in timing(with_gap, None) if line.subject == "gaps")
    assert gaps.verdict is Verdict.LOOK and "1.8" in gaps.found
    for count in (1, 2):
        (line,) = timing(HONEST.part(0, count), 100.0)
        assert line.verdict is Verdict.WRONG and "unit" not in line.do
        assert f"{count} " in line.found
    late = Recording(1e3 * HONEST.stamp, HONEST.q, HONEST.dq, HONEST.tau, joints=ARM.joints)
    lines = looked_at(late, ARM, FILE, True)
    (line,) = (line for line in lines if line.verdict is Verdict.WRONG)
    assert line.subject == "rate" and "stamps" in line.do  # derivatives are not judged by them
