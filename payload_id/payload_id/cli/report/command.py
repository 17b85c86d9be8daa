"""`payload-id report`: write what a person wants to know of a saved run, without ROS."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from ...core.errors import InputError, PayloadIdError
from ...files.configuration.atomic_write import check_place, save
from ..common.options import OUTPUT, Json, argument, file, flag

NAME = "report.html"
NEEDED = (
    "The page of a fleet needs Arrow: pip install 'payload_id[fleet]', or run ./payload-id, which "
    "sets up all there is."
)


def report(
    runs: Annotated[
        list[Path],
        argument(
            parser=Path,
            metavar="RUN",
            help="folder of a run, or of results of 'identify --out'; then earlier runs of the "
            "same payload",
        ),
    ],
    out: Annotated[
        Path | None, file(f".html, .md or .json (default: {NAME} in the run's folder)")
    ] = None,
    markdown: Annotated[
        bool, flag("print Markdown and no more", "--markdown", panel=OUTPUT)
    ] = False,
    json: Json = False,
) -> int:
    """Write a run as one page: verdict, numbers, assumptions, data, how to repeat it."""
    run, *earlier = runs
    if (run / "rows").is_dir():
        return _of_many(run, out, not (earlier or json or markdown))
    if json + markdown + (out is not None) > 1:
        raise InputError("--out says by its suffix how the report is set; leave out the other.")
    path, code = written(run, out, earlier, ".json" if json else ".md" if markdown else "")
    if path is not None:
        print(f"written: {path}")
    return code


def _of_many(folder: Path, out: Path | None, alone: bool) -> int:
    """Write the page of results of many recordings; return the exit code."""
    from ..common.progress import progress

    if not alone:
        raise InputError("A page of many is written as .html; leave out --json, --markdown, runs.")
    try:
        from ...files.fleet.fleet_page import Fleet, as_html
        from ...files.fleet.fleet_table import FleetTable
    except ImportError as error:
        raise InputError(NEEDED) from error

    table = FleetTable.existing(folder)
    place = check_place(folder / NAME if out is None else out, "report").resolve()
    if place.suffix.lower() != ".html":
        raise InputError(f"The page of a fleet is written as .html; found '{place.name}'.")
    with progress("taking runs together"):
        text = as_html(Fleet.of(table))
    print(f"written: {save(place, text, 'report')}")
    return 0


def written(
    run_path: Path, out: Path | None = None, earlier: Sequence[Path] = (), printed: str = ""
) -> tuple[Path | None, int]:
    """Write a report; return its file, and the exit code.

    Args:
        run_path: Folder of the run.
        out: Where; None: in that folder.
        earlier: Folders of earlier runs.
        printed: How it is set where it is printed instead, ".json" or ".md".

    Raises:
        PayloadIdError: A file cannot be read, or the report not be written.
    """
    # Not at the top: the libraries of figures and pages take longer to import than most commands.
    from ...core.identification.status import FAILED
    from ...files.reports.kept_run import run_folder
    from ...files.reports.report import Report
    from ...files.reports.setting import as_markdown, setting_of
    from ..common.progress import progress

    run_folder(run_path)  # what is no run is refused before anything else is said of it
    place = None
    if not printed:
        place = check_place(run_path / NAME if out is None else out, "report").resolve()
    setting = setting_of(place or Path(NAME).with_suffix(printed))
    with progress("reading the run"):
        report = Report.of(run_path, earlier)
        text = setting(report)
    code = 3 if report.run.estimate.status in FAILED else 0
    if place is None:
        print(text, end="")
        return None, code
    try:
        return save(place, text, "report"), code
    except PayloadIdError:  # what was found is shown all the same
        print(as_markdown(report))
        raise
