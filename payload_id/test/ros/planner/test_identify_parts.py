"""What `~/identify` decides, without nodes: fields, ends of motions, codes, progress."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import PayloadEstimate

from payload_id.core.errors import InputError
from payload_id.ros.planner.identifying import motion_watch
from payload_id.ros.planner.identifying.goal_checks import check_goal_fields
from payload_id.ros.planner.identifying.motion_watch import MotionWatch

Goal, Result = Identify.Goal, Identify.Result


def estimate(status=PayloadEstimate.GOOD):
    return PayloadEstimate(status=status)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"known_mass": [1.0]}, "mass and its largest error"),
        ({"known_mass": [1.0, 0.0]}, "above 0 kg"),
        ({"known_mass": [math.nan, 0.1]}, "above 0 kg"),
        ({"known_mass": [3.0, 0.1]}, "prior allows 2 kg"),
        ({"known_mass": [1.0, 0.1], "continue_run": True}, "continued as it is"),
        ({"tare": Goal.TARE_ONLY, "continue_run": True}, "continued as it is"),
        ({"tare": 9}, "tare must be"),
        ({"time_limit": -1.0}, "time_limit"),
        ({"time_limit": math.inf}, "time_limit"),
        ({"start_positions": [0.0] * 6}, "each of 7 joints"),
        ({"start_positions": [math.nan] * 7}, "finite"),
    ],
)
def test_a_goal_that_makes_no_sense_is_refused_in_a_sentence(fields, words):
    with pytest.raises(InputError, match=words):
        check_goal_fields(Goal(**fields), 7, 2.0)


class Watched:
    """A motion that is watched; what was asked for is in `asked`."""

    def __init__(self, until_good=False, bare=False):
        self.asked, self.link = [], SimpleNamespace(trouble="", estimate=None)
        self.watch = MotionWatch(
            self.link, until_good, bare,
            lambda code, why: self.asked.append(code), lambda: self.asked.append("hold out"),
        )  # fmt: skip

    def look(self, part=0.1, pieces=1, most=1, left=math.inf):
        self.watch.look(left, part, pieces, most)
        return self.asked


def test_what_is_enough_ends_one_motion_after_something_was_held_out(monkeypatch):
    motion = Watched(until_good=True)
    motion.link.estimate = estimate(PayloadEstimate.TOO_WIDE)
    assert motion.look() == []
    motion.link.estimate = estimate()
    assert motion.look() == ["hold out"] == motion.look()
    monkeypatch.setattr(motion_watch, "HELD_OUT_LEAST", 0.0)
    assert motion.look() == ["hold out", Result.NONE]


def test_the_last_piece_of_a_receding_horizon_is_held_out():
    motion = Watched(until_good=True)
    assert motion.look(pieces=1, most=0) == []
    assert motion.look(pieces=2, most=0) == ["hold out"] == motion.look(pieces=2, most=0)
    assert motion.look(pieces=3, most=0) == ["hold out"] * 2
    alone = Watched()
    assert alone.look(0.5, pieces=1, most=1) == []
    assert alone.look(0.8, pieces=1, most=1) == ["hold out"]


def test_without_payload_nothing_is_held_out_and_trouble_or_lack_of_time_end_a_motion():
    motion = Watched(until_good=True, bare=True)
    motion.link.estimate = estimate()
    assert motion.look(0.9) == []
    assert motion.look(left=3.0) == [Result.OUT_OF_TIME]
    motion.link.trouble = "The estimator has ended"
    assert motion.look()[-1] == Result.ESTIMATOR_LOST
