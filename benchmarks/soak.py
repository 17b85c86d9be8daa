"""Long and hard: a day of simulated time at 1 kHz through running nodes. `benchmarks/soak.py`.

    ./payload-id python benchmarks/soak.py --hours 24 --runs 200
    ./payload-id python benchmarks/soak.py --hours 1 --runs 40 --estimators 8
    ./payload-id python benchmarks/soak.py --hours 1 --runs 40 --arms 3

Estimators that hear one publisher of blocks are fed as fast as they go: runs with a payload, bare
ones with a tare, other estimators by parameter. Beside them a simulated arm, a bridge and a planner
stand by, which plans from time to time. Several arms have a namespace each, and payloads of
different mass, so that a block that went astray would be seen. No sample may be lost, no interval
may miss. Prints for each tenth of the time memory, file handles and threads of all nodes, and how
long estimators take until their estimate holds all that was sent: median, and the tenth part that
was quickest, which other work on the machine disturbs least. Everything stays on this machine and
ends by itself.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

os.environ.setdefault("ROS_DOMAIN_ID", "81")  # before rclpy: nobody else hears these nodes
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import numpy as np
import rclpy
from node_processes import PAGE, end, robot_file, start
from payload_id_msgs.msg import SampleBlock
from rcl_interfaces.srv import SetParameters
from rclpy.duration import Duration
from rclpy.parameter import Parameter
from timing import PAYLOAD, recording, with_noise

from payload_id import RobotFile
from payload_id.core.arrays import Array
from payload_id.core.samples.joint_samples import Samples
from payload_id.ros.client import NotAnsweredError, PayloadClient
from payload_id.ros.common.topics import BLOCKS

MINUTE = 60.0  # [s] of data that are sent again and again
BLOCK = 100  # samples
TIMED = 100  # blocks after which estimators are waited for where that is timed
PART = 250  # blocks elsewhere: two parts are fewer than the 60 s that may wait in an estimator
BURST = 20  # blocks sent at once: what the middleware's shared memory holds, so that none is resent
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
        memory = pages * PAGE / 1e6
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
        clients: By their estimators' names.
        latencies: Times from the last block to an estimate that holds it [s].
    """

    def __init__(self, clients: dict[str, PayloadClient]) -> None:
        """Keep them."""
        self.clients = clients
        self.latencies: list[float] = []

    @property
    def first(self) -> PayloadClient:
        """One of them."""
        return next(iter(self.clients.values()))

    def all(self, verb: str) -> None:
        """Call a service of each."""
        for client in self.clients.values():
            getattr(client, verb)(timeout=PATIENCE)

    def choose(self, estimator: str) -> None:
        """Set a parameter of each."""
        message = Parameter("estimator", value=estimator).to_parameter_msg()
        for name, client in self.clients.items():
            setter = client.node.create_client(SetParameters, f"{name}/set_parameters")
            client.wait_for(setter.service_is_ready, PATIENCE, "the estimator's parameters")
            answer = setter.call_async(SetParameters.Request(parameters=[message]))
            client.wait_for(answer.done, PATIENCE, "its answer")
            if not answer.result().results[0].successful:
                raise SystemExit(answer.result().results[0].reason)
            client.node.destroy_client(setter)

    def wait_for(self, samples: int) -> float:
        """Wait until the estimates hold so many samples, but for windows that are not full.

        Returns:
            How long that took [s].
        """
        begin = time.monotonic()
        for client in self.clients.values():
            client.wait_for(partial(has, client, samples), PATIENCE, f"{samples} samples")
            del client.messages[:-1]
        return time.monotonic() - begin

    def check(self, payload: Array, number: int) -> None:
        """End the benchmark where an interval misses the truth."""
        for name, client in self.clients.items():
            estimate = client.estimate()
            if not estimate.contains(payload).all():
                raise SystemExit(f"Run {number}, {name}: {estimate.message}")


def has(client: PayloadClient, samples: int) -> bool:
    """Tell whether an estimate holds so many samples."""
    return bool(client.messages) and client.messages[-1].samples >= samples


class Arm:
    """What belongs to one arm: sender, estimators, planner, and what it carries."""

    def __init__(self, namespace: str, number: int, clients: dict[str, PayloadClient]) -> None:
        """Find its nodes."""
        self.fleet = Fleet(clients)
        node = self.fleet.first.node
        publisher = node.create_publisher(
            SampleBlock, f"{namespace}/payload_sampler/samples", BLOCKS
        )
        self.fleet.first.wait_for(
            lambda: publisher.get_subscription_count() >= len(clients), 60.0, "all estimators"
        )
        self.sender = Sender(publisher, list(RobotFile.load("kinova_gen3").joints))
        share = 1.0 - 0.25 * number  # of the known payload: arms carry different ones
        _, self.loaded, self.payload = recording(
            MINUTE, seed=4, noisy=False, payload=share * PAYLOAD
        )

    def make_run(self, samples: Samples, seconds: float) -> None:
        """Send a run, and wait until it is in all estimates.

        The first recording waits after each part until the estimates hold it, which is timed; the
        others wait for the part before, so that both sides are busy.
        """
        fleet = self.fleet
        fleet.all("start")
        for client in fleet.clients.values():
            client.messages.clear()
        used = self._send_timed(samples)
        for _ in range(1, round(seconds / MINUTE)):
            used = self._send_ahead(samples, used)
        fleet.wait_for(used)
        fleet.all("stop")

    def _send_timed(self, samples: Samples) -> int:
        """Send a recording in parts; return how many samples estimates hold at least."""
        blocks = list(self.sender.blocks(samples))
        used = -WINDOW
        for first in range(0, len(blocks), TIMED):
            used += self._send(blocks[first : first + TIMED])
            self.fleet.latencies.append(self.fleet.wait_for(used))
        return used

    def _send_ahead(self, samples: Samples, used: int) -> int:
        """Send a recording in parts; return how many samples estimates will hold at least."""
        blocks = list(self.sender.blocks(samples))
        before, used = used, used - WINDOW
        for first in range(0, len(blocks), PART):
            sent = self._send(blocks[first : first + PART])
            self.fleet.wait_for(before)
            before, used = used, used + sent
        return used

    def _send(self, blocks: Iterable[SampleBlock]) -> int:
        """Send blocks until they have arrived; return the number of samples."""
        count = 0
        for number, block in enumerate(blocks, start=1):
            self.sender.publisher.publish(block)
            count += len(block.stamp_ns)
            if number % BURST == 0:
                self.sender.publisher.wait_for_all_acked(Duration(seconds=PATIENCE))
        self.sender.publisher.wait_for_all_acked(Duration(seconds=PATIENCE))
        return count

    def plan(self, number: int) -> str:
        """Ask for a plan; return why there is none in the short time given, empty if there is.

        An arm that falls behind the clock, as on a busy machine, is none to plan for.
        """
        try:
            self.fleet.first.plan(PATIENCE, duration=4.0, seed=number, time_budget=10.0)
        except NotAnsweredError as error:
            if not any(x in str(error) for x in ("No motion was certified", "behind the clock")):
                raise
            return str(error)
        return ""


