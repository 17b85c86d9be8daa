"""What `payload-id load send --follow` does: the arm is told of each payload as it is identified.

A hands-free estimator says since when which payload is in the hand. As soon as its verdict allows
it and the arm stands still, the arm is told; once more when its mass is known twice as well, or
turns out to be another; and of what it had before when the hand is empty again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from payload_id_msgs.msg import PayloadEstimate, PayloadEvent

from ...core.errors import InputError
from ...files.export.loads.result_file import Result
from ...files.robots.robot_file import RobotFile
from ...ros.client.payload_client import estimate_from
from ...ros.common.conversions import stamp_of
from ...ros.common.topics import EVERY, LATCHED
from ...ros.loads.load_service import LoadService
from .telling import APPLIED

ESTIMATOR = "payload_estimator"
HANDS_FREE = "with hands_free:=true"
LEAST_PERIOD = 1.0  # [s] between two calls: drivers take a load up within half a second
Values = Mapping[str, Any]


@dataclass(frozen=True)
class InHand:
    """What is in the hand, or what the arm was told of it.

    Attributes:
        since_ns: Since when [ns].
        lower: Of the mass [kg].
        upper: Of the mass [kg]; 0: the hand is empty.
        mass: [kg].
    """

    since_ns: int = 0
    lower: float = 0.0
    upper: float = 0.0
    mass: float = 0.0

    def is_news(self, told: InHand) -> bool:
        """Return whether an arm that was told something else is to be told this."""
        if not (self.upper and told.upper):
            return self.upper != told.upper
        halved = self.upper - self.lower < (told.upper - told.lower) / 2
        return self.since_ns != told.since_ns or halved or not self.lower <= told.mass <= self.upper


class HandListener:
    """What a hands-free estimator has said last.

    Attributes:
        hand: What is in the hand.
        result: What was found of it; None: it is empty.
        flaw: Why nothing can be learnt from the estimator; empty: something can.
    """

    def __init__(self, service: LoadService, robot: RobotFile, namespace: str) -> None:
        """Listen by the service's node."""
        self._robot, self.hand, self.flaw = robot, InHand(), ""
        self.result: Result | None = None
        self._topic = f"{namespace}/{ESTIMATOR}/payload"
        service.listen(PayloadEstimate, self._topic, LATCHED, self._on_estimate)
        service.listen(PayloadEvent, f"{self._topic}_event", EVERY, self._on_event)

    def _on_event(self, message: PayloadEvent) -> None:
        """Note that the hand is empty."""
        if message.kind == "released":
            self.hand, self.result = InHand(stamp_of(message.since)), None

    def _on_estimate(self, message: PayloadEstimate) -> None:
        """Note a payload that an arm may be told of, unless it has left the hand since."""
        since_ns, found = stamp_of(message.held_since), estimate_from(message)
        if found.status not in APPLIED:
            return
        if not since_ns:
            self.flaw = f"{self._topic} does not say since when: start the estimator {HANDS_FREE}."
        if since_ns < self.hand.since_ns:  # it has left the hand
            return
        self.hand = InHand(since_ns, found.lower[0], found.upper[0], found.phi[0])
        robot = self._robot
        self.result = Result(
            source=self._topic,
            estimate=found,
            robot=str(robot.path),
            gravity=np.asarray(robot.gravity),
        )


@dataclass
class Follower:
    """Has an arm told of what is in its hand.

    Attributes:
        service: The driver's.
        listener: Listens to the estimator.
        values_of: Returns what is sent of a result; an InputError says why nothing may be.
        empty: What the arm has while the hand is empty.
        told: What the arm was told.
    """

    service: LoadService
    listener: HandListener
    values_of: Callable[[Result], Values]
    empty: Values
    told: InHand = InHand()

    def next_load(self) -> tuple[InHand, Values]:
        """Wait until the arm is to be told something, and may be; return what.

        Raises:
            InputError: The estimator is not hands-free.
            NotAppliedError: The driver is gone.
        """
        not_before, waiting = time.monotonic() + LEAST_PERIOD, 0
        while True:
            self.service.wait(LEAST_PERIOD / 10)
            hand, result = self.listener.hand, self.listener.result
            if self.listener.flaw:
                raise InputError(self.listener.flaw)
            if time.monotonic() < not_before or not hand.is_news(self.told):
                continue
            try:
                self.service.check()
                return hand, self.empty if result is None else self.values_of(result)
            except InputError as error:
                if hand.since_ns != waiting:
                    waiting = hand.since_ns
                    print(f"Not sent yet. {error}")
