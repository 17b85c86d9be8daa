"""What `~/identify` decides, without nodes: fields, ends of motions, codes, progress."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import PayloadEstimate

from payload_id.core.errors import InputError
from payload_id.ros.planner.identifying import motion_watch
from payload_id.ros.planner.identifying.goal_checks import check_goal_fields, target_of
from payload_id.ros.planner.identifying.motion_watch import MotionWatch

Goal, Result = Identify.Goal, Identify.Result
NARROW = [0.02] * 10
SCALES = (0.05, 0.1)


def estimate(half=0.01, status=PayloadEstimate.GOOD, mass=1.0):
    phi = np.full(10, mass)
    return PayloadEstimate(
        status=status, phi=phi, lower=phi - half, upper=phi + half, message="So."
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"known_mass": [1.0]}, "mass and its largest error"),
        ({"known_mass": [1.0, 0.0]}, "above 0 kg"),
        ({"known_mass": [math.nan, 0.1]}, "above 0 kg"),
        ({"known_mass": [3.0, 0.1]}, "prior allows 2 kg"),
        ({"known_mass": [1.0, 0.1], "continue_run": True}, "continued as it is"),
        ({"tare": Goal.TARE_FIRST, "continue_run": True}, "continued as it is"),
        ({"tare": 9}, "tare must be"),
        ({"time_limit": -1.0}, "time_limit"),
        ({"time_limit": math.inf}, "time_limit"),
        ({"start_positions": [0.0] * 6}, "each of 7 joints"),
        ({"start_positions": [math.nan] * 7}, "finite"),
    ],
)
def test_a_goal_that_makes_no_sense_is_refused_in_a_sentence(fields, words):
    with pytest.raises(InputError, match=words):
        check_goal_fields(Goal(**fields), 7, 2.0, SCALES)


@pytest.mark.parametrize("wanted", [[0.1] * 9, [0.0] * 10, [math.nan] * 10])
def test_targets_are_ten_numbers_above_zero(wanted):
    with pytest.raises(InputError, match="target_half_width"):
        target_of(Goal(target_half_width=wanted))


class Watched:
    """A motion that is watched; what was asked for is in `asked`."""

    def __init__(self, target=None, bare=False):
        self.asked, self.link = [], SimpleNamespace(trouble="", estimate=None)
        self.watch = MotionWatch(
            self.link, None if target is None else np.array(target), bare,
            lambda code, why: self.asked.append(code), lambda: self.asked.append("hold out"),
        )  # fmt: skip

    def look(self, part=0.1, pieces=None, most=0, left=math.inf):
        self.watch.look(left, part, pieces, most)
        return self.asked


def test_a_target_ends_one_motion_after_something_was_held_out(monkeypatch):
    motion = Watched(NARROW)
    motion.link.estimate = estimate(0.1)
    assert motion.look() == []
    motion.link.estimate = estimate(0.01, PayloadEstimate.INCONSISTENT)  # its numbers mean nothing
    assert motion.look() == []
    motion.link.estimate = estimate(0.01)
    assert motion.look() == ["hold out"] == motion.look()
    monkeypatch.setattr(motion_watch, "HELD_OUT_LEAST", 0.0)
    assert motion.look() == ["hold out", Result.NONE]


def test_the_last_piece_of_a_receding_horizon_is_held_out():
    motion = Watched(NARROW)
    assert motion.look(pieces=1) == []
    assert motion.look(pieces=2) == ["hold out"] == motion.look(pieces=2)
    assert motion.look(pieces=3) == ["hold out"] * 2
    alone = Watched()
    assert alone.look(0.5, pieces=1, most=1) == []
    assert alone.look(0.8, pieces=1, most=1) == ["hold out"]


def test_without_payload_nothing_is_held_out_and_trouble_or_lack_of_time_end_a_motion():
    motion = Watched(NARROW, bare=True)
    motion.link.estimate = estimate(0.01)
    assert motion.look(0.9) == []
    assert motion.look(left=3.0) == [Result.OUT_OF_TIME]
    motion.link.trouble = "The estimator has ended"
    assert motion.look()[-1] == Result.ESTIMATOR_LOST
