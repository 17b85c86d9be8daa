"""What ends a motion: one table of functions of what is known now, before it begins and after.

The most severe verdict counts, then the first of the table. A motion is stopped on its path where
the arm is where its certificate says, and held where it may be elsewhere: then even a certified
stop could make it jump.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from functools import cached_property

import numpy as np
from payload_id_msgs.msg import PayloadEstimate

from ...core.arrays import Array
from ...core.safety.tube.tube_watch import TubeUse, late_use, position_error, tube_use
from ...core.samples.stamps import seconds_since
from .commanded_motion import CommandedMotion
from .payload_intervals import is_usable, is_within
from .snapshot import Snapshot
from .standstill import AT_REST, SETTLED
from .stop_reason import Reason

CLEARLY = 0.5  # part of the tube up to which an arm that left it counts as late on its path
LATEST = 0.4  # [s] by which an arm is looked for on its path
FULL = 99.5  # [%] from which a speed slider counts as full: some report in steps


class Phase(Enum):
    """What the bridge does with the arm."""

    IDLE = "idle"
    PROVING = "proving"
    CHECKING = "checking"
    ACQUIRING = "acquiring"
    STARTING = "starting"
    FOLLOWING = "following"
    STOPPING = "stopping"
    HOLDING = "holding"
    SETTLING = "settling"
    RELEASING = "releasing"


BEFORE = (Phase.PROVING, Phase.CHECKING, Phase.ACQUIRING)
ON_PATH = (Phase.STARTING, Phase.FOLLOWING, Phase.STOPPING)
AT_END = (Phase.SETTLING, Phase.RELEASING)


class Severity(IntEnum):
    """What a verdict asks for."""

    STOP = 1  # on the path
    HOLD = 2  # where the arm is


@dataclass(frozen=True)
class Verdict:
    """Why a motion must end, or may not begin.

    Attributes:
        severity: How.
        reason: Why.
        message: What was found.
        monitor: Place of its monitor in the table: what is first explains what comes later.
    """

    severity: Severity
    reason: Reason
    message: str
    monitor: float = float("inf")


@dataclass(frozen=True)
class WatchedArm:
    """What does not change of the arm and of who watches it.

    Attributes:
        joints: Names of the joints.
        continuous: Joints whose position may be reported up to whole turns.
        encoder_error: Largest error of a measured position, shape (n,) [rad or m].
        warning: Torques at which its own safety system warns, shape (n,) [N m or N]; None: unknown.
        silence: Age of the newest joint states at which they count as lost [s].
        start_delay: From a command to its first motion [s].
        reaction: From a command until the controller follows it, at most [s].
        settling: Time that it may take to come to rest [s].
        gives_back: Whether another controller has it between motions.
    """

    joints: Sequence[str]
    continuous: Sequence[bool]
    encoder_error: Array
    warning: Array | None = None
    silence: float = 0.25
    start_delay: float = 0.3
    reaction: float = 0.1
    settling: float = 2.0
    gives_back: bool = False


@dataclass(frozen=True)
class MonitorInput:
    """What a monitor judges.

    Attributes:
        now: What is known.
        motion: What the arm is to do.
        arm: Whose.
        phase: What the bridge does with it.
        held: Whether the controller was asked to hold it.
    """

    now: Snapshot
    motion: CommandedMotion
    arm: WatchedArm
    phase: Phase
    held: bool = False

    @cached_property
    def times(self) -> Array:
        """Of the joint states on the motion, shape (N,) [s]."""
        return np.asarray(seconds_since(self.now.states.stamp, self.motion.start_ns))

    @cached_property
    def use(self) -> TubeUse | None:
        """How much of the tube the arm takes; None where it is not to be in it, or was not seen."""
        if self.phase not in (*ON_PATH, *AT_END) or self.held or not len(self.now.states.stamp):
            return None
        return self.used()

    def used(self, last: int = 0) -> TubeUse:
        """Return how much of the tube the last joint states take, or all of them."""
        states, motion = self.now.states, self.motion
        measured = self.times[-last:], states.q[-last:], states.dq[-last:]
        return tube_use(
            motion.commanded, motion.tube, *measured, self.arm.continuous, self.arm.encoder_error
        )


Monitor = Callable[[MonitorInput], Verdict | None]


def _hold(reason: Reason, message: str) -> Verdict | None:
    """Return a verdict to hold, if anything was found."""
    return Verdict(Severity.HOLD, reason, message) if message else None


def _stop(reason: Reason, message: str) -> Verdict | None:
    """Return a verdict to stop, if anything was found."""
    return Verdict(Severity.STOP, reason, message) if message else None


def driver_fault(look: MonitorInput) -> Verdict | None:
    """The driver drops commands, or did since the last look."""
    return _hold(Reason.DRIVER_FAULT, next(iter(look.now.driver), ""))


def controller_lost(look: MonitorInput) -> Verdict | None:
    """The arm's controller is not active, or its commands reach nobody."""
    manager, found = look.now.manager, look.now.manager.inactive
    if look.arm.gives_back and look.phase not in BEFORE:  # another one has the arm
        found = manager.lost if look.phase in ON_PATH else ""
    return _hold(Reason.CONTROLLER_INACTIVE, found or manager.deaf)


