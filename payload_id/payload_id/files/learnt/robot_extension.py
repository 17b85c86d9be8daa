"""Robot files that extend another one by what has been learnt of the arm."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError, comment
from ..configuration.package_data import PACKAGE, share_folder
from ..configuration.whole_file import saved_file
from ..configuration.yaml_file import yaml_text


def write_extension(
    path: Path | str,
    robot: Path,
    key: str,
    write: Callable[[Path], Path],
    uncertainty: Mapping[str, Any],
    remarks: Sequence[str] = (),
) -> Path:
    """Write a robot file that extends another one, and what has been learnt beside it.

    Args:
        path: The robot file to write, ends in `.yaml`.
        robot: The robot file that it extends.
        key: Under which it names what has been learnt.
        write: Writes that at a path that ends in `.npz`, and returns the path.
        uncertainty: Bounds that replace those of the other file.
        remarks: Lines of comment.

    Returns:
        path: The robot file.

    Raises:
        ConfigurationError: A file cannot be written, or would replace the one it extends.
    """
    path = _place(path, robot)
    archive = write(path.with_suffix(".npz"))
    whole = {
        "extends": _reference(robot.resolve(), path.parent),
        key: archive.name,
        "uncertainty": dict(uncertainty),
    }
    with saved_file(path, "calibrated robot file") as file:
        file.write(yaml_text(whole, comment(remarks)).encode())
    return path


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
