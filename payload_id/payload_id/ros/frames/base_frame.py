"""Print the link that a robot stands on: RViz's fixed frame (`base_frame ROBOT_FILE`)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ...core.errors import PayloadIdError
from ...files.robots.arm_frames import ArmFrames
from ...files.robots.robot_file import RobotFile


def main(args: Sequence[str] | None = None) -> int:
    """Print the base link of a robot file; returns the exit code."""
    given = list(sys.argv[1:] if args is None else args)
    try:
        if len(given) != 1:
            print("usage: base_frame ROBOT_FILE (its path, or a shipped name)", file=sys.stderr)
            return 2
        print(ArmFrames(RobotFile.load(given[0]).urdf).base, end="")
    except PayloadIdError as error:
        print(f"payload_id: {error}", file=sys.stderr)
        return 2
    return 0
