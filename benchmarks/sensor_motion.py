"""What a force-torque sensor at an arm's payload frame does, and the statistics of its samples."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from payload_id import RobotModel
from payload_id.core.arrays import Array
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.wrench_samples import WrenchSamples
from payload_id.core.statistics.statistics import Statistics


def sensor_motion(robot: RobotModel, q: Array, dq: Array, ddq: Array) -> tuple[Array, ...]:
    """Return the motion of the sensor for joint motions, shape (N, n) each.

    Returns:
        rotation: Shape (N, 3, 3).
        origin: In the world, shape (N, 3) [m].
        velocity: Of the origin, in the sensor's axes like all below, shape (N, 3) [m/s].
        omega: Shape (N, 3) [rad/s].
        acceleration: Of the origin, gravity not in it, shape (N, 3) [m/s2].
        alpha: Shape (N, 3) [rad/s2].
    """
    model, data = robot.pinocchio, robot.pinocchio.createData()
    frame = model.getFrameId(robot.payload_frame)
    rows = []
    for state in zip(q, dq, ddq, strict=True):
        pin.forwardKinematics(model, data, robot.pinocchio_q(state[0]), *state[1:])
        pose = pin.updateFramePlacement(model, data, frame)
        twist = pin.getFrameVelocity(model, data, frame, pin.LOCAL)
        change = pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL)
        parts = (pose.rotation, pose.translation, twist.linear, twist.angular, change.linear,
                 change.angular)  # fmt: skip
        rows.append([part.copy() for part in parts])
    return tuple(np.array(x) for x in zip(*rows, strict=True))


def statistics_of(samples: WrenchSamples, assumed: WrenchUncertainty, window: float) -> Statistics:
    """Return the statistics of samples in windows of so many seconds."""
    row_source = NewtonEulerRows.of(assumed)
    rows = [row_source.window(part) for part in WindowCutter(window).add(samples)]
    _, upper = PayloadPrior().box()
    return Statistics.empty(row_source.p, row_source.growth).add(RowBlock.stack(rows), 0.1 * upper)
