"""`payload-id demo`: options; the demonstration itself needs ROS and is imported when run."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

from ...core.errors import InputError
from ..common.nodes import needing_ros
from ..common.options import Robot, Seed, file, flag


def demo(
    robot: Robot = "kinova_gen3",
    team: Annotated[bool, flag("three mocobots that hold one payload, instead", "--team")] = False,
    view: Annotated[
        bool, flag("the page in the browser as well; you have the arm move there", "--view")
    ] = False,
    sensor: Annotated[
        bool, flag("with --view, a force-torque sensor at the flange measures", "--sensor")
    ] = False,
    seed: Seed = None,
    out: Annotated[Path, file("where runs are written", metavar="FOLDER")] = Path("runs"),
) -> int:
    """Watch a simulated arm grasp an unknown payload, and ROS 2 nodes identify it."""
    with needing_ros("The demonstration runs nodes", "demo"):
        from .demonstration import run as run_demonstration
        from .team_demonstration import run as run_team
    if sensor and not view:
        raise InputError("--sensor goes with --view.")
    robot = robot or "kinova_gen3"
    seed = secrets.randbelow(100_000) if seed is None else seed
    if team:
        return run_team(seed, out, view)
    if view:
        from .work_cell import run as run_work_cell

        return run_work_cell(robot, sensor, seed, out)
    return run_demonstration(robot, seed, out)
