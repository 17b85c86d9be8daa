"""What the effort back end orders and reports, with a loop and a handover that are fakes."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.motion.trajectory import Motion
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.effort_loop.messages import Follow, Hold, LoopSettings, LoopState, Rest
from payload_id.ros.execution.back_ends import effort
from payload_id.ros.execution.stop_reason import Reason

RESTING, TORQUES = "trajectories", "torques"
POINTS = Motion(np.array([0.0, 1.0]), *np.zeros((3, 2, 2)))
SETTINGS = LoopSettings(
    "n", "/", "r", "/js", False, f"/{TORQUES}/commands", "/cm", TORQUES, RESTING, 1e-3, 0.25
)
IDLE = LoopState(True, False, 0, False, "", "", {}, "", {}, None, False)


class FakeLoop:
    """Notes what it is ordered; says what it is told to say."""

    def __init__(self, settings):
        self.orders, self.death, self.pid, self.state = [], "", 1, IDLE
        self.order = self.orders.append

    def look(self):
        pass

    def close(self):
        pass


class Arm:
    """A back end, and what it does."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(effort, "LoopProcess", FakeLoop)
        monkeypatch.setattr(effort, "Handover", lambda *given: self.handover)
        timer = SimpleNamespace(cancel=lambda: None)
        monkeypatch.setattr(effort, "steady_timer", lambda *given: timer)
        self.sent, self.asked = [], []
        self.handover = SimpleNamespace(
            is_ready=True, may_have=False, has=False, refusal="", give_back=self.asked.append,
            look=lambda now: None,
        )  # fmt: skip
        node = SimpleNamespace(
            create_publisher=lambda *given: SimpleNamespace(publish=self.sent.append),
            get_logger=lambda: SimpleNamespace(error=lambda said: None),
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
        self.loop = self.back_end._process
        self.tube = SimpleNamespace(kind="robust", reserve=object())

    def says(self, **state):
        self.loop.state = replace(self.loop.state, **state)
        self.back_end._look()
        return self.back_end.look()

    def send(self):
        self.back_end.send(POINTS, 10**9, self.tube)

    def begun(self):
        self.back_end.get_ready(self.tube, None, None)
        self.back_end.take()
        assert self.back_end.is_taken and not self.back_end.look().has_arm
        self.send()
        assert self.back_end.look().has_arm  # the loop has not answered yet
        return self

    def moving(self):
        assert not self.begun().says(number=1, sends=True, started=True).fault
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
        arm.back_end._look()
        return arm.back_end.absence()

    arm.back_end._look()
    assert arm.back_end.absence() == ""
    assert "would drive the arm back" in said(True, True)
    assert f"{effort.GOES_BACK} to false" in said(True, True)
    assert said(True, False) == said(True) == ""
    assert "has not said yet" in said(False)


def test_a_motion_begins_once_what_follows_replaces_it_and_the_arm_is_given_back(arm):
    arm.moving().send()
    assert [x.begins for x in arm.loop.orders] == [True, False]
    arm.back_end.hold()
    arm.back_end.release()
    assert [type(x) for x in arm.loop.orders[2:]] == [Hold, Rest]
    assert arm.says(number=2).has_arm
    assert not arm.says(sends=False).has_arm


@pytest.mark.parametrize(
    ("started", "reason"), [(False, Reason.NOT_STARTED), (True, Reason.CONTROLLER_FAULT)]
)
def test_what_the_loop_gives_up_is_no_start_or_a_fault_and_why_it_has_the_arm_still(
    arm, started, reason
):
    arm.begun()
    found = arm.says(number=1, started=started, trouble="It is elsewhere.", way_back="busy")
    assert found.fault == (reason, "It is elsewhere") and found.way_back == "busy"


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
    arm.send()
    assert not arm.loop.orders[-1].parts


def test_a_loop_that_dies_is_replaced_after_one_torque_that_holds_the_arm(arm):
    arm.moving().loop.death = "The process of the torque loop has ended (exit code -9)"
    trouble, said = arm.says(holding=np.ones(2)).fault
    assert [list(x.data) for x in arm.sent] == [[1.0, 1.0]]
    assert arm.asked and arm.handover.may_have and arm.back_end.look().has_arm
    assert trouble is Reason.CONTROLLER_FAULT and "exit code -9" in said and RESTING in said
    assert arm.back_end._process is not arm.loop
    arm.handover.may_have = False
    assert not arm.back_end.look().has_arm


def test_only_the_tube_of_a_robust_design_is_accepted(arm):
    zero = np.full(2, 0.1)
    stated = TrackingTube.position_controlled(zero, zero, zero)
    with pytest.raises(InputError, match="position_controlled"):
        arm.back_end.get_ready(stated, None, None)
