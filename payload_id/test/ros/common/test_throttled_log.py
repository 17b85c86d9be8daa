"""Warnings about one subject come at most every few seconds; others are not held back."""

from __future__ import annotations

from types import SimpleNamespace

from payload_id.ros.common import throttled_log
from payload_id.ros.common.throttled_log import LOG_PERIOD, ThrottledLog


def test_each_subject_is_throttled_alone(monkeypatch):
    said, now = [], 100.0
    monkeypatch.setattr(throttled_log.time, "monotonic", lambda: now)
    log = ThrottledLog(SimpleNamespace(get_logger=lambda: SimpleNamespace(warning=said.append)))
    for subject in ("disk", "disk", "clock"):
        log.warn(subject, f"the {subject}")
    assert said == ["the disk", "the clock"]
    now += LOG_PERIOD
    log.warn("disk", "the disk again")
    assert said[-1] == "the disk again"
