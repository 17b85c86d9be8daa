"""The likely cause among all that are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .blame import Blame, blame_of
from .causes.cause import Cause, Finding
from .causes.contact import Contact
from .causes.evidence import Evidence
from .causes.link_model import LinkModel
from .causes.payload_slipped import PayloadSlipped
from .causes.prior import Prior
from .causes.torque_gain import TorqueGain
from .causes.torque_offset import TorqueOffset
from .causes.torque_sign import TorqueSign
from .causes.wrong_tool import WrongTool

# From the simplest to those that leave most free; of one stage the one that goes farthest counts.
CAUSES: tuple[tuple[Cause, ...], ...] = (
    (Prior(), TorqueSign()),
    (TorqueGain(), TorqueOffset()),
    (WrongTool(), Contact()),
    (PayloadSlipped(),),
    (LinkModel(),),
)
RESTORED = 1.001  # factor up to which a cause explains the rows
# A wrong reading also makes its relative bounds wrong: a cause that goes most of the way counts.
NEARLY, MOST_OF_THE_WAY = 2.0, 0.3  # factor, and part of the factor without the cause
CLEARLY = 0.5  # part of a simpler cause's factor that a less simple one must reach instead of it
ENOUGH = 0.5  # factor that honest noise leaves, which is not at its bounds all the time
MOST_ROWS = 1200  # that are looked at


@dataclass(frozen=True)
class Diagnosis:
    """Why rows are inconsistent.

    Attributes:
        likely: The likely cause; None if none explains the rows.
        tried: The best finding of every cause that was tried.
        blame: Which joints ask for the noise factor, and when.
    """

    likely: Finding | None
    tried: tuple[Finding, ...]
    blame: tuple[Blame, ...]

    @property
    def cause(self) -> str:
        """Name of the likely cause; empty if there is none."""
        return self.likely.cause if self.likely else ""

    def sentence(self, joints: Sequence[str]) -> str:
        """Return the likely cause and its remedy in words."""
        if self.likely is not None:
            left = f" (it leaves a factor of {self.likely.factor:.2g})"
            return f"Most likely {self.likely.cause}{left}: {self.likely.named(joints)}"
        tried = ", ".join(
            f"{finding.label(joints)} {finding.factor:.3g}"
            for finding in self.tried
            if np.isfinite(finding.factor)
        )
        leave = f" No single cause explains it; the factors they leave: {tried}." if tried else ""
        return (
            f"An assumption is broken.{leave} Check torque sign, gain and offset, link parameters "
            "and tool, contact, a payload that slips; or state larger uncertainties."
        )


def diagnose(evidence: Evidence) -> Diagnosis:
    """Return the likely cause of inconsistent rows."""
    evidence = thinned(evidence)
    blame = blame_of(evidence)
    if evidence.factor <= 1.0 or not np.isfinite(evidence.factor):
        return Diagnosis(None, (), blame)
    tried: list[Finding] = []
    likely: Finding | None = None
    for stage in CAUSES:
        for cause in stage:
            found = sorted(cause.findings(evidence), key=_by_factor)
            tried += found[:1]
            if found and _explains(found[0].factor, evidence.factor):
                likely = _better(likely, found[0])
        if likely is not None and likely.factor <= ENOUGH:
            break
    return Diagnosis(likely, tuple(sorted(tried, key=_by_factor)), blame)


def _explains(factor: float, without: float) -> bool:
    """Tell whether a cause that leaves a factor explains rows that ask for another without it."""
    return factor <= max(RESTORED, min(NEARLY, MOST_OF_THE_WAY * without))


def _by_factor(finding: Finding) -> tuple[float, int]:
    """Return what findings are sorted by: those that leave less free first where equal."""
    return finding.factor, finding.freedoms


def _better(old: Finding | None, new: Finding) -> Finding:
    """Return the one to be named."""
    if old is None:
        return new
    needed = CLEARLY if new.freedoms > old.freedoms else 1.0
    return new if new.factor < needed * old.factor else old


def thinned(evidence: Evidence) -> Evidence:
    """Return the evidence with at most about `MOST_ROWS` rows: those that matter, then others.

    Whole windows are kept: those whose rows ask for the factor, and others evenly in time.
    """
    rows, fit = evidence.rows, evidence.fit
    if len(rows) <= MOST_ROWS or fit is None:
        return evidence
    starts, window = np.unique(rows.start, return_inverse=True)
    asking = np.bincount(window, fit.weight, len(starts)) > 0.0
    per_window = len(rows) / len(starts)
    count = max(2, int(MOST_ROWS / per_window))
    asking[np.linspace(0, len(starts) - 1, count).astype(int)] = True
    keep = asking[window]
    return replace(
        evidence,
        rows=rows.take(keep),
        own=evidence.own[keep],
        fit=replace(fit, weight=fit.weight[keep]),
    )
