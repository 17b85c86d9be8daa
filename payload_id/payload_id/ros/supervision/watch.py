"""What a watch is: it is fed every few milliseconds, and asked before and during motions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...core.safety.tube.tracking_tube import TrackingTube
from ..execution.stop_reason import Reason

Found = tuple[Reason, str]  # why a motion must end, and what was found, one clause


class Watch(Protocol):
    """One thing that the robot file says of the driver, held against what is heard."""

    def attend(self) -> None:
        """Take in what has come; called every few milliseconds, whether the arm moves or not."""

    def begin(self, start_ns: int, tube: TrackingTube) -> None:
        """Begin to watch a motion.

        Args:
            start_ns: Stamp of its time 0 [ns].
            tube: How far from it the arm may be.
        """

    def doubt(self) -> str:
        """Say why no motion may begin now, and what to do; empty if one may."""

    def fault(self) -> Found | None:
        """Return why the motion that began last must end; None: it may go on."""

    def close(self) -> None:
        """Let go what was made while the node ran; what it made at once ends with the node."""
        return None

    def unwatched(self) -> Sequence[str]:
        """Say what is not watched now, and why; nothing if all is."""
