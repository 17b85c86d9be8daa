"""Who has the arm when: the effort back end, with a loop and a manager that are fakes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.motion.trajectory import Motion
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.effort_loop import controller_switcher
from payload_id.ros.effort_loop.messages import Follow, Hold, LoopSettings, LoopState, Rest
from payload_id.ros.effort_loop.period_watch import LoopFigures
from payload_id.ros.execution.back_ends import effort
from payload_id.ros.execution.stop_reason import Reason

RESTING, TORQUES = "trajectories", "torques"
FIGURES = LoopFigures(0, 1e-3, 0.0, 0.0, 0.0, 0.0)
POINTS = Motion(np.array([0.0, 1.0]), *np.zeros((3, 2, 2)))
SETTINGS = LoopSettings(
    "n", "/", "r", "/js", False, f"/{TORQUES}/commands", "/cm", TORQUES, RESTING, 1e-3, 0.25
)


class FakeLoop:
    """Does what it is ordered, at once, unless it is dead or refuses."""

    def __init__(self, settings):
        self.orders, self.death, self.refuses, self.pid = [], "", "", 1
        self.state, self.sends, self.number, self.stamp_ns = None, False, 0, 0
        self.deaf = 0

    def order(self, order):
        self.orders.append(order)
        if isinstance(order, Follow):
            self.number, self.sends = order.number, not self.refuses
        elif isinstance(order, Rest):
            self.sends = False

    def look(self):
        if not self.death:
            self.state = LoopState(
                True,
                self.stamp_ns,
                self.sends,
                self.number,
                self.refuses,
                FIGURES,
                5e-3,
                {},
                np.ones(2),
                False,
                deaf=self.deaf,
            )

    def close(self):
        pass


class FakeHandover:
    """A controller manager that answers when it is told to."""

    is_ready = True

    def __init__(self, node, manager):
        self.asked, self.waits, self.said = [], False, None

    def ask(self, activate, deactivate, strict):
        self.asked.append((activate, deactivate, strict))
        self.waits = True

    def answer(self):
        said, self.said = self.said, None
        self.waits = self.waits and said is None
        return said


class Arm:
    """A back end, and what it does."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(effort, "LoopProcess", FakeLoop)
        monkeypatch.setattr(effort, "SwitchRequest", FakeHandover)
        monkeypatch.setattr(effort, "steady_timer", lambda *given: None)
        monkeypatch.setattr(controller_switcher, "AGAIN", 0.0)
        self.sent, self.log = [], []
        node = SimpleNamespace(
            create_publisher=lambda *given: SimpleNamespace(publish=self.sent.append),
            create_subscription=lambda kind, topic, callback, quality: None,
            get_logger=lambda: SimpleNamespace(error=self.log.append),
            create_client=lambda kind, name: self.parameters,
            count_subscribers=lambda topic: 1,
            get_fully_qualified_name=lambda: "/bridge",
            get_publishers_info_by_topic=lambda topic: [],
        )
        self.answer = None  # of the resting controller; None: it has no parameters
        self.parameters = SimpleNamespace(
            service_is_ready=lambda: self.answer is not None, call_async=lambda asked: self.answer
        )
        self.back_end = effort.Effort(node, SETTINGS)
        self.loop, self.manager = self.back_end._process, self.back_end._request
        self.tube = SimpleNamespace(kind="robust", reserve=object())

    def look(self, answer=None):
        self.manager.said = answer
        self.back_end._look()

    def activity(self, **states):
        controllers = [
            SimpleNamespace(name=name, state=SimpleNamespace(label=label))
            for name, label in states.items()
        ]
        self.back_end._on_activity(SimpleNamespace(controllers=controllers))
        self.back_end._look()

    def send(self, start_ns=10**9):
        self.back_end.send(POINTS, start_ns, self.tube)

    def moving(self):
        """Bring it to where the torque controller has the arm."""
        self.back_end.get_ready(self.tube, None, None)
        self.back_end.take()
        self.look()
        assert self.back_end.is_taken
        self.send()
        self.look()  # torques are sent: the switch is asked for
        self.look((True, ""))
        assert (
            self.manager.asked == [(TORQUES, RESTING, True)] and not self.back_end.look(False).fault
        )
        return self


@pytest.fixture
def arm(monkeypatch):
    return Arm(monkeypatch)


def test_a_controller_that_would_drive_the_arm_back_after_torques_is_refused(arm):
    """To its last position command, of before the motion; that is its default."""

    def said(done, *values):
        found = SimpleNamespace(values=[SimpleNamespace(bool_value=value) for value in values])
        arm.answer = SimpleNamespace(done=lambda: done, result=lambda: found)
        arm.back_end.release()
        arm.back_end._next_question = 0.0
        arm.look()
        return arm.back_end.absence()

    arm.look()
    assert arm.back_end.absence() == ""
    assert "would drive the arm back" in said(True, True)
    assert f"{effort.GOES_BACK} to false" in said(True, True)
    assert said(True, False) == said(True) == ""
    assert "has not said yet" in said(False)


