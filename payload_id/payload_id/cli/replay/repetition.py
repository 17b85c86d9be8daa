"""Whether a replay repeated a live run, and at which windows to look where no run says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.identification.estimate import Estimate
from ...core.rows.windows import TimedSamples

STEPS = 12  # updates on the way, for the figure, where the recording prescribes none
COMPARED = ("phi", "lower", "upper", "status")


def identical(before: dict[str, Any] | None, estimate: Estimate) -> bool | None:
    """Tell whether a replay gave bit for bit what the live run gave; None without a live run."""
    if not before:
        return None
    now = estimate.to_dict()
    return all(before.get(name) == now[name] for name in COMPARED)


def repetition(same: bool | None) -> str:
    """Return the sentence about it."""
    if same:
        return "Identical to the live run, bit for bit."
    return "[bold red]Differs from the live run.[/bold red]"


def steps(samples: TimedSamples, window: float) -> tuple[int, ...]:
    """Return some numbers of windows at which to look, the last of them beyond the end."""
    seconds = float(samples.stamp[-1] - samples.stamp[0]) if len(samples) else 0.0
    full = int(seconds / window) + 1
    return tuple(int(x) for x in np.unique(np.linspace(0, full, STEPS + 1).astype(int))[1:])
