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
from .causes.remade_rows import RemadeCause, RemadeRows
from .causes.torque_gain import TorqueGain
from .causes.torque_offset import TorqueOffset
from .causes.torque_sign import TorqueSign
from .causes.wrong_tool import WrongTool
from .lengths import LengthFactor, factors_by_length, sentence_of
from .remade.efforts import Efforts
from .remade.friction import Friction
from .remade.gravity import Gravity
from .remade.joint_order import JointOrder
from .remade.joint_zero import JointZero
from .remade.torque_delay import TorqueDelay
from .remade.units import Units
from .remade.velocity import Velocity

# From the simplest to those that leave most free; of one stage the one that goes farthest counts.
CAUSES: tuple[tuple[Cause, ...], ...] = (
    (Prior(), TorqueSign()),
    (TorqueGain(), TorqueOffset()),
    (WrongTool(), Contact()),
    (PayloadSlipped(),),
    (LinkModel(),),
)
# The same for those that rows are made anew for, where samples are at hand.
REMADE: tuple[tuple[RemadeCause, ...], ...] = (
    (Units(), JointOrder(), Velocity(), Efforts()),
    (TorqueDelay(), JointZero(), Gravity(), Friction()),
    (),
    (),
    (),
)
RESTORED = 1.001  # factor up to which a cause explains the rows
# A wrong reading also makes its relative bounds wrong: a cause that goes most of the way counts.
NEARLY, MOST_OF_THE_WAY = 2.0, 0.3  # factor, and part of the factor without the cause
CLEARLY = 0.5  # part of a simpler cause's factor that a less simple one must reach instead of it
EQUALLY = 1.3  # times the likely cause's factor: what leaves no more than that is named beside it
ENOUGH = 0.5  # factor that honest noise leaves, which is not at its bounds all the time
MOST_ROWS = 1200  # that are looked at


@dataclass(frozen=True)
class Diagnosis:
    """Why rows are inconsistent.

    Attributes:
        likely: The likely cause; None if none explains the rows.
        equally: Findings of other causes that explain the rows about as well.
        tried: The best finding of every cause that was tried.
        blame: Which joints ask for the noise factor, and when.
        lengths: Which factor each length of windows asks for, if there are several.
    """

    likely: Finding | None
    tried: tuple[Finding, ...]
    blame: tuple[Blame, ...]
    equally: tuple[Finding, ...] = ()
    lengths: tuple[LengthFactor, ...] = ()

    @property
    def cause(self) -> str:
        """Name of the likely cause, and of those that explain as much; empty if there is none."""
        named = (self.likely, *self.equally) if self.likely else ()
        return " or ".join(finding.cause for finding in named)

    def sentence(self, joints: Sequence[str]) -> str:
        """Return the likely cause and its remedy in words, and which length of windows fails."""
        return " ".join(filter(None, (sentence_of(self.lengths), self._why(joints))))

    def _why(self, joints: Sequence[str]) -> str:
        """Return the likely cause and its remedy in words."""
        if self.likely is not None:
            left = f" (it leaves a factor of {self.likely.factor:.2g})"
            others = "".join(
                f" Or {other.cause} ({other.factor:.2g}), which these data do not tell from it: "
                f"{other.named(joints)}"
                for other in self.equally
            )
            return f"Most likely {self.likely.cause}{left}: {self.likely.named(joints)}{others}"
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
    remade = RemadeRows.of(evidence)
    for stage, others in zip(CAUSES, REMADE, strict=True):
        every = [list(cause.findings(evidence)) for cause in stage]
        if remade is not None:
            every += [[remade.finding(x) for x in cause.findings(remade)] for cause in others]
        for findings in every:
            found = sorted(findings, key=_by_factor)
            tried += found[:1]
            if found and _explains(found[0].factor, evidence.factor):
                likely = _better(likely, found[0])
        if likely is not None and likely.factor <= ENOUGH:
            break
    tried.sort(key=_by_factor)
    equally = _equal_to(likely, tried, evidence.factor)
    return Diagnosis(likely, tuple(tried), blame, equally, factors_by_length(evidence))


def _equal_to(
    likely: Finding | None, tried: Sequence[Finding], without: float
) -> tuple[Finding, ...]:
    """Return the findings that explain the rows about as well as the likely one."""
    if likely is None:
        return ()
    return tuple(
        finding
        for finding in tried
        if finding.cause != likely.cause
        and _explains(finding.factor, without)
        and finding.factor <= EQUALLY * likely.factor
    )


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

    Whole windows are kept, each with the rows of other lengths that end in it: those whose rows ask
    for the factor, and others evenly in time.
    """
    rows, fit = evidence.rows, evidence.fit
    if len(rows) <= MOST_ROWS or fit is None:
        return evidence
    starts, window = np.unique(rows.start, return_inverse=True)
    if rows.scale.any():
        starts = np.unique(rows.start[rows.scale == 0.0])
        window = np.maximum(np.searchsorted(starts, rows.end) - 1, 0)
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
