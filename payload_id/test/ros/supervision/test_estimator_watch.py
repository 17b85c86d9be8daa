"""An estimator that was heard and is not any more is missed; one that never was is not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from payload_id.ros.execution import silence
from payload_id.ros.supervision.estimator_watch import EstimatorWatch


@pytest.fixture
def clock(monkeypatch):
    """Return a list that holds the time [s]."""
    now = [100.0]
    monkeypatch.setattr(silence, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


class Heard:
    """A watch, and the means to have it hear."""

    def __init__(self, clock) -> None:
        self.clock = clock
        node = SimpleNamespace(
            resolve_service_name=lambda name: f"/{name}",
            create_subscription=lambda kind, topic, callback, profile: self.take(callback),
        )
        self.watch = EstimatorWatch(node, "payload_estimator")

    def take(self, callback) -> None:
        self.hear = lambda: callback(DiagnosticStatus())

    def wait(self, seconds: float, step: float = 0.02) -> str:
        for _ in range(round(seconds / step)):
            self.clock[0] += step
            self.watch.look()
        return self.watch.absence


def test_an_estimator_that_was_never_heard_is_not_missed(clock):
    assert Heard(clock).wait(100.0) == ""


def test_an_estimator_that_falls_silent_is_missed_until_it_is_heard_again(clock):
    heard = Heard(clock)
    heard.hear()
    assert heard.wait(4.9) == ""
    said = heard.wait(0.5)
    assert "/payload_estimator was last heard 5 s ago" in said and "start it anew" in said
    heard.hear()
    assert heard.watch.absence == "" and heard.wait(4.0) == ""
