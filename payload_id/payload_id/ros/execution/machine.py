"""What the bridge does with the arm: one state, one table of transitions, one step each cycle.

Every cycle makes a snapshot, the monitors judge it, and `step` returns the next state with what is
to be commanded. What leaves as motion is the certified one, or that up to the time of one of its
certified stops and then that stop. Where the arm may be elsewhere than its certificate assumes, the
controller is asked to hold it instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from ...core.samples.stamps import NANOSECONDS
from .commanded_motion import CommandedMotion
from .monitors import BEFORE, ON_PATH, MonitorInput, Phase, Severity, Verdict, WatchedArm, judged
from .snapshot import NotProved, Snapshot
from .standstill import Standstill
from .stop_reason import Reason, sentence

CONNECTED = 3.0  # [s] within which answers come, and everybody is found, before a motion


class Event(Enum):
    """What a cycle finds, the first of these."""

    HOLD = "must be held"
    STOP = "must stop"
    READY = "ready"
    OVERDUE = "takes too long"


class Command(Enum):
    """What is done as a state is entered."""

    ASK = "ask who moves the arm"
    REFUSE = "refuse, and give the arm back"
    TAKE = "take the arm"
    SEND = "send the motion"
    STOP = "send the next certified stop, if one comes before the end"
    HOLD = "ask the controller to hold"
    RELEASE = "give the arm back"


# READY: the motion is proved · answers have come · connected · a hold would come too late · the end
# has come · the arm stands still · it is given back. What is not in the table is not acted on; a
# reason that is kept is kept all the same.
TABLE: dict[tuple[Phase, Event], tuple[Phase, Command | None]] = {
    (Phase.PROVING, Event.STOP): (Phase.IDLE, Command.REFUSE),
    (Phase.PROVING, Event.READY): (Phase.CHECKING, Command.ASK),
    (Phase.CHECKING, Event.HOLD): (Phase.IDLE, Command.REFUSE),
    (Phase.CHECKING, Event.STOP): (Phase.IDLE, Command.REFUSE),
    (Phase.CHECKING, Event.READY): (Phase.ACQUIRING, Command.TAKE),
    (Phase.CHECKING, Event.OVERDUE): (Phase.IDLE, Command.REFUSE),
    (Phase.ACQUIRING, Event.HOLD): (Phase.IDLE, Command.REFUSE),
    (Phase.ACQUIRING, Event.STOP): (Phase.IDLE, Command.REFUSE),
    (Phase.ACQUIRING, Event.READY): (Phase.STARTING, Command.SEND),
    (Phase.ACQUIRING, Event.OVERDUE): (Phase.IDLE, Command.REFUSE),
    (Phase.STARTING, Event.HOLD): (Phase.HOLDING, Command.HOLD),
    (Phase.STARTING, Event.STOP): (Phase.HOLDING, Command.HOLD),
    (Phase.STARTING, Event.READY): (Phase.FOLLOWING, None),
    (Phase.FOLLOWING, Event.HOLD): (Phase.HOLDING, Command.HOLD),
    (Phase.FOLLOWING, Event.STOP): (Phase.STOPPING, Command.STOP),
    (Phase.FOLLOWING, Event.READY): (Phase.SETTLING, None),
    (Phase.STOPPING, Event.HOLD): (Phase.HOLDING, Command.HOLD),
    (Phase.STOPPING, Event.READY): (Phase.SETTLING, None),
    (Phase.SETTLING, Event.HOLD): (Phase.HOLDING, Command.HOLD),
    (Phase.SETTLING, Event.READY): (Phase.RELEASING, Command.RELEASE),
    (Phase.SETTLING, Event.OVERDUE): (Phase.HOLDING, Command.HOLD),
    (Phase.HOLDING, Event.READY): (Phase.RELEASING, Command.RELEASE),
    (Phase.HOLDING, Event.OVERDUE): (Phase.RELEASING, Command.RELEASE),
    (Phase.RELEASING, Event.READY): (Phase.IDLE, None),
    (Phase.RELEASING, Event.OVERDUE): (Phase.IDLE, None),
}


@dataclass(frozen=True)
class State:
    """All that is remembered of a motion.

    Attributes:
        phase: What is done.
        motion: What is or was followed last; None before the first is proved.
        since: When the phase began, by a clock that nobody sets [s].
        since_ns: The robot's time then [ns].
        stands: What joint states have shown since then.
        reason: Why the motion ends before its end, the first reason; None: it does not.
        fault: What makes that nothing moves until somebody acknowledges; None: nothing.
        begun: Whether the arm may have moved.
        held: Whether the controller was asked to hold it, so that where it ends is not known.
        at_rest: Whether it was seen to stand still after its motion.
        use: Part of the tube that the newest joint states take [-].
        largest_use: Largest one [-].
    """

    phase: Phase = Phase.IDLE
    motion: CommandedMotion | None = None
    since: float = 0.0
    since_ns: int = 0
    stands: Standstill = Standstill()
    reason: Verdict | None = None
    fault: Verdict | None = None
    begun: bool = False
    held: bool = False
    at_rest: bool = False
    use: float = 0.0
    largest_use: float = 0.0

    @property
    def moves(self) -> bool:
        """Whether a motion was commanded that is not over."""
        return self.phase not in (Phase.IDLE, *BEFORE)

    @property
    def ended(self) -> tuple[Reason, str]:
        """Why the motion has ended, and what was found."""
        if self.reason is None:
            return Reason.COMPLETED, ""
        return self.reason.reason, self.reason.message


def asked_for(steady: float) -> State:
    """Return the state in which a motion is proved that somebody asks for.

    Args:
        steady: The time by a clock that nobody sets [s].
    """
    return State(Phase.PROVING, since=steady)


def with_motion(state: State, motion: CommandedMotion) -> State:
    """Return the state once a motion is sent: from its start on, with more parts, or with a stop.

    What is sent is chosen by the time at which that is done, by whoever carries commands out.
    """
    return replace(state, motion=motion)


def step(state: State, now: Snapshot, arm: WatchedArm) -> tuple[State, Command | None]:
    """Return the state after one more snapshot, and what is to be done.

    Args:
        state: Of before.
        now: What is known now.
        arm: Whose.
    """
    if state.phase is Phase.PROVING:
        return _proving(state, now, arm)
    motion = state.motion
    if state.phase is Phase.IDLE or motion is None:
        return state, None
    states = now.states
    stands = state.stands.after(states.stamp, states.q, states.dq, arm.continuous)
    state = replace(state, stands=stands)
    if state.phase is Phase.STARTING and _is_ready(
        state, MonitorInput(now, motion, arm, state.phase)
    ):
        phase, _ = TABLE[state.phase, Event.READY]  # before anything is judged: it may move
        state = _entered(state, phase, None, now, arm)
    look = MonitorInput(now, motion, arm, state.phase, state.held)
    if look.use is not None:
        part = look.use.part
        largest = max(state.largest_use, part) if state.phase in ON_PATH else state.largest_use
        state = replace(state, use=part, largest_use=largest)
    verdict, found = _found(state, look)
    if verdict is not None:
        state = _told(state, verdict)
    event = next((x for x in found if (state.phase, x) in TABLE), None)
    if event is None:
        return state, None
    if event is Event.OVERDUE and state.phase not in BEFORE:
        state = _told(state, _restless(state, look))
    phase, command = TABLE[state.phase, event]
    return _entered(state, phase, command, now, arm), command


def _proving(state: State, now: Snapshot, arm: WatchedArm) -> tuple[State, Command | None]:
    """Return the state after one more snapshot while a motion is being proved."""
    if now.asked is not None:
        event, verdict = Event.STOP, Verdict(Severity.STOP, *now.asked)
    elif isinstance(now.proof, NotProved):
        event, verdict = Event.STOP, Verdict(Severity.STOP, Reason.REFUSED, now.proof.sentence)
    elif now.proof is not None:
        event, verdict = Event.READY, None
        state = replace(state, motion=CommandedMotion.of(now.proof))
    else:
        return state, None
    if verdict is not None:
        state = _told(state, verdict)
    phase, command = TABLE[state.phase, event]
    return _entered(state, phase, command, now, arm), command


def _found(state: State, look: MonitorInput) -> tuple[Verdict | None, list[Event]]:
    """Return what speaks against the motion, and what a cycle finds, the first first."""
    now, is_ready = look.now, _is_ready(state, look)
    if state.phase in BEFORE and not is_ready:  # what is known so far may be of before
        if now.asked is not None:
            return Verdict(Severity.STOP, *now.asked), [Event.STOP]
        if now.steady - state.since <= CONNECTED:
            return None, []
        return Verdict(Severity.STOP, Reason.REFUSED, now.unconnected), [Event.OVERDUE]
    found, verdict = [], judged(look)
    if verdict is not None and verdict.severity is Severity.HOLD:
        found.append(Event.HOLD)
    elif verdict is not None and state.phase in (*BEFORE, *ON_PATH):
        found.append(Event.STOP)
    else:
        verdict = None
    found += [Event.READY] if is_ready else []
    found += [Event.OVERDUE] if _is_overdue(state, look) else []
    return verdict, found


def _is_ready(state: State, look: MonitorInput) -> bool:
    """Tell whether a phase has reached what it waits for."""
    now, motion, arm = look.now, look.motion, look.arm
    time = motion.time(now.now_ns)
    settled = state.stands.is_settled and not now.controller.unanswered
    match state.phase:
        case Phase.CHECKING | Phase.ACQUIRING:
            return not now.unconnected
        case Phase.STARTING:
            return arm.gives_back or motion.may_have_begun(time, arm.reaction)
        case Phase.FOLLOWING | Phase.STOPPING:
            return time >= motion.commanded.duration
        case Phase.SETTLING:
            return settled
        case Phase.HOLDING:  # only once it was heeded, and nothing begins any more
            return settled and now.steady >= state.since + arm.reaction
        case _:
            return not now.controller.has_arm and (state.stands.is_settled or not arm.gives_back)


def _is_overdue(state: State, look: MonitorInput) -> bool:
    """Tell whether a phase has lasted longer than the arm may take to come to rest."""
    if (state.phase, Event.OVERDUE) not in TABLE:
        return False
    arm, now = look.arm, look.now
    passed = now.steady - state.since
    if now.states.age <= arm.silence:  # by the arm's own time: a simulation may be slow
        passed = (state.stands.newest_ns - state.since_ns) / NANOSECONDS
    return passed > arm.settling


def _restless(state: State, look: MonitorInput) -> Verdict:
    """Return why the arm was not seen to rest, or not given back."""
    controller, arm = look.now.controller, look.arm
    if state.phase is Phase.RELEASING:
        found = controller.way_back or "No controller has taken the arm back after the motion"
        return Verdict(Severity.HOLD, Reason.CONTROLLER_INACTIVE, found)
    if controller.unanswered:
        return Verdict(Severity.HOLD, Reason.CONTROLLER_FAULT, controller.unanswered)
    within, age = f"within {arm.settling:g} s of the end of its motion", look.now.states.age
    if state.stands.newest_ns and age <= arm.silence:
        how = ", though the controller was asked to hold it" if state.held else ""
        said = f"The arm did not come to rest {within}{how}"
        return Verdict(Severity.HOLD, Reason.CONTROLLER_FAULT, said)
    said = f"The arm was not seen to rest {within}; the newest joint states are {age:.2f} s old"
    return Verdict(Severity.HOLD, Reason.JOINT_STATES_LOST, said)


def _told(state: State, verdict: Verdict) -> State:
    """Return a state that knows a verdict: the first reason counts, and the first that is kept.

    One that is heard later, but comes first among the monitors, takes the place of what it
    explains: a driver in fault brakes the arm before its own message is heard.
    """
    reason, fault = state.reason, state.fault
    if state.phase in BEFORE:
        return replace(state, reason=_refused(verdict))
    reason = reason or verdict
    if not verdict.reason.is_kept:
        return replace(state, reason=reason)
    if fault is None:
        return replace(state, reason=reason, fault=verdict)
    if verdict.monitor >= fault.monitor or verdict.reason is fault.reason:
        return replace(state, reason=reason)
    told = replace(verdict, message=f"{verdict.message.rstrip('.')}. Before that: {fault.message}")
    return replace(state, reason=told if reason is fault else reason, fault=told)


def _refused(verdict: Verdict) -> Verdict:
    """Return a verdict as one against a motion that has not begun."""
    found = verdict.message.rstrip(".")
    if verdict.reason in (Reason.CANCELLED, Reason.SHUT_DOWN):
        return replace(verdict, message=f"{found} before the motion began")
    said = found if verdict.reason is Reason.REFUSED else f"{found}. {verdict.reason.value}"
    return Verdict(Severity.STOP, Reason.REFUSED, said)


def _entered(
    state: State, phase: Phase, command: Command | None, now: Snapshot, arm: WatchedArm
) -> State:
    """Return a state that has gone over to a phase."""
    if phase is state.phase:
        return state
    standing = state.phase in (Phase.SETTLING, Phase.HOLDING) and state.stands.is_settled
    rests = standing and not now.controller.unanswered and phase is Phase.RELEASING
    begins = phase is Phase.FOLLOWING or (phase is Phase.RELEASING and not rests)
    # A hold before the motion's start counts from there: it must not begin after all.
    wait = state.since + arm.start_delay - now.steady if state.phase is Phase.STARTING else 0.0
    return replace(
        state,
        phase=phase,
        since=now.steady + (max(0.0, wait) if phase is Phase.HOLDING else 0.0),
        since_ns=now.now_ns,
        stands=Standstill(newest_ns=state.stands.newest_ns),
        begun=state.begun or begins,
        held=state.held or command is Command.HOLD,
        at_rest=rests if phase is Phase.RELEASING else state.at_rest,
    )


def met_meanwhile(state: State) -> str:
    """Say which fault a motion met that ends for another reason; empty: none."""
    if state.fault is None or state.fault is state.reason:
        return ""
    met = state.fault
    return (
        f" Meanwhile {met.reason.name}: {sentence(met.reason, met.message)} Nothing moves until "
        "~/acknowledge is called."
    )
