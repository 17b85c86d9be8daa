"""What runs with known payloads tell of the torques' noise, for people and programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core import codec
from ...core.calibration.noise_of_runs import NoiseOfRuns
from ..common.presentation import console, plain_table


def as_json(found: NoiseOfRuns, joints: Sequence[str]) -> dict[str, Any]:
    """Return the result in plain numbers; null where there are too few runs for one."""
    told = {
        "joints": list(joints),
        "level": found.level,
        "runs": len(found.factors),
        "missing": found.missing,
        "lengths": [
            {"length": length, "bound": found.bounds[k], "factors": found.factors[:, k]}
            for k, length in enumerate(found.lengths)
        ],
        "reference": found.reference,
    }
    plain: dict[str, Any] = codec.as_json(told)
    return plain


def show(found: NoiseOfRuns, joints: Sequence[str]) -> None:
    """Print the result for a person."""
    terminal, table = console(), plain_table()
    for title in ("length [s]", "factor of runs", "largest", "bound", *joints):
        table.add_column(title, justify="right")
    for k, length in enumerate(found.lengths):
        factors, bound = found.factors[:, k], found.bounds[k]
        table.add_row(
            f"{length:g}",
            f"{factors.min():.3g} to {factors.max():.3g}",
            f"{factors.max():.3g}",
            f"{bound:.3g}",
            *(f"{bound * x:.3g}" for x in found.reference),
        )
    terminal.print(table)
    if found.missing:
        terminal.print(
            f"{len(found.factors)} runs: {found.missing} more are needed for bounds that hold with "
            f"{found.level:.0%}. Make them, or lower --level.",
            style="yellow",
        )
        return
    terminal.print(
        f"A new run of the same kind keeps all of these bounds with {found.level:.0%} ([N m or N], "
        "as torque_mean): motion, length, loads and warmth like those of "
        "the runs, in any order. No assumption on the noise itself."
    )
