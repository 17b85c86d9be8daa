"""What moves an arm: the one place where points of a motion leave this package."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from ....core.arrays import Array
from ....core.errors import InputError
from ....core.motion.trajectory import Motion
from ....core.safety.torque.parameter_box import ParameterBox
from ....core.safety.tube.tracking_tube import ROBUST, TrackingTube


class Trouble(Enum):
    """What a controller can say against a motion; names are those of reasons to end it."""

    NOT_STARTED = "The motion was not taken: nothing has moved."
    TUBE_LEFT = "The arm is too far from the motion."
    FOREIGN_COMMAND = "The motion was replaced or cancelled by somebody else."
    CONTROLLER_INACTIVE = "The controller was deactivated."
    JOINT_STATES_LOST = "It hears the arm no more."
    CONTROLLER_FAULT = "It gave up for another reason, or does not answer."


class BackEnd(Protocol):
    """One interface of an arm's controller.

    Attributes:
        target: Where points go, such as the full name of a topic.
        goes_to_start: Whether it brings the arm to where a motion begins before it begins.
        gives_back: Whether another controller has the arm between motions, and torques that follow
            joint states until it rests.
        answers_holds: Whether somebody answers that the arm is held, or it is seen otherwise.
    """

    goes_to_start: bool = False
    gives_back: bool = False
    answers_holds: bool = True

    target: str

    def take(self) -> None:
        """Take the arm for this node's use; `is_taken` says when that is done."""

    @property
    def is_taken(self) -> bool:
        """Whether a controller would hear this node now."""

    def release(self) -> None:
        """Give the arm back, so that others may take it."""

    def get_ready(self, tube: TrackingTube, box: ParameterBox, torque_limit: Array) -> None:
        """Get ready for a motion whose certificate was proved for these.

        Args:
            tube: How far from the motion the arm may be.
            box: What is uncertain of arm and payload.
            torque_limit: Of the certificate's limits, shape (n,) [N m or N].

        Raises:
            InputError: Nothing here keeps such a tube.
        """
        if tube.kind == ROBUST:
            raise InputError(
                "The motion was certified for the robust controller, whose torques only the "
                "back_end 'effort' sends; certify it for the arm's own position controller."
            )

    def get_ready_for_more(self, box: ParameterBox, torque_limit: Array, begins_ns: int) -> None:
        """Get ready for a part that takes over from the motion in progress, in the same tube.

        Args:
            box: What is uncertain of arm and payload, by its own certificate.
            torque_limit: Of that certificate's limits, shape (n,) [N m or N].
            begins_ns: Stamp at which it takes over [ns].
        """
        return None

    def leave_at(self, time_ns: int) -> None:
        """Note that a stop leaves the motion at a stamp [ns]: later parts of it do not come."""
        return None

    def doubt(self) -> str:
        """Say what is not as it should be, though motion goes on; empty if nothing is."""
        return ""

    def figures(self) -> dict[str, object]:
        """Return what diagnostics show of it."""
        return {}

    def close(self) -> None:
        """End what was begun for it."""
        return None

    def absence(self) -> str:
        """Say that no controller would follow, and what to do; empty if one is there."""

    def others(self) -> str:
        """Say who else may command the arm; empty if nobody does."""

    def is_unnamed(self) -> bool:
        """Whether somebody may command the arm whose name is not known yet: `others` waits."""

    def foreign(self) -> str:
        """Say what was commanded by somebody else since the last call; empty if nothing was."""

    def fault(self) -> tuple[Trouble, str] | None:
        """Return what the controller says against what it was sent last, with a clause; or None."""

    def refused_to_hold(self) -> str:
        """Say, once, that the controller does not hold the arm as it was asked to; else empty."""
        return ""

    @property
    def still_has_arm(self) -> bool:
        """Whether the arm has not been given back yet that is not to move any more."""
        return False

    def not_given_back(self) -> str:
        """Say why the arm is not given back though that was answered; empty if nothing is wrong."""
        return ""

    def unanswered(self) -> str:
        """Say what the controller may move a standing arm by yet; empty if nothing."""
        return ""

    def delay(self) -> str:
        """Say by how much, and why, what it commanded is beside its time; empty if it is not."""
        return ""

    def hold(self) -> None:
        """Have the controller hold the arm where it is; what was sent before is forgotten."""

    def send(self, points: Motion, start_ns: int, tube: TrackingTube) -> None:
        """Have points followed in place of all that were sent before.

        Args:
            points: They end at rest.
            start_ns: Stamp of their time 0, by the robot's clock [ns].
            tube: How far from them the arm may be.
        """