def test_the_switch_is_asked_for_only_when_torques_are_sent(arm):
    arm.back_end.get_ready(arm.tube, None, None)
    arm.back_end.take()
    arm.look()
    arm.send()
    arm.loop.sends = False
    arm.look()
    assert not arm.manager.asked
    arm.loop.sends = True
    arm.look()
    arm.look()
    assert arm.manager.asked == [(TORQUES, RESTING, True)]


def test_a_motion_begins_once_and_what_follows_replaces_it(arm):
    arm.moving()
    arm.send()
    begins = [x.begins for x in arm.loop.orders if isinstance(x, Follow)]
    assert begins == [True, False]


def test_released_the_arm_is_given_back_and_only_then_torques_end(arm):
    arm.moving().back_end.release()
    arm.look()
    assert arm.manager.asked[1:] == [(RESTING, TORQUES, True)] and arm.loop.sends
    arm.look()
    assert arm.loop.sends  # the manager has not answered: the arm is still held by torques
    arm.look((True, ""))
    assert arm.loop.sends  # its activity might say otherwise
    arm.activity(**{RESTING: "active", TORQUES: "inactive"})
    assert not arm.loop.sends and not arm.back_end.is_taken


def test_a_way_back_that_is_refused_is_asked_for_again_and_torques_go_on(arm):
    arm.moving().back_end.release()
    for _ in range(3):
        arm.look()
        arm.look((False, "busy"))
    asked = [strict for *_, strict in arm.manager.asked[1:4]]
    assert asked == [True, False, False] and arm.loop.sends  # it may have been given back
    assert len(arm.log) == 1 and "busy" in arm.log[0]  # told once


@pytest.mark.parametrize("words", ["in use", ""])
def test_a_takeover_that_is_refused_or_not_answered_is_no_start_and_is_taken_back(arm, words):
    arm.back_end.get_ready(arm.tube, None, None)
    arm.back_end.take()
    arm.look()
    arm.send()
    arm.look()
    arm.look((False, words))
    trouble, said = arm.back_end.look(False).fault
    assert trouble is Reason.NOT_STARTED and (words or "no words") in said
    assert arm.manager.asked[-1] == (RESTING, TORQUES, False)
    arm.back_end.hold()
    assert arm.back_end.look(False).fault is None  # nothing has moved: nobody needs to acknowledge


def test_what_the_loop_refuses_is_no_start(arm):
    arm.loop.refuses = "joint_1 is elsewhere."
    arm.back_end.get_ready(arm.tube, None, None)
    arm.back_end.take()
    arm.look()
    arm.send()
    arm.look()
    assert arm.back_end.look(False).fault == (Reason.NOT_STARTED, "joint_1 is elsewhere")
    assert not arm.manager.asked


def test_parts_that_take_over_go_with_what_they_were_proved_for_until_a_stop_leaves_before(arm):
    arm.moving()
    for begins_ns, box in ((4 * 10**9, "one"), (6 * 10**9, "two")):
        arm.back_end.get_ready_for_more(box, None, begins_ns)
        arm.send()
    parts = [x.parts for x in arm.loop.orders if isinstance(x, Follow)]
    assert [[(ns, part.box) for ns, part in each] for each in parts] == [
        [], [(4 * 10**9, "one")], [(4 * 10**9, "one"), (6 * 10**9, "two")],
    ]  # fmt: skip
    arm.back_end.leave_at(6 * 10**9)
    arm.send()
    assert [part.box for _, part in arm.loop.orders[-1].parts] == ["one"]
    arm.back_end.get_ready(arm.tube, None, None)  # for another motion
    assert not arm.back_end._parts


def test_held_the_arm_is_braked_and_given_back_at_once(arm):
    arm.moving().back_end.hold()
    assert isinstance(arm.loop.orders[-1], Hold)
    assert arm.manager.asked[-1] == (RESTING, TORQUES, True)


def test_a_loop_that_dies_is_replaced_after_one_torque_that_holds_the_arm(arm):
    arm.moving().loop.death = "The process of the torque loop has ended (exit code -9)"
    arm.look()
    assert [list(x.data) for x in arm.sent] == [[1.0, 1.0]]
    assert arm.manager.asked[-1] == (RESTING, TORQUES, True)
    trouble, said = arm.back_end.look(False).fault
    assert trouble is Reason.CONTROLLER_FAULT and "exit code -9" in said and RESTING in said
    assert arm.back_end._process is not arm.loop


def test_a_controller_that_is_switched_away_is_a_fault_and_somebody_gets_the_arm(arm):
    arm.moving().activity(**{TORQUES: "active", RESTING: "inactive"})
    arm.activity(**{TORQUES: "inactive", RESTING: "inactive"})
    assert arm.back_end.look(False).fault[0] is Reason.CONTROLLER_INACTIVE
    arm.look()
    assert arm.manager.asked[-1] == (RESTING, TORQUES, False)


def test_only_the_tube_of_a_robust_design_is_accepted(arm):
    zero = np.full(2, 0.1)
    stated = TrackingTube.position_controlled(zero, zero, zero)
    with pytest.raises(InputError, match="position_controlled"):
        arm.back_end.get_ready(stated, None, None)
