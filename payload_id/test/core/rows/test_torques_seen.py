"""A torque that never changes counts as unknown; what is true is never called false for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import Motion, arm, draw_payload, record
from payload_id.core.calibration.calibrate import calibrate
from payload_id.core.history.known_run import KnownRun, Load
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.readings.torques_seen import TorquesSeen
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.samples.joint_samples import Samples
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from stated_arm import measured_run

ROBOTS = {name: RobotFile.load(name) for name in ("kinova_gen3", "xarm7")}
MODELS = {name: RobotModel.from_robot_file(robot) for name, robot in ROBOTS.items()}
SOME = (1, 3, 6)  # joints: near the base, in the middle, and the last


def run(robot: str = "kinova_gen3", seed: int = 3, rate: float = 100.0, seconds: float = 6.0):
    """Return samples of a moving arm, and the payload's parameters."""
    return measured_run(MODELS[robot], ROBOTS[robot].uncertainty, seed, seconds, rate)


def stuck(samples: Samples, joint: int, value: float | None, start=0.0, end=np.inf) -> Samples:
    """Return samples in which one torque is one value for a time; None: what it was before."""
    tau, within = samples.tau.copy(), (samples.stamp >= start) & (samples.stamp <= end)
    tau[within, joint] = tau[within, joint][0] if value is None else value
    return replace(samples, tau=tau)


def seen(samples: Samples) -> TorquesSeen:
    """Return what is seen of the torques."""
    window = max(0.1, 6.0 * float(np.median(np.diff(samples.stamp))))
    found = TorquesSeen.none(samples.n)
    for piece in WindowCutter(window).add(samples):
        found = found.with_window(piece)
    return found


def assert_true(samples: Samples, robot: str, phi, stated: Uncertainty | None = None) -> None:
    """Check that the data are not called false, and that the payload is inside."""
    found = identify(samples, MODELS[robot], stated or ROBOTS[robot].uncertainty)
    assert found.status is not Status.INCONSISTENT, found.message
    assert found.contains(phi).all()


@pytest.mark.slow
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("rate", [20.0, 100.0, 1000.0])
def test_a_torque_that_never_changes_is_unknown_whatever_joint_and_value(robot, rate) -> None:
    samples, _ = run(robot, rate=rate, seconds=4.0)
    joints = MODELS[robot].joints
    assert seen(samples).unknown == ()
    for joint, name in enumerate(joints):
        for value in (0.0, -1.3, None):
            (found,) = seen(stuck(samples, joint, value)).unknown
            assert found.joint == joint and found.end - found.start > 3.2
            assert f"The torque of {name} is exactly" in seen(stuck(samples, joint, value)).note(
                joints
            )


@pytest.mark.parametrize("start, end", [(0.0, 1.6), (2.0, 3.6), (4.0, 6.0)])
def test_it_is_unknown_while_it_does_not_change_and_no_longer(start, end) -> None:
    samples, _ = run()
    for joint in range(7):
        (found,) = seen(stuck(samples, joint, 0.0, start, end)).unknown
        assert [found.start, found.end] == pytest.approx([start, end], abs=0.11)
        assert found.until == pytest.approx(end + 0.1, abs=0.11)
        rows = np.full(3, joint), np.array([start + 0.3, end - 0.2, end + 0.3])
        of = seen(stuck(samples, joint, 0.0, start, end)).of_rows(*rows, rows[1] + 0.1)
        assert of.tolist() == [True, True, False]


