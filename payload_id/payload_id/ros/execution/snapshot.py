"""All that is known at one instant of an arm, and of who speaks for or against its motion.

Each source says what it has heard since the snapshot before, so that nothing is remembered here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from payload_id_msgs.msg import PayloadEstimate

from ...core.arrays import Array
from .commanded_motion import Part
from .stop_reason import Reason

Found = tuple[Reason, str]  # a reason to end a motion, and what was found, one clause


def _none() -> Array:
    """Return no joint states."""
    return np.zeros((0, 0))


@dataclass(frozen=True)
class JointStates:
    """Joint states that have come since the snapshot before.

    Attributes:
        stamp: Shape (N,) [ns].
        q: Positions, shape (N, n) [rad or m].
        dq: Velocities, shape (N, n); NaN where not measured [rad/s or m/s].
        age: Time of listening since the newest came [s].
        unusable: Why messages since the newest are none, as a sentence; empty: none came.
        clock: How stamps contradict the clock of the arm's controller; empty: they do not.
        passive_joint: Which joint that the arm does not move is off its place; empty: none is.
        torque: Largest of each joint, shape (n,) [N m or N]; None: none was reported.
    """

    stamp: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    q: Array = field(default_factory=_none)
    dq: Array = field(default_factory=_none)
    age: float = 0.0
    unusable: str = ""
    clock: str = ""
    passive_joint: str = ""
    torque: Array | None = None


@dataclass(frozen=True)
class ControllerReport:
    """What the arm's controller says, and whether others command it.

    Attributes:
        fault: What it says against what it was sent last.
        foreign: What somebody else has commanded; empty: nothing.
        others: Who else may command the arm; empty: nobody.
        unanswered: Which goal or cancelling it has not answered, so that a standing arm may set off
            yet; empty: none.
        way_back: Why it still has an arm that was given back, though that was answered.
        has_arm: Whether an arm that was given back is still to be taken by another controller.
    """

    fault: Found | None = None
    foreign: str = ""
    others: str = ""
    unanswered: str = ""
    way_back: str = ""
    has_arm: bool = False


@dataclass(frozen=True)
class ManagerReport:
    """What the controller manager says; each sentence is empty where nothing is wrong.

    Attributes:
        is_current: Whether it has answered the newest question, or there is nobody to ask.
        inactive: That the arm's controller would not move it, and what to do.
        rival: That another controller commands the arm's joints, and what to do.
        deaf: That the hardware takes no commands, and what to do.
        lost: That the controller which moves it in that one's place is not active any more.
    """

    is_current: bool = True
    inactive: str = ""
    rival: str = ""
    deaf: str = ""
    lost: str = ""


@dataclass(frozen=True)
class NotProved:
    """A motion whose certificate does not hold here and now.

    Attributes:
        sentence: Why.
    """

    sentence: str


@dataclass(frozen=True)
class ControllerError:
    """How far the arm is from its reference, as its controller measures it.

    Attributes:
        stamp: Of that [ns].
        position: Shape (n,); NaN of joints that it does not name [rad or m].
    """

    stamp: int
    position: Array


@dataclass(frozen=True)
class Snapshot:
    """All of it.

    Attributes:
        steady: A clock that nobody sets [s].
        late: Time since the snapshot before [s].
        now_ns: The robot's time: that of the stamps of its joint states [ns].
        states: Joint states.
        controller: What moves the arm.
        manager: Who moves it, and whether anybody else would.
        driver: Conditions of the robot file under which the arm does not follow, as sentences.
        error: The controller's own; None: it said nothing.
        slider: Speed to which a pendant has turned the arm down [%].
        estimate: The estimator's newest; None: it said nothing.
        obstacles: Digest of those in force.
        obstacles_unknown: Why it is not known what is in the way; empty: it is.
        not_enabled: Why motion is forbidden; empty: it is not.
        asked: That somebody wants the motion ended; None: nobody does.
        proof: What the proof of a motion has led to; None: nobody waits for one, or it goes on.
        start: Why the motion cannot begin where the arm is; empty: it can, or nobody asked.
        unconnected: What the controller's connection waits for, as a sentence; empty: nothing.
    """

    steady: float
    now_ns: int
    late: float = 0.0
    states: JointStates = field(default_factory=JointStates)
    controller: ControllerReport = ControllerReport()
    manager: ManagerReport = ManagerReport()
    driver: Sequence[str] = ()
    error: ControllerError | None = None
    slider: float = 100.0
    estimate: PayloadEstimate | None = None
    obstacles: tuple[str, ...] = ()
    obstacles_unknown: str = ""
    not_enabled: str = ""
    asked: Found | None = None
    proof: Part | NotProved | None = None
    start: str = ""
    unconnected: str = ""
