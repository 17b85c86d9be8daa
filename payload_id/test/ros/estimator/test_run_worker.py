"""What a request takes in: the samples that had come by the call, however busy the worker is."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from payload_id.core.identification.status import Status
from payload_id.core.samples.ring_buffer import SampleRows
from payload_id.ros.estimator.run_control import RunControl
from payload_id.ros.estimator.run_worker import RunWorker

N, LONG = 2, 10.0


def rows(first: int, count: int) -> SampleRows:
    """Return samples with these numbers as their stamps."""
    zero = np.zeros((count, N))
    return SampleRows(np.arange(first, first + count, dtype=np.int64), zero, zero, zero, first, 0)


class Run:
    """Notes which samples came before each request, and computes for as long as it is told to."""

    tared, lost, windows, newest_ns, updated = False, 0, 1, 0, True

    def __init__(self) -> None:
        self.taken: list[object] = []
        self.begun, self.go_on = threading.Event(), threading.Event()

    def begin(self, mass, enough):
        return False

    def waiting(self, message):
        made = SimpleNamespace(status=Status.WAITING, message=message)
        made.with_status = lambda status, message: made
        return made

    def add(self, found):
        self.taken += found.stamp_ns.tolist()

    def update(self, publish):
        self.begun.set()
        assert self.go_on.wait(LONG)
        return self.waiting("It has been computed.")

    def tare(self):
        self.taken.append("tare")

    def hold_out(self):
        self.taken.append("hold out")
        return True

    def forget(self):
        self.taken.append("reset")

    is_due = is_new = lambda self: "stop" not in self.taken  # noqa: E731
    progress = lambda self: "some windows"  # noqa: E731
    count_lost = lambda self, count: None  # noqa: E731

    def conclude(self):
        self.taken.append("stop")


@pytest.fixture
def made():
    run = Run()
    control = RunControl(run, N, 1000, lambda report: None)
    worker = RunWorker(control)
    assert worker.request(control.start).result(LONG).success
    yield run, control, worker
    run.go_on.set()
    worker.close()


def busy(made, count=10):
    """Have the worker compute, with as many samples."""
    run, control, worker = made
    control.write(rows(0, count))
    assert run.begun.wait(LONG)


@pytest.mark.parametrize("name", ["stop", "tare", "hold out", "reset"])
def test_what_came_while_the_worker_was_busy_is_of_before_or_after_a_call(made, name):
    run, control, worker = made
    busy(made)
    control.write(rows(10, 5))
    asked = worker.request(getattr(control, name.replace(" ", "_")))
    control.write(rows(15, 5))  # with another payload, perhaps
    later = worker.request(control.hold_out) if name != "stop" else asked
    run.go_on.set()
    assert asked.result(LONG).success is (name != "stop") and later.result(LONG)
    end = run.taken.index(name)
    assert run.taken[:end] == list(range(15))
    after = [x for x in run.taken[end:] if isinstance(x, int)]
    assert after == ([] if name == "stop" else list(range(15, 20)))