def soak(arguments: argparse.Namespace, nodes: dict[str, int], arms: list[Arm]) -> None:
    """Make all runs; print a line for each tenth of them."""
    bare = recording(MINUTE, seed=4, noisy=False, payload=np.zeros(10))[1]
    rng = np.random.default_rng(arguments.seed)
    seconds, seen = 3600.0 * arguments.hours / arguments.runs, []
    reasons: list[str] = []  # why there was no plan
    print(
        "  runs  hours  latency median, quickest tenth  memory [MB], file handles, threads: "
        + ", ".join(nodes)
    )
    for number in range(arguments.runs):
        is_bare = number % TARED == 0
        for arm in arms:
            arm.fleet.choose(CHANGED[number % len(CHANGED)])
            arm.make_run(with_noise(bare if is_bare else arm.loaded, rng), seconds)
            arm.fleet.check(np.zeros(10) if is_bare else arm.payload, number)
            if is_bare:
                arm.fleet.all("tare")
            if number % PLANNED == PLANNED - 1:
                reasons.append(arm.plan(number))
        seen.append({name: Usage.of(pid) for name, pid in nodes.items()})
        if (number + 1) % max(1, arguments.runs // 10) == 0:
            each = ", ".join(f"{u.memory:.0f} {u.handles} {u.threads}" for u in seen[-1].values())
            latencies = [1e3 * x for arm in arms for x in arm.fleet.latencies]
            hours = arms[0].sender.first / 3.6e6
            print(
                f"{number + 1:6d} {hours:6.2f} {statistics.median(latencies):8.0f} ms "
                f"{np.quantile(latencies, 0.1):8.0f} ms  {each}", flush=True,
            )  # fmt: skip
            for arm in arms:
                arm.fleet.latencies.clear()
    print(f"{len(reasons)} plans asked for, {reasons.count('')} certified in ten seconds")
    for reason in sorted(set(reasons) - {""}):
        print(reason)
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
    parser.add_argument("--estimators", type=int, default=1, help="of each arm")
    parser.add_argument("--arms", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        namespaces = [f"/arm_{k}" if arguments.arms > 1 else "" for k in range(arguments.arms)]
        processes: dict[str, subprocess.Popen[bytes]] = {}
        for namespace in namespaces:
            processes |= start_nodes(Path(name), namespace, arguments.estimators)
        stack.callback(end, processes)
        rclpy.init()
        stack.callback(rclpy.try_shutdown)
        arms = []
        for number, namespace in enumerate(namespaces):
            names = [f"{namespace}/estimator_{k}" for k in range(arguments.estimators)]
            others = f"{namespace}/payload_planner", f"{namespace}/payload_bridge"
            clients = {x: stack.enter_context(PayloadClient(x, *others)) for x in names}
            for client in clients.values():
                client.wait_until_ready(120.0)
            arms.append(Arm(namespace, number, clients))
        soak(arguments, {name: process.pid for name, process in processes.items()}, arms)


def start_nodes(
    parent: Path, namespace: str, estimators: int
) -> dict[str, subprocess.Popen[bytes]]:
    """Start the nodes of one arm."""
    folder = parent / f"nodes{namespace.replace('/', '_')}"
    folder.mkdir()
    robot = robot_file(folder)
    planned = [f"robot_file:={robot}", "cell:=none, a simulation"]
    planned += ["payload_box:=[0.14, 0.14, 0.16]", "payload_box_centre:=[0.0, 0.0, 0.08]"]
    planned += ["clock_tolerance:=5.0", "uncertainty.prior.mass_max:=1.5"]
    planned += ["uncertainty.prior.com_max:=0.15"]  # what its wrist can hold whatever it is
    begin = partial(start, folder=folder, namespace=namespace)
    processes = {
        f"{namespace}/estimator_{k}": begin(
            "estimator", parameters=[f"robot_file:={robot}"], name=f"estimator_{k}"
        )
        for k in range(estimators)
    }
    processes[f"{namespace}/arm"] = begin("simulated_arm", parameters=["rate:=100.0"])
    processes[f"{namespace}/bridge"] = begin("bridge", parameters=planned)
    processes[f"{namespace}/planner"] = begin(
        "planner", parameters=[*planned, f"certificates_folder:={folder}"]
    )
    return processes


if __name__ == "__main__":
    main()
