"""Control the estimator from Python through its ROS services, here with the simulated arm.

Starts the simulated arm, and sampler with estimator, moves the arm, and reads the result. One sees
the estimator's own sentences, the half-width of the mass shrinking, and the mass with its interval.
On a real robot only the client's part is needed: nodes and motion come from elsewhere.

    ./payload-id python examples/04_talk_to_the_estimator.py
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

os.environ["ROS_DOMAIN_ID"] = "77"  # before rclpy: nothing but this example hears these nodes

import rclpy  # noqa: E402  # after the domain is chosen
from simulated_arm import MODEL, PAYLOAD, ROBOT  # noqa: E402  # likewise
from trajectory_msgs.msg import JointTrajectory  # noqa: E402  # likewise

from payload_id.core.excitation.search.random_fourier_search import random_fourier_search
from payload_id.core.motion.limits import MotionLimits
from payload_id.ros.client.payload_client import PayloadClient, estimate_from
from payload_id.ros.common.joint_trajectory_message import message_of

DURATION = 5.0  # [s] of the motion
# What the simulated arm does not do, unlike the real one that the robot file describes.
NOT_SIMULATED = "torque_absolute torque_offset friction_coulomb friction_viscous rotor_inertia"


def start(node: str, *parameters: str) -> subprocess.Popen[bytes]:
    """Start a node of this package in a process of its own."""
    options = [x for parameter in parameters for x in ("-p", parameter)]
    command = [sys.executable, "-m", f"payload_id.ros.{node}.node", "--ros-args", *options]
    return subprocess.Popen([*command, "--log-level", "error"])


def shake_and_ask(client: PayloadClient, motion: JointTrajectory) -> None:
    """Start a run, move, stop, and print the estimate."""
    client.wait_until_ready(timeout=60.0)
    arm = client.node.create_publisher(JointTrajectory, ROBOT.command.trajectory_topic, 1)
    client.wait_for(lambda: arm.get_subscription_count() > 0, 60.0, "the arm")
    print(client.start())
    arm.publish(motion)
    for _ in range(round(DURATION) + 1):
        time.sleep(1.0)
        latest = estimate_from(client.messages[-1])
        print(f"  {latest.seconds:.1f} s of data: mass ± {latest.half_width[0]:.3g} kg")
    print(client.stop())
    found = client.estimate()
    low, high = found.lower[0], found.upper[0]
    print(f"mass {found.phi[0]:.3f} kg in [{low:.3f}, {high:.3f}] kg, truth {PAYLOAD[0]:.3f} kg")


def main() -> None:
    """Find a motion, start the nodes, identify, end the nodes."""
    names = ("position_lower", "position_upper", "velocity", "acceleration", "effort")
    limits = MotionLimits(*(getattr(ROBOT.limits, name) for name in names))
    found = random_fourier_search(MODEL, ROBOT.home, limits, [PAYLOAD], 3, DURATION, candidates=20)
    bounds = [f"payload_estimator:uncertainty.{name}:=0.0" for name in NOT_SIMULATED.split()]
    nodes = [
        start("simulated_arm", f"payload:={PAYLOAD.tolist()}", "torque_relative:=0.02"),
        start("identify", *bounds),  # sampler and estimator; other bounds: the robot file's
    ]
    rclpy.init()
    try:
        with PayloadClient() as client:
            shake_and_ask(client, message_of(found.trajectory, ROBOT.joints, rate=50.0))
    finally:
        for node in nodes:
            node.send_signal(signal.SIGINT)
            node.wait(timeout=20.0)
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
