"""How far an identification is, and how long it will still take, as far as that is known."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from payload_id_msgs.action import Identify

Feedback = Identify.Feedback
NOMINAL = 30.0  # [s] as which a stage of unknown length counts
NAMES = {
    getattr(Feedback, name): name.replace("_", " ").lower()
    for name in (
        "CHECKING", "PLANNING", "MOVING_TO_START", "EXCITING", "SETTLING", "TARING",
        "SOLVING", "VALIDATING", "SAVING",
    )
}  # fmt: skip
USUAL = {  # [s]; NaN: not known
    Feedback.CHECKING: 3.0,
    Feedback.PLANNING: 6.0,
    Feedback.MOVING_TO_START: 3.0,
    Feedback.EXCITING: math.nan,
    Feedback.SETTLING: 0.5,
    Feedback.TARING: 2.0,
    Feedback.SOLVING: 5.0,
    Feedback.VALIDATING: 0.5,
    Feedback.SAVING: 0.5,
}


@dataclass
class Stages:
    """Stages in the order in which they come, each with the time that it is expected to take [s].

    Attributes:
        states: Constants of the feedback.
        expected: Time of each; NaN: not known.
        index: Of the present one.
    """

    states: list[int]
    expected: list[float] = field(default_factory=list)
    index: int = 0
    _begun: float = field(default_factory=time.monotonic)
    _most: float = 0.0

    def __post_init__(self) -> None:
        self.expected = self.expected or [USUAL[state] for state in self.states]

    @classmethod
    def of(cls, asked: Identify.Goal) -> Stages:
        """Return those of a goal."""
        motion = [Feedback.PLANNING, Feedback.EXCITING]
        if len(asked.start_positions):
            motion[:0] = [Feedback.MOVING_TO_START]
        after = [Feedback.SOLVING, Feedback.VALIDATING, Feedback.SAVING]
        if asked.tare == Identify.Goal.TARE_ONLY:
            after = [Feedback.TARING]
        return cls([Feedback.CHECKING, *motion, Feedback.SETTLING, *after])

    @property
    def state(self) -> int:
        """The present one."""
        return self.states[self.index]

    def enter(self, state: int) -> None:
        """Go on to the next stage of a kind; stages between are left out."""
        if state in self.states[self.index + 1 :]:
            self.index = self.states.index(state, self.index + 1)
            self._begun = time.monotonic()

    def expect(self, state: int, seconds: float) -> None:
        """Note how long the present or next stage of a kind will take [s]."""
        if state in self.states[self.index :]:
            self.expected[self.states.index(state, self.index)] = seconds

    def progress(self) -> tuple[float, float]:
        """Return the part that is done, which never shrinks [-], and the time left [s]."""
        elapsed, k = time.monotonic() - self._begun, self.index
        nominal = [NOMINAL if math.isnan(x) else x for x in self.expected]
        done = sum(nominal[:k]) + min(elapsed, nominal[k])
        self._most = max(self._most, done / sum(nominal))
        return self._most, max(self.expected[k] - elapsed, 0.0) + sum(self.expected[k:][1:])
