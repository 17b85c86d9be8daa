"""What nodes cost that have nothing to do: shares of a core. `benchmarks/idle.py`.

    ./payload-id python benchmarks/idle.py --seconds 20
    ./payload-id python benchmarks/idle.py --rates 1000 --run

Sampler, estimator, bridge and planner run as processes of their own beside a publisher of joint
states of an arm that stands, at each rate in turn; a rate of 0 is a driver that is off. `--run` has
the estimator identify meanwhile, from a recorded motion with a payload. Processor time is counted,
so that other work on the machine matters less. Everything stays on this machine and ends by itself.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import struct
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("ROS_DOMAIN_ID", "83")  # before rclpy: nobody else hears these nodes
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import numpy as np
import rclpy
from node_processes import end, processor_time, robot_file, start
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from timing import recording

from payload_id import RobotFile
from payload_id.ros.client.payload_client import PayloadClient

NODES = ("sampler", "estimator", "bridge", "planner")
SETTLED = 3.0  # [s] before counting begins
MOTION = 30.0  # [s] of motion that are sent again and again


class Driver:
    """Publishes joint states at a rate, in a thread of its own.

    Attributes:
        sent: Messages so far.
    """

    def __init__(self, node: rclpy.node.Node, rate: float, moving: bool, picking: bool) -> None:
        """Begin.

        Args:
            node: Whose publisher it is.
            rate: Of the messages [Hz]; 0: none.
            moving: Whether the arm moves with a payload in its hand.
            picking: Whether its hand is empty at first, and in every other 7.5 s.
        """
        robot = RobotFile.load("kinova_gen3")
        self._publisher = node.create_publisher(
            JointState, robot.joint_states.topic, QoSProfile(depth=100)
        )
        self._messages = self._made(robot, rate, moving, picking) if rate else []
        self._period = 1.0 / rate if rate else 0.0
        self.sent = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()

    def _made(self, robot: RobotFile, rate: float, moving: bool, picking: bool) -> list[bytes]:
        """Return messages as bytes; their stamps are written when they are sent."""
        samples = recording(MOTION if moving else 1.0, seed=4)[1]
        if picking:
            bare = recording(MOTION, seed=4, payload=np.zeros(10))[1]
            empty = np.floor((samples.stamp - samples.stamp[0]) / 7.5) % 2 == 0
            samples = replace(samples, tau=np.where(empty[:, None], bare.tau, samples.tau))
        joints = robot.joint_map()
        zero = joints.torque(np.zeros(robot.n))
        effort = (samples.tau - zero) / (joints.torque(np.ones(robot.n)) - zero)
        at = np.arange(0.0, MOTION if moving else 1.0, 1.0 / rate)
        if not moving:
            at = np.zeros(len(at))
        found = []
        for k in np.searchsorted(samples.stamp - samples.stamp[0], at).clip(max=len(samples) - 1):
            message = JointState(name=list(robot.joints))
            message.position, message.effort = samples.q[k], effort[k]
            message.velocity = samples.dq[k] if moving else np.zeros(robot.n)
            found.append(bytes(serialize_message(message)))
        return found

    def _send(self) -> None:
        begin = time.monotonic()
        while self._messages and not self._ended.is_set():
            now = struct.pack("<II", *divmod(time.time_ns(), 10**9))
            data = self._messages[self.sent % len(self._messages)]
            self._publisher.publish(data[:4] + now + data[12:])
            self.sent += 1
            time.sleep(max(0.0, begin + self.sent * self._period - time.monotonic()))

    def close(self) -> None:
        """End it."""
        self._ended.set()
        self._thread.join()


def shares(pids: dict[str, int], seconds: float) -> dict[str, float]:
    """Return which share of a core processes use in the next seconds [%]."""
    begin, before = time.monotonic(), {name: processor_time(pid) for name, pid in pids.items()}
    time.sleep(seconds)
    passed = time.monotonic() - begin
    return {name: 100 * (processor_time(pid) - before[name]) / passed for name, pid in pids.items()}


def measure(folder: Path, rate: float, arguments: argparse.Namespace) -> None:
    """Start the nodes, print a line for one rate, end the nodes."""
    robot = robot_file(folder)
    options = {name: [f"robot_file:={robot}"] for name in ("sampler", "estimator")}
    options["estimator"] += ["hands_free:=true", "feedforward:=estimate"] * arguments.hands_free
    moved = [f"robot_file:={robot}", "cell:=none, a benchmark", f"state_folder:={folder}"]
    options["bridge"], options["planner"] = moved, [*moved[:2], f"certificates_folder:={folder}"]
    with contextlib.ExitStack() as stack:
        processes = {name: start(name, folder, options[name]) for name in arguments.nodes}
        stack.callback(end, processes)
        client = stack.enter_context(PayloadClient())
        driver = Driver(client.node, rate, arguments.run, arguments.hands_free)
        stack.callback(driver.close)
        if "estimator" in arguments.nodes:
            client.wait_until_ready(60.0)
            if arguments.run and rate and not arguments.hands_free:
                client.start(timeout=30.0)
        time.sleep(SETTLED)
        sent, begin = driver.sent, time.monotonic()
        found = shares({name: x.pid for name, x in processes.items()}, arguments.seconds)
        real = (driver.sent - sent) / (time.monotonic() - begin)
        line = "  ".join(f"{name} {share:5.1f} %" for name, share in found.items())
        print(f"{real:6.0f} Hz  {line}", flush=True)
        if arguments.run and client.messages:
            newest = client.messages[-1]
            print(f"           {newest.samples} samples, {newest.solve_seconds:.2f} s to solve")


def main() -> None:
    """Print a line for each rate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="that are counted")
    parser.add_argument("--rates", type=float, nargs="+", default=[1000.0, 250.0, 0.0])
    parser.add_argument("--nodes", nargs="+", default=list(NODES), choices=NODES)
    parser.add_argument("--run", action="store_true", help="identify meanwhile")
    parser.add_argument("--hands-free", action="store_true", help="tell picks meanwhile")
    arguments = parser.parse_args()
    rclpy.init()
    for rate in arguments.rates:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), rate, arguments)
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
