"""What the sources of a sampler have in common."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....files.robots.robot_file import RobotFile
from ...common.polled_subscription import joint_state_subscription
from ...common.topic_report import silence_report
from ...lifecycle.managed_node import ManagedNode
from ..parameters import SamplerParameters

Record = Callable[[str, str, int, bytes], None]  # topic, type, when it was received [ns], bytes


@dataclass(frozen=True)
class Finding:
    """What an intake has found since it was asked last.

    Attributes:
        silent: Why no measurements arrive, a sentence; empty: they do.
        unusable: Why no sample is made of those that arrive; empty: some are, or none arrive.
        doubt: What else somebody should look at; empty: nothing.
        fine: What is said where nothing is wrong.
        figures: Numbers for the diagnostics.
    """

    silent: str
    unusable: str
    doubt: str
    fine: str
    figures: Mapping[str, object] = field(default_factory=dict)


class Intake:
    """What both sources have: joint states, and whether what is measured arrives."""

    def __init__(
        self, node: ManagedNode, settings: SamplerParameters, robot: RobotFile, reliability: str
    ) -> None:
        """Subscribe to joint states."""
        self._node, self._settings, self._robot = node, settings, robot
        self._states = joint_state_subscription(node, robot, settings.queue, reliability)
        self._arrived = time.monotonic()  # when something measured did

    def forget(self) -> None:
        """Let go what has arrived so far."""
        self._states.forget()
        self._arrived = time.monotonic()

    def record_block(self, topic: str, block: Any, record: Record) -> None:
        """Record a block as it is published, if replays need it: of joint torques they do not."""

    def _silence(self, topic: str, kind: str, *where: str) -> str:
        """Say that nothing measured arrives, as `silence_report`; empty while it does."""
        silent, rate = time.monotonic() - self._arrived, self._robot.joint_states.rate
        if silent <= self._settings.silence:
            return ""
        return silence_report(self._node, topic, kind, silent, rate, *where)
