"""What `payload-id calibrate` has found: an archive, and a robot file that names it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from ...core.arm.arm_history import ArmHistory
from ...core.arm.calibration import Calibration
from ...core.errors import ConfigurationError, comment
from ..configuration.archive import Archive
from ..configuration.atomic_write import save
from ..configuration.package_data import PACKAGE, share_folder
from ..configuration.yaml_file import yaml_text

REMEDY = "It lies beside the robot file that names it: move both together, or make it again with"
CALIBRATION = Archive(Calibration, "calibration", 4, f"{REMEDY} 'payload-id calibrate'.")
HISTORY = Archive(ArmHistory, "history", 3, f"{REMEDY} 'payload-id calibrate history'.")
Result = TypeVar("Result", Calibration, ArmHistory)


def save_calibrated_robot(
    path: Path | str,
    robot: Path,
    archive: Archive[Result],
    result: Result,
    remarks: Sequence[str] = (),
) -> Path:
    """Write a robot file that extends another one, and what was found of the arm beside it.

    Args:
        path: The robot file to write, ends in `.yaml`.
        robot: The robot file that it extends.
        archive: What kind of archive it names, under the archive's name.
        result: What that holds; its bounds replace those of the other file.
        remarks: Lines of comment.

    Returns:
        path: The robot file.

    Raises:
        ConfigurationError: A file cannot be written, or would replace the one it extends.
    """
    path = _place(path, robot)
    whole = {
        "extends": _reference(robot.resolve(), path.parent),
        archive.name: archive.save(path.with_suffix(".npz"), result).name,
        "uncertainty": dict(result.uncertainty),
    }
    return save(path, yaml_text(whole, comment(remarks)), "calibrated robot file")


def _place(path: Path | str, robot: Path) -> Path:
    """Return where a robot file that extends another one is written."""
    path = Path(path).resolve()
    if path.suffix not in (".yaml", ".yml"):
        raise ConfigurationError(
            f"The calibrated robot file must end in .yaml; found '{path.name}'."
        )
    if path == robot.resolve():
        raise ConfigurationError(
            f"{path.name} is the robot file that is to be extended; give another name for the "
            "calibrated one."
        )
    return path


def _reference(robot: Path, folder: Path) -> str:
    """Return how a file in a folder names a robot file, shipped ones by their package."""
    shipped = share_folder().resolve()
    if shipped in robot.parents:
        return f"package://{PACKAGE}/{robot.relative_to(shipped).as_posix()}"
    return os.path.relpath(robot, folder)
