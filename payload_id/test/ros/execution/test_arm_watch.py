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
    return ArmWatch(("shoulder", "elbow"), (False, False), silence=0.2)


def test_an_arm_that_does_as_it_was_told_goes_on(watch):
    assert look(watch, off=0.01, silence=0.2) is None
    assert watch.use == watch.largest_use == pytest.approx(0.5)
    assert look(watch, off=0.005) is None
    assert watch.use == pytest.approx(0.25) and watch.largest_use == pytest.approx(0.5)


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
