"""What stops a moving arm, and what does not."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.execution.arm_watch import ArmWatch
from payload_id.ros.execution.stop_reason import Reason

HOME = np.array([0.3, -0.2])
MOTION = BezierPiece(MotionState.at_rest(HOME), np.array([0.5, -0.4]), 2.0)
TUBE = TrackingTube.position_controlled(np.full(2, 0.02), np.full(2, 0.1), np.ones(2))
TIME = np.array([0.5, 0.6])


def look(watch, off=0.0, silence=0.0, moving=True, time=TIME):
    at = MOTION.at(time)
    return watch.look(MOTION, TUBE, (time, at.q + [0.0, off], at.dq), silence, moving)


@pytest.fixture
def watch():
    return ArmWatch(("shoulder", "elbow"), (False, False), silence=0.2, encoder_error=np.zeros(2))


def test_an_arm_that_does_as_it_was_told_goes_on(watch):
    assert look(watch, off=0.01, silence=0.2) is None
    assert watch.use == watch.largest_use == pytest.approx(0.5)
    assert look(watch, off=0.005) is None
    assert watch.use == pytest.approx(0.25) and watch.largest_use == pytest.approx(0.5)


def test_what_the_encoders_may_hide_counts_as_tracking_error():
    watch = ArmWatch(("shoulder", "elbow"), (False, False), 0.2, np.array([0.0, 0.012]))
    assert look(watch, off=0.007) is None
    reason, _ = look(watch, off=0.009)
    assert reason is Reason.TUBE_LEFT and watch.use == pytest.approx(1.05)


def test_a_fault_from_elsewhere_stops_a_moving_arm_only(watch):
    at, fault = MOTION.at(TIME), (Reason.CLOCK_FAULT, "behind")
    rows = (TIME, at.q, at.dq)
    assert watch.look(MOTION, TUBE, rows, 0.0, True, fault) == fault
    assert watch.look(MOTION, TUBE, rows, 0.0, False, fault) is None


def test_silence_is_a_fault(watch):
    reason, detail = look(watch, silence=0.21, time=TIME[:0])
    assert reason is Reason.JOINT_STATES_LOST
    assert "0.21 s; at most 0.2 s" in detail


def test_a_tracking_error_outside_the_tube_is_a_fault_and_counts_before_silence(watch):
    reason, detail = look(watch, off=0.03, silence=1.0)
    assert reason is Reason.TUBE_LEFT and "elbow" in detail
    assert watch.largest_use == pytest.approx(1.5)


def test_after_the_motion_nothing_is_a_fault(watch):
    assert look(watch, off=0.03, silence=1.0, moving=False) is None
    assert watch.use == pytest.approx(1.5) and watch.largest_use == 0.0
