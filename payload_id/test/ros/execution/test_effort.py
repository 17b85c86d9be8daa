"""Who has the arm when: the effort back end, with a loop and a manager that are fakes."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.motion.trajectory import Motion
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.effort_loop import turns
from payload_id.ros.effort_loop.messages import Follow, Hold, LoopSettings, LoopState, Rest
from payload_id.ros.effort_loop.period_watch import LoopFigures
from payload_id.ros.execution.back_ends import effort
from payload_id.ros.execution.back_ends.back_end import Trouble

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
        self.deaf = self.strange = 0

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
                strange=self.strange,
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
        monkeypatch.setattr(effort, "Handover", FakeHandover)
        monkeypatch.setattr(effort, "steady_timer", lambda *given: None)
        monkeypatch.setattr(turns, "AGAIN", 0.0)
        self.sent, self.log = [], []
        node = SimpleNamespace(
            create_publisher=lambda *given: SimpleNamespace(publish=self.sent.append),
            create_subscription=lambda kind, topic, callback, quality: None,
            get_logger=lambda: SimpleNamespace(error=self.log.append),
            create_client=lambda kind, name: self.parameters,
            count_subscribers=lambda topic: 1,
        )
        self.answer = None  # of the resting controller; None: it has no parameters
        self.parameters = SimpleNamespace(
            service_is_ready=lambda: self.answer is not None, call_async=lambda asked: self.answer
        )
        self.back_end = effort.Effort(node, SETTINGS)
        self.loop, self.manager = self.back_end._process, self.back_end._handover
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
        assert self.manager.asked == [(TORQUES, RESTING, True)] and not self.back_end.fault()
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
    trouble, said = arm.back_end.fault()
    assert trouble is Trouble.NOT_STARTED and (words or "no words") in said
    assert arm.manager.asked[-1] == (RESTING, TORQUES, False)
    arm.back_end.hold()
    assert arm.back_end.fault() is None  # nothing has moved: nobody needs to acknowledge


def test_a_takeover_that_comes_too_late_is_no_start(arm):
    arm.back_end.get_ready(arm.tube, None, None)
    arm.back_end.take()
    arm.look()
    arm.send()
    arm.loop.sends, arm.loop.stamp_ns = False, 2 * 10**9
    arm.look()
    assert arm.back_end.fault()[0] is Trouble.NOT_STARTED
    assert "start_delay" in arm.back_end.fault()[1] and not arm.manager.asked


def test_a_manager_that_has_not_answered_as_the_motion_begins_is_no_start(arm):
    arm.back_end.get_ready(arm.tube, None, None)
    arm.back_end.take()
    arm.look()
    arm.send()
    arm.look()
    assert arm.manager.waits and not arm.back_end.fault()
    arm.loop.stamp_ns = 2 * 10**9
    arm.look()
    assert arm.back_end.fault()[0] is Trouble.NOT_STARTED
    arm.look((True, ""))  # it switches after all
    assert arm.manager.asked[-1] == (RESTING, TORQUES, False)


def test_torques_hold_the_arm_until_the_manager_has_answered_that_it_is_given_back(arm):
    """What its activity says may be of before torques took the arm."""
    arm.moving()
    arm.back_end.release()
    arm.look()
    assert arm.manager.asked[-1][:2] == (RESTING, TORQUES) and arm.back_end.still_has_arm
    arm.look((False, "no answer"))
    arm.activity(**{RESTING: "active", TORQUES: "inactive"})
    assert arm.manager.waits  # it was asked again
    assert arm.back_end.still_has_arm and arm.loop.sends
    arm.look((True, ""))
    assert not arm.back_end.still_has_arm and not arm.loop.sends


def test_torques_are_not_given_up_for_nothing(arm):
    """Where the resting controller cannot take the arm, a strict switch does nothing."""
    arm.moving().activity(**{RESTING: "unconfigured", TORQUES: "active"})
    arm.back_end.release()
    for _ in range(3):
        arm.look()
        arm.look((False, "not inactive"))
    assert [strict for *_, strict in arm.manager.asked[1:]] == 4 * [True] and arm.loop.sends


@pytest.mark.parametrize("torques", ["active", "inactive"])
def test_an_answer_that_activity_contradicts_ends_nothing_and_is_told(arm, monkeypatch, torques):
    monkeypatch.setattr(turns, "LATE", 0.0)
    arm.moving().activity(**{RESTING: "inactive", TORQUES: "active"})
    arm.back_end.release()
    arm.look()
    arm.activity(**{RESTING: "inactive", TORQUES: torques})
    arm.look((True, ""))
    arm.look()
    assert not arm.back_end.not_given_back()  # activity may be late
    arm.look((True, ""))
    arm.look()
    assert (
        f"'{RESTING}' has the arm again, but shows it as inactive" in arm.back_end.not_given_back()
    )
    assert arm.loop.sends and arm.back_end.still_has_arm and arm.manager.waits
    arm.activity(**{RESTING: "active", TORQUES: "inactive"})
    arm.look((True, ""))
    assert not arm.back_end.not_given_back() and not arm.loop.sends


def test_states_of_others_are_told_after_a_motion_and_hinder_the_next(arm, monkeypatch):
    monkeypatch.setattr(effort, "publisher_names", lambda node, topic: ["/arm", "/relay"])
    arm.moving()
    arm.loop.state = replace(arm.loop.state, passed_over=7)
    assert "7 joint states were old" in arm.back_end.delay() and not arm.back_end.absence()
    arm.loop.state = replace(arm.loop.state, sends=False)
    assert "/arm, /relay" in arm.back_end.absence() and "/js" in arm.back_end.absence()
    arm.loop.state = replace(arm.loop.state, passed_over=0)
    assert not arm.back_end.delay() and not arm.back_end.absence()
    arm.loop.state = replace(arm.loop.state, strange=3, unmeasured=5)
    assert "3 joint states were another publisher's, or" in arm.back_end.delay()
    assert "5 joint states had no velocities" in arm.back_end.delay()


def test_an_arm_that_the_loop_alone_hears_no_more_is_given_back(arm, monkeypatch):
    """As where the publisher of its states begins anew: it is another one for the loop."""
    monkeypatch.setattr(effort, "publisher_names", lambda node, topic: ["/broadcaster"])
    arm.moving()
    arm.loop.deaf = SETTINGS.silence
    arm.look()
    assert not arm.back_end.fault() and len(arm.manager.asked) == 1
    arm.loop.deaf, arm.loop.strange = SETTINGS.silence + 0.06, 80
    arm.look()
    trouble, words = arm.back_end.fault()
    assert trouble is Trouble.JOINT_STATES_LOST
    assert "80 came that are not the arm's (published by /broadcaster)" in words
    assert isinstance(arm.loop.orders[-1], Hold)
    assert arm.manager.asked[1:] == [(RESTING, TORQUES, True)]


def test_what_the_loop_refuses_is_no_start(arm):
    arm.loop.refuses = "joint_1 is elsewhere."
    arm.back_end.get_ready(arm.tube, None, None)
    arm.back_end.take()
    arm.look()
    arm.send()
    arm.look()
    assert arm.back_end.fault() == (Trouble.NOT_STARTED, "joint_1 is elsewhere")
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


def test_stamps_that_have_leapt_are_told(arm):
    arm.moving()
    assert not arm.back_end.delay()
    arm.loop.state = replace(arm.loop.state, leapt=-0.18)
    assert "leapt by -0.18 s" in arm.back_end.delay()


def test_held_the_arm_is_braked_and_given_back_at_once(arm):
    arm.moving().back_end.hold()
    assert isinstance(arm.loop.orders[-1], Hold)
    assert arm.manager.asked[-1] == (RESTING, TORQUES, True)


def test_a_loop_that_dies_is_replaced_after_one_torque_that_holds_the_arm(arm):
    arm.moving().loop.death = "The process of the torque loop has ended (exit code -9)"
    arm.look()
    assert [list(x.data) for x in arm.sent] == [[1.0, 1.0]]
    assert arm.manager.asked[-1] == (RESTING, TORQUES, True)
    trouble, said = arm.back_end.fault()
    assert trouble is Trouble.CONTROLLER_FAULT and "exit code -9" in said and RESTING in said
    assert arm.back_end._process is not arm.loop


def test_a_loop_that_dies_while_the_takeover_is_not_answered_leaves_the_arm_at_once(arm):
    arm.back_end.get_ready(arm.tube, None, None)
    arm.back_end.take()
    arm.look()
    arm.send()
    arm.look()
    arm.loop.death = "The process of the torque loop has ended (exit code -9)"
    arm.look()
    assert arm.manager.asked[-1][:2] == (RESTING, TORQUES) and len(arm.sent) == 1


def test_a_loop_that_never_answered_is_not_started_again_and_again(arm):
    arm.loop.death = "The process of the torque loop has ended (exit code 1)"
    for _ in range(3):
        arm.look()
    assert arm.back_end._process is arm.loop and len(arm.log) == 1
    arm.back_end._node.count_subscribers = lambda topic: 1
    assert "exit code 1" in arm.back_end.absence()


def test_a_controller_that_is_switched_away_is_a_fault_and_somebody_gets_the_arm(arm):
    arm.moving().activity(**{TORQUES: "active", RESTING: "inactive"})
    arm.activity(**{TORQUES: "inactive", RESTING: "inactive"})
    assert arm.back_end.fault()[0] is Trouble.CONTROLLER_INACTIVE
    arm.look()
    assert arm.manager.asked[-1] == (RESTING, TORQUES, False)


def test_where_its_resting_controller_took_the_arm_torques_end_with_the_managers_answer(arm):
    arm.moving().activity(**{TORQUES: "active", RESTING: "inactive"})
    arm.activity(**{TORQUES: "inactive", RESTING: "active"})
    assert arm.back_end.fault()[0] is Trouble.CONTROLLER_INACTIVE
    assert isinstance(arm.loop.orders[-1], Hold)
    arm.look()
    assert arm.manager.asked[-1] == (RESTING, TORQUES, False) and arm.loop.sends
    arm.activity(**{TORQUES: "inactive", RESTING: "active"})
    arm.look((True, "nothing to do"))
    assert not arm.loop.sends


def test_activity_of_before_the_takeover_is_no_fault(arm, monkeypatch):
    monkeypatch.setattr(turns, "LATE", 1e3)
    arm.moving().activity(**{TORQUES: "inactive", RESTING: "active"})
    arm.look()
    assert not arm.back_end.fault()
    arm.activity(**{TORQUES: "active", RESTING: "inactive"})
    arm.activity(**{TORQUES: "inactive", RESTING: "active"})
    assert arm.back_end.fault()[0] is Trouble.CONTROLLER_INACTIVE


class VirtualManager:
    """A controller manager in virtual time: slow, with lost answers, and activity of whenever."""

    def __init__(self, rng, monkeypatch):
        self.now, self.rng, self.torques = 0.0, rng, False
        self.slow, self.lost = rng.choice([0.0, 0.3, 1.0, 3.0]), rng.choice([0.0, 0.3])
        self.number, self.queue, self.answers, self.said, self.least = 0, [], [], [], 0.0
        self.handle = self
        monkeypatch.setattr(effort.time, "monotonic", lambda: self.now)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    srv_name = "/cm/switch_controller"

    def service_is_ready(self):
        return True

    def send_request(self, request):
        self.number += 1
        begins = max([self.now, *(at for at, *_ in self.queue)])
        takes = self.least + self.rng.uniform(0.005, 0.03 + self.slow)
        self.queue.append((begins + takes, self.number, request.activate_controllers == [TORQUES]))
        return self.number

    def take_response(self, kind):
        if not self.answers or self.answers[0][0] > self.now:
            return None, None
        _, number = self.answers.pop(0)
        return SimpleNamespace(request_id=SimpleNamespace(sequence_number=number)), kind(ok=True)

    def step(self, arm):
        self.now += 0.005
        while self.queue and self.queue[0][0] <= self.now:
            _, number, self.torques = self.queue.pop(0)
            if self.rng.uniform() >= self.lost:
                self.answers.append((self.now + self.rng.uniform(0.0, 0.01), number))
            self.say()
        if self.rng.uniform() < 0.005:  # of another controller, or once more
            self.say()
        for said in [x for x in self.said if x[0] <= self.now]:
            self.said.remove(said)
            states = "inactive", "active"
            arm.activity(**{TORQUES: states[said[1]], RESTING: states[not said[1]]})

    def say(self):
        self.said.append((self.now + self.rng.exponential(0.1), self.torques))


def under(manager, monkeypatch):
    """Return an arm that asks a virtual manager."""
    real = effort.Handover
    arm = Arm(monkeypatch)
    arm.back_end._node.create_client = lambda kind, name, **given: manager
    arm.manager = real(arm.back_end._node, "/cm")
    arm.back_end._handover = arm.back_end._turns._handover = arm.manager
    monkeypatch.setattr(turns, "AGAIN", 0.5)
    return arm


def test_an_answer_that_comes_later_than_it_is_waited_for_tells_as_much(monkeypatch):
    manager = VirtualManager(np.random.default_rng(0), monkeypatch)
    manager.slow = manager.lost = 0.0
    arm = under(manager, monkeypatch)
    arm.back_end.get_ready(arm.tube, None, None)
    arm.back_end.take()
    arm.send(10**9)
    for _ in range(100):
        step(arm, manager)
    assert manager.torques
    manager.least = 2.6
    arm.back_end.release()
    for _ in range(1200):  # 6 s: two requests
        step(arm, manager)
    assert not arm.back_end.still_has_arm and not arm.loop.sends


@pytest.mark.parametrize("seed", range(25))
def test_the_torque_controller_never_has_the_arm_without_torques(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    manager = VirtualManager(rng, monkeypatch)
    arm, moved = under(manager, monkeypatch), 0
    for _ in range(6):
        for _ in range(8000):  # until the arm may be taken, 40 s at most
            if arm.back_end.is_taken:
                break
            step(arm, manager)
            arm.back_end.take()
        assert arm.back_end.is_taken
        arm.back_end.get_ready(arm.tube, None, None)
        arm.send(round(1e9 * (manager.now + 0.2)))
        for _ in range(int(rng.integers(1, 200))):
            step(arm, manager)
            arm.loop.stamp_ns = round(1e9 * manager.now)
            moved += manager.torques
            if arm.back_end.fault():
                break
        arm.back_end.hold()
        arm.back_end.release()
    for _ in range(8000):
        step(arm, manager)
    assert not manager.torques and not arm.loop.sends
    assert moved or manager.slow


def step(arm, manager):
    """Let 5 ms pass."""
    manager.step(arm)
    arm.back_end._look()
    assert arm.loop.sends or not manager.torques


def test_only_the_tube_of_a_robust_design_is_accepted(arm):
    zero = np.full(2, 0.1)
    stated = TrackingTube.position_controlled(zero, zero, zero)
    with pytest.raises(InputError, match="position_controlled"):
        arm.back_end.get_ready(stated, None, None)
