"""`payload-id identify`: from one recording or many, by one method or by all, without ROS."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import MISSING, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Annotated

from ...core.errors import InputError
from ..common.options import (
    Figure,
    Json,
    Method,
    RecordingOptions,
    file,
    flag,
    option,
    whole,
)

MANY, COMPARED = "Many recordings", "Comparison of methods"
NAMED = {"start": "--from", "end": "--to"}  # options that are not called like their field
# Options that count where something else than one recording is identified from by one method.
OF_TEAM = {"recordings", "json"}
OF_MANY = {x.name for x in fields(Method)} | {
    "recordings", "robot", "columns", "topic", "payload_frame", "json",
    "out", "manifest", "segments", "scheduler", "workers",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class IdentifyOptions(RecordingOptions):
    """All options of `identify`."""

    save: Annotated[
        Path | None,
        file(
            "new folder for samples, settings and result: a run that report, view and load take",
            metavar="RUN",
        ),
    ] = None
    out: Annotated[
        Path | None,
        file(
            "table of results, one row for each recording; goes on where it was", metavar="FOLDER"
        ),
    ] = None
    figure: Figure = None
    json: Json = False
    compare: Annotated[
        bool,
        flag(
            "compare estimators and interval methods: all, or those that --estimator and "
            "--intervals name, separated by commas",
            "--compare",
            panel=COMPARED,
        ),
    ] = False
    truth: Annotated[
        str | None,
        option(
            "true parameters: a .json file, or ten numbers separated by commas: "
            "m,hx,hy,hz,Ixx,Ixy,Ixz,Iyy,Iyz,Izz in the payload frame",
            metavar="FILE|NUMBERS",
            panel=COMPARED,
        ),
    ] = None
    manifest: Annotated[
        str | None,
        option(
            "table, .csv or .parquet, of recordings and what is known of each: bag, robot, arm, "
            "payload, tare, known_mass, temperature",
            metavar="FILE",
            panel=MANY,
        ),
    ] = None
    segments: Annotated[
        str,
        option(
            "cut recordings: a length such as 10s, or 'payload': where the payload changes",
            metavar="LENGTH",
            panel=MANY,
        ),
    ] = "whole"
    scheduler: Annotated[
        str | None,
        option("of a running Dask cluster, such as tcp://host:8786", metavar="ADDRESS", panel=MANY),
    ] = None
    workers: Annotated[
        int | None,
        option(
            "on this machine (default: one for each core)",
            metavar="NUMBER",
            parser=partial(whole, least=1),
            panel=MANY,
        ),
    ] = None

    def only(self, taken: Collection[str], where: str) -> None:
        """Raise if an option is given that would be ignored.

        Args:
            taken: Names of those that count.
            where: When they do, to begin a sentence.

        Raises:
            InputError: One is.
        """
        ignored = []
        for entry in fields(self):
            usual = [] if entry.default is MISSING else entry.default
            if entry.name not in taken and getattr(self, entry.name) != usual:
                ignored.append(NAMED.get(entry.name, f"--{entry.name.replace('_', '-')}"))
        if ignored:
            raise InputError(f"{where}; leave out: {', '.join(ignored)}.")


def identify(wanted: IdentifyOptions) -> int:
    """Identify the payload from a recording, or from many, without ROS."""
    if wanted.out is not None or wanted.manifest is not None:
        wanted.only(OF_MANY, "Many recordings are identified from by one method, one by one")
        from .many import run

        return run(wanted)
    wanted.only({x.name for x in fields(wanted)} - {"segments", "scheduler", "workers"},
                "Only with --out FOLDER, where results of many recordings are written")  # fmt: skip
    if len(wanted.recordings) != 1:
        raise InputError(
            "Name one recording; of several give --out FOLDER, where the table of their results is "
            "written, and further ones of the same payload with --also."
        )
    return _compared(wanted) if wanted.compare else _one(wanted)


def _one(wanted: IdentifyOptions) -> int:
    """Identify from one recording and show the result; return the exit code."""
    from ..common.figure import figure_place
    from ..common.progress import progress
    from . import team
    from .loading import load
    from .outcome import identify as identified
    from .outcome import present

    if wanted.truth is not None:
        raise InputError("--truth is what methods are compared with: add --compare.")
    if team.is_team(wanted.recording):
        wanted.only(OF_TEAM, "The saved run of a team is repeated as it was")
        return team.repeat(wanted.recording, wanted.json)
    figure = figure_place(wanted.figure)
    with progress("identifying") as show:
        loaded = load(wanted)
        if wanted.static and loaded.about.wrench is not None and (wanted.save or figure):
            raise InputError("--save and --figure are of a motion: leave them or --static out.")
        loaded = loaded if wanted.save is None else loaded.kept(wanted.save)
        outcome = identified(loaded.job, wanted, show)
        if wanted.save is not None:
            outcome.save(loaded.about, wanted.save)
    return present(outcome, wanted, figure)


def _compared(wanted: IdentifyOptions) -> int:
    """Compare methods on one recording and show the result; return the exit code."""
    from .comparison_report import compare

    wanted.only({x.name for x in fields(wanted)} - {"save", "level", "enough", "figure"},
                "A comparison of methods is no single result")  # fmt: skip
    return compare(wanted)
