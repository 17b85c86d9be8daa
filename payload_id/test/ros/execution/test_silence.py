"""How long somebody was not heard, by a process that may stand still itself."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from payload_id.ros.execution import silence
from payload_id.ros.execution.silence import Silence


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(silence, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


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
