"""`payload-id fleet`: identify from many recordings, on all cores or on a cluster."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from ...core.identification.settings import Settings
from ...files.robots.robot_file import RobotFile
from ..common.arguments import add_verb, with_changes
from ..common.method_arguments import add_method_arguments, with_methods
from ..common.presentation import console
from ..common.progress import progress
from ..common.recording_arguments import add_source_arguments
from ..common.shape_arguments import add_knowledge_argument, add_shape_arguments

if TYPE_CHECKING:
    from ...files.fleet.manifest import Entry
    from ...fleet import FleetJob, Progress

NEEDED = (
    "payload-id fleet needs Dask and Arrow: pip install 'payload_id[fleet]', or run ./payload-id, "
    "which sets up all there is."
)
UNUSABLE = 2  # exit code where no recording could be used
SECONDS = "s"  # unit that a length of --segments may end with


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "identify from many recordings, on all cores or on a cluster; goes on where it was"
    parser = add_verb(verbs, "fleet", text)
    parser.add_argument(
        "sources",
        nargs="*",
        metavar="SOURCE",
        help="recording, folder of recordings, glob in quotes, URL such as s3://store/bags, or "
        "@FILE, a list with one in each line",
    )
    parser.add_argument(
        "--manifest",
        metavar="FILE",
        help="table, .csv or .parquet, of recordings and what is known of each: bag, robot, arm, "
        "payload, tare, known_mass, temperature",
    )
    parser.add_argument(
        "--robot",
        metavar="FILE",
        help="robot file (YAML), or the name of a shipped one; for those of which the manifest "
        "says nothing else",
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", required=True, help="for results")
    parser.add_argument(
        "--segments",
        metavar="LENGTH",
        default="whole",
        help="cut recordings: a length such as 10s, or 'payload': where the payload changes",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a running Dask cluster, such as tcp://host:8786"
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="on this machine (default: one for each core)"
    )
    parser.add_argument(
        "--payload-frame", metavar="FRAME", help="frame of the payload (default: the robot file's)"
    )
    add_source_arguments(parser)
    add_method_arguments(parser)
    add_shape_arguments(parser)
    add_knowledge_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and no more")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Identify what is missing; return the exit code."""
    try:
        import distributed  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise InputError(NEEDED) from error
    from ...files.fleet.fleet_table import FleetTable
    from ...fleet import cluster_client, identify_fleet

    if arguments.workers is not None and arguments.workers < 1:
        raise InputError(f"--workers must be 1 or more; found {arguments.workers}.")
    jobs = jobs_of(arguments)
    table = FleetTable.at(arguments.out)
    with (
        progress(f"identifying from {len(jobs)} recordings") as tell,
        cluster_client(arguments.scheduler, arguments.workers) as client,
    ):
        done = identify_fleet(jobs, table, client, lambda made: tell(made.part))
    if arguments.json:
        print(json.dumps(as_json(done, table.folder)))
    else:
        show(done, table.folder)
    return UNUSABLE if done.useless else 0


def jobs_of(arguments: argparse.Namespace) -> list[FleetJob]:
    """Return what is to be done.

    Raises:
        PayloadIdError: A source holds nothing, a file cannot be read, or no robot is named.
    """
    from ...files.fleet.manifest import absolute, matched, read_manifest
    from ...files.fleet.recordings_found import recordings_found
    from ...fleet import FleetJob

    if not arguments.sources and arguments.manifest is None:
        raise InputError("Name recordings, or a --manifest of them.")
    entries = () if arguments.manifest is None else read_manifest(absolute(arguments.manifest))
    named = recordings_found(arguments.sources)
    methods: dict[str, Any] = {}
    jobs = []
    for entry in matched(entries, [absolute(x) for x in named]):
        robot = _robot(entry, arguments)
        if robot not in methods:
            methods[robot] = _method(robot, arguments)
        jobs.append(FleetJob(entry, methods[robot]))
    return jobs


def _robot(entry: Entry, arguments: argparse.Namespace) -> str:
    """Return the robot file of a recording.

    Raises:
        InputError: None is named.
    """
    robot: str | None = entry.robot or arguments.robot
    if robot is None:
        raise InputError(
            f"Which robot made {entry.bag}? Give --robot FILE, or the column robot in the manifest."
        )
    return robot


def _method(robot: str, arguments: argparse.Namespace) -> Any:
    """Return how recordings of a robot are identified."""
    from ...files.configuration.yaml_file import read_yaml
    from ...fleet import Method

    file = RobotFile.load(robot)
    settings = Settings(with_changes(file.uncertainty, arguments.uncertainty))
    columns = arguments.columns
    return Method(
        robot=file,
        settings=with_methods(settings, arguments),
        topic=arguments.topic or "",
        frame=arguments.payload_frame or "",
        columns=None if columns is None else read_yaml(columns, "description of columns"),
        segments=segments(arguments.segments),
    )


def segments(text: str) -> str | float:
    """Return how recordings are cut: a length [s], or a word.

    Raises:
        InputError: It is neither.
    """
    from ...fleet import AT_CHANGES, WHOLE

    if text in (WHOLE, AT_CHANGES):
        return text
    try:
        return float(text.removesuffix(SECONDS))
    except ValueError as error:
        raise InputError(
            f"--segments takes a length such as 10s, or '{AT_CHANGES}'; found '{text}'."
        ) from error


def as_json(done: Progress, folder: Path) -> dict[str, Any]:
    """Return what was done as plain values."""
    return {
        "folder": str(folder),
        "recordings": done.recordings,
        "made": done.made,
        "kept": done.kept,
        "copies": done.copies,
        "lost": done.lost,
        "reason": done.reason,
        "verdicts": dict(done.verdicts),
    }


def show(done: Progress, folder: Path) -> None:
    """Print what was done for a person."""
    terminal = console()
    parts = [f"{done.made} identified now"]
    parts += [f"{done.kept} were there already"] if done.kept else []
    parts += [f"{done.copies} of the same content as others"] if done.copies else []
    number = "1 recording" if done.recordings == 1 else f"{done.recordings} recordings"
    terminal.print(f"[bold]{number}[/bold]: {', '.join(parts)}.")
    if done.verdicts:
        terminal.print("new rows: " + ", ".join(_counted(done.verdicts.most_common())))
    if done.useless:
        terminal.print("No recording could be used; the column error of the table says why.")
    if done.lost:
        terminal.print(
            f"{done.lost} could not be had, or lost their workers. Their rows say why; of one: "
            f"{done.reason} The same command, given again, tries them again.",
            style="yellow", markup=False,
        )  # fmt: skip
    terminal.print(f"table: {folder / 'rows'}", soft_wrap=True, markup=False)
    terminal.print(f"page: ./payload-id report --fleet {folder}", soft_wrap=True, markup=False)


def _counted(verdicts: Sequence[tuple[str, int]]) -> list[str]:
    """Return verdicts and their numbers as text."""
    return [f"{number} {name}" for name, number in verdicts]
