"""joint_state_broadcaster: while it runs, joint states are published; it commands nothing."""

from __future__ import annotations

from collections.abc import Sequence

from .controller import Command, Controller, Cycle


class JointStateBroadcaster(Controller):
    """Says by being active that joint states are to be published."""

    def __init__(self, joints: Sequence[str], states: Sequence[str]) -> None:
        """Note whose states they are; it is inactive."""
        self.name, self.type = (
            "joint_state_broadcaster",
            "joint_state_broadcaster/JointStateBroadcaster",
        )
        self.joints, self.commands, self.states = tuple(joints), (), tuple(states)
        self.active = False

    def activate(self) -> Command | None:
        """Let joint states be published."""
        self.active = True
        return None

    def deactivate(self) -> Command | None:
        """Let there be none."""
        self.active = False
        return None

    def update(self, cycle: Cycle) -> Command | None:
        """Command nothing."""
        return None
