"""`payload-id live`: arguments; the tasks themselves need ROS and are imported when run."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from ...core.errors import ConfigurationError, InputError, brief
from ...core.safety.clearance.convex_body import ConvexBody
from ..common.arguments import add_verb, numbers_of, seed
from .identify_arguments import add_identify, goal_fields

SIZES = {"box": 3, "sphere": 1, "cylinder": 2}
TASKS = {
    "start": "begin a run",
    "stop": "end the run, and show the final estimate",
    "reset": "forget the payload",
    "tare": "declare that the run just made had no payload",
    "save": "save the run's settings and result",
    "status": "say how the nodes are, and show the newest estimate",
    "watch": "show the intervals as they shrink, until interrupted",
    "plan": "plan and certify a motion from where the arm stands; nothing moves",
    "describe": "describe a plan: figures, clearance, assumptions",
    "execute": "MOVE THE ARM along a plan, once it has been described and confirmed",
    "identify": "MOVE THE ARM, and identify the payload: check, plan, excite, validate, save",
    "obstacles": "list the obstacles that motions are certified against, or change them",
}
OF_PLANNER = ("plan", "describe", "execute", "identify", "obstacles")  # and of its bridge
GOAL: dict[str, tuple[Callable[[str], Any], str]] = {
    "--duration": (float, "length of the motion at full speed [s]"),
    "--speed-scale": (float, "part of the velocity limits that may be used"),
    "--dry-run-scale": (float, "plan a dry run at this fraction of the speed, at most 0.1"),
    "--time-budget": (float, "computing time [s]"),
    "--seed": (seed, "of everything that is drawn at random"),
    "--family": (str, "fourier, there_and_back, bezier or wave"),
    "--criterion": (str, "half_widths, condition_number, log_det or calibrated_widths"),
    "--limits": (str, "set of joint limits of the robot file"),
}


def add_parser(verbs: Any) -> None:
    """Add the command, its tasks and their arguments."""
    text = "start, stop, tare, save and watch running nodes; plan, describe and execute motions"
    parser = add_verb(verbs, "live", text)
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    parsers = {
        name: tasks.add_parser(name, help=said, description=f"{said[0].upper()}{said[1:]}.")
        for name, said in TASKS.items()
    }
    parsers["save"].add_argument(
        "folder", nargs="?", default="", help="in the node's runs_folder (default: beside the bag)"
    )
    parsers["save"].add_argument(
        "--report", action="store_true", help="write report.html into the folder, too"
    )
    for option, (kind, said) in GOAL.items():
        for name in ("plan", "identify"):
            parsers[name].add_argument(option, type=kind, help=said)
    for name in ("describe", "execute"):
        parsers[name].add_argument("plan", nargs="?", default="", help="default: the newest plan")
    _add_execute(parsers["execute"])
    add_identify(parsers["identify"])
    _add_obstacles(parsers["obstacles"])
    for name, task in parsers.items():
        which = ["planner", "bridge"] if name in OF_PLANNER else ["estimator"]
        for node in which:
            default = f"payload_{node}"
            task.add_argument(f"--{node}", default=default, metavar="NODE", help="name of the node")
    parser.set_defaults(run=run)


def _add_execute(parser: argparse.ArgumentParser) -> None:
    """Add how a plan is executed."""
    parser.add_argument(
        "--speed-scale",
        type=_speed_scale,
        default=1.0,
        help="0.05 to 1: the same path at this fraction of its speed (default: 1)",
    )
    parser.add_argument("--yes", action="store_true", help="move without asking")


def _speed_scale(text: str) -> float:
    """Return a fraction of a motion's speed, as a type of an argument."""
    if not 0.05 <= float(text) <= 1.0:
        raise argparse.ArgumentTypeError(f"must be from 0.05 to 1; found {text}")
    return float(text)


def _add_obstacles(parser: argparse.ArgumentParser) -> None:
    """Add how obstacles are changed."""
    parser.add_argument(
        "--add",
        action="append",
        default=[],
        metavar="NAME=SHAPE:SIZES@X,Y,Z",
        help="box:LX,LY,LZ, sphere:RADIUS or cylinder:RADIUS,LENGTH in the base frame [m], such as "
        "table=box:0.4,0.8,0.04@0.9,0,0.1; may be repeated",
    )
    parser.add_argument("--remove", action="append", default=[], metavar="NAME")
    parser.add_argument("--clear", action="store_true", help="take all away first")


def obstacle(text: str) -> ConvexBody:
    """Return the body that NAME=SHAPE:SIZES@X,Y,Z stands for.

    Raises:
        InputError: It is no such text.
    """
    name, equals, rest = text.partition("=")
    shape, colon, rest = rest.partition(":")
    sizes, at, place = rest.partition("@")
    if not (name and equals and colon and at and shape in SIZES):
        raise InputError(
            f"--add takes NAME=SHAPE:SIZES@X,Y,Z with SHAPE {', '.join(SIZES)}; found '{text}'."
        )
    return ConvexBody.primitive(
        shape,
        _numbers(sizes, SIZES[shape], f"{shape}: sizes"),
        translation=_numbers(place, 3, "a place"),
        name=name,
    )


def _numbers(text: str, count: int, what: str) -> tuple[float, ...]:
    """Return so many numbers."""
    numbers = numbers_of(text, "--add", what)
    if len(numbers) != count:
        raise InputError(f"--add: {what} are {count} number(s) [m]; found '{text}'.")
    return numbers


def goal_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of a goal that were given."""
    names = [option[2:].replace("-", "_") for option in GOAL]
    return {
        name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None
    }


def run(arguments: argparse.Namespace) -> int:
    """Do the task; return the exit code.

    Raises:
        InputError: An argument is no text that a message can hold.
    """
    for value in vars(arguments).values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and any("\ud800" <= c <= "\udfff" for c in text):
                raise InputError(f"An argument is no UTF-8 text: {brief(text)}.")
    # Not at the top: every other command works where ROS is not installed.
    try:
        from .session import run as run_task
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Nodes are reached through ROS 2, and {error.name} is not installed here. Run "
            "./payload-id live in the repository, or source a ROS 2 workspace that holds it."
        ) from error

    if arguments.task in ("plan", "identify"):
        arguments.goal = goal_of(arguments)
    if arguments.task == "identify":
        arguments.goal = goal_fields(arguments, arguments.goal)
    bodies = [obstacle(text) for text in getattr(arguments, "add", [])]
    return run_task(arguments, bodies)
