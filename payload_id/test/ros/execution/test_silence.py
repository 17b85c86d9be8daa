"""How long somebody was not heard, by a process that may stand still itself."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from payload_id.ros.execution import silence
from payload_id.ros.execution.silence import Lateness, RunningTime, Silence


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(silence, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_running_time_goes_as_time_does_but_for_what_a_process_stood_still_of_late(clock):
    running = RunningTime(step=0.1)
    begin = running.now()
    for _ in range(50):
        clock[0] += 0.02
        running.now()
    assert running.now() - begin == pytest.approx(1.0)
    clock[0] += 60.0
    assert running.now() - begin == pytest.approx(1.1)
    clock[0] += 0.5
    assert running.now() - begin == pytest.approx(1.2)
    for _ in range(20):
        clock[0] += 0.06
        running.now()
    assert running.now() == running.real() == clock[0]  # what was not said again since is old


def test_a_process_that_looks_seldom_leaves_out_little_of_the_time(clock):
    running = RunningTime(step=0.1)
    for _ in range(100):
        clock[0] += 0.2
        running.now()
    assert clock[0] - 0.6 < running.now() < clock[0]


def test_a_silence_is_as_long_as_was_listened(clock):
    heard = Silence(step=0.1)
    for _ in range(50):
        clock[0] += 0.02
        heard.look()
    assert heard.seconds == pytest.approx(1.0)
    clock[0] += 60.0
    assert heard.look() == pytest.approx(1.1)
    heard.end()
    assert heard.look() == 0.0


@pytest.mark.parametrize("ahead", [0.0, -86400.0, 3600.0])
def test_a_message_is_late_by_what_it_waited_whatever_its_sender_takes_the_time_for(
    monkeypatch, ahead
):
    now = [1000.0]
    monkeypatch.setattr(silence, "time", SimpleNamespace(time_ns=lambda: round(1e9 * now[0])))
    late = Lateness()
    for _ in range(20):
        now[0] += 0.1
        assert late.of(round(1e9 * (now[0] + ahead + 1e5 - 0.002))) == pytest.approx(0.0, abs=1e-6)
    sent = now[0] + ahead + 1e5 + 0.1
    now[0] += 8.0
    assert late.of(round(1e9 * sent)) == pytest.approx(7.898, abs=1e-6)
    assert late.of(0) == 0.0
