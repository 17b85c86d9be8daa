"""forward_command_controller and effort_controllers: commands pass as they come.

There is no watchdog: the last command counts for ever.
Source: ros-controls/ros2_controllers, forward_controllers_base.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ....core.errors import InputError
from .controller import Command, Controller, Cycle, Hold, Torque, UpdateError

EFFORT, POSITION = "effort", "position"
TYPES = {
    EFFORT: "effort_controllers/JointGroupEffortController",
    POSITION: "forward_command_controller/ForwardCommandController",
}


class ForwardCommandController(Controller):
    """Hands positions or torques to the drives, one for each joint.

    Attributes:
        forget: Has commands forgotten that have come, and were not taken in yet.
    """

    def __init__(self, name: str, joints: Sequence[str], kind: str) -> None:
        """Be inactive; `kind` is 'effort' or 'position'."""
        self.name, self.type, self._kind = name, TYPES[kind], kind
        self.joints, self.commands, self.states = tuple(joints), (kind,), ()
        self.active = False
        self._command: Sequence[float] | None = None
        self.forget: Callable[[], object] = lambda: None

    def command(self, values: Sequence[float]) -> None:
        """Take in a command; while it is inactive, none counts.

        Raises:
            InputError: A number is not finite: the command before it still counts.
        """
        if not np.isfinite(values).all():
            raise InputError("Non-finite value received. Dropping message")
        if self.active:
            self._command = values

    def activate(self) -> Command | None:
        """Begin without a command."""
        self.active, self._command = True, None
        self.forget()
        return None

    def deactivate(self) -> Command | None:
        """End: torques of 0, or the last position."""
        self.active, self._command = False, None
        return Torque(np.zeros(len(self.joints))) if self._kind == EFFORT else None

    def update(self, cycle: Cycle) -> Command | None:
        """Return the last command."""
        if self._command is None:
            return None
        if len(self._command) != len(self.joints):
            raise UpdateError(
                f"command size ({len(self._command)}) does not match number of interfaces "
                f"({len(self.joints)})"
            )
        values = np.array(self._command, dtype=float)
        return Torque(values) if self._kind == EFFORT else Hold(values)
