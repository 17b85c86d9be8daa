"""`payload-id live identify`: the whole way from the check to the saved run, with its progress."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rich.console import Console

from ...core.errors import printable
from ...ros.client.payload_client import STAGES, PayloadClient, estimate_from
from ..common.presentation import estimate_table, verdict
from ..common.progress import progress

LONGEST = 3600.0  # [s] that it may take


def identify(
    terminal: Console,
    client: PayloadClient,
    goal: Mapping[str, Any],
    say: Callable[[str, str], object],
) -> int:
    """Identify, and show the result; Ctrl-C has the certified stop sent.

    Args:
        terminal: Where to show it.
        client: Of the planner.
        goal: Fields of the goal.
        say: Prints a node's sentence in a style.
    """
    with progress("identifying", terminal) as show:
        result = client.identify(
            LONGEST,
            lambda told: show(told.progress, line_of(told)),
            requested_by="payload-id live",
            **goal,
        )
    found = estimate_from(result.estimate)
    if np.isfinite(found.half_width[0]) and np.isfinite(found.phi[0]):
        terminal.print(verdict(found))
        terminal.print(estimate_table(found, None, terminal.width))
    say(result.message, "green" if result.success else "bold red")
    if result.saved:
        say(f"saved: {result.saved}", "")
        say(f"next: ./payload-id report {shlex.quote(result.saved)}", "")
    return 0 if result.success else 2


def line_of(told: Any) -> str:
    """Return feedback in a line."""
    parts = [STAGES.get(told.state, "?")]
    if told.piece:
        parts.append(f"piece {told.piece}")
    half = told.half_width[0]
    mass = told.phi[0]
    known = f"known to ± {half:.3f} kg"
    parts.append(f"mass {mass:.3f} kg, {known}" if math.isfinite(mass) else f"mass {known}")
    if told.worst:
        parts.append(f"{printable(told.worst)} {told.worst_margin:.0%} left")
    if math.isfinite(told.seconds_left):
        parts.append(f"{told.seconds_left:.0f} s left")
    return ", ".join(parts)
