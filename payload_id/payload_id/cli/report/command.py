"""`payload-id report`: write what a person wants to know of a saved run, without ROS."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...core.errors import InputError, PayloadIdError
from ...core.identification.status import FAILED
from ...files.configuration.whole_file import check_place, saved_file
from ...files.reports.repeated_run import run_folder
from ..common.arguments import add_verb
from ..common.progress import progress

NAME = "report.html"
NEEDED = (
    "The page of a fleet needs Arrow: pip install 'payload_id[fleet]', or run ./payload-id, which "
    "sets up all there is."
)


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "write a saved run as one page: verdict, numbers, assumptions, data, how to repeat it"
    parser = add_verb(verbs, "report", text)
    parser.add_argument("run_folder", type=Path, nargs="?", metavar="RUN", help="folder of a run")
    parser.add_argument(
        "earlier", type=Path, nargs="*", metavar="EARLIER", help="earlier runs of the same payload"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=f".html, .md or .json (default: {NAME} in the run's folder)",
    )
    parser.add_argument(
        "--fleet",
        type=Path,
        metavar="FOLDER",
        help="instead of a run: results of payload-id fleet, as a page about arms and payloads",
    )
    texts = parser.add_mutually_exclusive_group()
    texts.add_argument("--json", action="store_true", help="print one JSON object and no more")
    texts.add_argument("--markdown", action="store_true", help="print Markdown and no more")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Identify again and write; return the exit code."""
    if (arguments.run_folder is None) == (arguments.fleet is None):
        raise InputError(
            "Name the folder of a run, or --fleet FOLDER for that of many, and not both."
        )
    if arguments.fleet is not None:
        return of_fleet(arguments)
    if arguments.out is not None and (arguments.json or arguments.markdown):
        raise InputError("--out says by its suffix how the report is set; leave out the other.")
    if not (arguments.json or arguments.markdown):
        path, code = written(arguments.run_folder, arguments.out, arguments.earlier)
        print(f"written: {path}")
        return code
    # Not at the top: the libraries of figures and pages take longer to import than most commands.
    from ...files.reports.report import Report
    from ...files.reports.setting import as_json, as_markdown

    with progress("identifying again") as tell:
        report = Report.of(arguments.run_folder, arguments.earlier, tell)
    print((as_json if arguments.json else as_markdown)(report), end="")
    return 3 if report.run.estimate.status in FAILED else 0


def of_fleet(arguments: argparse.Namespace) -> int:
    """Write the page of a fleet; return the exit code."""
    if arguments.earlier or arguments.json or arguments.markdown:
        raise InputError("--fleet is written as .html; leave out --json, --markdown and runs.")
    try:
        from ...files.fleet.fleet_page import Fleet, as_html
        from ...files.fleet.fleet_table import FleetTable
    except ImportError as error:
        raise InputError(NEEDED) from error

    table = FleetTable.existing(arguments.fleet)
    out = arguments.fleet / NAME if arguments.out is None else arguments.out
    place = check_place(out, "report").resolve()
    if place.suffix.lower() != ".html":
        raise InputError(f"The page of a fleet is written as .html; found '{place.name}'.")
    with progress("taking runs together"):
        text = as_html(Fleet.of(table))
    with saved_file(place, "report") as file:
        file.write(text.encode())
    print(f"written: {place}")
    return 0


def written(
    run_path: Path, out: Path | None = None, earlier: Sequence[Path] = ()
) -> tuple[Path, int]:
    """Write a report; return its file, and the exit code.

    Args:
        run_path: Folder of the run.
        out: Where; None: in that folder.
        earlier: Folders of earlier runs.

    Raises:
        PayloadIdError: A file cannot be read, or the report not be written.
    """
    from ...files.reports.report import Report
    from ...files.reports.setting import as_markdown, setting_of

    run_folder(run_path)  # what is no run is refused before anything else is said of it
    place = check_place(run_path / NAME if out is None else out, "report").resolve()
    setting = setting_of(place)
    with progress("identifying again") as tell:
        report = Report.of(run_path, earlier, tell)
    text = setting(report)
    try:
        with saved_file(place, "report") as file:
            file.write(text.encode())
    except PayloadIdError:  # what was found is shown all the same
        print(as_markdown(report))
        raise
    return place, 3 if report.run.estimate.status in FAILED else 0
