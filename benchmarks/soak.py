"""Long and hard: a day of simulated time at 1 kHz through running nodes. `benchmarks/soak.py`.

    ./payload-id python benchmarks/soak.py --hours 24 --runs 200
    ./payload-id python benchmarks/soak.py --hours 1 --runs 40 --estimators 8

Estimators that hear one publisher of blocks are fed as fast as they go: runs with a payload, bare
ones with a tare, other estimators and other rates by parameter. Beside them a simulated arm and a
planner stand by, which plans from time to time. No sample may be lost, no interval may miss. Prints
for each tenth of the time memory, file handles and threads of all nodes, and how long estimators
take until their estimate holds all that was sent. Everything stays on this machine and ends by
itself.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

os.environ.setdefault("ROS_DOMAIN_ID", "81")  # before rclpy: nobody else hears these nodes
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import numpy as np
import rclpy
import yaml
from known_runs import robot_file, start
from payload_id_msgs.msg import SampleBlock
from rcl_interfaces.srv import SetParameters
from rclpy.duration import Duration
from rclpy.parameter import Parameter
from timing import UNCERTAINTY, recording, with_noise

from payload_id import RobotFile
from payload_id.core.arrays import Array
from payload_id.core.samples.joint_samples import Samples
from payload_id.ros.client import PayloadClient, PlannerClient
from payload_id.ros.common.topics import BLOCKS

MINUTE = 60.0  # [s] of data that are sent again and again
BLOCK = 100  # samples
AHEAD = 100  # blocks that are sent before estimators are waited for
PAUSE = 5.0  # [s] of data's time between recordings
WINDOW = 150  # samples that a window that is not full may hold back, before each pause
PATIENCE = 120.0  # [s] for an estimate or an answer
CHANGED = ("lmi", "entropic", "wls")  # estimators that runs take in turn
TARED, PLANNED = 20, 20  # one run in so many is bare; a plan is asked for as often
START_NS = 1_700_000_000_000_000_000  # of the stamps [ns]


@dataclass(frozen=True)
class Usage:
    """What a process holds: resident memory [MB], file handles, threads."""

    memory: float
    handles: int
    threads: int

    @classmethod
    def of(cls, pid: int) -> Usage:
        """Look at a process."""
        folder = Path(f"/proc/{pid}")
        pages = int((folder / "statm").read_text().split()[1])
        memory = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        return cls(memory, *(len(list((folder / kind).iterdir())) for kind in ("fd", "task")))


@dataclass
class Sender:
    """Sends a recording again and again, with later stamps.

    Attributes:
        publisher: Of the blocks.
        joints: Names of the joints.
        stamp_ns: Stamp of the next recording [ns].
        sequence: Number of the next block.
        first: Number of the next sample.
    """

    publisher: rclpy.publisher.Publisher
    joints: list[str]
    stamp_ns: int = START_NS
    sequence: int = 0
    first: int = 0

    def blocks(self, samples: Samples) -> Iterator[SampleBlock]:
        """Yield samples as a sampler sends them."""
        stamps = self.stamp_ns + np.rint(1e9 * (samples.stamp - samples.stamp[0])).astype(np.int64)
        for first in range(0, len(samples), BLOCK):
            part = slice(first, first + BLOCK)
            block = SampleBlock(
                sequence=self.sequence, first_index=self.first, joint_names=self.joints
            )
            block.stamp_ns = stamps[part]
            block.header.stamp.sec, block.header.stamp.nanosec = divmod(
                int(stamps[part][-1]), 10**9
            )
            block.position = samples.q[part].ravel()
            block.velocity = samples.dq[part].ravel()
            block.effort = samples.tau[part].ravel()
            self.sequence, self.first = self.sequence + 1, self.first + len(block.stamp_ns)
            yield block
        self.stamp_ns = int(stamps[-1] + PAUSE * 1e9)


class Fleet:
    """Estimators that hear one publisher.

    Attributes:
        clients: One for each.
        latencies: Times from the last block to an estimate that holds it [s].
    """

    def __init__(self, clients: list[PayloadClient]) -> None:
        """Keep them."""
        self.clients = clients
        self.latencies: list[float] = []

    def all(self, verb: str) -> None:
        """Call a service of each."""
        for client in self.clients:
            getattr(client, verb)(timeout=PATIENCE)

    def choose(self, estimator: str) -> None:
        """Set a parameter of each."""
        message = Parameter("estimator", value=estimator).to_parameter_msg()
        for number, client in enumerate(self.clients):
            setter = client.node.create_client(SetParameters, f"{name_of(number)}/set_parameters")
            client.wait_for(setter.service_is_ready, PATIENCE, "the estimator's parameters")
            answer = setter.call_async(SetParameters.Request(parameters=[message]))
            client.wait_for(answer.done, PATIENCE, "its answer")
            if not answer.result().results[0].successful:
                raise SystemExit(answer.result().results[0].reason)
            client.node.destroy_client(setter)

    def wait_for(self, samples: int) -> None:
        """Wait until the estimates hold so many samples, but for windows that are not full."""
        begin = time.monotonic()
        for client in self.clients:
            client.wait_for(partial(has, client, samples), PATIENCE, f"{samples} samples")
            del client.messages[:-1]
        self.latencies.append(time.monotonic() - begin)


def has(client: PayloadClient, samples: int) -> bool:
    """Tell whether an estimate holds so many samples."""
    return bool(client.messages) and client.messages[-1].samples >= samples


def name_of(number: int) -> str:
    """Return the name of an estimator."""
    return f"estimator_{number}"


def make_run(sender: Sender, fleet: Fleet, samples: Samples, seconds: float) -> None:
    """Send a run, and wait until it is in all estimates."""
    fleet.all("start")
    for client in fleet.clients:
        client.messages.clear()
    sent = used = 0
    while sent < round(seconds * 1000):
        used -= WINDOW
        for number, block in enumerate(sender.blocks(samples)):
            sender.publisher.publish(block)
            sent, used = sent + len(block.stamp_ns), used + len(block.stamp_ns)
            if number % AHEAD == AHEAD - 1:
                sender.publisher.wait_for_all_acked(Duration(seconds=PATIENCE))
                fleet.wait_for(used)
    fleet.wait_for(used)
    fleet.all("stop")


def check(fleet: Fleet, payload: Array, number: int) -> None:
    """Count intervals that miss the truth as the end of the benchmark."""
    for k, client in enumerate(fleet.clients):
        estimate = client.estimate()
        if not estimate.contains(payload).all():
            raise SystemExit(f"Run {number}, {name_of(k)}: {estimate.message}")


def soak(arguments: argparse.Namespace, nodes: dict[str, int], fleet: Fleet) -> None:
    """Make all runs; print a line for each tenth of them."""
    _, loaded, payload = recording(MINUTE, seed=4, noisy=False)
    bare = recording(MINUTE, seed=4, noisy=False, payload=np.zeros(10))[1]
    rng = np.random.default_rng(arguments.seed)
    node = fleet.clients[0].node
    publisher = node.create_publisher(SampleBlock, "payload_sampler/samples", BLOCKS)
    fleet.clients[0].wait_for(
        lambda: publisher.get_subscription_count() >= len(fleet.clients), 60.0, "all estimators"
    )
    sender = Sender(publisher, list(RobotFile.load("kinova_gen3").joints))
    planner = PlannerClient(node)
    seconds, seen = 3600.0 * arguments.hours / arguments.runs, []
    print(
        "  runs  hours  latency (median)  memory [MB], file handles, threads: " + ", ".join(nodes)
    )
    for number in range(arguments.runs):
        is_bare = number % TARED == 0
        fleet.choose(CHANGED[number % len(CHANGED)])
        truth = np.zeros(10) if is_bare else payload
        make_run(sender, fleet, with_noise(bare if is_bare else loaded, rng), seconds)
        check(fleet, truth, number)
        if is_bare:
            fleet.all("tare")
        if number % PLANNED == PLANNED - 1:
            planner.plan(300.0, duration=4.0, seed=number, time_budget=2.0)
        seen.append({name: Usage.of(pid) for name, pid in nodes.items()})
        if (number + 1) % max(1, arguments.runs // 10) == 0:
            each = ", ".join(f"{u.memory:.0f} {u.handles} {u.threads}" for u in seen[-1].values())
            latency = statistics.median(fleet.latencies)
            hours = sender.first / 3.6e6
            print(f"{number + 1:6d} {hours:6.2f} {1e3 * latency:14.0f} ms  {each}", flush=True)
            fleet.latencies.clear()
    report_growth(seen)


def report_growth(seen: list[dict[str, Usage]]) -> None:
    """Print by how much nodes hold more at the end than after a fifth of the runs."""
    fifth = max(1, len(seen) // 5)
    for name in seen[0]:
        early, late = (
            {kind: statistics.median(getattr(use[name], kind) for use in part)
             for kind in ("memory", "handles", "threads")}
            for part in (seen[fifth : 2 * fifth] or seen[:1], seen[-fifth:])
        )  # fmt: skip
        print(
            f"{name}: memory {100 * (late['memory'] / early['memory'] - 1):+.1f} %, file handles "
            f"{late['handles'] - early['handles']:+.0f}, threads "
            f"{late['threads'] - early['threads']:+.0f}"
        )


def main() -> None:
    """Start the nodes, soak, end the nodes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=24.0, help="of simulated time")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--estimators", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        robot = folder / "soak.yaml"
        bounds = UNCERTAINTY.to_dict()
        robot.write_text(
            yaml.safe_dump(
                {"extends": str(RobotFile.load("kinova_gen3").path), "uncertainty": bounds}
            )
        )
        planned = [f"robot_file:={robot_file(folder)}", "cell:=none, a simulation"]
        planned += ["payload_box:=[0.14, 0.14, 0.16]", "payload_box_centre:=[0.0, 0.0, 0.08]"]
        planned += ["clock_tolerance:=5.0"]
        processes = {
            name_of(k): start("estimator", folder, f"robot_file:={robot}", name=name_of(k))
            for k in range(arguments.estimators)
        }
        processes["arm"] = start("simulated_arm", folder, "rate:=100.0")
        processes["bridge"] = start("bridge", folder, *planned)
        processes["planner"] = start("planner", folder, *planned, f"certificates_folder:={folder}")
        stack.callback(end, processes)
        rclpy.init()
        stack.callback(rclpy.try_shutdown)
        clients = [
            stack.enter_context(PayloadClient(name_of(k))) for k in range(arguments.estimators)
        ]
        for client in clients:
            client.wait_until_ready(120.0)
        soak(arguments, {name: process.pid for name, process in processes.items()}, Fleet(clients))


def end(processes: dict[str, subprocess.Popen[bytes]]) -> None:
    """End the nodes."""
    for process in processes.values():
        process.send_signal(signal.SIGINT)
    for process in processes.values():
        process.wait(timeout=30.0)


if __name__ == "__main__":
    main()
