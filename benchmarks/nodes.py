"""What nodes cost and hold: shares of a core, memory, file handles, threads.

    ./payload-id python benchmarks/nodes.py --seconds 20
    ./payload-id python benchmarks/nodes.py --rates 1000 --run
    ./payload-id python benchmarks/nodes.py --rates 1000 --run --seconds 3600 --times 24

Sampler, estimator, bridge and planner run as processes of their own beside a publisher of joint
states of an arm that stands, at each rate in turn; a rate of 0 is a driver that is off. `--run` has
the estimator identify meanwhile, from a recorded motion with a payload; with `--hands-free` nobody
calls it, and the payload is picked up and put down. A line is printed so many `--times`, each for
so many `--seconds`: what grows is seen. Processor time is counted, so that other work on the
machine matters less. Everything stays on this machine and ends by itself.
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

import numpy as np
import psutil
import rclpy
import yaml
from bench import options, tell
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from timing import UNCERTAINTY, recording

from harness import NodeProcess
from payload_id import RobotFile
from payload_id.ros.client.payload_client import PayloadClient

SETTLED = 3.0  # [s] before counting begins
MOTION = 30.0  # [s] of motion that are sent again and again


def messages(robot: RobotFile, rate: float, given: argparse.Namespace) -> list[bytes]:
    """Return joint states as bytes; their stamps are written when they are sent."""
    samples = recording(MOTION if given.run else 1.0, seed=4)[1]
    if given.run and given.hands_free:
        bare = recording(MOTION, seed=4, payload=np.zeros(10))[1]
        empty = np.floor((samples.stamp - samples.stamp[0]) / 7.5) % 2 == 0
        samples = replace(samples, tau=np.where(empty[:, None], bare.tau, samples.tau))
    joints = robot.joint_map()
    zero = joints.torque(np.zeros(robot.n))
    effort = (samples.tau - zero) / (joints.torque(np.ones(robot.n)) - zero)
    at = np.arange(0.0, MOTION, 1.0 / rate) if given.run else np.zeros(1)
    found = []
    for k in np.searchsorted(samples.stamp - samples.stamp[0], at).clip(max=len(samples) - 1):
        message = JointState(name=list(robot.joints))
        message.position, message.effort = samples.q[k], effort[k]
        message.velocity = samples.dq[k] * given.run
        found.append(bytes(serialize_message(message)))
    return found


def send(publisher: rclpy.publisher.Publisher, rate: float, sent: list[bytes],
         ended: threading.Event) -> None:  # fmt: skip
    """Publish messages at a rate, again and again."""
    begin, count = time.monotonic(), 0
    while not ended.is_set():
        now = struct.pack("<II", *divmod(time.time_ns(), 10**9))
        data = sent[count % len(sent)]
        publisher.publish(data[:4] + now + data[12:])
        count += 1
        time.sleep(max(0.0, begin + count / rate - time.monotonic()))


def watch(processes: dict[str, NodeProcess], given: argparse.Namespace) -> None:
    """Print what processes use, a line for so many seconds."""
    every = {name: psutil.Process(node.process.pid) for name, node in processes.items()}
    for _ in range(given.times):
        begin, before = time.monotonic(), {k: sum(x.cpu_times()[:2]) for k, x in every.items()}
        time.sleep(given.seconds)
        passed = time.monotonic() - begin
        tell("  ".join(
            f"{k} {100 * (sum(x.cpu_times()[:2]) - before[k]) / passed:.1f} %, "
            f"{x.memory_info().rss / 1e6:.0f} MB, {x.num_fds()}, {x.num_threads()};"
            for k, x in every.items()
        ))  # fmt: skip


def measure(folder: Path, rate: float, given: argparse.Namespace) -> None:
    """Start the nodes, watch them, end them."""
    shipped, path = RobotFile.load("kinova_gen3"), folder / "robot.yaml"
    bounds = UNCERTAINTY.to_dict()  # of the recording that is sent
    path.write_text(yaml.safe_dump({"extends": str(shipped.path.resolve()), "uncertainty": bounds}))
    cell = {"cell": "none, a benchmark"}
    of = {"sampler": {}, "bridge": cell | {"state_folder": folder},
          "planner": cell | {"certificates_folder": folder},
          "estimator": {"hands_free": "true", "feedforward": "estimate"} if given.hands_free else {}
          }  # fmt: skip
    domain = int(os.environ["ROS_DOMAIN_ID"])
    with contextlib.ExitStack() as stack:
        processes = {}
        for name, own in of.items():
            log = folder / f"{name}.log"
            processes[name] = NodeProcess(name, domain, log, robot_file=path, **own)
            stack.callback(processes[name].stop)
        client, ended = stack.enter_context(PayloadClient()), threading.Event()
        if rate:
            publisher = client.node.create_publisher(
                JointState, shipped.joint_states.topic, QoSProfile(depth=100)
            )
            sender = threading.Thread(
                target=send, args=(publisher, rate, messages(shipped, rate, given), ended)
            )
            sender.start()
            stack.callback(sender.join)
            stack.callback(ended.set)
        client.wait_until_ready(60.0)
        if given.run and rate and not given.hands_free:
            client.start(timeout=30.0)
        time.sleep(SETTLED)
        tell(f"{rate:g} Hz; of each node: share of a core, memory, file handles, threads")
        watch(processes, given)
        if given.run and client.messages:
            newest = client.messages[-1]
            tell(f"{newest.samples} samples, {newest.solve_seconds:.2f} s to solve")


def main() -> None:
    """Print lines for each rate."""
    given = options(rates=(1000.0, 250.0, 0.0), seconds=20.0, times=1, run=False, hands_free=False)
    rclpy.init()
    for rate in given.rates:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), rate, given)
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
