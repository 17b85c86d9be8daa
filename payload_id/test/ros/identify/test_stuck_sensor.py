"""A torque sensor that sticks in motion, seen by the real estimator: the arm is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import ExcitationGoal, StopReason
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter as RosParameter

from harness import NodeProcess
from payload_id.ros.estimator.parameters import ESTIMATOR_TABLE
from planned_robot import ABORTED, PARAMETERS, PlannedRobot, parameters_of
from ros_domain import next_domain

DOMAIN = next_domain()
GOAL = ExcitationGoal(family="bezier", duration=6.0, speed_scale=0.6, time_budget=0.6, seed=3)


class Identifying(PlannedRobot):
    """All nodes of a robot that identifies."""

    plays = staticmethod(lambda node: None)  # the estimator is there

    def __init__(self, folder: Path, domain: int) -> None:
        bounds = parameters_of(ESTIMATOR_TABLE, PARAMETERS)
        self.identify = NodeProcess(
            "identify", domain, folder / "identify.log", robot_file="kinova_gen3",
            bag=folder / "recording", recordings_folder=folder, **bounds,
        )  # fmt: skip
        super().__init__(folder, domain)

    def close(self) -> list[int]:
        return [self.identify.stop(), *super().close()]

    def put(self, name: str, value: Any) -> None:
        """Set a parameter of the arm."""
        parameters = [RosParameter(name, value=value).to_parameter_msg()]
        service = "/simulated_arm/set_parameters"
        assert self.observer.call(SetParameters, service, parameters=parameters)


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    robot = Identifying(tmp_path_factory.mktemp("stuck"), DOMAIN)
    yield robot
    assert robot.close() == [0, 0, 0, 0], robot.printed()
    assert "Traceback" not in robot.printed() + robot.identify.printed()


@pytest.mark.slow
def test_a_torque_sensor_that_sticks_in_motion_stops_the_arm(robot):
    robot.observer.wait(robot.is_at_rest, "an arm at rest")
    start = robot.q
    _, future, _ = robot.begin(Identify, "identify", one_motion=True, goal=GOAL)
    robot.observer.wait(lambda: abs(robot.q - start).max() > 0.05, "motion")
    robot.put("effort_stuck", robot.joint_states[-1].name[3])
    try:
        result, status = robot.result(future)
    finally:
        robot.put("effort_stuck", "")
    assert status == ABORTED and result.at_rest, result.message
    assert result.reason.code == StopReason.ESTIMATE_INCONSISTENT, result.message
    assert robot.is_at_rest()
