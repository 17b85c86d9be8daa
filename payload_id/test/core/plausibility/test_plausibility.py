"""What a recording says of itself: each wrong reading is named, an honest one is not accused."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from payload_id import RobotFile, RobotModel
from payload_id.cli.check.command import looked_at
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.diagnosis.remade.velocity import differences
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import inverse_dynamics
from payload_id.core.motion.trajectory import Motion
from payload_id.core.plausibility.kinematics import kinematics, looks_like_degrees
from payload_id.core.plausibility.line import Verdict
from payload_id.core.plausibility.timing import timing
from payload_id.core.plausibility.torques import torques
from payload_id.core.samples.joint_samples import Samples
from payload_id.files.recordings.recording import Recording

SWAPPED = [0, 2, 1, 3, 4, 5, 6]
PAYLOAD = from_mass_com_inertia(1.4, [0.02, -0.03, 0.08], 0.004 * np.eye(3))


@lru_cache(maxsize=1)
def gen3() -> tuple[RobotFile, RobotModel, Samples]:
    """Return the arm and a recording with friction, offsets and noise."""
    file = RobotFile.load("kinova_gen3")
    arm = RobotModel.from_robot_file(file)
    rng = np.random.default_rng(3)
    series = FourierSeries.from_free(np.asarray(file.home), 0.07 * rng.normal(size=(7, 2, 3)), 4.0)
    motion = series.at(np.arange(0.0, 4.0, 4e-3))
    tau = inverse_dynamics(arm, motion, PAYLOAD)
    size = np.abs(tau).max(axis=0)
    tau += size * (0.05 * np.tanh(50 * motion.dq) + 0.04 + 0.03 * rng.normal(size=tau.shape))
    return file, arm, Samples(motion.time, motion.q, motion.dq, tau)


def told(samples: Samples, arm: RobotModel | None = None) -> dict[str, str]:
    """Return what is found wrong with the torques, by subject."""
    file, own, _ = gen3()
    lines, _ = torques(samples, arm or own, file.uncertainty, np.full(7, np.inf))
    return {line.subject: line.found for line in lines if line.verdict is Verdict.WRONG}


def moved(samples: Samples) -> dict[str, Verdict]:
    """Return the verdicts on positions, velocities and speeds."""
    limits = gen3()[0].limits
    lines = kinematics(
        samples, gen3()[1].joints, np.ones(7, dtype=bool),
        limits.position_lower, limits.position_upper, 3.0 * limits.velocity,
    )  # fmt: skip
    return {line.subject: line.verdict for line in lines}


def test_an_honest_recording_is_not_accused() -> None:
    _, _, honest = gen3()
    assert told(honest) == {}
    assert Verdict.WRONG not in moved(honest).values()
    assert all(line.verdict is not Verdict.WRONG for line in timing(honest, 250.0))


@pytest.mark.parametrize("joint", [0, 1, 3, 4])
def test_a_reversed_joint_is_named(joint: int) -> None:
    _, arm, _ = gen3()
    signs = np.where(np.arange(7) == joint, -1.0, 1.0)
    assert f"the effort of {arm.joints[joint]} has" in told(replace_tau(signs))["effort sign"]


def replace_tau(factor: object) -> Samples:
    """Return the recording with torques times a factor."""
    honest = gen3()[2]
    return replace(honest, tau=honest.tau * factor)


def test_reversed_torques_and_their_units_are_named() -> None:
    assert "all efforts have the opposite sign" in told(replace_tau(-1.0))["effort sign"]
    assert "mN m" in told(replace_tau(1e3))["units"]
    both = told(replace_tau(-1e3))["units"]
    assert "mN m" in both and "opposite sign" in both


@pytest.mark.parametrize("ratio", [50.0, 101.0, -50.0])
def test_torques_at_the_motors_are_named_with_the_ratio(ratio: float) -> None:
    found = told(replace_tau(1.0 / ratio))["kind of efforts"]
    assert "motors' side" in found
    told_ratio = float(found.split("some ")[1].split(" ")[0])  # it goes with the payload's mass
    assert told_ratio == pytest.approx(abs(ratio), rel=0.5)


def test_currents_with_a_constant_of_each_joint_are_no_external_torques() -> None:
    constants = np.array([12.0, 12.0, 9.0, 9.0, 4.0, 4.0, 2.0])
    found = told(replace_tau(1.0 / constants))["kind of efforts"]
    assert "currents" in found and "external" not in found
    ratios = [float(x) for x in found.split("some ")[1].split(" times")[0].split(", ")]
    np.testing.assert_allclose(ratios, constants, rtol=0.5)


def test_degrees_are_named_however_seldom_they_are_sampled() -> None:
    """From sample to sample they differ by more than half a turn would in radians."""
    t = np.arange(0.0, 12.0, 0.05)[:, None]
    q = 1.5 * np.sin(t * np.linspace(0.8, 2.0, 7))
    assert np.abs(np.diff(np.rad2deg(q), axis=0)).max() > np.pi
    limits, turning = gen3()[0].limits, np.ones(7, dtype=bool)
    for angles, degrees in ((np.rad2deg(q), True), (q, False)):
        bounds = limits.position_lower, limits.position_upper
        assert looks_like_degrees(angles, turning, *bounds) == degrees


def test_angles_that_count_from_zero_are_no_degrees() -> None:
    honest = gen3()[2]
    assert moved(replace(honest, q=honest.q % (2.0 * np.pi)))["positions"] is Verdict.LOOK
    above = replace(honest, q=np.rad2deg(honest.q) % 360.0)
    assert moved(above)["positions"] is Verdict.WRONG


def test_external_torques_are_named() -> None:
    _, arm, honest = gen3()
    series = FourierSeries.from_free(
        np.asarray(gen3()[0].home), 0.07 * np.random.default_rng(3).normal(size=(7, 2, 3)), 4.0
    )
    motion = series.at(np.arange(0.0, 4.0, 4e-3))
    bare = inverse_dynamics(arm, motion, np.zeros(10))
    whole = inverse_dynamics(arm, motion, PAYLOAD)
    noise = 0.02 * np.abs(whole).max() * np.random.default_rng(4).normal(size=whole.shape)
    found = told(replace(honest, tau=whole - bare + noise))
    assert "external torques" in found["kind of efforts"]


def test_efforts_without_the_weight_of_the_links_are_named() -> None:
    _, arm, honest = gen3()
    still = np.zeros_like(honest.q)
    held = inverse_dynamics(arm, Motion(honest.stamp, honest.q, still, still), np.zeros(10))
    found = told(replace(honest, tau=honest.tau - held))
    assert "compensated for gravity" in found["kind of efforts"]


def test_degrees_are_named() -> None:
    _, _, honest = gen3()
    degrees = replace(honest, q=np.rad2deg(honest.q), dq=np.rad2deg(honest.dq))
    assert "degrees" in told(degrees)["units"]
    assert moved(degrees)["positions"] is Verdict.WRONG
    rates = replace(honest, dq=np.rad2deg(honest.dq))
    assert moved(rates)["velocities"] is Verdict.WRONG
    assert told(rates) == {}  # torques are compared by the positions alone
    positions = replace(honest, q=np.rad2deg(honest.q))
    assert "positions are in degrees" in told(positions)["units"]  # nothing of the velocities


@pytest.mark.parametrize(
    ("late", "scale", "words"), [(0.03, 1.0, "30 ms late"), (0.0, 1.03, "1.03")]
)
def test_velocities_that_are_late_or_at_another_pace_are_told(late, scale, words) -> None:
    _, arm, honest = gen3()
    slow = replace(honest, stamp=6.0 * honest.stamp, dq=honest.dq / 6.0)
    rng = np.random.default_rng(2)
    behind = [np.interp(slow.stamp - late, slow.stamp, column) for column in slow.dq.T]
    noise = 1e-4 * rng.normal(size=slow.dq.shape)
    found = differences([replace(slow, dq=scale * np.stack(behind, axis=1) + noise)], arm.joints)
    assert len(found) == 7 and all(words in sentence for sentence in found)
    assert not differences([replace(slow, dq=slow.dq + noise)], arm.joints)


def test_what_to_do_about_units_names_only_what_is_wrong() -> None:
    file, arm, honest = gen3()

    def advice(samples: Samples) -> str:
        lines, _ = torques(samples, arm, file.uncertainty, np.full(7, np.inf))
        return next(line.do for line in lines if line.subject == "units")

    degrees = advice(replace(honest, q=np.rad2deg(honest.q), dq=np.rad2deg(honest.dq)))
    assert "position_unit" in degrees and "effort_sign" not in degrees
    assert "effort_sign" in (millis := advice(replace_tau(1e3))) and "position_unit" not in millis


@pytest.mark.parametrize("value", [0.0, 3.5])
def test_an_effort_that_is_stuck_while_its_joint_moves_is_named(value: float) -> None:
    _, arm, honest = gen3()
    stuck = honest.tau.copy()
    stuck[:, 2] = value
    said = told(replace(honest, tau=stuck))["torque size"]
    assert arm.joints[2] in said and "throughout" in said


def test_derivatives_are_not_judged_by_stamps_in_another_unit() -> None:
    file, arm, honest = gen3()
    late = Recording(1e3 * honest.stamp, honest.q, honest.dq, honest.tau, joints=arm.joints)
    lines = looked_at(late, arm, file, True)
    wrong = [line for line in lines if line.verdict is Verdict.WRONG]
    assert [line.subject for line in wrong] == ["rate"] and "stamps" in wrong[0].do
    assert "that first" in lines[-1].do


def test_a_joint_beyond_its_limit_is_no_change_of_unit() -> None:
    file, _, honest = gen3()
    beyond = file.limits.position_upper[3] + 0.25 - honest.q[:, 3].max()
    aside = replace(honest, q=honest.q + beyond * (np.arange(7) == 3))
    lower, upper = file.limits.position_lower, file.limits.position_upper
    said = kinematics(aside, file.joints, np.ones(7, dtype=bool), lower, upper, upper)[0]
    assert said.verdict is Verdict.WRONG and "limits" in said.found and "degrees" not in said.found


@pytest.mark.slow
def test_another_order_and_another_gravity_are_named() -> None:
    _, arm, honest = gen3()
    swapped = replace(honest, tau=honest.tau[:, SWAPPED])
    names = ", ".join(arm.joints[k] for k in SWAPPED)
    assert names in told(swapped)["order"]
    ceiling = replace(arm, gravity=np.array([0.0, 0.0, 9.81]))
    assert "(0, 0, -9.81)" in told(honest, ceiling)["gravity"]


def test_torques_of_something_else_are_wrong_without_a_reason() -> None:
    rng = np.random.default_rng(1)
    size = gen3()[2].tau.std(axis=0)
    noise = replace(gen3()[2], tau=20 * size * rng.normal(size=(1000, 7)))
    assert "torques" in told(noise)


def test_gaps_and_stamps_in_another_unit_are_named() -> None:
    _, _, honest = gen3()
    keep = np.abs(honest.stamp - 2.0) > 0.2
    gaps = {line.subject: line for line in timing(honest.chosen(keep), None)}
    assert gaps["gaps"].verdict is Verdict.LOOK and "1.8" in gaps["gaps"].found
    late = replace(honest, stamp=1e3 * honest.stamp)
    assert timing(late, None)[0].verdict is Verdict.WRONG


@pytest.mark.parametrize("count", [1, 2])
def test_too_few_samples_are_not_stamps_in_another_unit(count: int) -> None:
    still = np.zeros((count, 3))
    (line,) = timing(Samples(0.01 * np.arange(count), still, still, still), 100.0)
    assert line.verdict is Verdict.WRONG and "unit" not in line.do and f"{count} " in line.found
