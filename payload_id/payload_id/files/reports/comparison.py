"""Runs of one payload side by side: whether their intervals have a common part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from ...core.body.inertial import PARAMETERS
from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...core.identification.status import USABLE
from ..export.loads.result_file import read_result
from ..runs.run_file import RunFile
from .kept_run import KeptRun, run_name

ENDS = ("phi", "lower", "upper")  # of intervals, and what lies between


@dataclass(frozen=True, eq=False)
class Compared:
    """One run.

    Attributes:
        name: Of its folder.
        when: Of its first sample, empty if that is not known.
        estimate: What it found.
    """

    name: str
    when: str
    estimate: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for programs."""
        found = {name: getattr(self.estimate, name) for name in ENDS}
        return {"name": self.name, "when": self.when, "status": self.estimate.status.value} | found


def compared(run: KeptRun, earlier: Sequence[Path]) -> tuple[Compared, ...]:
    """Return the run and earlier ones, as they were saved.

    Args:
        run: The run that is reported.
        earlier: Folders of others, from `run_folder`.

    Raises:
        PayloadIdError: A result is missing, damaged, or of another payload frame; or a run is named
            twice, by a copy or a link too.
    """
    estimate = run.estimate
    found, begins = [Compared(run.name, moment(run.file), estimate)], [run.file.start_ns]
    for folder in earlier:
        file, name = RunFile.load(folder), run_name(folder)
        result = read_result(folder).estimate
        if result.payload_frame != estimate.payload_frame:
            raise InputError(
                f"{name} is of a payload at {result.payload_frame}, {run.name} of one at "
                f"{estimate.payload_frame}; only runs in the same frame are compared."
            )
        found.append(Compared(name, moment(file), result))
        begins.append(file.start_ns)
    for j, again in enumerate(found):
        for i, run_before in enumerate(found[:j]):
            if begins[i] == begins[j] and np.array_equal(
                run_before.estimate.phi, again.estimate.phi
            ):
                raise InputError(
                    f"{run_before.name} and {again.name} are one run, which agrees with itself: "
                    "name each earlier run once."
                )
    return tuple(found)


def agreement(runs: Sequence[Compared]) -> str:
    """Return whether the intervals of all runs have a common part, in words; empty for one run.

    If the payload was the same and all bounds held, the truth is in every interval.
    """
    used = [run.estimate for run in runs if run.estimate.status in USABLE]
    if len(used) < 2:
        return ""
    lower = np.max([run.lower for run in used], axis=0)
    upper = np.min([run.upper for run in used], axis=0)
    apart = [name for name, bad in zip(PARAMETERS, lower > upper, strict=True) if bad]
    if apart:
        return (
            f"The intervals of {len(used)} runs have no common part in {', '.join(apart)}: it was "
            "not the same payload at the same place, or a bound that was stated does not hold in "
            "one of them. Do not use them before that is found."
        )
    return (
        f"In all ten parameters the intervals of {len(used)} runs have a common part; the mass "
        f"common to all is {lower[0]:.4g} to {upper[0]:.4g} kg."
    )


def moment(file: RunFile) -> str:
    """Return when a run began, in universal time."""
    if file.start_ns is None:
        return ""
    return datetime.fromtimestamp(file.start_ns / 1e9, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
