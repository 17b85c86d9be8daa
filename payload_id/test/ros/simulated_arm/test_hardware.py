"""The arm behind the controllers: torques, faults and delays, without ROS."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.files.robots.robot_file import RobotFile
from payload_id.ros.simulated_arm.controllers.controller import Follow, Hold, Torque
from payload_id.ros.simulated_arm.hardware import Hardware
from payload_id.ros.simulated_arm.setup import PARAMETER_TABLE

ROBOT = RobotFile.load("kinova_gen3")
EFFORT = replace(ROBOT, driver=ROBOT.driver.model_copy(update={"executed": ("position", "effort")}))
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
    fallen = arm.runs(0.6, Torque(np.zeros(7)))  # the rotors fall with it
    assert np.abs(fallen[-1].q - ROBOT.home).max() > 0.05
    caught = arm.runs(1.5, Hold())
    assert np.abs(caught[-1].dq).max() < 1e-3
    assert np.abs(caught[-1].q - fallen[-1].q).max() < 0.3  # near where it was, not at home
