"""How soon the bridge acts on what driver and controller say, on the simulated arm.

`./payload-id python benchmarks/driver_reactions.py --times 5` starts arm, bridge and planner, and
in one motion after the other has a fault topic say that the driver drops commands, the controller
report an error outside the tube, or joint states a torque at which the arm would warn. It prints,
for each, the time from the message until the controller took the bridge's command, and until joint
states show an arm at rest: median and largest.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from copy import deepcopy
from pathlib import Path

import numpy as np
from control_msgs.msg import JointTrajectoryControllerState
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test"))
from harness import NodeProcess  # noqa: E402  # lies in the folder above
from planned_robot import PAYLOAD, ROBOT, PlannedRobot  # noqa: E402

TEXT = """
extends: package://payload_id/config/robots/kinova_gen3.yaml
driver:
  follows_while:
    no_fault: {topic: /driver/fault, type: std_msgs/msg/Bool, field: data, allowed: [0]}
"""
STILL = 1e-3  # [rad/s]


class Said:
    """What is said against a motion."""

    def __init__(self, robot: PlannedRobot) -> None:
        self.robot = robot
        self.flag = robot.observer.publisher(Bool, "/driver/fault")
        topic = "/joint_trajectory_controller/controller_state"
        self.error = robot.observer.publisher(JointTrajectoryControllerState, topic)
        self.states = robot.observer.publisher(JointState, "/joint_states")

    def fault(self) -> None:
        """Say that the driver drops commands, for one message."""
        self.flag.publish(Bool(data=True))
        self.flag.publish(Bool(data=False))

    def tube(self) -> None:
        """Say that the controller is far from its reference."""
        message = JointTrajectoryControllerState(joint_names=list(ROBOT.joints))
        message.header.stamp = self.robot.joint_states[-1].header.stamp
        message.error.positions = [0.3] * ROBOT.n
        self.error.publish(message)

    def torque(self) -> None:
        """Say that joint 2 has reached the torque at which the arm warns."""
        message = deepcopy(self.robot.joint_states[-1])
        message.header.stamp.nanosec = min(message.header.stamp.nanosec + 1000, 999_999_999)
        efforts = list(message.effort)
        efforts[1] = 57.0
        message.effort = efforts
        self.states.publish(message)


def one(robot: PlannedRobot, say) -> tuple[str, float, float]:
    """Return the reason that one motion ended for, and the two times [s]."""
    robot.planned()
    _, future, _ = robot.execute_until(moved=0.02)
    robot.commands.clear()
    begin = time.monotonic()

    def acted() -> bool:
        say()  # again and again: of what comes between two looks the newest may count
        return bool(robot.commands or future.done())

    robot.observer.wait(acted, "the bridge's command")
    commanded = time.monotonic() - begin
    robot.observer.wait(
        lambda: np.abs(robot.joint_states[-1].velocity).max() < STILL, "an arm at rest"
    )
    rest = time.monotonic() - begin
    result, _ = robot.result(future)
    robot.observer.wait(lambda: robot.acknowledge().success, result.message, 10.0)
    return result.message, commanded, rest


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as name:
        folder, domain = Path(name), 60 + os.getpid() % 20
        path = folder / "robot.yaml"
        path.write_text(TEXT)
        arm = NodeProcess(
            "simulated_arm", domain, folder / "arm.log", payload=PAYLOAD, rate=100.0,
            robot_file=path,
        )  # fmt: skip
        robot = PlannedRobot(folder, domain, arm, robot_file=path)
        try:
            said = Said(robot)
            for what in ("fault", "tube", "torque"):
                found = [one(robot, getattr(said, what)) for _ in range(times)]
                print(f"{what}: {found[0][0][:90]}")
                for k, until in ((1, "commanded"), (2, "at rest")):
                    seconds = [x[k] for x in found]
                    print(f"  {until}: {np.median(seconds):.3f} s, at most {max(seconds):.3f} s")
        except AssertionError:
            print(robot.printed)
            raise
        finally:
            robot.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
