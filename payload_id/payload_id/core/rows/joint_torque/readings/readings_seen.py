"""All that is looked at in what a run reads, as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ....samples.joint_samples import Samples
from ..momentum import MomentumRows
from .torques_seen import TorquesSeen
from .velocities_seen import VelocitiesSeen

NOTHING_NEW, OTHER_VELOCITY = "stalled driver", "velocity"
STUCK, TWICE = "stuck torque", "torque read twice"


class FalseReading(NamedTuple):
    """What cannot be, whatever the payload."""

    kind: str
    sentence: str


@dataclass(frozen=True)
class ReadingsSeen:
    """The windows of a run so far.

    Attributes:
        rows: Makes their rows.
        velocities: Whether they are those of the positions.
        torques: Which of them are known.
    """

    rows: MomentumRows
    velocities: VelocitiesSeen
    torques: TorquesSeen

    @classmethod
    def none(cls, rows: MomentumRows) -> ReadingsSeen:
        """Return what is seen before any window."""
        n = rows.model.n
        return cls(rows, VelocitiesSeen.none(n), TorquesSeen.none(n))

    @classmethod
    def of(cls, windows: Iterable[Samples], rows: MomentumRows) -> ReadingsSeen:
        """Return what is seen in windows."""
        seen = cls.none(rows)
        return [seen, *seen.after_each(list(windows))][-1]

    def after_each(self, windows: Sequence[Samples]) -> list[ReadingsSeen]:
        """Return what is seen with each of some windows more."""
        velocities = self.velocities.after_each(windows, self.rows.uncertainty)
        torques = self.torques.after_each(windows)
        return [ReadingsSeen(self.rows, *each) for each in zip(velocities, torques, strict=True)]

    @property
    def false(self) -> FalseReading | None:
        """What cannot be; None if there is nothing of the kind."""
        joints, velocities = self.rows.channels, self.velocities
        if twins := self.torques.twins(joints):
            return FalseReading(TWICE, twins)
        if sentence := velocities.contradiction(joints):
            kind = NOTHING_NEW if velocities.stalled > 0.0 else OTHER_VELOCITY
            return FalseReading(kind, sentence)
        return None

    @property
    def contradiction(self) -> str:
        """What cannot be, as a sentence; empty if there is nothing of the kind."""
        return "" if self.false is None else self.false.sentence

    @property
    def longest_unknown(self) -> str:
        """Name of the joint whose torque is unknown for longest; empty if there is none."""
        longest = self.torques.longest
        return "" if longest is None else self.rows.channels[longest.joint]

    @property
    def note(self) -> str:
        """What is not known of the readings, as a sentence; empty if there is nothing."""
        return self.torques.note(self.rows.channels)
