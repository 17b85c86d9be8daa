"""What a driver's faults look like to others: topics and services of the robot file, silence."""

from __future__ import annotations

import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter as RosParameter

from harness import NodeProcess
from payload_id.files.robots.robot_file import RobotFile
from promises.controllers import Asker
from promises.nodes import next_domain

DOMAIN = next_domain()
TEXT = """
extends: package://payload_id/config/robots/kinova_gen3.yaml
driver:
  follows_while:
    no_fault: {topic: /fault, type: std_msgs/msg/Bool, field: data, allowed: [0]}
  reset:
    reset_fault: {service: /reset_fault, type: std_srvs/srv/Trigger}
"""


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("driver")
    path = folder / "robot.yaml"
    path.write_text(TEXT)
    process = NodeProcess("simulated_arm", DOMAIN, folder / "log", robot_file=path, rate=100.0)
    asker = Asker(DOMAIN, RobotFile.load(path))
    yield asker
    asker.close()
    assert process.stop() == 0 and "Traceback" not in process.printed


def put(arm: Asker, name: str, value: bool | str | list[float]) -> str:
    """Set a parameter of the arm; return why it was refused, if it was."""
    message = RosParameter(name, value=value).to_parameter_msg()
    answer = arm.observer.call(SetParameters, "/simulated_arm/set_parameters", parameters=[message])
    return str(answer.results[0].reason)


@pytest.mark.slow
def test_a_driver_that_hangs_is_silent_and_its_goals_do_not_end(arm):
    handle = arm.moving()
    put(arm, "hung", True)
    arm.passes(0.3)
    arm.states.clear()
    answer = handle.get_result_async()
    arm.passes(0.5)
    assert not arm.states and not answer.done()
    put(arm, "hung", False)
    arm.observer.wait(lambda: answer.done() and arm.states, "the end")