def foreign_command(look: MonitorInput) -> Verdict | None:
    """Somebody else commands the arm, or may before the motion begins."""
    controller, rival = look.now.controller, look.now.manager.rival
    others = controller.others if look.phase in (*BEFORE, Phase.STARTING) else ""
    return _hold(Reason.FOREIGN_COMMAND, rival or controller.foreign or others)


def controller_fault(look: MonitorInput) -> Verdict | None:
    """The controller gave up, did not answer, or did not take the motion."""
    found = look.now.controller.fault
    return None if found is None or look.phase in BEFORE else _hold(*found)


def clock_fault(look: MonitorInput) -> Verdict | None:
    """Stamps do not go with the clock by which the motion begins."""
    return _hold(Reason.CLOCK_FAULT, look.now.states.clock)


def passive_joint_off(look: MonitorInput) -> Verdict | None:
    """A joint that the arm does not move is not where the certificates have it."""
    return _hold(Reason.PASSIVE_JOINT_OFF, look.now.states.passive_joint)


def controller_error(look: MonitorInput) -> Verdict | None:
    """The controller itself finds the arm outside the tube: no clock and no delay is between."""
    error, tube = look.now.error, look.motion.tube
    if error is None or look.phase not in ON_PATH or error.stamp < look.motion.start_ns:
        return None
    off = np.abs(position_error(np.zeros_like(error.position), error.position, look.arm.continuous))
    beyond = np.nan_to_num(off + look.arm.encoder_error - tube.position, nan=-1.0)
    j = int(np.argmax(beyond))
    if beyond[j] <= 0.0:
        return None
    return _hold(
        Reason.TUBE_LEFT,
        f"The controller itself is {off[j]:.4g} rad (m) from its reference at "
        f"{look.arm.joints[j]}; the certificate allows {tube.position[j]:.4g}",
    )


def tube_left(look: MonitorInput) -> Verdict | None:
    """The arm is elsewhere than its certificate assumes: off its path, late, or not started."""
    found, arm, states = look.use, look.arm, look.now.states
    if found is None or found.part <= 1.0:
        return None
    message = found.sentence(arm.joints)
    if look.phase in AT_END or look.used(1).part <= 1.0:
        return _hold(Reason.TUBE_LEFT, message)
    time, q, dq = float(look.times[-1]), states.q[-1], states.dq[-1]
    moved = np.abs(position_error(look.motion.start, q, arm.continuous))
    slow = (np.abs(np.nan_to_num(dq)) < AT_REST).all()
    if slow and (moved <= arm.encoder_error + AT_REST * SETTLED).all():
        return _hold(
            Reason.CONTROLLER_FAULT,
            f"The arm has not begun to move, {time:.2f} s into its motion: its controller does "
            f"nothing, its driver is in fault, or its speed is turned down",
        )
    late = late_use(
        look.motion.commanded, look.motion.tube, time, q, dq, arm.continuous, arm.encoder_error,
        LATEST,
    )  # fmt: skip
    if late.part > CLEARLY:
        return _hold(Reason.TUBE_LEFT, message)
    return _hold(
        Reason.BEHIND,
        f"The arm is on the path of its motion, but {late.lag:.2f} s late, {time:.2f} s into it",
    )


def joint_states_lost(look: MonitorInput) -> Verdict | None:
    """Joint states fail to come before the arm has been seen to rest."""
    states = look.now.states
    if look.phase in BEFORE or states.age <= look.arm.silence:
        return None
    return _hold(
        Reason.JOINT_STATES_LOST,
        f"No joint states for {states.age:.2f} s; at most {look.arm.silence:g} s are allowed "
        f"until the arm rests.{states.unusable}".rstrip("."),
    )


