"""A torque that nothing measures is a contradiction; whatever is measured, never is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.calibration.calibrate import calibrate
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.history.known_run import KnownRun, Load
from payload_id.core.identification.identify import identify
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.readings.readings_seen import ReadingsSeen
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.samples.joint_samples import Samples
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from stated_arm import measured_run

ROBOTS = {name: RobotFile.load(name) for name in ("kinova_gen3", "xarm7")}
MODELS = {name: RobotModel.from_robot_file(robot) for name, robot in ROBOTS.items()}


def run(robot: str = "kinova_gen3", seed: int = 3, rate: float = 100.0, seconds: float = 6.0):
    """Return samples of a moving arm, and the payload's parameters."""
    return measured_run(MODELS[robot], ROBOTS[robot].uncertainty, seed, seconds, rate)


def stuck(samples: Samples, joint: int, value: float | None, start=0.0, end=np.inf) -> Samples:
    """Return samples in which one torque is one value for a time; None: what it was before."""
    tau, within = samples.tau.copy(), (samples.stamp >= start) & (samples.stamp <= end)
    tau[within, joint] = tau[within, joint][0] if value is None else value
    return replace(samples, tau=tau)


def said(samples: Samples, robot: str, stated: Uncertainty | None = None) -> str:
    """Return the contradiction in samples."""
    rows = MomentumRows.of(MODELS[robot], stated or ROBOTS[robot].uncertainty)
    window = max(0.1, 6.0 * float(np.median(np.diff(samples.stamp))))
    return ReadingsSeen.of(WindowCutter(window).add(samples), rows).contradiction


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("rate", [20.0, 100.0, 1000.0])
def test_a_torque_that_is_not_measured_is_told_whatever_joint_and_value(robot, rate) -> None:
    samples, _ = run(robot, rate=rate, seconds=4.0)
    assert said(samples, robot) == ""
    for joint, name in enumerate(MODELS[robot].joints):
        for value in (0.0, -1.3, None):
            found = said(stuck(samples, joint, value), robot)
            assert f"The torque of {name} is exactly" in found, (name, value)


@pytest.mark.parametrize("start, end", [(0.0, 1.6), (2.0, 3.6), (4.0, np.inf)])
def test_a_torque_that_is_not_measured_for_a_while_is_told_with_the_time(start, end) -> None:
    samples, _ = run()
    for joint in range(7):
        found = said(stuck(samples, joint, 0.0, start, end), "kinova_gen3")
        told = found.split(" from ")[1].split(" s while")[0].split(" s to ")
        assert [float(t) for t in told] == pytest.approx([start, min(end, 6.0)], abs=0.11)


@pytest.mark.parametrize("step", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("robot", ROBOTS)
def test_a_coarse_sensor_measures(robot, step) -> None:
    """Of a joint with little torque it shows 0 throughout, and while the arm holds still."""
    samples, _ = run(robot, rate=100.0)
    held = np.minimum(np.arange(len(samples)), 300)  # holds still from then on, its noise goes on
    noise = samples.tau - samples.tau.mean(axis=0)
    tau = samples.tau[held] + 1e-3 * noise
    tau[:, -1] *= 0.3 * step / np.abs(tau[:, -1]).max()
    still = replace(samples, q=samples.q[held], dq=samples.dq * (held < 300)[:, None])
    assert said(replace(still, tau=step * np.round(tau / step)), robot) == ""


def test_efforts_that_are_all_the_same_while_the_arm_moves_are_told() -> None:
    samples, _ = run()
    constant = replace(samples, tau=np.tile(samples.tau[0], (len(samples), 1)))
    assert "is exactly" in said(constant, "kinova_gen3")


def test_a_joint_whose_torque_no_payload_moves_is_not_judged() -> None:
    """The first joint, whose axis is vertical, stands still with all that would push it."""
    samples, _ = run()
    level = np.tile([0.0, 0.3, 0.0, 1.2, 0.0, 0.5, 0.0], (len(samples), 1))
    rng = np.random.default_rng(1)
    noise = rng.normal(0.0, 0.1, level.shape)
    still = replace(samples, q=level, dq=0.0 * level, tau=20.0 + noise)
    assert said(stuck(still, 0, 0.0), "kinova_gen3") == ""
    assert said(stuck(still, 1, 0.0), "kinova_gen3") != ""


def test_a_joint_without_sensor_is_left_out_by_its_bound() -> None:
    """Then nothing is concluded from it, and the payload is inside."""
    model, stated = MODELS["kinova_gen3"], ROBOTS["kinova_gen3"].uncertainty
    samples, phi = run(seconds=8.0)
    without = stuck(samples, 5, 0.0)
    assert identify(without, model, stated).cause == "unmeasured torque"
    absolute = stated.per_joint("torque_absolute", 7).copy()
    absolute[5] = np.abs(samples.tau).max()
    found = identify(without, model, replace(stated, torque_absolute=tuple(absolute)))
    assert found.status is not Status.INCONSISTENT and found.contains(phi).all()


@pytest.mark.parametrize("joint", range(7))
def test_no_answer_is_given_and_nothing_is_learnt_from_such_data(joint) -> None:
    model, stated = MODELS["kinova_gen3"], ROBOTS["kinova_gen3"].uncertainty
    false = stuck(run(seconds=3.0)[0], joint, 0.0)
    found = identify(false, model, stated)
    assert (found.status, found.cause) == (Status.INCONSISTENT, "unmeasured torque")
    assert f"The torque of {model.joints[joint]} is exactly 0" in found.message
    online = OnlineIdentifier(model, Settings(stated))
    online.add(false)
    with pytest.raises(InputError, match="No tare was made. The torque of"):
        online.tare()
    with pytest.raises(RecordingError, match="Recording 1 cannot be used: The torque of"):
        calibrate([false], model, stated)
    with pytest.raises(RecordingError, match="'run' cannot be used: The torque of"):
        KnownRun.of("run", false, Load.none(), MomentumRows.of(model, stated), 0.1)
