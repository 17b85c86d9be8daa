"""Stamps that go with the clock, and those that do not."""

from __future__ import annotations

import pytest

from payload_id.ros.execution.clock_watch import PATIENCE, ClockWatch
from payload_id.ros.execution.stop_reason import Reason

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


def test_messages_that_waited_while_nobody_looked_are_no_leap():
    """Some of those that came meanwhile are lost; all of the others are read at once."""
    watch = moving()
    late = watch.newest + round(2e9)
    for k in range(30):
        watch = watch.after(watch.newest + PERIOD, late, 0.0 if k else 2.0)
    for k in range(30):
        watch = watch.after(late + k * PERIOD, late + k * PERIOD, 0.01 if k else 0.0)
        assert "ahead by" not in watch.fault


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


@pytest.mark.parametrize("faster", [1.0, 1.3, 2.0])
def test_messages_that_were_held_up_are_late_and_no_fault_of_a_clock(faster):
    """They drain no faster than this; who reads that clocks differ would look in vain."""
    watch, paused = moving(), round(0.24e9)
    now = watch.newest + paused
    for k in range(5):
        now += round(PERIOD / faster) * (k > 0)
        passed = 1e-9 * PERIOD / faster if k else 0.24
        watch = watch.after(watch.newest + PERIOD, now, passed)
        assert "for 0.24 s there was none just before" in watch.fault
        assert watch.reason is Reason.JOINT_STATES_LOST
    watch = watch.after(watch.newest - round(0.2e9), now, 0.01)
    assert "jumped back" in watch.fault and watch.reason is Reason.CLOCK_FAULT


def test_clocks_that_differ_are_no_messages_that_were_held_up():
    watch = moving()
    for k in range(200):  # stamps are of a clock that was set back, with what paused for long
        watch = watch.after(watch.newest + PERIOD, NOW + (300 + k) * PERIOD, 0.01 if k else 0.02)
        assert "behind the clock" in watch.fault and watch.reason is Reason.CLOCK_FAULT


@pytest.mark.parametrize("pace", [0.3, 0.7, 0.9])
@pytest.mark.parametrize("period", [0.002, 0.01])
def test_a_clock_that_goes_slowly_is_no_message_that_was_held_up(pace, period):
    watch, k = ClockWatch(0.2), 0
    while not watch.fault:
        k += 1
        now = NOW + round(1e9 * k * period)
        watch = watch.after(NOW + round(1e9 * pace * k * period), now, period)
    assert "behind the clock" in watch.fault and watch.reason is Reason.CLOCK_FAULT


def test_a_slow_drift_is_found():
    drifting = [1.02 * stamp for stamp in [k * PERIOD for k in range(600)]]
    assert not watched(*drifting[:400]).fault and "ahead" in watched(*drifting).fault


def test_who_stood_still_may_find_stamps_late_but_no_others_wrong():
    """A jump is one whenever it is read; what is behind may be what came meanwhile."""
    hour = round(3600e9)
    ahead, back, behind, fine = moving(), moving(), moving(), moving()
    ahead = ahead.after(ahead.newest + hour, NOW, 0.3)
    back = back.after(back.newest - hour, NOW, 0.3)
    behind = behind.after(behind.newest + PERIOD, behind.newest + round(0.4e9), 0.01)
    assert ahead.fault and back.fault and behind.fault
    assert not ahead.is_as_late_as(7200.0) and not back.is_as_late_as(7200.0)
    needed = -behind.ahead - behind.tolerance
    assert behind.is_as_late_as(needed + 1e-6) and not behind.is_as_late_as(needed - 1e-6)
    assert not fine.fault
