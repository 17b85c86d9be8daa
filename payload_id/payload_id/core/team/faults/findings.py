"""All that is wrong or missing in a team's data, and about whom."""

from __future__ import annotations

from dataclasses import dataclass

from ..estimate import Fault, Finding
from .evidence import Evidence
from .forces import of_forces
from .missing import missing
from .motions import of_motions


@dataclass(frozen=True)
class Findings:
    """What was found.

    Attributes:
        of_motions: What speaks against one rigid body in the robots' motions.
        of_forces: Whose forces are none, or are false.
        mild: What is missing.
        cannot: What cannot be given, and why.
    """

    of_motions: list[Finding]
    of_forces: list[Finding]
    mild: list[Finding]
    cannot: tuple[str, ...]

    @property
    def all(self) -> tuple[Finding, ...]:
        """All findings, the gravest first."""
        return (*self.of_motions, *self.of_forces, *self.mild)

    @property
    def doubtful(self) -> bool:
        """Whether nothing of the payload counts until somebody has looked."""
        return any(finding.fault is Fault.NO_FORCE for finding in self.of_forces)


def findings_of(e: Evidence) -> Findings:
    """Return what is wrong or missing."""
    motions = of_motions(e)
    forces = [] if motions else of_forces(e)
    mild, cannot = missing(e, {name for each in (*motions, *forces) for name in each.robots})
    return Findings(motions, forces, mild, tuple(cannot))
