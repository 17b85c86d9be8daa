"""What the estimator says of contact, once it knows a payload: the thread alone, then the node."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from payload_id_msgs.msg import Contact, PayloadEffort, SampleBlock
from std_srvs.srv import Trigger

from harness import LATCHED, START_NS, NodeProcess, Observer
from payload_id.core.arm.kinetics import body_motion
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.samples.ring_buffer import SampleRows
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.ros.estimator.contact_worker import LATEST, ContactWorker
from payload_id.ros.estimator.sources.live_run import Established
from ros_domain import next_domain
from synthetic import PAYLOAD, RATE, blocks, measured, robot_file, stamps_ns

DOMAIN = next_domain()
NODE = "/payload_estimator"
FORCE = np.array([0.0, 0.0, 60.0, 0.0, 0.0, 0.0])  # [N] in the payload frame
LATER_NS = START_NS + 20 * 10**9
WAIT = 20.0  # [s]


def pushed(samples: Samples) -> Samples:
    """Return what is measured with a force on the payload."""
    model = RobotModel.from_robot_file(RobotFile.load("kinova_gen3"))
    axis = body_motion(model, samples.q, samples.dq).axis[:, -1]
    return replace(samples, tau=samples.tau - axis @ FORCE)


def rows(samples: Samples, start_ns: int = START_NS) -> SampleRows:
    return SampleRows(stamps_ns(samples, start_ns), samples.q, samples.dq, samples.tau)


@lru_cache
def learnt(folder):
    robot = RobotFile.load(robot_file(folder))
    model = RobotModel.from_robot_file(robot)
    online = OnlineIdentifier(model, Settings(robot.uncertainty))
    online.add(measured(tuple(PAYLOAD), 4.0))
    return online.update(), Established(online.rows, *online.established())


class Listener:
    """A worker, and what it has said."""

    def __init__(self, folder):
        self.estimate, self.known = learnt(folder)
        self.said, self.failures = [], []
        self.worker = ContactWorker(
            0.1, 7, float(RATE), lambda *said: self.said.append(said), self.failures.append
        )

    def learn(self, status=None):
        estimate = self.estimate if status is None else replace(self.estimate, status=status)
        self.worker.learn(estimate, lambda: self.known)

    def hear(self, samples, start_ns, wanted=1):
        """Hand samples over as they would arrive; return what is said of them."""
        before = len(self.said)
        for first in range(0, len(samples), RATE // 10):
            self.worker.write(rows(samples.part(first, first + RATE // 10), start_ns))
            time.sleep(0.03)
        end = time.monotonic() + WAIT
        while len(self.said) < before + wanted and time.monotonic() < end:
            time.sleep(0.02)
        return self.said[before:]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("contact")


@pytest.fixture
def listener(folder) -> Iterator[Listener]:
    listener = Listener(folder)
    try:
        yield listener
    finally:
        listener.worker.close()


def test_the_thread_judges_what_it_can_know(listener):
    calm = measured(tuple(PAYLOAD), 1.0, seed=2)
    assert listener.hear(calm, START_NS, wanted=0) == []  # nothing is known yet
    listener.learn()
    said = listener.hear(calm, LATER_NS, wanted=5)
    assert said and not any(judgement.certain for judgement, _ in said)
    stamps = [stamp for _, stamp in said]
    assert all(LATER_NS < stamp <= LATER_NS + 10**9 for stamp in stamps)
    assert stamps == sorted(stamps)
    assert listener.failures == []


def test_after_a_contact_nothing_is_learnt_until_a_run_begins(listener):
    listener.learn()
    said = listener.hear(pushed(measured(tuple(PAYLOAD), 1.0, seed=2)), LATER_NS, wanted=5)
    assert all(judgement.certain for judgement, _ in said) and said
    listener.known = None  # to be asked for this would fail
    listener.learn()
    calm = measured(tuple(PAYLOAD), 1.0, seed=3)
    said = listener.hear(calm, LATER_NS + 10**10, wanted=5)
    assert said and not any(judgement.certain for judgement, _ in said)
    listener.learn(Status.WAITING)
    assert listener.hear(calm, LATER_NS + 2 * 10**10, wanted=0) == []
    assert listener.failures == []


def test_what_waits_is_bounded(listener):
    listener.learn()
    whole = measured(tuple(PAYLOAD), 10.0, seed=4)
    listener.worker.write(rows(whole, LATER_NS))  # more at once than may wait
    end = time.monotonic() + WAIT
    while not listener.said and time.monotonic() < end:
        time.sleep(0.02)
    oldest = min(stamp for _, stamp in listener.said)
    newest = LATER_NS + round(whole.stamp[-1] * 1e9)
    assert oldest >= newest - round(LATEST * 1e9)


@pytest.mark.slow
def test_the_node_tells_a_contact_by_its_topics(folder):
    process = NodeProcess(
        "estimator", DOMAIN, folder / "log", robot_file=robot_file(folder), runs_folder=folder
    )
    observer = Observer(DOMAIN)
    try:
        contacts = observer.listen(Contact, f"{NODE}/contact", LATCHED)
        efforts = observer.listen(PayloadEffort, f"{NODE}/payload_effort")
        wrenches = observer.listen(WrenchStamped, f"{NODE}/payload_wrench")
        publisher = observer.publisher(SampleBlock, "/payload_sampler/samples")

        def feed(samples, start_ns):
            for message in blocks(samples, start_ns, size=RATE // 10):
                publisher.publish(message)
                observer.executor.spin_once(timeout_sec=0.05)

        assert observer.call(Trigger, f"{NODE}/start").success
        feed(measured(tuple(PAYLOAD), 4.0), START_NS)
        assert observer.call(Trigger, f"{NODE}/stop").success
        efforts.clear()
        feed(measured(tuple(PAYLOAD), 1.0, seed=2), LATER_NS)
        observer.wait(lambda: len(efforts) >= 3, "efforts")
        effort = efforts[-1]
        assert len(effort.joints) == len(effort.torque) == 7
        assert (np.array(effort.external_lower) <= 0.0).all()
        assert (np.array(effort.external_upper) >= 0.0).all()
        assert (effort.wrench_lower <= effort.wrench_upper).all()
        assert wrenches[-1].header.frame_id == effort.header.frame_id == "end_effector_link"
        observer.wait(lambda: contacts, "the state at the beginning")
        assert not contacts[-1].certain
        feed(pushed(measured(tuple(PAYLOAD), 1.0, seed=2)), LATER_NS + 10**10)
        observer.wait(lambda: contacts[-1].certain, "the contact")
        assert 0.0 < contacts[-1].least_force <= np.linalg.norm(FORCE)
        assert contacts[-1].least_torque > 0.0 and contacts[-1].joints
        feed(measured(tuple(PAYLOAD), 1.0, seed=2), LATER_NS + 2 * 10**10)
        observer.wait(lambda: not contacts[-1].certain, "its end")
        assert process.alive
    finally:
        process.stop()
        observer.close()
