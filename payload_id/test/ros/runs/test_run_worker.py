"""What a request takes in: the samples that had come by the call, however busy the worker is."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from payload_id.core.samples.sample_rows import SampleRows
from payload_id.ros.runs.run_control import RunControl
from payload_id.ros.runs.run_worker import RunWorker

N, LONG = 2, 10.0


def rows(first: int, count: int) -> SampleRows:
    """Return samples with these numbers as their stamps."""
    zero = np.zeros((count, N))
    return SampleRows(np.arange(first, first + count, dtype=np.int64), zero, zero, zero, first)


@dataclass(frozen=True)
class Report:
    """Says nothing."""

    status: str = "WAITING"
    message: str = "It has been computed."
    usable: bool = False
    conclusive: bool = False
    solve_seconds: float = 0.0


class Run:
    """Notes which samples came before each request, and computes for as long as it is told to."""

    lost = 0

    def __init__(self) -> None:
        self.taken: list[object] = []
        self.begun, self.go_on = threading.Event(), threading.Event()

    def begin(self):
        return "It has begun."

    def told(self, message, failed=False):
        return Report(message=message)

    def take(self, parts, lost):
        for part in parts:
            self.taken += part.stamp_ns.tolist()

    def update(self, callback):
        self.begun.set()
        assert self.go_on.wait(LONG)
        return Report()

    def note(self, name):
        self.taken.append(name)
        return "It is noted.", None

    def forget(self, running):
        self.taken.append("reset")

    is_due = lambda self, rested: rested and "stop" not in self.taken  # noqa: E731
    is_new = lambda self, at_end=False: "stop" not in self.taken  # noqa: E731
    progress = lambda self: "some windows"  # noqa: E731
    remarks = lambda self, message: ""  # noqa: E731

    def conclude(self):
        self.taken.append("stop")


@pytest.fixture
def made():
    run = Run()
    control = RunControl(run, 1000, lambda report: None)
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


@pytest.mark.parametrize("name", ["stop", "tare", "reset"])
def test_what_came_while_the_worker_was_busy_is_of_before_or_after_a_call(made, name):
    run, control, worker = made
    busy(made)
    control.write(rows(10, 5))
    tare = partial(control.carry_out, partial(run.note, "tare"))
    asked = worker.request(tare if name == "tare" else getattr(control, name))
    control.write(rows(15, 5))  # with another payload, perhaps
    later = worker.request(tare) if name != "stop" else asked
    run.go_on.set()
    assert asked.result(LONG).success is (name != "stop") and later.result(LONG)
    end = run.taken.index(name)
    assert run.taken[:end] == list(range(15))
    after = [x for x in run.taken[end:] if isinstance(x, int)]
    assert after == ([] if name == "stop" else list(range(15, 20)))


class Working(Run):
    """Takes processor time for every update."""

    def update(self, callback):
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
        return Report()


def test_updates_rest_for_as_long_as_their_share_of_a_core_asks_and_are_made_when_asked_for():
    reports = []
    control = RunControl(Working(), 1000, reports.append, share=0.01)  # 2 s of rest
    control.start()
    assert control.advance() and not control.advance()
    made = len(reports)
    control.estimate()
    assert len(reports) == made + 1
    free = RunControl(Working(), 1000, reports.append)
    free.start()
    assert free.advance() and free.advance()