def torque_high(look: MonitorInput) -> Verdict | None:
    """A torque has reached that at which the arm's own safety system warns."""
    torque, warning = look.now.states.torque, look.arm.warning
    if torque is None or warning is None or look.phase not in ON_PATH:
        return None
    j = int(np.argmax(torque - warning))
    if torque[j] < warning[j]:
        return None
    return _stop(
        Reason.EFFORT_HIGH,
        f"The torque of {look.arm.joints[j]} was {torque[j]:.4g} N m (N); from {warning[j]:.4g} on "
        "the arm's own safety system warns, before it stops with a fault",
    )


def watch_late(look: MonitorInput) -> Verdict | None:
    """Nobody watched the arm for a while."""
    late = look.now.late
    if look.phase not in ON_PATH or late <= look.arm.silence:
        return None
    return _stop(
        Reason.WATCH_LATE,
        f"The bridge looked at the arm {late:.2f} s after the look before; at most "
        f"{look.arm.silence:g} s are allowed",
    )


def speed_changed(look: MonitorInput) -> Verdict | None:
    """A pendant has turned the speed down: the motion would not keep its certificate's times."""
    if look.now.slider >= FULL or look.phase in AT_END:
        return None
    return _stop(Reason.SPEED_CHANGED, f"The speed is turned down to {look.now.slider:.0f} %")


def obstacles_changed(look: MonitorInput) -> Verdict | None:
    """What is in the way is not known, or is not what the motion was proved with."""
    now = look.now
    if any(part.obstacles != now.obstacles for part in look.motion.parts):
        return _stop(Reason.OBSTACLES_CHANGED, "The obstacles have changed since it was planned")
    return _stop(Reason.OBSTACLES_CHANGED, now.obstacles_unknown)


def payload_changed(look: MonitorInput) -> Verdict | None:
    """The estimator finds the data inconsistent, or another payload than was certified."""
    estimate = look.now.estimate
    if estimate is None:
        return None
    if estimate.status == PayloadEstimate.INCONSISTENT:
        return _stop(
            Reason.ESTIMATE_INCONSISTENT,
            f"The estimator finds the data inconsistent: {estimate.message}",
        )
    time = 0.0 if look.phase in BEFORE else look.motion.time(look.now.now_ns)
    certified = [x.proved for x in look.motion.in_force(time)]
    if is_usable(estimate) and not all(
        is_within(estimate, x.payload_lower, x.payload_upper) for x in certified
    ):
        return _stop(
            Reason.INTERVALS_LEFT,
            "The estimator's intervals are not within those that the motion was certified for: it "
            "was made for another payload",
        )
    return None


def not_enabled(look: MonitorInput) -> Verdict | None:
    """Motion was switched off, or the enabling device let go."""
    return _stop(Reason.NOT_ENABLED, look.now.not_enabled)


def asked(look: MonitorInput) -> Verdict | None:
    """Somebody wants it to end."""
    return None if look.now.asked is None else _stop(*look.now.asked)


def cannot_start(look: MonitorInput) -> Verdict | None:
    """The arm does not stand where the motion begins, or cannot set off."""
    return _stop(Reason.REFUSED, look.now.start) if look.phase in BEFORE else None


MONITORS: tuple[Monitor, ...] = (
    driver_fault,
    controller_lost,
    foreign_command,
    controller_fault,
    clock_fault,
    passive_joint_off,
    controller_error,
    tube_left,
    joint_states_lost,
    torque_high,
    watch_late,
    asked,
    not_enabled,
    payload_changed,
    obstacles_changed,
    speed_changed,
    cannot_start,
)


def judged(look: MonitorInput) -> Verdict | None:
    """Return the verdict that counts; None: nothing is wrong."""
    found = (
        replace(verdict, monitor=k)
        for k, monitor in enumerate(MONITORS)
        if (verdict := monitor(look)) is not None
    )
    return max(found, key=lambda verdict: verdict.severity, default=None)


def monitors_table() -> str:
    """Return the table of monitors as Markdown, the first first."""
    lines = ["| | monitor | what it finds |", "|---|---|---|"]
    for k, monitor in enumerate(MONITORS, start=1):
        name = getattr(monitor, "__name__", "")
        lines.append(f"| {k} | `{name}` | {(monitor.__doc__ or '').splitlines()[0]} |")
    return "\n".join(lines)
