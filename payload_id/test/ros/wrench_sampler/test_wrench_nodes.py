"""Wrench sampler and estimator as others see them: a wrench and joint states in, a payload out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import trimesh
from geometry_msgs.msg import WrenchStamped
from payload_id_msgs.msg import PayloadEstimate
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from harness import LATCHED, START_NS, NodeProcess, Observer, joint_state, time_of
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor
from payload_id.core.samples.arm_sensor_motion import motion_of
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from promises.nodes import next_domain
from synthetic import NOTHING, PAYLOAD, measured, robot_file

DOMAIN = next_domain()
BOUNDS = """
force_error: 0.05
torque_error: 0.01
linear_acceleration_error: 0.1
angular_acceleration_error: 0.2
prior: {mass_max: 3.0, com_max: 0.3}
"""
STEP = 2  # joint states for each wrench


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    watcher = Observer(DOMAIN)
    yield watcher
    watcher.close()


@pytest.fixture(scope="module")
def nodes(observer: Observer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observer]:
    """Start both nodes, and a run."""
    folder = tmp_path_factory.mktemp("wrench")
    robot = robot_file(folder)
    (folder / "bounds.yaml").write_text(BOUNDS)
    body = trimesh.creation.box([0.25] * 3)
    body.apply_translation(PAYLOAD[1:4] / PAYLOAD[0])
    body.export(folder / "payload.stl")
    processes = [
        NodeProcess("wrench_sampler", DOMAIN, folder / "sampler.log", robot_file=robot,
                    wrench_sign="-1.0", wrench_topic="/ft/wrench",
                    bag=folder / "run"),
        NodeProcess("estimator", DOMAIN, folder / "estimator.log", robot_file=robot,
                    recordings_folder=folder, files_folder=folder,
                    source="wrench", wrench_uncertainty=folder / "bounds.yaml",
                    shape=folder / "payload.stl"),
    ]  # fmt: skip
    yield observer
    codes = [process.stop() for process in processes]
    assert codes == [0, 0], [process.printed for process in processes]


def wrenches() -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of some samples and the wrench that the payload then needs."""
    samples = measured(tuple(NOTHING), 5.0)
    model = RobotModel.from_robot_file(RobotFile.load("kinova_gen3"))
    moving = motion_of(model, samples.stamp, samples.q, samples.dq, 4.0)
    chosen = np.arange(0, len(samples), STEP)
    proper = moving.linear_acceleration - model.gravity @ moving.rotation
    Y = newton_euler_regressor(proper, moving.angular_velocity, moving.angular_acceleration)
    return chosen, (Y @ PAYLOAD)[chosen] + [2.0, -1.0, 5.0, 0.1, 0.2, -0.1]


def send(observer: Observer, frame: str, sign: float, start_ns: int) -> None:
    """Publish a recording as two drivers would."""
    samples = measured(tuple(NOTHING), 5.0)
    joints = RobotFile.load("kinova_gen3").joints
    states = observer.publisher(JointState, "/arm/joint_states")
    sensor = observer.publisher(WrenchStamped, "/ft/wrench")
    wrench = dict(zip(*wrenches(), strict=True))
    for k, t in enumerate(samples.stamp):
        at = start_ns + round(1e9 * t)
        states.publish(joint_state(at, joints, samples.q[k], samples.dq[k], []))
        if k in wrench:
            message = WrenchStamped()
            message.header.stamp, message.header.frame_id = time_of(at), frame
            values = sign * wrench[k]
            force, torque = message.wrench.force, message.wrench.torque
            force.x, force.y, force.z, torque.x, torque.y, torque.z = map(float, values)
            sensor.publish(message)
        if k % 5 == 0:
            observer.executor.spin_once(timeout_sec=0.001)


def frame() -> str:
    return RobotFile.load("kinova_gen3").payload_frame


@pytest.mark.slow
def test_wrong_sign_is_named_live(nodes: Observer) -> None:
    estimates = nodes.listen(PayloadEstimate, "/payload_estimator/payload", LATCHED)
    nodes.call(Trigger, "/payload_estimator/stop")
    assert nodes.call(Trigger, "/payload_estimator/start").success
    estimates.clear()
    send(nodes, frame(), 1.0, START_NS + 10**10)
    nodes.wait(lambda: any("wrong sign" in e.message for e in estimates), "the wrong sign's name")
    nodes.call(Trigger, "/payload_estimator/stop")


def test_wrench_of_another_frame_is_reported_while_it_comes(nodes: Observer) -> None:
    sensor = nodes.publisher(WrenchStamped, "/ft/wrench")
    box = nodes.mailbox["/diagnostics"]

    def told(words: str, *frames: str) -> bool:
        """Send a wrench of each frame; return whether a diagnostic message holds some words."""
        at = time_of(START_NS + 10**11 + next(count) * 10**7)
        for frame_id in frames:
            message = WrenchStamped()
            message.header.stamp, message.header.frame_id = at, frame_id
            sensor.publish(message)
        return any(words in status.message for array in box for status in array.status)

    count = itertools.count()
    box.clear()
    nodes.wait(lambda: told("are of frame 'elsewhere'", "elsewhere"), "the only frame")
    # Beside the right ones they end nothing.
    nodes.wait(lambda: told("as well, and are left out", "elsewhere", frame()), "another frame")


@pytest.mark.slow
def test_wrenches_that_are_no_numbers_are_told_while_they_come(nodes: Observer) -> None:
    """Others could be used before."""
    sensor = nodes.publisher(WrenchStamped, "/ft/wrench")
    box = nodes.mailbox["/diagnostics"]
    count = itertools.count()

    def told() -> bool:
        message = WrenchStamped()
        message.header.stamp = time_of(START_NS + 2 * 10**11 + next(count) * 10**7)
        message.header.frame_id, message.wrench.force.x = frame(), float("nan")
        sensor.publish(message)
        said = [status.message for array in box for status in array.status]
        return any("can be used" in x and "not_finite" in x for x in said)

    box.clear()
    nodes.wait(told, "what is wrong with the wrenches")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sensor_frame": "nowhere"}, ("Unknown sensor frame 'nowhere'", "Known: ")),
        ({"wrench_sign": "0.5"}, ("wrench_sign is 1 or -1; found 0.5",)),
    ],
)
def test_what_cannot_be_measured_ends_the_node(tmp_path: Path, given, words) -> None:
    process = NodeProcess("wrench_sampler", DOMAIN, tmp_path / "log", **given)
    assert process.process.wait(25.0) != 0
    printed = process.printed
    assert all(x in printed for x in words) and "Traceback" not in printed
