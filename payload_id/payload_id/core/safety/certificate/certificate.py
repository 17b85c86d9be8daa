"""What certification says: a certificate with margins, or the first constraint that is not kept."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import InputError, in_words
from ...views import Viewed
from ..margins.margin import CONSTRAINTS, Margin


@dataclass(frozen=True)
class Certificate(Viewed):
    """A motion keeps every constraint, if the assumptions hold.

    Attributes:
        margins: The smallest margin of each constraint.
        assumptions: What must be true, one sentence each.
        digests: sha256 of everything that the proof used: model, geometry, obstacles, box, tube,
            limits, required_clearance, trajectory.
        duration: Length of the motion [s].
        limits: Name of the set of limits.
        step: Length of the first slices of time of the proof [s].
        version: Version of this package.
    """

    margins: tuple[Margin, ...]
    assumptions: tuple[str, ...]
    digests: Mapping[str, str]
    duration: float
    limits: str
    step: float
    version: str

    def margin(self, constraint: str) -> Margin | None:
        """Return the margin of a constraint; None if nothing was to be checked."""
        return next((m for m in self.margins if m.constraint == constraint), None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, lists and dicts; `from_dict` reads them back."""
        entries = asdict(self)
        entries["margins"] = [_plain(margin) for margin in self.margins]
        entries["assumptions"] = list(self.assumptions)
        entries["digests"] = dict(self.digests)
        return entries

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any]) -> Certificate:
        """Build from plain numbers.

        Raises:
            InputError: An entry is missing or impossible.
        """
        try:
            margins = tuple(_margin(m) for m in entries["margins"])
            return cls(
                margins=margins,
                assumptions=tuple(str(text) for text in entries["assumptions"]),
                digests={str(k): str(v) for k, v in entries["digests"].items()},
                duration=float(entries["duration"]),
                limits=str(entries["limits"]),
                step=float(entries["step"]),
                version=str(entries["version"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"The certificate is not readable: {in_words(error)}.") from error


def _plain(margin: Margin) -> dict[str, Any]:
    """Return a margin as plain numbers: None for a clearance's `used`, and for an endless value."""
    entries = {**asdict(margin), "where": list(margin.where)}
    for key in ("used", "value"):
        entries[key] = entries[key] if math.isfinite(entries[key]) else None
    return entries


def _margin(entries: Mapping[str, Any]) -> Margin:
    """Return one margin from plain numbers."""
    if entries["constraint"] not in CONSTRAINTS:
        raise ValueError(f"unknown constraint {entries['constraint']!r}")
    used = math.nan if entries["used"] is None else float(entries["used"])
    return Margin(
        constraint=str(entries["constraint"]),
        where=tuple(str(name) for name in entries["where"]),
        value=math.inf if entries["value"] is None else float(entries["value"]),
        used=used,
        start=float(entries["start"]),
        end=float(entries["end"]),
    )


def digest_of(entries: Any) -> str:
    """Return the sha256 of plain numbers, lists and dicts."""
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()
