"""Robot files that extend another one by what has been learnt of the arm."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ...core.errors import ConfigurationError
from ..configuration.package_data import PACKAGE, share_folder
from ..configuration.whole_file import saved_file


def place_of(path: Path | str, robot: Path) -> Path:
    """Return where a robot file that extends another one is written.

    Raises:
        ConfigurationError: Its name is not that of a robot file, or it would replace the other.
    """
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


def write_extension(
    path: Path, robot: Path, entries: Mapping[str, Any], remarks: Sequence[str]
) -> Path:
    """Write a robot file that extends another one.

    Args:
        path: Of `place_of`.
        robot: The robot file that it extends.
        entries: What it says beside.
        remarks: Lines of comment.

    Returns:
        path: The robot file.

    Raises:
        ConfigurationError: It cannot be written.
    """
    whole = {"extends": _reference(robot.resolve(), path.parent), **entries}
    head = "".join(f"# {line}\n" for line in remarks)
    text = head + yaml.safe_dump(whole, sort_keys=False, default_flow_style=None, width=100)
    with saved_file(path, "calibrated robot file") as file:
        file.write(text.encode())
    return path


def _reference(robot: Path, folder: Path) -> str:
    """Return how a file in a folder names a robot file, shipped ones by their package."""
    shipped = share_folder().resolve()
    if shipped in robot.parents:
        return f"package://{PACKAGE}/{robot.relative_to(shipped).as_posix()}"
    return os.path.relpath(robot, folder)
