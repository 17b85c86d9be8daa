"""A plant whose controller runs through its trajectory at a fraction of the speed."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.joint_trajectory import JointTrajectory, sample
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory_points import points_of
from payload_id.core.simulation.plant import Plant
from payload_id.files.robots.robot_file import RobotFile

ROBOT = RobotFile.load("kinova_gen3")
MOTION = BezierPiece(MotionState.at_rest(ROBOT.home), np.full(ROBOT.n, 0.3), 2.0)
POINTS = points_of(MOTION, 100.0)
TRAJECTORY = JointTrajectory(POINTS.time, POINTS.q, POINTS.dq, POINTS.ddq)


def plant() -> Plant:
    return Plant(
        ROBOT.urdf, ROBOT.joints, ROBOT.payload_frame, gravity=ROBOT.gravity, q0=ROBOT.home
    )


def test_the_same_poses_are_passed_later_and_slower():
    arm = plant()
    arm.set_trajectory(TRAJECTORY)
    for time, speed in ((0.6, 0.5), (1.0, 0.0), (1.3, 1.0)):
        arm.step_to(time)
        arm.set_speed(speed)
    arm.set_speed(0.5)
    for time, place, speed in ((1.4, 0.85, 0.5), (1.8, 1.05, 0.5)):
        arm.step_to(time)
        there = sample(TRAJECTORY, np.array(place))
        found = arm.desired()
        assert np.allclose(found.q, there.q, atol=1e-9)
        assert np.allclose(found.dq, speed * there.dq, atol=1e-9)
        assert np.allclose(found.ddq, speed**2 * there.ddq, atol=1e-9)
        assert np.abs(arm.measure().q - there.q).max() < 2e-3
    arm.set_trajectory(TRAJECTORY)  # begins by the clock, whatever was lost before
    assert np.allclose(arm.desired().q, ROBOT.home)
    for fraction in (-0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match="fraction of the speed"):
            arm.set_speed(fraction)
