"""What moves an arm: the one place where points of a motion leave this package."""

from __future__ import annotations

from typing import Protocol

from ....core.arrays import Array
from ....core.errors import InputError
from ....core.motion.trajectory import Motion
from ....core.safety.torque.parameter_box import ParameterBox
from ....core.safety.tube.tracking_tube import ROBUST, TrackingTube
from ..snapshot import ControllerReport


class BackEnd(Protocol):
    """One interface of an arm's controller.

    Attributes:
        target: Where points go, such as the full name of a topic.
        goes_to_start: Whether it brings the arm to where a motion begins before it begins.
        gives_back: Whether another controller has the arm between motions, and torques that follow
            joint states until it rests.
    """

    goes_to_start: bool = False
    gives_back: bool = False

    target: str

    def absence(self) -> str:
        """Say that no controller would follow, and what to do; empty if one is there."""

    def is_unnamed(self) -> bool:
        """Whether somebody may command the arm whose name is not known yet."""

    def look(self, with_others: bool) -> ControllerReport:
        """Return what the controller says, and what others have commanded since the last look.

        Args:
            with_others: Whether it is to be said who else may command the arm, which takes a while.
        """

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

    def take(self) -> None:
        """Take the arm for this node's use; `is_taken` says when that is done."""

    @property
    def is_taken(self) -> bool:
        """Whether a controller would hear this node now."""

    def send(self, points: Motion, start_ns: int, tube: TrackingTube) -> None:
        """Have points followed in place of all that were sent before.

        Args:
            points: They end at rest.
            start_ns: Stamp of their time 0, by the robot's clock [ns].
            tube: How far from them the arm may be.
        """

    def hold(self) -> None:
        """Have the controller hold the arm where it is; what was sent before is forgotten."""

    def release(self) -> None:
        """Give the arm back, so that others may take it."""

    def doubt(self) -> str:
        """Say what is not as it should be, though motion goes on; empty if nothing is."""
        return ""

    def figures(self) -> dict[str, object]:
        """Return what diagnostics show of it."""
        return {}

    def close(self) -> None:
        """End what was begun for it."""
        return None
