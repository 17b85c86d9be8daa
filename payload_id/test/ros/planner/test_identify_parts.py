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
from payload_id.ros.planner.identifying.attached_object import attached_object
from payload_id.ros.planner.identifying.goal_checks import check_goal_fields, target_of
from payload_id.ros.planner.identifying.motion_watch import MotionWatch
from payload_id.ros.planner.identifying.stages import Feedback, Stages

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


def test_a_dry_run_needs_a_path_that_is_known_before():
    asked = Goal(one_motion=True)
    asked.goal.dry_run_scale = 0.1
    check_goal_fields(asked, 7, 2.0, SCALES)
    asked.goal.dry_run_scale = 0.2
    with pytest.raises(InputError, match=r"dry_run_scale must be from 0.05 to 0.1"):
        check_goal_fields(asked, 7, 2.0, SCALES)
    asked.goal.dry_run_scale = 0.1
    asked.one_motion = False
    with pytest.raises(InputError, match="no dry run"):
        check_goal_fields(asked, 7, 2.0, SCALES)


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


def test_progress_goes_from_0_to_1_and_never_back():
    asked = Goal(one_motion=True, tare=Goal.TARE_FIRST)
    asked.goal.dry_run_scale = 0.1
    stages = Stages.of(asked)
    told = [stages.progress()[0]]
    for state in list(stages.states[1:]):
        stages.enter(state)
        stages.expect(state, 100.0 if state == Feedback.EXCITING else 1.0)
        told.append(stages.progress()[0])
    assert told == sorted(told) and told[0] < 0.02 and 0.9 < told[-1] <= 1.0
    assert stages.state == Feedback.SAVING and stages.progress()[1] <= 1.0
    assert stages.progress(1e12)[0] == 1.0
    assert math.isnan(Stages.of(Goal()).progress()[1])  # a receding horizon without an end


class Messages:
    """Has what is needed of moveit_msgs.msg."""

    class CollisionObject:
        ADD = b"\x00"

    @staticmethod
    def AttachedCollisionObject():  # noqa: N802
        return SimpleNamespace(object=SimpleNamespace(header=SimpleNamespace()))


def test_the_payload_is_attached_with_its_mass_where_mass_and_volume_are_known():
    message = attached_object(Messages, estimate(), "flange", [0.1, 0.2, 0.3], [0.0, 0.0, 0.2])
    assert message.link_name == "flange" and message.weight == 1.0
    assert list(message.object.primitives[0].dimensions) == [0.1, 0.2, 0.3]
    assert message.object.pose.position.z == 0.2
    with pytest.raises(InputError, match="mass is not known"):
        attached_object(Messages, None, "flange", [0.1] * 3, [0.0] * 3)
    with pytest.raises(InputError, match="payload_box"):
        attached_object(Messages, estimate(), "flange", None, [0.0] * 3)
