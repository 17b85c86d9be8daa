"""A bridge that is deactivated, ended and started anew around a moving arm."""

from __future__ import annotations

import signal

import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from payload_id_msgs.msg import BridgeState, StopReason

from harness import LATCHED, NodeProcess
from managed import change, state
from payload_id.ros.bridge.parameters import BRIDGE_TABLE
from planned_robot import ABORTED, BRIDGE, PARAMETERS, PlannedRobot, parameters_of
from ros_domain import next_domain

DOMAIN = next_domain()
LATE = 60.0  # [s] that the simulated arm may be behind the clock on a busy machine


@pytest.mark.slow
def test_a_bridge_leaves_no_arm_in_motion_and_forgets_no_motion(tmp_path):
    robot = PlannedRobot(tmp_path, DOMAIN, clock_tolerance=LATE)
    observer, node = robot.observer, "payload_bridge"
    states = observer.listen(BridgeState, f"{BRIDGE}/state", LATCHED)
    robot.planned()
    _, future, _ = robot.execute_until(0.02)
    client = observer.node.create_client(ChangeState, f"{BRIDGE}/change_state")
    observer.wait(client.service_is_ready, "the service")
    wanted = ChangeState.Request(transition=Transition(label="deactivate"))
    first, second = client.call_async(wanted), client.call_async(wanted)
    observer.wait(second.done, "an answer while the first is in progress")
    assert not second.result().success
    observer.wait(first.done, "an arm at rest")
    assert first.result().success and state(observer, node) == "inactive"
    result, status = robot.result(future)
    assert status == ABORTED and result.reason.code == StopReason.SHUT_DOWN and result.at_rest
    refused = robot.plan()
    assert not refused.success and f"ros2 lifecycle set {BRIDGE} activate" in refused.message
    assert change(observer, node, "activate")
    observer.wait(lambda: not states[-1].doubt, "an active bridge")
    robot.planned()
    _, future, _ = robot.execute_until(0.02)
    assert change(observer, "payload_planner", "deactivate")
    result, _ = robot.result(future)
    assert result.at_rest and change(observer, "payload_planner", "activate")

    values = PARAMETERS | {"certificates_folder": tmp_path, "clock_tolerance": LATE}

    def end_in_motion(number):
        observer.wait(lambda: robot.plan().success, "a planner that hears the bridge")
        robot.planned()
        _, future, _ = robot.execute_until(0.02)
        robot.bridge.process.send_signal(number)
        while robot.bridge.process.poll() is None:
            observer.executor.spin_once(timeout_sec=0.05)
        code = robot.bridge.process.returncode
        states.clear()
        robot.bridge = NodeProcess(
            "bridge", DOMAIN, tmp_path / "bridge.log", **parameters_of(BRIDGE_TABLE, values)
        )
        return code, future

    code, future = end_in_motion(signal.SIGTERM)
    assert code == 0
    result, status = robot.result(future)
    assert result.at_rest and result.reason.code == StopReason.SHUT_DOWN and status == ABORTED
    observer.wait(lambda: states and not states[-1].doubt, "a bridge without a fault")
    assert end_in_motion(signal.SIGKILL)[0] != 0
    observer.wait(lambda: states and states[-1].fault, "a bridge that remembers")
    assert states[-1].state == BridgeState.FAULT
    assert "ended while the arm moved" in states[-1].fault
    assert "before this start" in states[-1].fault
    assert list(tmp_path.rglob("fault_*.json")) and robot.acknowledge().success
    assert not list(tmp_path.rglob("fault_*.json"))
    robot.close()
