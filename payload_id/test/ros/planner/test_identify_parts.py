"""What `~/identify` decides, without nodes: fields, ends of motions, codes, progress."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import PayloadEstimate

from payload_id.core.errors import InputError
from payload_id.ros.execution import silence
from payload_id.ros.planner.identifying import estimator_link, motion_watch
from payload_id.ros.planner.identifying.attached_object import attached_object
from payload_id.ros.planner.identifying.estimator_link import EstimatorLink
from payload_id.ros.planner.identifying.goal_checks import check_goal_fields, target_of
from payload_id.ros.planner.identifying.motion_watch import MotionWatch
from payload_id.ros.planner.identifying.outcome import judge
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


def test_the_end_of_one_motion_is_held_out_once():
    motion = Watched()
    assert motion.look(0.5) == [] == motion.look(math.nan)
    assert motion.look(0.75) == ["hold out"] == motion.look(0.9)


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


def result(validated=True, saved="/run", **of_estimate):
    return Result(estimate=estimate(**of_estimate), validated=validated, saved=saved,
                  validation="Nothing contradicts.")  # fmt: skip


@pytest.mark.parametrize(
    ("found", "asked", "code", "words"),
    [
        (result(), {}, Result.NONE, "between 0.99 and 1.01 kg"),
        (result(status=PayloadEstimate.SMALL_LOAD), {}, Result.NONE, "SMALL_LOAD"),
        (result(validated=False), {}, Result.NOT_VALIDATED, "Not validated"),
        (result(saved=""), {}, Result.NOT_SAVED, "not saved"),
        (result(half=0.1), {"target_half_width": NARROW}, Result.TARGET_MISSED, "m is known to"),
        (result(half=0.019), {"target_half_width": NARROW}, Result.NONE, "GOOD"),
        (result(status=PayloadEstimate.NO_DATA), {}, Result.NOT_IDENTIFIED, "NO_DATA. So."),
        (result(status=PayloadEstimate.INCONSISTENT), {"known_mass": [1.5, 0.1]},
         Result.INCONSISTENT, "given as 1.5 kg to within 0.1 kg"),
    ],
)  # fmt: skip
def test_a_result_has_a_code_and_a_sentence(found, asked, code, words):
    judged, said = judge(found, Goal(**asked))
    assert judged == code and words in said, said


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


def test_an_estimator_that_ended_began_anew_or_gets_no_samples_is_told_apart(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(estimator_link, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(silence, "time", SimpleNamespace(monotonic=lambda: now[0]))
    there = [True]
    client = SimpleNamespace(service_is_ready=lambda: there[0])
    link = EstimatorLink(SimpleNamespace(create_client=lambda kind, name: client), "estimator")

    def wait(seconds):
        for _ in range(round(10 * seconds)):
            now[0] += 0.1
            link.look()

    def heard(**figures):
        values = [KeyValue(key=key, value=value) for key, value in figures.items()]
        link.hear_condition(DiagnosticStatus(values=values))
        return link.trouble

    assert "Nothing was heard" in link.trouble
    assert heard(running="True", silent="") == ""
    assert "deactivated or started anew" in heard(running="False", silent="")
    link._asked = now[0]  # a run has begun, and what was said before arrives late
    assert heard(running="False", silent="") == ""
    wait(2.0)
    assert "started anew" in heard(running="False", silent="")
    assert "is not active" in heard(status="inactive")
    assert heard(running="True", silent="No samples.") == ""  # a busy machine may do that
    assert link.ceased == ""
    wait(5.0)
    assert heard(running="True", silent="No samples.") == ""
    assert link.ceased == "No samples"
    wait(2.0)
    assert heard(running="True", silent="No samples.") == "No samples"
    assert heard(running="True", silent="") == ""
    wait(7.0)
    assert "for 7 s" in link.trouble
    assert heard(running="True", silent="") == ""
    there[0] = False
    wait(0.5)
    assert link.trouble == ""  # discovery may be slow
    wait(1.0)
    assert "has ended" in link.trouble
    there[0] = True
    wait(0.2)
    assert link.trouble == ""
    now[0] += 60.0  # in which the planner itself did not run
    link.look()
    assert link.trouble == ""


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
