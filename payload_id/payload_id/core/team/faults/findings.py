"""All that is wrong or missing in a team's data, and about whom."""

from __future__ import annotations

from dataclasses import dataclass

from ..estimate import Finding
from .evidence import Evidence
from .forces import Told, of_forces
from .missing import missing
from .motions import of_motions


@dataclass(frozen=True)
class Findings:
    """What was found.

    Attributes:
        all: Findings, the gravest first.
        cannot: What cannot be given, and why.
        contradicts: Whether motions are not those of one body.
        doubtful: Whether nothing of the payload counts until somebody has looked.
    """

    all: tuple[Finding, ...]
    cannot: tuple[str, ...]
    contradicts: bool
    doubtful: bool


def findings_of(e: Evidence) -> Findings:
    """Return what is wrong or missing."""
    motions = of_motions(e)
    forces = Told([]) if motions else of_forces(e)
    grave = [*motions, *forces.findings]
    mild, cannot = missing(e, {name for finding in grave for name in finding.robots})
    return Findings((*grave, *mild), tuple(cannot), bool(motions), forces.doubtful)
