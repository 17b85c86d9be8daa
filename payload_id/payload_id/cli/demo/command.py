"""`payload-id demo`: options; the demonstration itself needs ROS and is imported when run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..common.nodes import needing_ros
from ..common.options import Robot, Seed, file, flag


def demo(
    robot: Robot = "kinova_gen3",
    team: Annotated[bool, flag("three mocobots that hold one payload, instead", "--team")] = False,
    seed: Seed = None,
    out: Annotated[Path, file("where runs are written", metavar="FOLDER")] = Path("runs"),
) -> int:
    """Watch a simulated arm grasp an unknown payload, and ROS 2 nodes identify it."""
    with needing_ros("The demonstration runs nodes", "demo"):
        from .demonstration import run as run_demonstration
        from .team_demonstration import run as run_team
    if team:
        return run_team(seed, out)
    return run_demonstration(robot or "kinova_gen3", seed, out)
