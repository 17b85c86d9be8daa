"""A torque that never changes counts as unknown; what is true is never called false for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import arm, draw_payload, joint_torques
from payload_id.core.calibration.calibrate import calibrate
from payload_id.core.history.known_run import KnownLoad, KnownRun
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque import torques_seen
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.torques_seen import TorquesSeen
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.samples.joint_samples import Samples
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from stated_arm import measured_run

ROBOTS = {name: RobotFile.load(name) for name in ("kinova_gen3", "xarm7")}
MODELS = {name: RobotModel.from_robot_file(robot) for name, robot in ROBOTS.items()}
EVERY_ROBOT = pytest.mark.parametrize("robot", ROBOTS)
GEN3, STATED = MODELS["kinova_gen3"], ROBOTS["kinova_gen3"].uncertainty


def run(robot: str = "kinova_gen3", rate: float = 100.0, seconds: float = 4.0):
    """Return samples of a moving arm, and the payload's parameters."""
    return measured_run(MODELS[robot], ROBOTS[robot].uncertainty, 3, seconds, rate)


def stuck(samples: Samples, joint: int, value: float | None, start=0.0, end=np.inf) -> Samples:
    """Return samples in which one torque is one value for a time; None: what it was before."""
    tau, within = samples.tau.copy(), (samples.stamp >= start) & (samples.stamp <= end)
    tau[within, joint] = tau[within, joint][0] if value is None else value
    return replace(samples, tau=tau)


def seen(samples: Samples) -> TorquesSeen:
    """Return what is seen of the torques."""
    window = max(0.1, 6.0 * float(np.median(np.diff(samples.stamp))))
    return TorquesSeen.none(samples.n).after_each(WindowCutter(window).add(samples))[-1]


@EVERY_ROBOT
def test_a_torque_that_never_changes_is_unknown_whatever_joint_and_value(robot) -> None:
    joints = MODELS[robot].joints
    for rate in (20.0, 100.0, 1000.0):
        samples, _ = run(robot, rate)
        assert seen(samples).unknown == ()
        for joint, value in zip(range(7), (0.0, -1.3, None, 0.0, -1.3, None, 0.0), strict=True):
            found = seen(stuck(samples, joint, value))
            ((only),) = found.unknown
            assert only.joint == joint and only.end - only.start > 3.2
            assert f"{joints[joint]} is exactly" in found.note(joints)


def test_a_torque_that_no_payload_explains_is_told_with_its_joints() -> None:
    samples, _ = run(seconds=6.0)
    copied = samples.tau.copy()
    copied[:, 3] = copied[:, 1]
    for false, cause, joints in (
        (stuck(samples, 1, None, 2.0), "stuck torque", (1,)),
        (replace(samples, tau=copied), "torque read twice", (1, 3)),
    ):
        found = identify(false, GEN3, STATED)
        assert (found.status, found.cause) == (Status.INCONSISTENT, cause)
        assert all(GEN3.joints[joint] in found.message for joint in joints)


@pytest.mark.parametrize("name", ["gantry", "ur10"])
def test_true_torques_without_noise_are_not_called_false(name) -> None:
    """Of joints that move one at a time most torques do not change at all."""
    model, phi = arm(name), draw_payload(np.random.default_rng(2))
    t, w = np.arange(0.0, 8.0, 0.01), 2.0 * np.pi * model.n / 8.0
    turn = (np.arange(model.n) == (t / 8.0 * model.n).astype(int)[:, None]) * 0.5
    phase = (w * t)[:, None]
    q, dq = turn * np.sin(phase) ** 2, turn * w * np.sin(2.0 * phase)
    ddq = turn * 2.0 * w**2 * np.cos(2.0 * phase)
    tau = joint_torques(model, model.link_phi, phi, q, dq, ddq)
    found = identify(Samples(t, q, dq, tau), model, Uncertainty(torque_absolute=0.05))
    assert found.status is not Status.INCONSISTENT and found.contains(phi).all(), found.message


def test_deadbands_and_ends_within_the_bounds_are_not_called_false(robot="kinova_gen3") -> None:
    samples, phi = run(robot, seconds=2.5)
    tau, stated = samples.tau, ROBOTS[robot].uncertainty
    wide = replace(stated, torque_absolute=tuple(stated.per_joint("torque_absolute", 7) + 1.5))
    end = np.abs(tau).max(axis=0) - 1.4
    for shown in (np.where(np.abs(tau) < 1.5, 0.0, tau), np.clip(tau, -end, end)):
        found = identify(replace(samples, tau=shown), MODELS[robot], wide)
        assert found.status is not Status.INCONSISTENT and found.contains(phi).all()


def test_nothing_is_learnt_of_a_joint_from_what_does_not_change(monkeypatch) -> None:
    monkeypatch.setattr(torques_seen, "KEPT", 3)  # times that are remembered
    rows, wide = MomentumRows.of(GEN3, STATED), replace(STATED, torque_absolute=20.0)
    samples, _ = run(seconds=3.0)
    forms = [
        KnownRun.of(
            "run", stuck(samples, 3, value), KnownLoad.none(), rows, 0.1
        ).statistics.nominal()
        for value in (0.0, 5.0)
    ]
    for left, right in zip(*(vars(form).values() for form in forms), strict=True):
        np.testing.assert_array_equal(left, right)
    held = (samples.stamp / 0.25 + 1e-6).astype(int)  # stuck again and again
    again = samples.tau.copy()
    again[:, 3] = np.random.default_rng(0).normal(0.0, 5.0, held[-1] + 1)[held]
    for false in (stuck(samples, 3, 0.0), replace(samples, tau=again)):
        found = calibrate([false], GEN3, wide)
        assert 3 not in set(found.calibration.equations.joint.tolist())
