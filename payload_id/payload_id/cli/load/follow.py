"""What `payload-id load send --follow` does: the arm is told of each payload as it is identified.

A hands-free estimator says since when which payload is in the hand. As soon as its verdict allows
it and the arm stands still, the arm is told; once more when its mass is known twice as well, or
turns out to be another; and of what it had before when the hand is empty again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from payload_id_msgs.msg import PayloadEstimate, PayloadEvent

from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...ros.client.payload_client import estimate_from
from ...ros.common.conversions import stamp_of
from ...ros.common.topics import EVERY, LATCHED
from ...ros.loads.load_service import LoadService
from .telling import APPLIED

ESTIMATOR = "payload_estimator"
Values = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class InHand:
    """What is in the hand, or what the arm was told of it.

    Attributes:
        since_ns: Since when [ns].
        found: What was found of it; None: the hand is empty.
    """

    since_ns: int = 0
    found: Estimate | None = None

    def is_news(self, told: InHand) -> bool:
        """Return whether an arm that was told something else is to be told this."""
        now, then = self.found, told.found
        if now is None or then is None:
            return now is not then
        halved = now.half_width[0] < then.half_width[0] / 2
        true = now.lower[0] <= then.phi[0] <= now.upper[0]
        return self.since_ns != told.since_ns or halved or not true


class HandListener:
    """What a hands-free estimator has said last.

    Attributes:
        hand: What is in the hand.
        flaw: Why nothing can be learnt from the estimator; empty: something can.
    """

    def __init__(self, service: LoadService, namespace: str) -> None:
        """Listen by the service's node."""
        self.hand, self.flaw = InHand(), ""
        self.topic = f"{namespace}/{ESTIMATOR}/payload"
        service.listen(PayloadEstimate, self.topic, LATCHED, self._on_estimate)
        service.listen(PayloadEvent, f"{self.topic}_event", EVERY, self._on_event)

    def _on_event(self, message: PayloadEvent) -> None:
        """Note that the hand is empty."""
        if message.kind == "released":
            self._note(InHand(stamp_of(message.since)))

    def _on_estimate(self, message: PayloadEstimate) -> None:
        """Note a payload that an arm may be told of."""
        since_ns, found = stamp_of(message.held_since), estimate_from(message)
        if found.status not in APPLIED:
            return
        if not since_ns:
            self.flaw = (
                f"{self.topic} does not say since when: start the estimator with hands_free:=true."
            )
        self._note(InHand(since_ns, found))

    def _note(self, hand: InHand) -> None:
        """Take up what is newer; the topics come in any order, and with what there was before."""
        if hand.since_ns >= self.hand.since_ns:
            self.hand = hand


@dataclass
class Follower:
    """Has an arm told of what is in its hand.

    Attributes:
        service: The driver's.
        listener: Listens to the estimator.
        values_of: Returns what is sent of an estimate; an InputError says why nothing may be.
        empty: What the arm has while the hand is empty.
        told: What the arm was told.
    """

    service: LoadService
    listener: HandListener
    values_of: Callable[[Estimate], Values]
    empty: Values
    told: InHand = InHand()

    def next_load(self) -> tuple[InHand, Values]:
        """Wait until the arm is to be told something, and may be; return what.

        Raises:
            InputError: The estimator is not hands-free.
            NotAppliedError: The driver is gone.
        """
        refused = 0  # since when what may not be sent yet is in the hand
        while True:
            self.service.wait()
            hand = self.listener.hand
            if self.listener.flaw:
                raise InputError(self.listener.flaw)
            if not hand.is_news(self.told):
                continue
            try:
                self.service.check()
                return hand, self.empty if hand.found is None else self.values_of(hand.found)
            except InputError as error:
                if hand.since_ns != refused:
                    refused = hand.since_ns
                    print(f"Not sent yet. {error}")
