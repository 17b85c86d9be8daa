"""What a Gen3 with a payload would measure, from Pinocchio's inverse dynamics."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pinocchio as pin
from payload_id_msgs.msg import SampleBlock

from harness import START_NS, time_of
from payload_id.core.body.inertial import TO_PINOCCHIO, from_mass_com_inertia
from payload_id.core.samples.joint_samples import Samples
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel

TOPIC = "/arm/joint_states"
RATE = 500  # [Hz]
NOISE = 0.01  # bound of the torque noise [N m]
PAYLOAD = from_mass_com_inertia(1.4, [0.02, -0.03, 0.09], np.diag([0.004, 0.005, 0.003]))


def robot_file(folder: Path) -> Path:
    """Write a Gen3's robot file whose torque sensors are good and whose links are known."""
    path = folder / "robot.yaml"
    path.write_text(
        "extends: package://payload_id/config/robots/kinova_gen3.yaml\n"
        f"joint_states: {{topic: {TOPIC}, rate: {RATE}, reliability: reliable}}\n"
        f"uncertainty: {{torque_relative: 0.0, torque_absolute: {NOISE}, torque_offset: 0.0,\n"
        "  link_relative: 0.001, friction_coulomb: 0.0, friction_viscous: 0.0,\n"
        "  rotor_inertia: 0.0, position_error: 0.0, velocity_error: 0.0}\n"
    )
    return path


@lru_cache(maxsize=4)
def measured(payload: tuple[float, ...], seconds: float, seed: int = 1) -> Samples:
    """Return noisy samples of a Fourier motion with a payload."""
    robot = RobotFile.load("kinova_gen3")
    arm = RobotModel.from_robot_file(robot).pinocchio.copy()
    frame = arm.frames[arm.getFrameId(robot.payload_frame)]
    body = pin.Inertia.FromDynamicParameters(np.array(payload)[TO_PINOCCHIO])
    arm.appendBodyToJoint(frame.parentJoint, body, frame.placement)
    generator, t = np.random.default_rng(seed), np.arange(int(seconds * RATE)) / RATE
    model, data = RobotModel.from_robot_file(robot), arm.createData()
    a, b = generator.normal(size=(2, 4, model.n)) * 0.4 / np.arange(1, 5)[:, None]
    w = 2 * np.pi / 4.0 * np.arange(1, 5)
    S, C = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q, dq = S @ a + C @ b, (C * w) @ a - (S * w) @ b
    ddq = -(S * w**2) @ a - (C * w**2) @ b
    tau = [pin.rnea(arm, data, model.pinocchio_q(x), v, y) for x, v, y in zip(q, dq, ddq)]  # noqa: B905
    return Samples(t, q, dq, np.array(tau) + generator.uniform(-NOISE, NOISE, q.shape))


def stamps_ns(samples: Samples, start_ns: int = START_NS) -> np.ndarray:
    """Return absolute stamps."""
    return start_ns + np.rint(samples.stamp * 1e9).astype(np.int64)


def blocks(samples: Samples, size: int = 10) -> list[SampleBlock]:
    """Return samples as the sampler sends them."""
    stamp_ns, joints = stamps_ns(samples), RobotFile.load("kinova_gen3").joints
    messages = []
    for number, first in enumerate(range(0, len(samples), size)):
        rows = slice(first, first + size)
        message = SampleBlock(sequence=number, first_index=first, joint_names=list(joints))
        message.header.stamp = time_of(int(stamp_ns[rows][-1]))
        message.stamp_ns = stamp_ns[rows]
        message.position = samples.q[rows].ravel()
        message.velocity = samples.dq[rows].ravel()
        message.effort = samples.tau[rows].ravel()
        messages.append(message)
    return messages
