"""The table of the machine that moves an arm, its monitors, and an arm that follows it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from payload_id_msgs.msg import PayloadEstimate

from numeric_arm import HOME, START_NS, TUBE, Arm, certified, part_of
from payload_id.core.errors import InputError
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.joint_trajectory import sample
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_stop import PathStop
from payload_id.core.safety.certificate.certified_motion import CertifiedMotion, CertifiedStop
from payload_id.ros.execution.commanded_motion import CommandedMotion
from payload_id.ros.execution.machine import TABLE, Command, Event, State, asked_for
from payload_id.ros.execution.monitors import BEFORE, MONITORS, ON_PATH, Phase
from payload_id.ros.execution.snapshot import (
    ControllerError,
    ControllerReport,
    JointStates,
    ManagerReport,
    NotProved,
)
from payload_id.ros.execution.start_check import NotReadyError
from payload_id.ros.execution.stop_reason import Reason

MAY_MOVE = (*ON_PATH, Phase.SETTLING)


def test_the_table_leaves_no_moving_arm_without_a_way_to_rest():
    for phase in Phase:
        next_ones = {event: TABLE.get((phase, event), (phase, None)) for event in Event}
        if phase in BEFORE:
            assert next_ones[Event.STOP] == (Phase.IDLE, Command.REFUSE)
            assert next_ones[Event.HOLD] == next_ones[Event.STOP] or phase is Phase.PROVING
        if phase in MAY_MOVE:
            assert next_ones[Event.HOLD] == (Phase.HOLDING, Command.HOLD)
        if phase in (Phase.STARTING, Phase.FOLLOWING):
            assert next_ones[Event.STOP][1] in (Command.STOP, Command.HOLD)
        if phase is not Phase.IDLE:
            assert (phase, Event.READY) in TABLE
        if phase not in (*ON_PATH, Phase.IDLE, Phase.PROVING):  # others are ended by time
            assert (phase, Event.OVERDUE) in TABLE
    sends = {key for key, (_, command) in TABLE.items() if command is Command.SEND}
    assert sends == {(Phase.ACQUIRING, Event.READY)}  # nothing else begins a motion
    ends = {key[0] for key, (phase, _) in TABLE.items() if phase is Phase.IDLE}
    assert ends == {*BEFORE, Phase.RELEASING}


def estimate(**fields):
    found = PayloadEstimate(**fields)
    found.lower, found.upper = np.full(10, -0.5), np.full(10, 0.5)
    return found


def tracking(off):
    return ControllerError(START_NS + 10**9, np.array([np.nan, off]))


STOPS = {
    Reason.CANCELLED: {"asked": (Reason.CANCELLED, "by hand")},
    Reason.NOT_ENABLED: {"not_enabled": "No 'true' came"},
    Reason.OBSTACLES_CHANGED: {"obstacles": ("ball:1",)},
    Reason.SPEED_CHANGED: {"slider": 80.0},
    Reason.ESTIMATE_INCONSISTENT: {
        "estimate": estimate(status=PayloadEstimate.INCONSISTENT, message="it slips")
    },
    Reason.WATCH_LATE: {"late": 0.3},
}
HOLDS = {
    Reason.DRIVER_FAULT: {"driver": ("/fault says 1",)},
    Reason.CONTROLLER_INACTIVE: {"manager": ManagerReport(inactive="'jtc' is inactive")},
    Reason.FOREIGN_COMMAND: {"manager": ManagerReport(rival="'other' is active, too")},
    Reason.CONTROLLER_FAULT: {
        "controller": ControllerReport((Reason.CONTROLLER_FAULT, "it gave up"))
    },
    Reason.CLOCK_FAULT: {"states": "clock"},
    Reason.PASSIVE_JOINT_OFF: {"states": "passive_joint"},
    Reason.TUBE_LEFT: {"error": tracking(0.03)},
    Reason.JOINT_STATES_LOST: {"states": "age"},
}
NOT_BEFORE = (
    Reason.WATCH_LATE,
    Reason.CONTROLLER_FAULT,
    Reason.TUBE_LEFT,
    Reason.JOINT_STATES_LOST,
)


def known(arm, change):
    """Return what is known of an arm beside its joint states."""
    found = dict(change)
    if isinstance(field := found.get("states"), str):
        q, dq = arm.seen
        states = JointStates(np.array([arm.now_ns]), q, dq)
        value = 0.5 if field == "age" else "what was found"
        found["states"] = replace(states, **{field: value})
    return found


def moving(until=1.0):
    arm = Arm().begin(certified())
    arm.run(lambda: arm.time >= until)
    assert arm.state.phase is Phase.FOLLOWING
    return arm


@pytest.mark.parametrize("reason", [*STOPS, *HOLDS])
def test_what_ends_a_motion_lets_none_begin_either(reason):
    change = {**STOPS, **HOLDS}[reason]
    arm = moving()
    arm.tick(**known(arm, change))
    state = arm.state
    assert state.reason.reason is reason
    assert state.phase is (Phase.STOPPING if reason in STOPS else Phase.HOLDING)
    assert (arm.held is None) == (reason in STOPS) and len(arm.commands) == 1 + (reason in STOPS)
    arm.run()
    assert arm.state.at_rest and arm.state.begun and arm.state.ended[0] is reason
    assert (arm.state.fault is not None) == reason.is_kept
    refused = Arm()
    refused.state = State(Phase.CHECKING, CommandedMotion.of(part_of(certified())), refused.time)
    refused.tick(**known(refused, change))
    if reason not in NOT_BEFORE:
        assert refused.state.phase is Phase.IDLE and refused.state.fault is None
        expected = Reason.CANCELLED if reason is Reason.CANCELLED else Reason.REFUSED
        assert refused.state.ended[0] is expected and refused.done == [Command.REFUSE]


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"proof": NotProved("it is no text")}, Reason.REFUSED),
        ({"asked": (Reason.CANCELLED, "by hand"), "proof": part_of(certified())}, Reason.CANCELLED),
    ],
)
def test_what_is_not_proved_or_called_off_while_it_is_does_not_begin(known, reason):
    arm = Arm()
    arm.state = asked_for(arm.time)
    arm.tick(driver=("a fault that the checks tell once it is proved",))
    assert arm.state.phase is Phase.PROVING
    arm.tick(**known)
    assert arm.state.phase is Phase.IDLE and arm.state.ended[0] is reason and not arm.state.begun


def test_the_most_severe_reason_counts_then_the_first_of_the_table():
    arm = moving()
    arm.tick(**STOPS[Reason.NOT_ENABLED], **HOLDS[Reason.CONTROLLER_FAULT],
             driver=("/fault says 1",))  # fmt: skip
    assert arm.state.reason.reason is Reason.DRIVER_FAULT and arm.state.phase is Phase.HOLDING
    assert len({monitor.__doc__ for monitor in MONITORS}) == len(MONITORS)


def test_a_cause_that_is_heard_late_explains_what_it_looked_like():
    arm = moving()
    arm.off = 0.05
    arm.tick()
    assert arm.state.reason.reason is Reason.TUBE_LEFT
    arm.tick(driver=("/fault says 1",))
    assert arm.state.fault.reason is arm.state.reason.reason is Reason.DRIVER_FAULT
    assert "Before that: The position of" in arm.state.fault.message


def test_a_fault_during_a_stop_is_kept_beside_its_reason():
    arm = moving()
    arm.tick(asked=(Reason.CANCELLED, "by hand"))
    arm.off = 0.05
    arm.tick()
    arm.run()
    assert arm.state.ended[0] is Reason.CANCELLED and arm.state.fault.reason is Reason.TUBE_LEFT


def test_a_motion_ends_where_its_certificate_says_and_its_stops_do():
    arm = Arm().begin(certified())
    arm.run()
    assert arm.state.at_rest and arm.state.ended == (Reason.COMPLETED, "")
    assert arm.done == [Command.ASK, Command.TAKE, Command.SEND, Command.RELEASE]
    assert not arm.state.held
    end = certified().trajectory.at(np.array([2.0])).q[0]
    assert np.allclose(arm.seen[0], end) and arm.state.largest_use < 1e-3
    for begin in (0.02, 0.6, 1.2):
        arm = moving(begin)
        arm.tick(asked=(Reason.CANCELLED, "the service"))
        before, after = arm.commands
        shared = np.linspace(arm.time, arm.time + arm.arm.reaction, 20)
        assert np.allclose(sample(before, shared).q, sample(after, shared).q, atol=1e-9)
        arm.run()
        path = certified().trajectory.at(np.linspace(0.0, 2.0, 4001)).q
        assert np.abs(path - arm.seen[0]).max(axis=1).min() < 1e-3 and arm.state.at_rest
    arm = moving(1.95)  # no stop comes before the end, which is one
    arm.tick(asked=(Reason.CANCELLED, "late"))
    arm.run()
    assert len(arm.commands) == 1 and arm.state.at_rest


@pytest.mark.parametrize("time", [-0.2, -0.09, -0.04, -0.01])
@pytest.mark.parametrize(("k", "reaction"), [((0.5, -0.4), 0.1), ((4.0, -3.0), 0.3)])
def test_before_the_start_a_hold_is_enough_only_where_it_comes_in_time(time, k, reaction):
    arm = Arm().begin(certified(k), reaction=reaction)
    arm.run(lambda: arm.time >= time - 1e-9)
    early = arm.state.motion.certified.trajectory.at(np.linspace(0, max(0, time + reaction), 50))
    inside = (np.abs(early.q - HOME) <= TUBE.position).all() and (
        np.abs(early.dq) <= TUBE.velocity
    ).all()
    arm.look(asked=(Reason.CANCELLED, "by hand"))
    assert (arm.held is not None) == inside and len(arm.commands) == 2 - inside
    arm.run()
    assert arm.state.at_rest and arm.state.begun == (not inside)
    assert arm.time > arm.arm.reaction  # it was seen not to begin after all


def test_an_arm_that_is_not_seen_to_rest_is_a_fault_whatever_its_stamps_do():
    arm = moving(1.9)
    arm.heard = False
    arm.run()
    assert arm.state.fault.reason is Reason.JOINT_STATES_LOST and not arm.state.at_rest
    arm = moving(1.9)
    arm.run(lambda: arm.state.phase is Phase.SETTLING)
    shaking = lambda arm: JointStates(  # noqa: E731
        np.array([arm.now_ns]), arm.seen[0], np.full((1, 2), 0.05)
    )
    while arm.state.phase is not Phase.IDLE:
        arm.tick(states=shaking(arm))
    assert arm.state.fault.reason is Reason.CONTROLLER_FAULT and not arm.state.at_rest
    assert "did not come to rest" in arm.state.fault.message


def test_a_controller_that_may_move_it_yet_is_waited_for():
    arm = moving()
    arm.tick(asked=(Reason.CANCELLED, "by hand"))
    arm.run(lambda: arm.state.phase is Phase.SETTLING)
    arm.run(controller=ControllerReport(unanswered="a goal is not answered"))
    assert arm.state.fault.reason is Reason.CONTROLLER_FAULT
    assert "not answered" in arm.state.fault.message


def test_an_arm_that_torques_hold_is_seen_until_another_controller_has_it():
    arm = moving()
    arm.arm = replace(arm.arm, gives_back=True)
    arm.run(lambda: arm.state.phase is Phase.RELEASING, controller=ControllerReport(has_arm=True))
    arm.tick(controller=ControllerReport(has_arm=True))
    assert arm.state.phase is Phase.RELEASING
    arm.off = 0.05  # the other one takes it elsewhere
    arm.run()
    assert arm.state.fault.reason is Reason.TUBE_LEFT


@pytest.mark.parametrize(
    ("slow", "reason"), [(0.85, Reason.BEHIND), (0.0, Reason.CONTROLLER_FAULT)]
)
def test_an_arm_that_is_late_on_its_path_or_does_not_begin_is_told_from_one_beside_it(slow, reason):
    arm = Arm().begin(certified())

    def late():
        at = sample(arm.commands[0], np.array([max(arm.time, 0.0) * slow]))
        return JointStates(np.array([arm.now_ns]), at.q, slow * at.dq)

    while arm.state.phase in (Phase.STARTING, Phase.FOLLOWING):
        arm.tick(states=late())
    assert arm.state.reason.reason is reason, arm.state.reason


def test_what_was_certified_is_what_moves_and_what_comes_and_not_what_is_over():
    motion = CommandedMotion.of(part_of(certified(), "first"))
    later = BezierPiece(MotionState.of(certified().trajectory, 1.5), np.array([0.1, 0.1]), 2.0)
    stops = tuple(CertifiedStop(time, PathStop(later, 1.0, 0.4)) for time in (0.0, 4e-10, 0.5))
    second = part_of(CertifiedMotion(later, stops, TUBE), "second")
    both = motion.continued(second, 1.5, 1.4)
    names = [[part.name for part in both.in_force(time)] for time in (-0.1, 1.4, 1.6, 9.0)]
    assert names == [["first", "second"], ["first", "second"], ["second"], ["second"]]
    # A stop at the very take-over would be followed as the part before was proved.
    assert [x.time for x in both.certified.stops] == [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0]
    with pytest.raises(NotReadyError, match="too late"):
        motion.continued(second, 1.5, 1.6)
    with pytest.raises(InputError):
        motion.continued(part_of(certified(), "elsewhere"), 1.5, 1.4)


class AnyRobot(RuleBasedStateMachine):
    """An arm, and whatever may be said of it in any order."""

    def __init__(self):
        super().__init__()
        self.arm, self.faults = Arm(time=0.0), 0

    @rule()
    def somebody_asks(self):
        if self.arm.state.phase is Phase.IDLE:
            arm = self.arm
            arm.time, arm.commands, arm.off = -0.3, [], 0.0
            arm.heard = True
            arm.begin(certified())

    @rule(reason=st.sampled_from([*STOPS, *HOLDS]))
    def something_is_wrong(self, reason):
        change = {**STOPS, **HOLDS}[reason]
        self.arm.tick(**known(self.arm, change))

    @rule(ticks=st.integers(1, 60))
    def time_passes(self, ticks):
        for _ in range(ticks):
            self.arm.tick()

    @rule(off=st.sampled_from([0.0, 0.05]), heard=st.booleans())
    def the_arm_is_pushed_or_unseen(self, off, heard):
        self.arm.off, self.arm.heard = off, heard

    @invariant()
    def what_may_move_is_watched(self):
        arm, state = self.arm, self.arm.state
        if not arm.commands:
            return
        ends = arm.commands[-1].time[-1]
        may_move = arm.held is None and arm.time < ends
        assert not (may_move and state.phase is Phase.IDLE), state
        if state.phase is Phase.IDLE:
            assert state.at_rest or state.fault is not None
            assert arm.done[-1] is Command.RELEASE
        if state.reason is not None and state.reason.reason.has_arm_held:
            assert state.held or state.phase is Phase.RELEASING


TestAnyRobot = AnyRobot.TestCase
TestAnyRobot.settings = settings(max_examples=100, stateful_step_count=50, deadline=None)
