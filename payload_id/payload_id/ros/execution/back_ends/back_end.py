"""What moves an arm: the one place where points of a motion leave this package."""

from __future__ import annotations

from typing import Protocol

from ....core.motion.trajectory import Motion


class BackEnd(Protocol):
    """One interface of an arm's controller.

    Attributes:
        target: Where points go, such as the full name of a topic.
    """

    target: str

    def take(self) -> None:
        """Take the arm for this node's use; `is_taken` says when that is done."""

    @property
    def is_taken(self) -> bool:
        """Whether a controller would hear this node now."""

    def release(self) -> None:
        """Give the arm back, so that others may take it."""

    def absence(self) -> str:
        """Say that no controller would follow, and what to do; empty if one is there."""

    def others(self) -> str:
        """Say who else may command the arm; empty if nobody does."""

    def foreign(self) -> str:
        """Say what was commanded by somebody else since the last call; empty if nothing was."""

    def hold(self) -> None:
        """Have the controller hold the arm where it is; what was sent before is forgotten."""

    def send(self, points: Motion, start_ns: int) -> None:
        """Have points followed in place of all that were sent before.

        Args:
            points: They end at rest.
            start_ns: Stamp of their time 0, by the robot's clock [ns].
        """
