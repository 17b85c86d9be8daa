"""What a saved run is handed on as: its report, or its load as a controller or model takes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...core.errors import InputError
from ...files.export.exported import ARMS, TARGETS, exported, the_robot
from ...files.export.loads.result_file import read_result
from ...files.reports.report import Report
from ...files.reports.setting import as_html
from ...files.robots.robot_file import RobotFile

SUFFIX = {"yaml": ".yaml", "urdf": ".urdf", "xacro": ".xacro"}  # others: YAML of their own
CHOICES = {f"{target.text} ({name})": name for name, target in TARGETS.items()}


@dataclass(frozen=True)
class Handed:
    """A file for the browser.

    Attributes:
        name: Of the file.
        content: In it.
        sentence: What was made, and what to do with it.
    """

    name: str
    content: bytes
    sentence: str


def report_of(saved: str) -> Handed:
    """Return the report of a saved run; that takes seconds.

    Raises:
        PayloadIdError: The run is not on this machine, is damaged, or has no result.
    """
    folder = _here(saved)
    name = f"{folder.name}_report.html"
    return Handed(name, as_html(Report.of(folder)).encode(), f"The report is downloaded: {name}.")


def load_of(saved: str, target: str, robot: RobotFile) -> Handed:
    """Return the load of a saved run as one of `TARGETS` takes it; nothing is sent to the arm.

    Raises:
        PayloadIdError: The run is not on this machine, or may not be used so.
    """
    folder = _here(saved)
    result = read_result(folder)
    text = exported(result, target, the_robot(result, None) or robot)  # that of the run counts
    name = f"{folder.name}_load{SUFFIX.get(target, f'_{target}.yaml')}"
    sentence = f"Downloaded: {name}. Nothing was sent."
    if target in ARMS:
        sentence += f" In a terminal: ./payload-id load send {folder} --to {target}"
    return Handed(name, text.encode(), sentence)


def _here(saved: str) -> Path:
    """Return the folder of a saved run.

    Raises:
        InputError: It is on another machine.
    """
    folder = Path(saved)
    if not folder.is_dir():
        raise InputError(
            f"The run is in {saved}, where the estimator runs, and that folder is not on this "
            "machine: start the view there, or share the folder."
        )
    return folder
