"""What the live path costs and whether it loses anything: minutes at full rate, estimates running.

`./payload-id python benchmarks/ingestion.py --minutes 10` starts the simulated Gen3 (1 kHz),
sampler and estimator as the demo does, keeps the arm moving, and prints each minute: processor time
of sampler and estimator as a share of one core, their memory, samples used and samples lost.
Everything stays on this machine and ends by itself.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import rclpy
from payload_id_msgs.msg import SampleBlock
from trajectory_msgs.msg import JointTrajectory

from payload_id.cli.demo.nodes import arm_nodes
from payload_id.cli.demo.scene import DURATION, draw_scene
from payload_id.ros.client.payload_client import PayloadClient
from payload_id.ros.common.joint_trajectory_message import message_of

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Blocks:
    """Counts what the sampler publishes; `newest` is the arm's time [s]."""

    received: int = 0
    dropped: int = 0
    gaps: int = 0
    newest: float = 0.0

    def take(self, block: SampleBlock) -> None:
        """Note the counters of one block."""
        self.received, self.gaps = block.received, block.gaps
        self.newest = 1e-9 * block.stamp_ns[-1]
        self.dropped = sum(
            getattr(block, name)
            for name in block.get_fields_and_field_types()
            if name.startswith("dropped_")
        )


def usage(pid: int) -> tuple[float, float]:
    """Return processor time [s] and resident memory [MB] of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS, int(fields[21]) * PAGE / 1e6


def main() -> None:
    """Run and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ.setdefault("ROS_DOMAIN_ID", "97")
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    with tempfile.TemporaryDirectory() as out:
        scene = draw_scene("kinova_gen3", arguments.seed, Path(out))
        rclpy.init()
        with arm_nodes(scene) as nodes, PayloadClient() as client:
            measure(scene, nodes, client, arguments.minutes)
        rclpy.try_shutdown()


def measure(scene, nodes, client, minutes: float) -> None:
    """Keep the arm moving for some minutes and print a line for each."""
    blocks = Blocks()
    client.node.create_subscription(SampleBlock, "payload_sampler/samples", blocks.take, 100)
    topic = scene.robot.command.trajectory_topic
    target = client.node.create_publisher(JointTrajectory, topic, 1)
    client.wait_until_ready(40.0)
    client.wait_for(lambda: target.get_subscription_count() > 0, 40.0, "the arm")
    client.start()
    pids = {name: nodes.pid(name) for name in ("sampler", "estimator")}
    before = {name: usage(pid) for name, pid in pids.items()}
    motion = message_of(scene.motion.trajectory, scene.robot.joints, 50.0)
    print("minute  sampler        estimator      samples   lost  gaps  updates  last update")
    begin = last = time.monotonic()
    for minute in range(1, max(1, round(minutes)) + 1):
        while time.monotonic() - begin < 60.0 * minute:
            nodes.check()
            client.wait_for(lambda: blocks.received > 0, 40.0, "samples")
            # By the arm's time: on a busy machine it is behind, and a motion that is replaced
            # before its end makes torques jump.
            rest = blocks.newest + DURATION + 1.0
            target.publish(motion)
            client.wait_for(lambda rest=rest: blocks.newest > rest, 120.0, "the motion's end")
        now = time.monotonic()
        shares = []
        for name, pid in pids.items():
            cpu, memory = usage(pid)
            shares.append(f"{100 * (cpu - before[name][0]) / (now - last):3.0f} % {memory:4.0f} MB")
            before[name] = (cpu, memory)
        last = now
        final = client.messages[-1]
        print(
            f"{minute:6d}  {shares[0]:13s}  {shares[1]:13s}  {final.samples:8d}  "
            f"{blocks.dropped:4d}"
            f"  {blocks.gaps:4d}  {len(client.messages):7d}  {final.solve_seconds:.2f} s",
            flush=True,
        )
    client.stop()
    final = client.estimate()
    contained = bool(final.contains(scene.payload).all())
    print(f"received {blocks.received}, used {final.samples}, truth inside: {contained}")


if __name__ == "__main__":
    main()
