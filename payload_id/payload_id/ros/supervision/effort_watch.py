"""Torques near those at which the arm's own safety system ends a motion with a fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ...core.arrays import Array
from ...core.safety.tube.tracking_tube import TrackingTube
from ..execution.stop_reason import Reason
from .watch import Found, Watch


class Torques(Protocol):
    """Who knows the torques that joint states report."""

    def take_peak(self) -> Array | None:
        """Return the largest of each joint since the last call, shape (n,) [N m]; None: none."""


class EffortWatch(Watch):
    """Holds reported torques against those at which the arm warns."""

    def __init__(self, joints: Sequence[str], warning: Array | None, torques: Torques) -> None:
        """Have heard nothing yet.

        Args:
            joints: Names of the joints.
            warning: Torques at which the arm's safety system warns, shape (n,) [N m]; None: not
                known.
            torques: Who knows them.
        """
        self._joints, self._warning, self._torques = tuple(joints), warning, torques
        self._found, self._heard = "", False

    def attend(self) -> None:
        """Judge what has come."""
        peak = self._torques.take_peak()
        if peak is None or self._warning is None:
            return
        self._heard = True
        over = peak - self._warning
        if not self._found and (over >= 0.0).any():
            j = int(np.argmax(over))
            self._found = (
                f"The torque of {self._joints[j]} was {peak[j]:.4g} N m (N); from "
                f"{self._warning[j]:.4g} on the arm's own safety system warns, before it stops "
                "with a fault"
            )

    def begin(self, start_ns: int, tube: TrackingTube) -> None:
        """Forget what was before."""
        self._torques.take_peak()
        self._found = ""

    def doubt(self) -> str:
        """Say nothing: an arm at rest that only warns may move away."""
        return ""

    def fault(self) -> Found | None:
        """Return that the arm was about to stop by itself."""
        return (Reason.EFFORT_HIGH, self._found) if self._found else None

    def unwatched(self) -> Sequence[str]:
        """Say that torques are not compared."""
        if self._warning is None:
            return ("torques: the robot file has no driver.effort_warning.",)
        return () if self._heard else ("torques: the joint states have none.",)
