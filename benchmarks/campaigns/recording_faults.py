"""Faults of processes, disk, clock and network around a running sampler and estimator.

Joint states of a known payload go to both nodes. Each fault is a function that has something go
wrong in the middle of them; afterwards nothing that was recorded is lost, nothing is said of the
payload that is not true, and the next run is sound, with nothing restarted but what was killed.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from lossy_sockets import UDP_ONLY, loss
from payload_id_msgs.msg import PayloadEstimate, SampleBlock
from payload_id_msgs.srv import GetEstimate, Save
from read_only_folder import can_be_read_only, read_only
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from harness import START_NS, NodeProcess, Observer, joint_state
from payload_id.files.bags.bag_reader import open_bag
from payload_id.files.bags.joint_states_bag import read_joint_state
from synthetic import PAYLOAD, RATE, TOPIC, measured, robot_file

PERIOD = 4.0  # of the motion [s]
NODE = "/payload_estimator"
NAMES = [f"joint_{k}" for k in range(1, 8)]
STEP_NS = 10**9 // RATE
KEPT_BACK = 2 * RATE  # samples that a killed sampler may not have written: twice a second's
USABLE = (PayloadEstimate.GOOD, PayloadEstimate.TOO_WIDE)
HOUR = 3600 * 10**9
FULL = 2.5  # for which the disk is full [s]
LOSS = 0.2  # share of datagrams
PARTITION = 2.0  # for which nothing comes through [s]
GROWTH = 20_000  # of a bag that is written to [bytes]
GOES_ON = "Recording goes on"
SLOW = 0.3  # that a slow disk takes for a write [s]
SAMPLER = Path(__file__).with_name("sampler_on_slow_disk.py")


def observer(domain: int, name: str = "observer") -> Observer:
    """Return an observer whose middleware uses what that of the nodes does."""
    with patch.dict(os.environ, UDP_ONLY):
        return Observer(domain, name)


class Rig:
    """Sampler and estimator as processes, and the driver of an arm."""

    def __init__(self, folder: Path, domain: int) -> None:
        """Start all."""
        self.folder, self.domain = folder, domain
        self.slow_disk = folder / "slow_disk"  # of the sampler, while this file exists
        self._environment = {**os.environ, **UDP_ONLY, "SLOW_DISK": str(self.slow_disk)}
        self._file = robot_file(folder)
        self._samples = measured(tuple(PAYLOAD), PERIOD)
        self.observer = observer(domain)
        self.estimates = self.observer.listen(PayloadEstimate, f"{NODE}/payload")
        self.sampler, self.estimator = self.start_sampler(), self.start_estimator()
        self._driver = self.observer.publisher(JointState, TOPIC)
        self._meet()
        self.stamp_ns, self._number = START_NS, 0
        self.sent: list[int] = []  # stamps that must be recorded
        self.doubtful: set[int] = set()  # those that need not be

    def start_sampler(self) -> NodeProcess:
        """Start a sampler that records."""
        log = self.folder / f"sampler_{time.monotonic_ns()}"
        return NodeProcess(
            str(SAMPLER), self.domain, log, robot_file=self._file, bag=self.folder / "bag",
            environment=self._environment,
        )  # fmt: skip

    def start_estimator(self) -> NodeProcess:
        """Start an estimator."""
        log = self.folder / f"estimator_{time.monotonic_ns()}"
        return NodeProcess(
            "estimator", self.domain, log, robot_file=self._file, environment=self._environment,
            recordings_folder=self.folder, runs_folder=self.folder,
        )  # fmt: skip

    def _meet(self) -> None:
        """Wait until a message that is sent comes through to the estimator."""
        blocks = self.observer.listen(SampleBlock, "/payload_sampler/samples")
        count = len(blocks)
        self.observer.wait(lambda: self._driver.get_subscription_count(), "the sampler")
        self.observer.wait(
            lambda: self.observer.node.count_subscribers("/payload_sampler/samples") >= 2,
            "the estimator",
        )
        self.stamp_ns = getattr(self, "stamp_ns", START_NS - 10**9)

        def through() -> bool:
            self.stamp_ns += STEP_NS
            zero = np.zeros(7)
            self._driver.publish(joint_state(self.stamp_ns, NAMES, zero, zero, zero + 1.0))
            return len(blocks) > count

        self.observer.wait(through, "a block of samples")

    def restarted(self) -> None:
        """Wait until a node that was started anew takes part."""
        self._meet()

    def send(self, count: int, certain: bool = True) -> None:
        """Publish the motion's next samples."""
        for _ in range(count):
            self.stamp_ns += STEP_NS
            self.publish(self.stamp_ns, self._number)
            (self.sent.append if certain else self.doubtful.add)(self.stamp_ns)
            self._number += 1
            self.observer.executor.spin_once(timeout_sec=0.0002)

    def publish(self, stamp_ns: int, number: int) -> None:
        """Publish one sample of the motion."""
        k = number % len(self._samples)
        row = self._samples
        self._driver.publish(joint_state(stamp_ns, NAMES, row.q[k], row.dq[k], -row.tau[k]))

    def trigger(self, name: str) -> Trigger.Response:
        """Call a service of the estimator."""
        return self.observer.call(Trigger, f"{NODE}/{name}")

    def begin_run(self) -> None:
        """Begin a run; it is refused, and why is said, until the last fault has been got over."""
        said: list[str] = []

        def begun() -> bool:
            answer = self.trigger("start")
            said.append(answer.message)
            return answer.success

        self.observer.wait(begun, "the beginning of a run")
        assert all(said)

    def check_a_run(self, disturb: Callable[[], object] = lambda: None) -> None:
        """Make a run, with something in the middle of it; its intervals must contain the truth."""
        self.trigger("stop")
        self.begin_run()
        self.send(2 * RATE)
        disturb()
        self.send(2 * RATE)
        answer = self.trigger("stop")
        assert answer.success, answer.message
        self.check_estimates()
        assert self.estimates[-1].status in USABLE, answer.message

    def check_estimates(self) -> None:
        """Check that nothing was said of the payload that is not true."""
        for estimate in self.estimates:
            if estimate.status in (*USABLE, PayloadEstimate.SMALL_LOAD):
                assert np.all((estimate.lower <= PAYLOAD) & (estimate.upper >= PAYLOAD))

    def recorded(self) -> set[int]:
        """Return the stamps of all messages in all bags."""
        found: set[int] = set()
        for folder in sorted(self.folder.glob("bag*")):
            if any(x.suffix == ".mcap" and x.stat().st_size > 1000 for x in folder.iterdir()):
                with open_bag(folder) as bag:
                    messages = [read_joint_state(data) for data in bag.messages(TOPIC)]
                found |= {x.stamp_ns for x in messages if x is not None}
        return found

    def wait_for_estimator(self) -> None:
        """Ask a new estimator until it answers: that of the dead one seems ready, too."""
        client = self.observer.node.create_client(GetEstimate, f"{NODE}/get_estimate")
        futures: list[Any] = []

        def answered() -> bool:
            if client.service_is_ready():
                futures.append(client.call_async(GetEstimate.Request()))
            end = time.monotonic() + 1.0
            while time.monotonic() < end and not any(x.done() for x in futures):
                self.observer.executor.spin_once(timeout_sec=0.05)
            return any(x.done() for x in futures)

        self.observer.wait(answered, "an answer of the new estimator")

    def close(self) -> None:
        """End everything; check that what was sent is recorded."""
        codes = [self.sampler.stop(), self.estimator.stop()]
        self.observer.close()
        assert codes == [0, 0]
        assert "Traceback" not in self.sampler.printed + self.estimator.printed


