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
    for time, place in ((1.4, 0.9), (1.9, 1.4), (3.0, 2.0)):
        arm.step_to(time)
        there = sample(TRAJECTORY, np.array(place))
        assert np.allclose(arm.desired().q, there.q, atol=1e-9)
        assert np.abs(arm.measure().q - there.q).max() < 2e-3
    arm.set_trajectory(TRAJECTORY)  # begins by the clock, whatever was lost before
    assert np.allclose(arm.desired().q, ROBOT.home)


def test_velocities_and_accelerations_are_those_of_the_slower_motion():
    arm = plant()
    arm.set_trajectory(TRAJECTORY)
    arm.set_speed(0.25)
    arm.step_to(2.0)
    there, found = sample(TRAJECTORY, np.array(0.5)), arm.desired()
    assert np.allclose(found.dq, 0.25 * there.dq) and np.allclose(found.ddq, there.ddq / 16)
    assert np.abs(arm.measure().dq - found.dq).max() < 0.02


def test_a_speed_beyond_the_trajectory_is_refused():
    for fraction in (-0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match="fraction of the speed"):
            plant().set_speed(fraction)