def flickering(samples: Samples, joint: int, digit: float, value=0.0, often=0.3) -> Samples:
    """Return samples in which one torque goes to and fro by a digit, and all have that digit."""
    tau, rng = samples.tau.copy(), np.random.default_rng(joint)
    tau[:, joint] = value + digit * (rng.random(len(samples)) < often)
    return replace(samples, tau=digit * np.round(tau / digit))


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("digit", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("often", [0.01, 0.3])
def test_a_torque_that_flickers_by_a_digit_is_unknown(robot, digit, often) -> None:
    samples, _ = run(robot, seconds=4.0)
    names = MODELS[robot].joints
    for joint, name in enumerate(names):
        for value in (0.0, -1.3):
            found = seen(flickering(samples, joint, digit, value, often))
            assert {x.joint for x in found.unknown} == {joint}
            assert sum(x.end - x.start for x in found.unknown) > 3.6
            assert f"The torque of {name} never leaves" in found.note(names)
            assert f"by more than {digit:.2g} from" in found.note(names)


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("digit", [1e-4, 1e-3, 1e-2])
def test_a_torque_that_is_measured_in_digits_is_known(robot, digit) -> None:
    samples, _ = run(robot, seconds=4.0)
    assert seen(replace(samples, tau=digit * np.round(samples.tau / digit))).unknown == ()
    held = np.minimum(np.arange(len(samples)), 200)  # holds still from then on, without noise
    tau = samples.tau[held] + digit * (np.arange(len(samples)) % 2)[:, None]
    assert seen(replace(samples, tau=digit * np.round(tau / digit))).unknown == ()


@pytest.mark.parametrize("step", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("robot", ROBOTS)
def test_a_coarse_sensor_measures(robot, step) -> None:
    """Of a joint with little torque it shows 0 throughout, and while the arm holds still."""
    samples, _ = run(robot, rate=100.0)
    held = np.minimum(np.arange(len(samples)), 300)  # holds still from then on, its noise goes on
    noise = samples.tau - samples.tau.mean(axis=0)
    tau = samples.tau[held] + 1e-3 * noise
    tau[:, -1] *= 0.3 * step / np.abs(tau[:, -1]).max()
    found = seen(replace(samples, tau=step * np.round(tau / step)))
    last = samples.n - 1  # whether it is measured at all, nothing tells
    assert all(each.joint == last or each.end < 0.5 for each in found.unknown)


def rounded(samples: Samples) -> Samples:
    """Return samples with torques in steps of 0.05."""
    return replace(samples, tau=0.05 * np.round(samples.tau / 0.05))


@pytest.mark.slow
@pytest.mark.parametrize("digit", [1e-3, 1e-2])
@pytest.mark.parametrize("robot", ROBOTS)
def test_a_dead_joint_that_flickers_misleads_nobody(robot, digit) -> None:
    samples, phi = run(robot, seconds=4.0)
    for joint in SOME:
        shown = flickering(samples, joint, digit)
        found = identify(shown, MODELS[robot], ROBOTS[robot].uncertainty)
        assert found.contains(phi).all() or found.status is Status.INCONSISTENT
        assert found.status is not Status.INCONSISTENT or found.cause == "stuck torque"


@pytest.mark.slow
@pytest.mark.parametrize("shown", [lambda s: s, rounded], ids=["fine", "coarse"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_a_joint_without_sensor_misleads_nobody(robot, shown) -> None:
    """Its zeros are not taken for torques; they may be called stuck."""
    samples, phi = run(robot, seconds=4.0)
    samples = shown(samples)
    for joint in SOME:
        found = identify(stuck(samples, joint, 0.0), MODELS[robot], ROBOTS[robot].uncertainty)
        assert f"The torque of {MODELS[robot].joints[joint]} is exactly 0" in found.message
        assert found.contains(phi).all() or found.status is Status.INCONSISTENT
        assert found.status is not Status.INCONSISTENT or found.cause == "stuck torque"


@pytest.mark.slow
def test_a_sensor_that_sticks_although_no_payload_explains_it_is_told() -> None:
    samples, _ = run()
    model, stated = MODELS["kinova_gen3"], ROBOTS["kinova_gen3"].uncertainty
    for joint in (1, 3):
        found = identify(stuck(samples, joint, None, 2.0), model, stated)
        assert (found.status, found.cause) == (Status.INCONSISTENT, "stuck torque")
        assert f"What the torque sensor of {model.joints[joint]} shows" in found.message


def test_a_torque_that_is_read_twice_is_told_with_both_joints() -> None:
    model, stated = MODELS["kinova_gen3"], ROBOTS["kinova_gen3"].uncertainty
    samples, _ = run()
    for one, two in ((5, 4), (0, 6), (3, 1)):
        tau = samples.tau.copy()
        tau[:, one] = tau[:, two]
        found = identify(replace(samples, tau=tau), model, stated)
        assert (found.status, found.cause) == (Status.INCONSISTENT, "torque read twice")
        first, second = sorted((one, two))
        assert f"{model.joints[first]} and {model.joints[second]} are the very" in found.message


@pytest.mark.parametrize("name", ["gantry", "ur10"])
def test_true_torques_without_noise_are_not_called_false(name) -> None:
    """Of joints that move one at a time most torques do not change at all."""
    model, phi = arm(name), draw_payload(np.random.default_rng(2))

    class OneAtATime(Motion):
        def at(self, time):
            q = np.zeros((len(time), model.n))
            k = np.minimum(model.n - 1, (time / 8.0 * model.n).astype(int))
            w = 2.0 * np.pi * model.n / 8.0
            here = np.arange(len(time)), k
            dq, ddq = np.zeros_like(q), np.zeros_like(q)
            q[here] = 0.5 * np.sin(w * time) ** 2
            dq[here] = 0.5 * w * np.sin(2.0 * w * time)
            ddq[here] = w**2 * np.cos(2.0 * w * time)
            return q, dq, ddq

    exact = record(model, 1, phi, 8.0, 100.0, motion=OneAtATime.__new__(OneAtATime)).samples
    stated = Uncertainty(torque_absolute=0.05)
    found = identify(exact, model, stated)
    assert found.status is not Status.INCONSISTENT and found.contains(phi).all(), found.message


@pytest.mark.slow
@pytest.mark.parametrize("robot", ROBOTS)
def test_deadbands_ends_and_late_values_within_the_bounds_are_not_called_false(robot) -> None:
    stated = ROBOTS[robot].uncertainty
    wide = replace(stated, torque_absolute=tuple(stated.per_joint("torque_absolute", 7) + 1.5))
    samples, phi = run(robot)
    tau = samples.tau
    dead = np.where(np.abs(tau) < 1.5, 0.0, tau)
    assert_true(replace(samples, tau=dead), robot, phi, wide)
    end = np.abs(tau).max(axis=0) - 1.4
    assert_true(replace(samples, tau=np.clip(tau, -end, end)), robot, phi, wide)


@pytest.mark.slow
@pytest.mark.parametrize("joint", [0, 3, 6])
def test_nothing_is_learnt_of_a_joint_from_zeros(joint) -> None:
    model, stated = MODELS["kinova_gen3"], ROBOTS["kinova_gen3"].uncertainty
    rows = MomentumRows.of(model, stated)
    samples = run(seconds=3.0)[0]
    load = Load.none()
    one, other = (
        KnownRun.of("run", stuck(samples, joint, value), load, rows, 0.1) for value in (0.0, 5.0)
    )
    for left, right in zip(*(vars(x.statistics.nominal()).values() for x in (one, other)),
                           strict=True):  # fmt: skip
        np.testing.assert_array_equal(left, right)
    found = calibrate([stuck(samples, joint, 0.0)], model, replace(stated, torque_absolute=20.0))
    assert joint not in set(found.calibration.equations.joint.tolist())


@pytest.mark.slow
def test_nothing_is_learnt_from_what_is_stuck_again_and_again() -> None:
    """Far more often than is remembered at a time."""
    model, stated = MODELS["kinova_gen3"], ROBOTS["kinova_gen3"].uncertainty
    samples = run(seconds=70.0)[0]
    tau = samples.tau.copy()
    held = (samples.stamp / 0.25 + 1e-6).astype(int)
    tau[:, 3] = np.random.default_rng(0).normal(0.0, 5.0, held[-1] + 1)[held]
    found = calibrate([replace(samples, tau=tau)], model, replace(stated, torque_absolute=20.0))
    assert 3 not in set(found.calibration.equations.joint.tolist())
