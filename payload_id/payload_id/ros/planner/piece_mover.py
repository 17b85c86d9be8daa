"""Pieces of a receding horizon, handed to the bridge."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.safety.certificate.certified_motion import CertifiedMotion
from .bridge_link import FollowedMotion
from .context import PlannerContext
from .horizon_execution import Mover
from .planning.request import Documents


@dataclass(frozen=True)
class PieceMover(Mover):
    """Has the pieces of one run followed.

    Attributes:
        context: What all parts share.
        run: Name of the run.
        limits: Name of its set of joint limits.
        who: Who asks for it.
    """

    context: PlannerContext
    run: str
    limits: str
    who: str

    def begin(self, index: int, motion: CertifiedMotion, documents: Documents) -> FollowedMotion:
        """Have a piece followed from rest."""
        self.context.standing(self.limits)
        return self.context.bridge.follow(self._name(index), motion, documents, self.who)

    def prepare(self, index: int, documents: Documents) -> None:
        """Have a piece proved, that may take over soon."""
        self.context.bridge.prepare(self._name(index), documents)

    def extend(
        self, followed: FollowedMotion, index: int, motion: CertifiedMotion, after: float
    ) -> None:
        """Have a piece take over from the newest one at a time on that [s]."""
        self.context.bridge.extend(followed, self._name(index), motion, after)

    def pause(self) -> None:
        """Have the arm rest on its path."""
        self.context.bridge.pause()

    def _name(self, index: int) -> str:
        """Return the name of a piece."""
        return f"{self.run}/piece_{index:02d}"
