"""How the recordings of one robot are identified, and what that is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..core.errors import InputError
from ..core.identification.settings import Settings
from ..core.version import VERSION
from ..files.recordings.any_recording import read_any
from ..files.recordings.recording import Recording
from ..files.robots.robot_file import RobotFile
from .fingerprint import fingerprint

WHOLE, AT_CHANGES = "whole", "payload"  # how recordings are cut, beside a length


@dataclass(frozen=True, eq=False)
class Method:
    """How the recordings of one robot are identified.

    Attributes:
        robot: The robot file.
        settings: How.
        topic: Of the joint states; empty: the robot file's.
        frame: Link that carries the payload; empty: the robot file's.
        columns: What the columns of tables hold; None: there are no tables.
        segments: "whole", "payload" (cut where the payload changes), or a length [s].
    """

    robot: RobotFile
    settings: Settings
    topic: str = ""
    frame: str = ""
    columns: Mapping[str, Any] | None = field(default=None)
    segments: str | float = WHOLE

    def __post_init__(self) -> None:
        length = self.segments
        if length not in (WHOLE, AT_CHANGES) and not (
            isinstance(length, float) and 0.0 < length < float("inf")
        ):
            raise InputError(
                f"--segments takes a length above 0 such as 10s, '{WHOLE}' or '{AT_CHANGES}'; "
                f"found {length!r}."
            )

    @cached_property
    def digest(self) -> str:
        """What tells it from others, the software's version included."""
        return fingerprint(
            (VERSION, self.robot, self.settings, self.topic, self.frame, self.columns,
             self.segments)
        )[:32]  # fmt: skip

    def read(self, path: Path) -> Recording:
        """Read a recording of this robot.

        Raises:
            PayloadIdError: It cannot be read.
        """
        return read_any(path, self.robot, self.topic, self.columns)
