"""Limits of speeds in space and of energy: what a person near the arm can live with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from ...codec import InJson
from ...errors import InputError

INF = float("inf")
SLOW = 0.5  # [m/s] up to which arm and tool count as slow


@dataclass(frozen=True)
class SpeedLimits(InJson):
    """What no point of the arm may exceed; infinite: no limit.

    Attributes:
        tool: Speed of any point of the last link, of what is fixed to it, and of the payload
            frame [m/s].
        payload: Speed of any point of the payload's volume [m/s].
        elbow: Speed of any point of the other links [m/s].
        energy: Kinetic energy of arm and payload together [J].
    """

    tool: float = INF
    payload: float = INF
    elbow: float = INF
    energy: float = INF

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if np.isnan(value) or value <= 0.0:
                raise InputError(
                    f"The limit of '{entry.name}' must be above 0 [m/s or J]; found {value!r}."
                )

    @property
    def any(self) -> bool:
        """Whether there is any limit."""
        return bool(np.isfinite(list(asdict(self).values())).any())

    @property
    def is_slow(self) -> bool:
        """Whether the whole arm is at most as fast as at reduced speed."""
        return bool(max(self.tool, self.elbow) <= SLOW)

    def named(self, constraint: str) -> float:
        """Return the limit of a constraint, such as "tool speed" [m/s or J]."""
        return float(getattr(self, constraint.removesuffix(" speed").removeprefix("kinetic ")))

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any]) -> SpeedLimits:
        """Build from plain numbers, None for no limit."""
        return super().from_dict({name: INF if x is None else x for name, x in entries.items()})


# Speeds that persons near an arm are used to: [ISO10218] allows 250 mm/s while somebody is in the
# safeguarded space and holds an enabling device.
PRESETS = {
    "collaborative": SpeedLimits(tool=0.25, payload=0.25, elbow=0.25),
    "reduced": SpeedLimits(tool=0.5, payload=0.5, elbow=0.5),
    "full": SpeedLimits(),
}
