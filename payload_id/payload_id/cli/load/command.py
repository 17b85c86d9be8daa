"""`payload-id load`: an identified load, as others take it or sent to the arm's own controller."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ..common.options import Robot, argument, file, flag, option, value

MORE = "Seldom needed"
ARM = "xarm, ur, franka or kinova"


@dataclass(frozen=True, kw_only=True)
class Load:
    """A load, and what is said of the arm that carries it."""

    result: Annotated[
        Path,
        argument(
            parser=Path,
            metavar="RESULT",
            help="folder of a run, or a file that 'identify --json' wrote",
        ),
    ]
    robot: Robot = None
    rated_mass: Annotated[
        float | None,
        value(
            "largest mass of the payload (default: driver.payload.rated_mass of the robot file)",
            metavar="KG",
            panel=MORE,
        ),
    ] = None
    no_inertia: Annotated[
        bool,
        flag(
            "leave the inertia out, for a driver of Universal Robots without these fields",
            "--no-inertia",
            panel=MORE,
        ),
    ] = False


def export(
    load: Load,
    target: Annotated[
        str,
        option(
            "yaml: all there is; urdf, xacro: a link; gravity_filter; an arm's own: xarm, ur, "
            "franka, kinova; controllers, by their names (a wrong one lists all)",
            "--as",
            metavar="TARGET",
        ),
    ],
    frame: Annotated[
        str,
        option(
            "link whose frame the load is stated in (default: driver.payload.frame of the robot "
            "file for an arm; else the payload's)",
            metavar="LINK",
            panel=MORE,
        ),
    ] = "",
    out: Annotated[Path | None, file("write to a file (default: standard output)")] = None,
) -> int:
    """Write a load as a controller, filter or model takes it; nothing is sent."""
    from ...files.configuration.atomic_write import check_place, save
    from ...files.export.exported import exported, the_robot
    from ...files.export.loads.result_file import read_result

    place = None if out is None else check_place(out, "export")
    result = read_result(load.result)
    robot = the_robot(result, load.robot)
    text = exported(result, target, robot, frame, load.rated_mass, not load.no_inertia)
    if place is None:
        print(text, end="")
        return 0
    print(f"written: {save(place, text, 'export')}")
    return 0


@dataclass(frozen=True, kw_only=True)
class Sending(Load):
    """A load and the arm that is told of it."""

    target: Annotated[str, option(f"the arm: {ARM}", "--to", metavar="ARM")]
    confirm: Annotated[bool, flag("send it (default: show what would be sent)", "--confirm")] = (
        False
    )
    undo: Annotated[bool, flag("send what the arm had before, as it was recorded", "--undo")] = (
        False
    )
    follow: Annotated[
        bool,
        flag(
            "tell the arm of each payload that a hands-free estimator finds, at the next rest, and "
            "of its empty hand; RESULT is the folder that keeps what it had before",
            "--follow",
            panel=MORE,
        ),
    ] = False
    namespace: Annotated[
        str,
        option(
            "of the arm's driver, where several arms have one each, such as left",
            metavar="NAME",
            panel=MORE,
        ),
    ] = ""
    before: Annotated[
        Path | None,
        file(
            "fields of the load that the arm has now (YAML), for --undo, where the arm does not "
            "say it",
            panel=MORE,
        ),
    ] = None


def send(sending: Sending) -> int:
    """Tell the arm's own controller of a load; without --confirm nothing is sent."""
    from ..common.nodes import needing_ros

    with needing_ros("Drivers are reached", "load send"):
        from .send import run
    return run(sending)
