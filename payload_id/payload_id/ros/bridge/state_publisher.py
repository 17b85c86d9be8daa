"""What the bridge tells everybody of itself: latched, and sent again whenever it changes."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from copy import copy
from typing import Protocol

from payload_id_msgs.msg import BridgeState

from ..common.topics import LATCHED
from ..execution.motion_execution import MotionExecution
from ..execution.start_check import NotReadyError
from ..execution.turn_count import TURN
from .context import BridgeContext

UNWATCHED = 1.0  # [s] between two looks at what nobody watches


class Mover(Protocol):
    """Whoever moves the arm."""

    execution: MotionExecution | None

    @property
    def unwatched(self) -> Sequence[str]:
        """What the robot file names and nobody watches."""

    @property
    def motion_id(self) -> str:
        """Name of the newest motion; empty before the first."""


class StatePublisher:
    """Publishes `~/state`."""

    def __init__(self, context: BridgeContext) -> None:
        """Publish nothing yet.

        Args:
            context: What all parts share.
        """
        self._context = context
        self._publisher = context.node.create_publisher(BridgeState, "~/state", LATCHED)
        self._said: BridgeState | None = None
        self._unwatched: tuple[float, list[str]] = (-UNWATCHED, [])  # when looked at [s], and found
        self._known: tuple[tuple[str, ...], str] = ((), "[]")  # digest and text of the obstacles

    def publish(self, mover: Mover) -> None:
        """Publish the state, if it is another one than before."""
        message = self.message(mover)
        doubtless = copy(message)
        doubtless.doubt = str(bool(message.doubt))  # that it grows older is no news
        if doubtless != self._said:
            self._said = doubtless
            self._publisher.publish(message)

    def message(self, mover: Mover) -> BridgeState:
        """Return the state."""
        context = self._context
        message = BridgeState(
            state=self._state(mover),
            motion_id=mover.motion_id,
            fault=context.fault,
            bodies=self._bodies(),
            doubt=self._doubt(),
            unwatched=self._not_watched(mover),
            reaction=context.settings.reaction,
        )
        message.detail = self._detail()
        if context.holding is not None:
            message.holding = context.holding
        turns = context.arm.states.turns
        if turns.needed and turns.q is not None and turns.whole is not None and not turns.doubt:
            # The whole turns and no more: what the newest positions add changes all the time.
            message.whole_turns = TURN * turns.whole
        return message

    def _not_watched(self, mover: Mover) -> list[str]:
        """Return what nobody watches, as of a moment ago: who publishes what takes long to ask."""
        now = time.monotonic()
        if now - self._unwatched[0] >= UNWATCHED:
            self._unwatched = now, list(mover.unwatched)
        return self._unwatched[1]

    def _doubt(self) -> str:
        """Return why nobody looks, or what is not known: obstacles, turns of joints."""
        if inactive := self._context.node.inactivity:
            return inactive
        if doubt := self._context.obstacle_doubt:
            return f"{doubt}. Publish obstacles that can be used."
        doubt = self._context.arm.states.turns.doubt or self._context.control_doubt
        return f"{doubt}." if doubt else ""

    def _state(self, mover: Mover) -> int:
        """Return the constant that says what goes on."""
        if mover.execution is not None and not mover.execution.done:
            return int(BridgeState.MOVING)
        if self._context.fault:
            return int(BridgeState.FAULT)
        return int(BridgeState.PREPARING if self._context.busy else BridgeState.IDLE)

    def _detail(self) -> str:
        """Return what goes on, or why nothing may move, as a sentence."""
        context = self._context
        if context.fault:
            return context.fault
        try:
            context.check_free()
        except NotReadyError as error:
            return str(error)
        return ""

    def _bodies(self) -> str:
        """Return the obstacles in force as a text."""
        obstacles = self._context.obstacles
        if obstacles.digest != self._known[0]:
            text = json.dumps([body.to_dict() for body in obstacles.bodies], allow_nan=False)
            self._known = obstacles.digest, text
        return self._known[1]
