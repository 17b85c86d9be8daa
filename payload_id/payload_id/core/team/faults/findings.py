"""All that is wrong or missing in a team's data, and about whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..estimate import Fault, Finding
from .evidence import Evidence
from .forces import Told, of_forces
from .missing import missing
from .motions import of_motions
from .pairs import differs

MISSING = (Fault.SILENT, Fault.COLLINEAR, Fault.NO_ROTATION)


@dataclass(frozen=True)
class Findings:
    """What was found.

    Attributes:
        all: Findings, the gravest first.
        cannot: What cannot be given, and why.
        contradicts: Whether any of them means that the data contradict each other.
        doubtful: Whether nothing of the payload counts until somebody has looked.
        apart: Names of robots whose angular velocities are those of no body that the first holds.
    """

    all: tuple[Finding, ...]
    cannot: tuple[str, ...]
    contradicts: bool
    doubtful: bool = False
    apart: tuple[str, ...] = ()

    @property
    def blames(self) -> bool:
        """Whether anybody is named for data that are wrong, and not merely missing."""
        return any(finding.fault not in MISSING for finding in self.all)

    def after(self, earlier: Sequence[Finding]) -> Findings:
        """Return them with those of an earlier time, which stay true."""
        told = {(finding.fault, finding.robots) for finding in earlier}
        newer = (finding for finding in self.all if (finding.fault, finding.robots) not in told)
        return replace(self, all=(*earlier, *newer))


def findings_of(evidence: Evidence) -> Findings:
    """Return what is wrong or missing."""
    kinematic, certain = of_motions(evidence)
    forces = Told([]) if kinematic else of_forces(evidence)
    grave = [*kinematic, *forces.findings]
    mild, cannot = missing(evidence, {n for finding in grave for n in finding.robots})
    consistent = all(frame.consistent for frame in evidence.rows.frame_bounds)
    broken = certain or not consistent
    apart = tuple(n for i, n in enumerate(evidence.names) if i and differs(evidence, i))
    return Findings((*grave, *mild), tuple(cannot), broken, forces.doubtful, apart)
