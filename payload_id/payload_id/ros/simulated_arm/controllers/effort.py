"""effort_controllers/JointGroupEffortController: torques pass as they come.

There is no watchdog: the last command counts for ever.
Source: ros-controls/ros2_controllers, forward_controllers_base.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ....core.arrays import Array
from .controller import Command, Controller, Cycle, Torque, UpdateError

EFFORT = "effort"
TYPE = "effort_controllers/JointGroupEffortController"


class EffortController(Controller):
    """Hands torques to the drives, one for each joint."""

    def __init__(
        self,
        name: str,
        joints: Sequence[str],
        received: Callable[[], Iterable[Sequence[float]]],
        warn: Callable[[str], object],
    ) -> None:
        """Be inactive.

        Args:
            name: Its name.
            joints: The joints.
            received: Returns the commands that have come since it was called last.
            warn: Called with a sentence when one is dropped.
        """
        super().__init__(name, TYPE, joints, (EFFORT,))
        self._received, self._warn = received, warn
        self._torque: Array | None = None  # [N m or N]

    def activate(self) -> Command | None:
        """Begin without a command: what came before counts no more."""
        self._torque, _ = None, list(self._received())
        return super().activate()

    def deactivate(self) -> Command | None:
        """End with torques of 0."""
        super().deactivate()
        return Torque(np.zeros(len(self.joints)))

    def update(self, cycle: Cycle) -> Command | None:
        """Return the last command."""
        for values in self._received():
            if np.isfinite(values).all():
                self._torque = np.array(values, dtype=float)
            else:
                self._warn(f"{self.name}: Non-finite value received. Dropping message")
        if self._torque is None:
            return None
        if len(self._torque) != len(self.joints):
            raise UpdateError(
                f"command size ({len(self._torque)}) does not match number of interfaces "
                f"({len(self.joints)})"
            )
        return Torque(self._torque)
