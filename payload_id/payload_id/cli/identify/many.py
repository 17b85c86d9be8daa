"""`payload-id identify --out`: from many recordings, on all cores or on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import ConfigurationError, InputError
from ...core.identification.settings import Settings
from ...files.robots.robot_file import RobotFile
from ..common.presentation import console, told
from ..common.progress import progress
from ..common.settings import with_changes, with_methods

if TYPE_CHECKING:
    from ...files.fleet.manifest import Entry
    from ...fleet import FleetJob, Progress
    from .command import IdentifyOptions

NEEDED = (
    "Many recordings need Dask and Arrow: pip install 'payload_id[fleet]', or run ./payload-id, "
    "which sets up all there is."
)
NONE_USED = 2  # exit code where no recording could be used
SECONDS = "s"  # unit that a length of --segments may end with


def run(wanted: IdentifyOptions) -> int:
    """Identify what is missing; return the exit code."""
    try:
        import distributed  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise InputError(NEEDED) from error
    from ...files.fleet.fleet_table import FleetTable
    from ...fleet import cluster_client, identify_fleet

    if wanted.out is None:
        raise InputError("Give --out FOLDER, where the table of results is to be.")
    jobs = jobs_of(wanted)
    table = FleetTable.at(wanted.out)
    with (
        progress(f"identifying from {len(jobs)} recordings") as advance,
        cluster_client(wanted.scheduler, wanted.workers) as client,
    ):
        done = identify_fleet(jobs, table, client, lambda made: advance(made.part))
    folder = table.folder
    told(wanted.json, lambda: {"folder": str(folder), **vars(done)}, lambda: show(done, folder))
    return NONE_USED if done.useless else 0


def jobs_of(wanted: IdentifyOptions) -> list[FleetJob]:
    """Return what is to be done.

    Raises:
        PayloadIdError: A source holds nothing, a file cannot be read, or no robot is named.
    """
    from ...files.fleet.manifest import absolute, matched, read_manifest
    from ...files.fleet.recordings_found import recordings_found
    from ...fleet import FleetJob

    if not wanted.recordings and wanted.manifest is None:
        raise InputError("Name recordings, or a --manifest of them.")
    entries = () if wanted.manifest is None else read_manifest(absolute(wanted.manifest))
    named = recordings_found(wanted.recordings)
    methods: dict[str, Any] = {}
    jobs = []
    for entry in matched(entries, [absolute(x) for x in named]):
        robot = _robot(entry, wanted)
        if robot not in methods:
            try:
                methods[robot] = _method(robot, wanted)
            except ConfigurationError as error:
                where = f"{wanted.manifest}, robot of {entry.bag}: " if entry.robot else ""
                raise ConfigurationError(f"{where}{error}") from error
        jobs.append(FleetJob(entry, methods[robot]))
    return jobs


def _robot(entry: Entry, wanted: IdentifyOptions) -> str:
    """Return the robot file of a recording.

    Raises:
        InputError: None is named.
    """
    robot: str | None = entry.robot or wanted.robot
    if robot is None:
        raise InputError(
            f"Which robot made {entry.bag}? Give --robot FILE, or the column robot in the manifest."
        )
    return robot


def _method(robot: str, wanted: IdentifyOptions) -> Any:
    """Return how recordings of a robot are identified."""
    from ...files.configuration.read_model import extended
    from ...fleet import Method

    file = RobotFile.load(robot)
    settings = Settings(with_changes(file.uncertainty, wanted.uncertainty))
    columns = wanted.columns
    return Method(
        robot=file,
        settings=with_methods(settings, wanted),
        topic=wanted.topic,
        frame=wanted.payload_frame or "",
        columns=None if columns is None else extended(columns, "description of columns")[0],
        segments=segments(wanted.segments),
    )


def segments(text: str) -> str | float:
    """Return how recordings are cut: a length [s], or a word."""
    try:
        return float(text.removesuffix(SECONDS))
    except ValueError:
        return text


def show(done: Progress, folder: Path) -> None:
    """Print what was done for a person."""
    terminal = console()
    parts = [f"{done.made} identified now"]
    parts += [f"{done.kept} were there already"] if done.kept else []
    parts += [f"{done.copies} of the same content as others"] if done.copies else []
    number = "1 recording" if done.recordings == 1 else f"{done.recordings} recordings"
    terminal.print(f"[bold]{number}[/bold]: {', '.join(parts)}.")
    if done.verdicts:
        verdicts = (f"{count} {name}" for name, count in done.verdicts.most_common())
        terminal.print(f"new rows: {', '.join(verdicts)}")
    if done.useless:
        terminal.print("No recording could be used; the column error of the table says why.")
    if done.lost:
        terminal.print(
            f"{done.lost} could not be had, or lost their workers. Their rows say why; of one: "
            f"{done.reason} The same command, given again, tries them again.",
            style="yellow", markup=False,
        )  # fmt: skip
    terminal.print(f"table: {folder / 'rows'}", soft_wrap=True, markup=False)
    terminal.print(f"next: ./payload-id report {folder}", soft_wrap=True, markup=False)
