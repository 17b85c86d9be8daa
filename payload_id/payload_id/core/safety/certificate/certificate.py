"""What certification says: a certificate with margins, or the first constraint that is not kept."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...codec import InJson
from ...errors import InputError
from ...views import Viewed
from ..margins.margin import CONSTRAINTS, Margin


@dataclass(frozen=True)
class Certificate(InJson, Viewed):
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

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any]) -> Certificate:
        """Build from plain numbers; a clearance has no `used`, and no limit an endless `value`.

        Raises:
            InputError: An entry is missing or impossible.
        """
        endless = {"used": math.nan, "value": math.inf}
        margins = [
            {key: endless.get(key) if x is None else x for key, x in margin.items()}
            for margin in entries["margins"]
        ]
        made = super().from_dict({**entries, "margins": margins})
        for margin in made.margins:
            if margin.constraint not in CONSTRAINTS:
                raise InputError(f"The certificate's constraint '{margin.constraint}' is unknown.")
        return made


def digest_of(entries: Any) -> str:
    """Return the sha256 of plain numbers, lists and dicts."""
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()
