"""Print for launch files what a robot file says (`robot_facts WHAT ROBOT_FILE`).

Topics are printed without a leading slash: names in the namespace of the nodes that hear them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from ...core.errors import PayloadIdError
from ...files.robots.arm_frames import ArmFrames
from ...files.robots.robot_file import RobotFile

FACTS: Mapping[str, Callable[[RobotFile], str]] = {
    "joint_states": lambda robot: robot.joint_states.topic.lstrip("/"),
    "wrench": lambda robot: robot.wrench_topic.lstrip("/"),
    "is_of_team": lambda robot: str("team_topics" in robot.driver.back_ends).lower(),
    "controller": lambda robot: PurePosixPath(robot.command.trajectory_topic).parent.name,
    "base_frame": lambda robot: ArmFrames(robot.urdf).base,
    "description": lambda robot: robot.urdf,
}


def main(args: Sequence[str] | None = None) -> int:
    """Print one fact; returns the exit code."""
    given = list(sys.argv[1:] if args is None else args)
    if len(given) != 2 or given[0] not in FACTS:
        print(f"usage: robot_facts {'|'.join(FACTS)} ROBOT_FILE", file=sys.stderr)
        return 2
    try:
        print(FACTS[given[0]](RobotFile.load(given[1])), end="")
    except PayloadIdError as error:
        print(f"payload_id: {error}", file=sys.stderr)
        return 2
    return 0
