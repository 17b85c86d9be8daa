"""What the bridge tells everybody of itself: latched, and sent again whenever it changes."""

from __future__ import annotations

from copy import copy
from math import tau

from payload_id_msgs.msg import BridgeState

from ..common.conversions import body_message
from ..common.topics import LATCHED
from ..execution.machine import State
from ..execution.monitors import Phase
from ..execution.start_check import NotReadyError
from .context import BridgeContext
from .sources import Sources


class StatePublisher:
    """Publishes `~/state`."""

    def __init__(self, context: BridgeContext, sources: Sources) -> None:
        """Publish nothing yet.

        Args:
            context: What all parts share.
            sources: Who knows what nobody watches.
        """
        self._context, self._sources = context, sources
        self._publisher = context.node.create_publisher(BridgeState, "~/state", LATCHED)
        self._said: BridgeState | None = None

    def publish(self, state: State) -> None:
        """Publish the state, if it is another one than before."""
        message = self.message(state)
        doubtless = copy(message)
        doubtless.doubt = str(bool(message.doubt))  # that it grows older is no news
        if doubtless != self._said:
            self._said = doubtless
            self._publisher.publish(message)

    def message(self, state: State) -> BridgeState:
        """Return the state."""
        context = self._context
        message = BridgeState(
            state=_state_of(state, context.fault),
            motion_id="" if state.motion is None else state.motion.newest.name,
            fault=context.fault,
            bodies=[body_message(body) for body in context.obstacles.bodies],
            doubt=self._doubt(),
            unwatched=list(self._sources.unwatched),
            reaction=context.settings.reaction,
        )
        message.detail = self._detail(state)
        if context.holding is not None:
            message.holding = context.holding
        turns = context.arm.states.turns
        if turns.needed and turns.q is not None and turns.whole is not None and not turns.doubt:
            # The whole turns and no more: what the newest positions add changes all the time.
            message.whole_turns = tau * turns.whole
        return message

    def _doubt(self) -> str:
        """Return why nobody looks, or what is not known: obstacles, turns of joints."""
        if inactive := self._context.node.inactivity:
            return inactive
        if doubt := self._context.obstacle_doubt:
            return f"{doubt}. Publish obstacles that can be used."
        doubt = self._context.arm.states.turns.doubt or self._sources.back_end.doubt()
        return f"{doubt}." if doubt else ""

    def _detail(self, state: State) -> str:
        """Return what goes on, or why nothing may move, as a sentence."""
        context = self._context
        if context.fault:
            return context.fault
        try:
            context.check_usable()
        except NotReadyError as error:
            return str(error)
        if state.phase is Phase.IDLE:
            return ""
        return f"The arm is in use: {state.phase.value}. Wait, or call ~/stop."


def _state_of(state: State, fault: str) -> int:
    """Return the constant that says what goes on."""
    if state.moves:
        return int(BridgeState.MOVING)
    if fault:
        return int(BridgeState.FAULT)
    return int(BridgeState.IDLE if state.phase is Phase.IDLE else BridgeState.PREPARING)
