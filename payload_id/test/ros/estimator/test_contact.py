"""What the estimator says of contact, once it knows a payload."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from harness import START_NS
from payload_id.core.arm.kinetics import body_motion
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.samples.sample_rows import SampleRows
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.ros.estimator.contact_worker import ContactWorker
from payload_id.ros.estimator.sources.live_run import Established
from synthetic import PAYLOAD, RATE, measured, robot_file, stamps_ns

FORCE = np.array([0.0, 0.0, 60.0, 0.0, 0.0, 0.0])  # [N] in the payload frame
LATER_NS = START_NS + 20 * 10**9
WAIT = 20.0  # [s]


def pushed(samples: Samples) -> Samples:
    """Return what is measured with a force on the payload."""
    model = RobotModel.from_robot_file(RobotFile.load("kinova_gen3"))
    axis = body_motion(model, samples.q, samples.dq).axis[:, -1]
    return replace(samples, tau=samples.tau - axis @ FORCE)


class Listener:
    """A worker, and what it has said."""

    def __init__(self, folder):
        robot = RobotFile.load(robot_file(folder))
        online = OnlineIdentifier(RobotModel.from_robot_file(robot), Settings(robot.uncertainty))
        online.add(measured(tuple(PAYLOAD), 4.0))
        self.estimate = online.update()
        self.known = Established(online.rows, *online.established())
        self.said, self.failures = [], []
        self.worker = ContactWorker(
            0.1, float(RATE), lambda *said: self.said.append(said), self.failures.append
        )

    def learn(self, status=None):
        estimate = self.estimate if status is None else replace(self.estimate, status=status)
        self.worker.learn(estimate, lambda: self.known)

    def hear(self, samples, start_ns, wanted=1):
        """Hand samples over as they would arrive; return what is said of them."""
        before = len(self.said)
        for first in range(0, len(samples), RATE // 10):
            part = samples.part(first, first + RATE // 10)
            self.worker.write(SampleRows(stamps_ns(part, start_ns), part.q, part.dq, part.tau))
            time.sleep(0.03)
        end = time.monotonic() + WAIT
        while len(self.said) < before + wanted and time.monotonic() < end:
            time.sleep(0.02)
        return self.said[before:]


@pytest.fixture
def listener(tmp_path) -> Iterator[Listener]:
    listener = Listener(tmp_path)
    yield listener
    listener.worker.close()


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
