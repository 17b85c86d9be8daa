"""An arm under its own position controller: the reference goes through, the tube is watched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..motion.joint_trajectory import DesiredState
from ..safety.tube.tracking_tube import TrackingTube
from .controller import Measurement, errors


@dataclass(frozen=True)
class WatchState:
    """What has been seen of the tracking so far.

    Attributes:
        time: Stamp of the last measurement [s].
        use: Largest part of the tube that was taken; above 1 it was left [-].
        left_at: Stamp at which the tube was left first [s]; None: it was not.
    """

    time: float
    use: float = 0.0
    left_at: float | None = None


@dataclass(frozen=True, eq=False)
class TrackingWatchdog:
    """Tells when the stated tube is left: what was certified with it holds no longer.

    Attributes:
        tube: The tube.
        joints: The joints' names.
        continuous: Which joints turn without limits, shape (n,).
        patience: Longest time between two measurements [s].
    """

    tube: TrackingTube
    joints: tuple[str, ...]
    continuous: tuple[bool, ...]
    patience: float = 0.05

    def start(self, measurement: Measurement) -> WatchState:
        """Return the state before the first step."""
        return WatchState(measurement.time)

    def check(
        self, state: WatchState, measurement: Measurement, reference: DesiredState
    ) -> tuple[tuple[str, ...], WatchState]:
        """Return why the motion must stop, one sentence each, and what has been seen so far."""
        e, de = errors(measurement, reference, np.asarray(self.continuous))
        reasons = self._outside("position", e, self.tube.position)
        reasons += self._outside("velocity", de, self.tube.velocity)
        pause = measurement.time - state.time
        if not 0.0 <= pause <= self.patience:
            reasons += (
                f"The measurement before was {pause:.4g} s ago; more than {self.patience:g} s, or "
                "a step back in time, leaves the motion unwatched.",
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.abs(np.concatenate([e, de]))
            parts = parts / np.concatenate([self.tube.position, self.tube.velocity])
        use = max(state.use, float(np.max(np.nan_to_num(parts, nan=0.0, posinf=np.inf))))
        left = state.left_at
        if left is None and reasons:
            left = measurement.time
        return reasons, WatchState(measurement.time, use, left)

    def _outside(self, what: str, error: Array, allowed: Array) -> tuple[str, ...]:
        """Return a sentence for each joint whose error is not within its bound."""
        return tuple(
            f"{self.joints[j]}: {what} error {error[j]:.4g}, the tube allows {allowed[j]:.4g}."
            for j in np.flatnonzero(~(np.abs(error) <= allowed))
        )