def sampler_killed(rig: Rig) -> None:
    """SIGKILL of the sampler in a run; a new one is started, and nothing else."""
    rig.trigger("start")
    rig.send(RATE)
    rig.sampler.process.kill()
    rig.sampler.process.wait()
    rig.doubtful |= set(rig.sent[-KEPT_BACK:])
    rig.send(RATE // 2, certain=False)
    rig.sampler = rig.start_sampler()
    rig.restarted()


def estimator_killed(rig: Rig) -> None:
    """SIGKILL of the estimator in a run."""
    rig.trigger("start")
    rig.send(RATE)
    rig.estimator.process.kill()
    rig.estimator.process.wait()
    rig.send(RATE)
    rig.estimator = rig.start_estimator()
    rig.wait_for_estimator()
    rig.restarted()


def sampler_stopped(rig: Rig) -> None:
    """SIGSTOP of the sampler for a while: what comes meanwhile waits."""
    rig.sampler.process.send_signal(signal.SIGSTOP)
    rig.send(RATE)
    rig.sampler.process.send_signal(signal.SIGCONT)


def estimator_stopped(rig: Rig) -> None:
    """SIGSTOP of the estimator for a while."""
    rig.estimator.process.send_signal(signal.SIGSTOP)
    rig.send(RATE)
    rig.estimator.process.send_signal(signal.SIGCONT)


def clock_forward(rig: Rig) -> None:
    """The clock of the stamps is set an hour forward."""
    rig.stamp_ns += HOUR
    rig.send(10, certain=False)


def clock_back(rig: Rig) -> None:
    """The clock of the stamps is set an hour back: what was recorded so far is of another time."""
    rig.stamp_ns -= HOUR
    rig.send(10, certain=False)


def messages_repeated(rig: Rig) -> None:
    """Messages come twice, and in another order."""
    for _ in range(RATE // 10):
        rig.send(3)
        for back in (0, 2, 1):
            rig.publish(rig.stamp_ns - back * STEP_NS, 12345)


def messages_of_another_year(rig: Rig) -> None:
    """Single messages are a year ahead, or back."""
    for leap in (8760 * HOUR, -8760 * HOUR):
        for _ in range(3):
            rig.send(5)
            rig.publish(rig.stamp_ns + leap, 77)


def deaf_subscribers(rig: Rig) -> None:
    """Subscribers, reliable, that never read what they asked for."""
    deaf = observer(rig.domain, "deaf")
    for kind, topic in ((SampleBlock, "/payload_sampler/samples"), (JointState, TOPIC),
                        (PayloadEstimate, f"{NODE}/payload")):  # fmt: skip
        deaf.listen(kind, topic)
    rig.send(2 * RATE)
    deaf.close()


def subscriber_killed(rig: Rig) -> None:
    """A client that hears everything is killed, without a farewell."""
    topics = {f"{NODE}/payload": "PayloadEstimate", "/payload_sampler/samples": "SampleBlock"}
    name = f"mortal_{time.monotonic_ns()}"
    lines = ["import rclpy, payload_id_msgs.msg as m", "rclpy.init()"]
    lines += [f"n = rclpy.create_node('{name}')"]
    lines += [
        f"n.create_subscription(m.{kind}, '{topic}', print, 10)" for topic, kind in topics.items()
    ]
    code = "\n".join([*lines, "rclpy.spin(n)"])
    environment = {**os.environ, **UDP_ONLY, "ROS_DOMAIN_ID": str(rig.domain)}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.DEVNULL
    )
    node = rig.observer.node

    def listens() -> bool:
        found = node.get_subscriptions_info_by_topic(f"{NODE}/payload")
        return any(x.node_name == name for x in found)

    try:
        rig.observer.wait(listens, "another client")
        rig.send(RATE // 2)
    finally:
        process.kill()
        process.wait()
    rig.send(RATE // 2)


def datagrams_lost(rig: Rig) -> None:
    """One in five datagrams that come to the nodes is lost: what is sent reliably comes again."""
    with loss(rig.sampler.process.pid, LOSS) as some, loss(rig.estimator.process.pid, LOSS) as more:
        assert some and more
        rig.send(2 * RATE)


def partitioned(rig: Rig) -> None:
    """Nothing comes to the nodes for a while."""
    with loss(rig.sampler.process.pid, 1.0), loss(rig.estimator.process.pid, 1.0):
        end = time.monotonic() + PARTITION
        while time.monotonic() < end:
            rig.send(RATE // 100)
            time.sleep(0.01)


def disk_slow(rig: Rig) -> None:
    """The sampler's disk takes a third of a second for each write: messages wait."""
    rig.slow_disk.write_text(str(SLOW))
    try:
        rig.send(3 * RATE)
    finally:
        rig.slow_disk.unlink()


def disk_full(rig: Rig) -> None:
    """The disk is full for a while: the recording goes on in another bag when there is room."""
    _go_on(rig, _fill(rig))


def disk_read_only(rig: Rig) -> None:
    """The disk can only be read for a while: nothing is kept, which is said; then all goes on."""
    rig.estimates.clear()
    assert rig.trigger("start").success
    rig.send(2 * RATE)
    rig.observer.wait(lambda: any(x.samples for x in rig.estimates), "an estimate")
    with read_only(rig.folder):
        answer = rig.observer.call(Save, f"{NODE}/save", path="run.json")
        assert not answer.success and "run.json" in answer.message, answer.message
        before = _fill(rig)
        bags = len(list(rig.folder.glob("bag*")))
        rig.send(RATE, certain=False)
        assert rig.sampler.alive and len(list(rig.folder.glob("bag*"))) == bags
        told = rig.observer.mailbox["/diagnostics"]
        rig.observer.wait(
            lambda: any("Nothing is recorded now" in x.message for y in told for x in y.status),
            "a diagnostic message that says so",
        )
    _go_on(rig, before)


def _fill(rig: Rig) -> int:
    """Let the sampler's file not grow any more; return how often its recording went on before."""
    before = rig.sampler.printed.count(GOES_ON)
    newest = max(rig.folder.glob("bag*/*.mcap"), key=lambda x: x.stat().st_mtime_ns)
    _limit(rig, newest.stat().st_size + 1000)
    rig.doubtful |= set(rig.sent[-KEPT_BACK:])
    box = rig.observer.mailbox["/diagnostics"]
    box.clear()

    def said() -> bool:
        rig.send(20, certain=False)
        return any("messages are missing in" in x.message for y in box for x in y.status)

    rig.observer.wait(said, "a diagnostic message that says what is missing")
    end = time.monotonic() + FULL
    while time.monotonic() < end:
        rig.send(1, certain=False)
    return before


def _go_on(rig: Rig, before: int) -> None:
    """Let files grow again, and wait until one does, which is another one."""
    _limit(rig, resource.RLIM_INFINITY)
    size = _size_of_bags(rig)

    def grow() -> bool:
        rig.send(20, certain=False)
        return _size_of_bags(rig) > size + GROWTH

    rig.observer.wait(grow, "a bag that grows")
    assert rig.sampler.printed.count(GOES_ON) > before, rig.sampler.printed


def _size_of_bags(rig: Rig) -> int:
    """Return how much all bags hold [bytes]."""
    return sum(x.stat().st_size for x in rig.folder.glob("bag*/*.mcap"))


def _limit(rig: Rig, size: int) -> None:
    """Limit the size of the sampler's files [bytes]."""
    resource.prlimit(rig.sampler.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


FAULTS: dict[str, Callable[[Rig], None]] = {
    x.__name__: x
    for x in (
        sampler_killed, estimator_killed, sampler_stopped, estimator_stopped, clock_forward,
        clock_back, messages_repeated, messages_of_another_year, deaf_subscribers,
        subscriber_killed, datagrams_lost, partitioned, disk_slow, disk_full, disk_read_only,
    )
}  # fmt: skip
IN_A_RUN = ("sampler_stopped", "estimator_stopped", "messages_repeated",
            "messages_of_another_year", "deaf_subscribers", "subscriber_killed", "datagrams_lost",
            "partitioned", "disk_slow")  # fmt: skip


def possible(folder: Path) -> list[str]:
    """Return the faults that can be brought about with files in a folder."""
    return [x for x in FAULTS if x != "disk_read_only" or can_be_read_only(folder)]


def undergo(rig: Rig, name: str) -> None:
    """Let a fault happen, in a run if it may; check that the next run is sound."""
    fault = FAULTS[name]
    if name in IN_A_RUN:
        rig.check_a_run(lambda: fault(rig))
    else:
        fault(rig)
        rig.check_a_run()


def check_recording(rig: Rig) -> int:
    """Check that all that had to be recorded was, once the sampler has ended; return how many."""
    missing = set(rig.sent) - rig.doubtful - rig.recorded()
    assert not missing, (len(missing), sorted(missing)[:5])
    return len(set(rig.sent) - rig.doubtful)
