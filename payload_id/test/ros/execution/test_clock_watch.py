"""Stamps that go with the clock, and those that do not."""

from __future__ import annotations

import pytest

from payload_id.ros.execution.clock_watch import PATIENCE, ClockWatch

NOW = 1_700_000_000_000_000_000
PERIOD = 10_000_000  # [ns] of the joint states


def watched(*stamps, behind=0.0):
    """Return the watch after messages, each one period after the one before."""
    watch = ClockWatch(tolerance=0.1)
    for k, stamp in enumerate(stamps):
        watch = watch.after(NOW + round(stamp), NOW + k * PERIOD + round(behind * 1e9))
    return watch


STEADY = [k * PERIOD for k in range(100)]


def test_stamps_that_go_with_the_clock_are_no_fault():
    assert not ClockWatch(0.1).fault
    assert not watched(*STEADY, behind=0.09).fault and not watched(*STEADY, behind=-0.09).fault


@pytest.mark.parametrize(
    ("stamps", "behind", "words"),
    [
        (STEADY, 1.0, "1.000 s behind the clock"),
        (STEADY, -1.0, "1.000 s ahead of the clock"),
        ([0] * (PATIENCE + 1), 0.0, "one and the same stamp"),
        ([*STEADY, STEADY[-1] - 0.5e9], 0.0, "jumped back by 0.500 s"),
    ],
    ids=["behind", "ahead", "frozen", "backwards"],
)
def test_a_clock_that_does_not_is_a_fault_with_its_figure(stamps, behind, words):
    assert words in watched(*stamps, behind=behind).fault


def test_a_jump_back_is_not_forgotten_with_the_next_message():
    after = [STEADY[-1] - 0.15e9 + k * PERIOD for k in range(PATIENCE)]
    assert "jumped back by 0.150 s" in watched(*STEADY, *after).fault
    assert "jumped" not in watched(*STEADY, *after, *(after[-1] + s + PERIOD for s in STEADY)).fault


def moving():
    """Return the watch after messages that came in time."""
    watch = ClockWatch(0.1)
    for stamp in STEADY:
        watch = watch.after(NOW + stamp, NOW + stamp, 0.01)
    return watch


@pytest.mark.parametrize(("step", "passed", "found"), [
    (10.0, 0.01, True), (3600.0, 0.5, True), (0.5, 0.01, False), (3.0, 3.0, False),
    (4.0, 0.5, False),
])  # fmt: skip
def test_stamps_that_step_ahead_of_the_time_that_has_passed_are_a_fault(step, passed, found):
    """Also where the clock is set with them, so that they go with it."""
    watch = moving()
    stamp = watch.newest + round(step * 1e9)
    for k in range(PATIENCE):
        watch = watch.after(stamp + k * PERIOD, stamp + k * PERIOD, 0.01 if k else passed)
        assert ("jumped ahead by" in watch.fault) == found
    for k in range(PATIENCE, 3 * PATIENCE):
        watch = watch.after(stamp + k * PERIOD, stamp + k * PERIOD, 0.01)
    assert not watch.fault


def test_a_slow_drift_is_found():
    drifting = [1.02 * stamp for stamp in [k * PERIOD for k in range(600)]]
    assert not watched(*drifting[:400]).fault and "ahead" in watched(*drifting).fault
