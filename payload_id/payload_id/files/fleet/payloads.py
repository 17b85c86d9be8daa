"""Each payload of a fleet: what all its runs say together, and whether arms agree on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.bounds import Interval
from ...core.fleet import CommonPayload, RunEvidence, common_payload
from ...core.fleet.common_payload import contradicting
from ...core.identification.settings import Settings
from ...core.identification.status import Status
from ..configuration.archive import Archive
from .fleet_table import FleetTable
from .row import WITH_INTERVALS

COLUMNS = ("payload", "bag", "key", "segment", "robot", "verdict", "known_mass", "m", "m_lower",
           "m_upper")  # fmt: skip
EVIDENCE = Archive(RunEvidence, "evidence of a run", 1, "Remove that result, and run again.")
KEPT = "What a result keeps for others of its payload"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Payload:
    """One payload of a fleet.

    Attributes:
        name: The payload's.
        rows: Its runs, in order of their names.
        common: What those that are usable say together; None without any.
        used: Which rows those are.
        apart: Rows whose interval contradicts the others'.
        arms_apart: Names of arms whose runs together contradict those of other arms.
        known_mass: Mass that the manifest states [kg]; None: none, or several.
        missed: Rows whose interval misses that mass.
    """

    name: str
    rows: tuple[Row, ...]
    common: CommonPayload | None
    used: tuple[Row, ...]
    apart: tuple[Row, ...]
    arms_apart: tuple[str, ...]
    known_mass: float | None
    missed: tuple[Row, ...]

    @property
    def trouble(self) -> tuple[float, ...]:
        """By which payloads are ordered, the largest first."""
        contradicted = self.common is not None and self.common.status is Status.INCONSISTENT
        return (float(contradicted), len(self.missed), len(self.rows) - len(self.used))


def payloads_of(table: FleetTable, settings: Settings) -> tuple[Payload, ...]:
    """Return the payloads that a table names, those with trouble first.

    Args:
        table: The results.
        settings: How payloads are estimated; the bounds are those of the runs.

    Raises:
        ConfigurationError: A result is damaged.
    """
    rows = table.rows(COLUMNS)
    names = sorted({row["payload"] for row in rows if row["payload"]})
    mine = [[row for row in rows if row["payload"] == name] for name in names]
    both = zip(names, mine, strict=True)
    found = [_payload(name, rows, _common(table, settings, name)) for name, rows in both]
    return tuple(sorted(found, key=lambda payload: [-x for x in payload.trouble]))


def _common(table: FleetTable, settings: Settings, name: str) -> CommonPayload | None:
    """Return what the usable runs of a payload say; None without any."""
    runs = [EVIDENCE.from_bytes(x, KEPT) for x in table.evidence(name, WITH_INTERVALS)]
    return common_payload(runs, settings) if runs else None


def _payload(name: str, rows: Sequence[Row], common: CommonPayload | None) -> Payload:
    """Return one payload."""
    used = tuple(row for row in rows if row["verdict"] in WITH_INTERVALS)
    masses = {row["known_mass"] for row in rows if row["known_mass"] is not None}
    known = masses.pop() if len(masses) == 1 else None
    missed = tuple(row for row in used if known is not None and not (
        row["m_lower"] <= known <= row["m_upper"]))  # fmt: skip
    apart = tuple(used[k] for k in common.apart) if common is not None else ()
    return Payload(name, tuple(rows), common, used, apart, _arms_apart(used), known, missed)


def _arms_apart(used: Sequence[Row]) -> tuple[str, ...]:
    """Return the arms whose runs together leave no mass that other arms allow."""
    names = sorted({row["robot"] for row in used})
    intervals = []
    for name in names:
        mine = [row for row in used if row["robot"] == name]
        lower, upper = max(x["m_lower"] for x in mine), min(x["m_upper"] for x in mine)
        if lower > upper:
            return (name,)  # it contradicts itself
        intervals.append(Interval(np.array([lower]), np.array([upper])))
    return tuple(names[k] for k in contradicting(intervals)) if intervals else ()
