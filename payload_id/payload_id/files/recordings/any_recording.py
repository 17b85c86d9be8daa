"""A recording of a known robot, whatever it is kept in: a bag, or a table with its columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ..configuration.file_kind import refuse_other_formats
from ..robots.description.urdf_tree import UrdfTree
from ..robots.robot_file import RobotFile
from .recording import Recording

Columns = Mapping[str, Any] | Path
TABLES = (".csv", ".txt", ".tsv")
LOOKED_AT = 4096  # bytes
EXAMPLE = "kinova_gen3_csv.yaml"


def is_table(path: Path) -> bool:
    """Tell whether a recording is a table: by its suffix, or as it begins with lines of text."""
    if path.suffix.lower() in TABLES or not path.is_file():
        return path.suffix.lower() in TABLES
    with path.open("rb") as file:
        head = file.read(LOOKED_AT)
    return b"\n" in head and not any(byte < 9 or 13 < byte < 32 for byte in head)


def read_any(
    path: Path,
    robot: RobotFile,
    topic: str = "",
    columns: Columns | None = None,
    static: bool = False,
) -> Recording:
    """Read a bag, or a table with a description of its columns.

    Args:
        path: The recording.
        robot: The robot file: joints, signs and offsets of efforts.
        topic: Of the joint states in a bag; empty: the robot file's.
        columns: What a table's columns hold, or the file that says so.
        static: Whether each row of a table is one pose at rest.

    Raises:
        InputError: A table comes without a description.
        RecordingError: The recording cannot be read.
    """
    if path.is_file():
        refuse_other_formats(path)
    if not is_table(path):
        return Recording.of_robot(path, robot, topic)
    made = Recording.from_csv(
        path, stated(columns, path, EXAMPLE), _constants(robot), _sliding(robot), static
    )
    return made.of_joints(robot.joints)


def stated(columns: Columns | None, path: Path, example: str) -> Columns:
    """Return the description of a table's columns.

    Raises:
        InputError: There is none; names the shipped example.
    """
    if columns is None:
        raise InputError(
            f"A table needs --columns FILE that says what the columns of {path.name} hold; "
            f"config/recordings/{example} is one."
        )
    return columns


def _sliding(robot: RobotFile) -> tuple[str, ...]:
    """Return the names of the joints that slide."""
    tree = UrdfTree.of(robot.urdf)
    return tuple(joint.name for joint in tree.joints.values() if joint.kind == "prismatic")


def _constants(robot: RobotFile) -> Mapping[str, float] | None:
    """Return the joint torque per ampere by joint, None for an arm that reports torques."""
    constants = robot.effort.torque_constants
    if constants is None:
        return None
    return dict(zip(robot.joints, constants.tolist(), strict=True))
