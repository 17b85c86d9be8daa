"""Control the estimator from Python through its ROS services, here with the simulated arm.

Starts two processes, the simulated arm and sampler with estimator, moves the arm through its
trajectory topic, and reads the result. One sees the estimator's own sentences, the half-width of
the mass shrinking with the data, and the mass with its interval. On a real robot only the client's
part is needed: the nodes come from a launch file, the motion from the robot's controller.

    ./payload-id python examples/04_talk_to_the_estimator.py
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

os.environ["ROS_DOMAIN_ID"] = "77"  # before rclpy: nothing but this example hears these nodes

import rclpy  # noqa: E402
from simulated_arm import PAYLOAD, ROBOT  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from payload_id.core.excitation.limits import MotionLimits  # noqa: E402
from payload_id.core.excitation.random_search import search  # noqa: E402
from payload_id.files.robot_model import RobotModel  # noqa: E402
from payload_id.ros.client import PayloadClient  # noqa: E402
from payload_id.ros.joint_trajectory_message import message_of  # noqa: E402

DURATION = 5.0  # [s] of the motion


def start(node: str, *parameters: str) -> subprocess.Popen[bytes]:
    """Start a node of this package in a process of its own."""
    command = [sys.executable, "-m", f"payload_id.ros.{node}", "--ros-args", "--log-level", "warn"]
    for parameter in parameters:
        command += ["-p", parameter]
    return subprocess.Popen(command)


def main() -> None:
    """Start the nodes, shake the payload, ask for the estimate."""
    limits = ROBOT.limits
    motion = search(
        RobotModel.from_robot_file(ROBOT), ROBOT.home,
        MotionLimits(limits.position_lower, limits.position_upper, limits.velocity,
                     limits.acceleration, limits.effort),
        payloads=[PAYLOAD], seed=3, duration=DURATION, candidates=20,
    ).trajectory  # fmt: skip
    payload = ",".join(str(x) for x in PAYLOAD)
    nodes = [
        start("simulated_arm_node", f"payload:=[{payload}]", "torque_relative:=0.02"),
        start("identify_node"),  # sampler and estimator; bounds come from the robot file
    ]
    rclpy.init()
    try:
        with PayloadClient() as client:
            client.wait_until_ready(timeout=60.0)
            topic = ROBOT.command.trajectory_topic
            target = client.node.create_publisher(JointTrajectory, topic, 1)
            client.wait_for(lambda: target.get_subscription_count() > 0, 60.0, "the arm")
            print(client.start())
            target.publish(message_of(motion, ROBOT.joints, rate=50.0))
            for _ in range(round(DURATION) + 1):
                time.sleep(1.0)
                latest = client.messages[-1]
                print(f"  {latest.seconds:4.1f} s of data: mass ± "
                      f"{(latest.upper[0] - latest.lower[0]) / 2:.3g} kg")  # fmt: skip
            print(client.stop())
            estimate = client.estimate()
            print(f"mass {estimate.phi[0]:.2f} kg in [{estimate.lower[0]:.2f}, "
                  f"{estimate.upper[0]:.2f}] kg, truth {PAYLOAD[0]:.2f} kg")  # fmt: skip
    finally:
        for node in nodes:
            node.send_signal(signal.SIGINT)
            node.wait(timeout=20.0)
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
