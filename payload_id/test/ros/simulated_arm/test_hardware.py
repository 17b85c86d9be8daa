"""The arm behind the controllers: torques, faults and delays, without ROS."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.files.robots.robot_file import RobotFile
from payload_id.ros.simulated_arm.controllers.controller import Follow, Hold, Torque
from payload_id.ros.simulated_arm.hardware import Hardware
from payload_id.ros.simulated_arm.setup import PARAMETER_TABLE

ROBOT = RobotFile.load("kinova_gen3")
EFFORT = replace(ROBOT, driver=replace(ROBOT.driver, executed=("position", "effort")))
VALUES = {entry.name: entry.default for entry in PARAMETER_TABLE}
PERIOD = 0.005


class Arm:
    """Hardware, cycle by cycle."""

    def __init__(self, robot=ROBOT, **values) -> None:
        self.hardware, self.count = Hardware(robot, VALUES | values, PERIOD), 0

    def runs(self, seconds, *commands):
        """Hand over commands, and return all readings of a time."""
        self.hardware.write(commands)
        readings = []
        for _ in range(round(seconds / PERIOD)):
            readings.append(self.hardware.read(self.count * PERIOD))
            self.hardware.write([])
            self.count += 1
        return readings


def motion(start=None) -> Follow:
    rest = np.zeros((2, 7))
    q = np.array([ROBOT.home, ROBOT.home + 0.2])
    return Follow(JointTrajectory(np.array([0.0, 0.5]), q, rest, rest), start)


def test_torques_that_carry_the_arm_keep_it_and_none_let_it_fall():
    arm = Arm(EFFORT)
    arm.runs(0.1)
    carrying = arm.hardware.plant.measure().tau
    still = arm.runs(0.2, Torque(carrying))
    assert np.abs(still[-1].q - ROBOT.home).max() < 1e-3
    fallen = arm.runs(0.3, Torque(np.zeros(7)))
    assert np.abs(fallen[-1].q - ROBOT.home).max() > 0.05
    assert np.abs(ROBOT.effort.torque(fallen[-1].effort)).max() < 1e-9
    caught = arm.runs(1.5, Hold())
    assert np.abs(caught[-1].dq).max() < 1e-3
    assert np.abs(caught[-1].q - fallen[-1].q).max() < 0.3  # near where it was, not at home


def test_joint_states_are_as_many_cycles_old_as_is_stated_and_their_stamps_do_not_say_so():
    now, late = Arm(), Arm(delay=2)
    ours, theirs = now.runs(0.3, motion()), late.runs(0.3, motion())
    for k in range(2, len(ours)):
        assert theirs[k].stamp == ours[k].stamp
        for name in ("q", "dq", "effort"):
            assert np.array_equal(getattr(theirs[k], name), getattr(ours[k - 2], name))


def test_wrapped_positions_jump_by_whole_turns_only_and_the_arm_keeps_its_own():
    arm = Arm(wrap_positions=True)
    there = ROBOT.home.copy()
    there[2] = 3.4  # beyond half a turn
    rest = np.zeros((2, 7))
    path = JointTrajectory(np.array([0.0, 0.5]), np.array([ROBOT.home, there]), rest, rest)
    q = np.array([x.q for x in arm.runs(1.0, Follow(path, None))])
    assert q[-1, 2] == pytest.approx(3.4 - 2 * np.pi, abs=1e-3)
    arm.runs(0.2, Hold(q[-1]))  # as a controller holds what it is shown
    assert arm.hardware.plant.state[0][2] == pytest.approx(3.4, abs=1e-3)
