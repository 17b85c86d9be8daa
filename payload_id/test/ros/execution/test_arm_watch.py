"""What stops a moving arm, and what does not."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.execution.arm_watch import ArmWatch, Seen
from payload_id.ros.execution.speed_slider import SpeedSlider
from payload_id.ros.execution.stop_reason import Reason

HOME = np.array([0.3, -0.2])
MOTION = BezierPiece(MotionState.at_rest(HOME), np.array([0.5, -0.4]), 2.0)
TUBE = TrackingTube.position_controlled(np.full(2, 0.02), np.full(2, 0.1), np.ones(2))
TIME = np.array([0.5, 0.6])


def look(watch, off=0.0, silence=0.0, moving=True, time=TIME):
    at = MOTION.at(time)
    return watch.look(MOTION, TUBE, Seen(9.0, silence, time, at.q + [0.0, off], at.dq), moving)


@pytest.fixture
def watch():
    return ArmWatch(("shoulder", "elbow"), (False, False), silence=0.2, encoder_error=np.zeros(2))


def test_what_the_encoders_may_hide_counts_as_tracking_error():
    watch = ArmWatch(("shoulder", "elbow"), (False, False), 0.2, np.array([0.0, 0.012]))
    assert look(watch, off=0.007) is None
    reason, _ = look(watch, off=0.009)
    assert reason is Reason.TUBE_LEFT and watch.use == pytest.approx(1.05)


def test_a_fault_from_elsewhere_stops_a_moving_arm_only(watch):
    at, fault = MOTION.at(TIME), (Reason.CLOCK_FAULT, "behind")
    seen = Seen(9.0, 0.0, TIME, at.q, at.dq)
    assert watch.look(MOTION, TUBE, seen, True, fault) == fault
    assert watch.look(MOTION, TUBE, seen, False, fault) is None


def test_an_arm_at_its_end_needs_joint_states_only_where_its_torques_follow_them(watch):
    nothing = Seen(9.0, 0.3, TIME[:0], np.zeros((0, 2)), np.zeros((0, 2)))
    assert watch.look(MOTION, TUBE, nothing, False) is None
    watch.needs_states = True
    reason, detail = watch.look(MOTION, TUBE, nothing, False)
    assert reason is Reason.JOINT_STATES_LOST and "0.30 s" in detail
    assert look(watch, silence=0.1, moving=False, time=np.array([2.1])) is None


def late(watch, lag, now, speed=1.0, off=0.0):
    """Show the watch an arm that is late, and slower."""
    at = MOTION.at(np.array([0.9 - lag]))
    seen = Seen(now, 0.0, np.array([0.9]), at.q + [0.0, off], speed * at.dq)
    return watch.look(MOTION, TUBE, seen, True)


def test_an_arm_that_is_late_for_no_reason_is_behind_and_one_beside_its_path_is_not(watch):
    reason, detail = late(watch, 0.15, 9.0)
    assert reason is Reason.BEHIND and "0.15 s late" in detail
    assert late(watch, 0.15, 9.0, off=0.05)[0] is Reason.TUBE_LEFT
    assert late(watch, -0.1, 9.0)[0] is Reason.TUBE_LEFT  # ahead of its time is never the slider's


@pytest.mark.parametrize("velocity", [0.1, 0.03, 0.01])
def test_an_arm_that_does_not_set_off_is_one_whose_controller_does_nothing(watch, velocity):
    tube = TrackingTube.position_controlled(np.full(2, 0.02), np.full(2, velocity), np.ones(2))
    for time in np.arange(0.0, 1.0, 0.01):
        seen = Seen(9.0, 0.0, np.array([time]), HOME[None], np.zeros((1, 2)))
        if found := watch.look(MOTION, tube, seen, True):
            break
    assert found[0] is Reason.CONTROLLER_FAULT and "not begun to move" in found[1]


def test_a_slowed_arm_must_stay_on_its_path_and_be_no_later_than_the_slider_explains(watch):
    watch.slider = SpeedSlider("/speed", percent=50.0)
    assert late(watch, 0.0, 9.0, 0.5) is None
    assert late(watch, 0.05, 9.1, 0.5) is None
    assert late(watch, 0.1, 9.2, 0.5, off=0.05)[0] is Reason.TUBE_LEFT
    found = [late(watch, 0.1, 9.2 + 0.1 * k, 0.0) for k in range(20)]  # stands still: 50 % does not
    assert found[0] is None and found[-1][0] is Reason.BEHIND
    assert "50 %" in found[-1][1]
    watch.slider = SpeedSlider("/speed", percent=0.0)
    assert all(late(watch, 0.1, 9.0 + 0.1 * k, 0.0) is None for k in range(50))
