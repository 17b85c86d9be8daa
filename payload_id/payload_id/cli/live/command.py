"""`payload-id live`: tasks and their options; what they do needs ROS and is imported when run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Annotated, Any

from ...core.errors import InputError, UnknownNameError, brief
from ..common.nodes import needing_ros
from ..common.options import (
    Seed,
    argument,
    flag,
    numbers_of,
    option,
    seconds,
    value,
    whole,
)
from ..common.settings import enough_of

MORE, NODES = "Seldom needed", "Nodes"
TARES = ("as-is", "required", "only")  # in the order of the goal's constants
node = partial(option, metavar="NODE", panel=NODES)
Estimator = Annotated[str, node("name of the estimator (default: payload_estimator)")]
Planner = Annotated[str, node("name of the planner (default: payload_planner)")]
Bridge = Annotated[str, node("name of the bridge (default: payload_bridge)")]
Yes = Annotated[bool, flag("move without asking", "--yes")]
Plan = Annotated[str, argument(metavar="PLAN", help="default: the newest")]
ESTIMATOR, PLANNER, BRIDGE = "payload_estimator", "payload_planner", "payload_bridge"


def _do(task: str, nodes: Mapping[str, str], **given: Any) -> int:
    """Do a task with running nodes; return the exit code.

    Raises:
        InputError: A text is none that a message can hold.
    """
    try:
        said = [*nodes.values(), given]
        json.dumps(said, ensure_ascii=False, default=lambda body: body.name).encode()
    except UnicodeEncodeError as error:
        bad = brief(str(error.object[: error.start + 1])[-40:])
        raise InputError(f"An argument is no UTF-8 text, in what ends with {bad}.") from error
    with needing_ros("Nodes are reached", "live"):
        from .session import run
    return run(task, nodes, given)


def service(name: str, said: str) -> Callable[..., int]:
    """Return a task that needs the estimator alone."""

    def task(estimator: Estimator = ESTIMATOR) -> int:
        nodes = {"estimator": estimator}
        return _do(name, nodes, **(nodes if name == "watch" else {}))

    task.__name__, task.__doc__ = name, said
    return task


def save(
    folder: Annotated[
        str,
        argument(
            metavar="FOLDER",
            help="in the node's runs_folder (default: beside the bag)",
        ),
    ] = "",
    report: Annotated[bool, flag("write report.html into it, too", "--report")] = False,
    estimator: Estimator = ESTIMATOR,
) -> int:
    """Save the run's settings and result, as report, view and load take them."""
    return _do("save", {"estimator": estimator}, folder=folder, report=report)


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What motion is planned; unsaid is what the planner's parameters say."""

    duration: Annotated[float | None, seconds("length of the motion at full speed")] = None
    speed_scale: Annotated[
        float | None, value("part of the velocity limits that may be used", metavar="PART")
    ] = None
    time_budget: Annotated[float | None, seconds("computing time", panel=MORE)] = None
    seed: Seed = None
    family: Annotated[
        str | None,
        option("fourier, there_and_back, bezier or wave", metavar="NAME", panel=MORE),
    ] = None
    criterion: Annotated[
        str | None,
        option(
            "half_widths, condition_number, log_det or calibrated_widths",
            metavar="NAME",
            panel=MORE,
        ),
    ] = None
    limits: Annotated[
        str | None,
        option("set of joint limits of the robot file", metavar="NAME", panel=MORE),
    ] = None

    def motion(self) -> dict[str, Any]:
        """Return the fields of a motion's goal that were given."""
        named = {entry.name: getattr(self, entry.name) for entry in fields(Goal)}
        return {name: given for name, given in named.items() if given is not None}


def plan(goal: Goal, planner: Planner = PLANNER, bridge: Bridge = BRIDGE) -> int:
    """Plan and certify a motion from where the arm stands; nothing moves."""
    return _do("plan", {"planner": planner, "bridge": bridge}, goal=goal.motion())


def describe(plan: Plan = "", planner: Planner = PLANNER, bridge: Bridge = BRIDGE) -> int:
    """Describe a plan: figures, clearance, assumptions."""
    return _do("describe", {"planner": planner, "bridge": bridge}, plan=plan)


def execute(
    plan: Plan = "",
    speed_scale: Annotated[
        float,
        value(
            "0.05 to 1: the same path at this fraction of its speed (default: 1)", metavar="PART"
        ),
    ] = 1.0,
    yes: Yes = False,
    planner: Planner = PLANNER,
    bridge: Bridge = BRIDGE,
) -> int:
    """MOVE THE ARM along a plan, once it has been described and confirmed."""
    if not 0.05 <= speed_scale <= 1.0:
        raise InputError(f"--speed-scale must be from 0.05 to 1; found {speed_scale:g}.")
    nodes = {"planner": planner, "bridge": bridge}
    return _do("execute", nodes, plan=plan, speed_scale=speed_scale, yes=yes)


@dataclass(frozen=True, kw_only=True)
class Identifying(Goal):
    """How a payload is identified by a motion."""

    yes: Yes = False
    known_mass: Annotated[
        str,
        option("the payload's mass and its largest error [kg]", metavar="KG,ERROR"),
    ] = ""
    tare: Annotated[
        str,
        option(
            "move WITHOUT payload to tare (only), or need a tare (required)",
            metavar="|".join(TARES),
        ),
    ] = "as-is"
    time_limit: Annotated[float | None, seconds("for all of it")] = None
    enough: Annotated[
        str,
        option("how near is GOOD, as of identify", metavar="PART,KG,M", panel=MORE),
    ] = ""
    one_motion: Annotated[
        bool,
        flag("plan one motion instead of a receding horizon", "--one-motion", panel=MORE),
    ] = False
    most_pieces: Annotated[
        int | None,
        option(
            "end a receding horizon after so many",
            metavar="NUMBER",
            panel=MORE,
            parser=partial(whole, most=2**32 - 1),
        ),
    ] = None
    continue_run: Annotated[
        bool, flag("take the run in progress, too", "--continue-run", panel=MORE)
    ] = False
    unrecorded: Annotated[bool, flag("go on without a recording", "--unrecorded", panel=MORE)] = (
        False
    )

    def goal(self) -> dict[str, Any]:
        """Return the fields of a goal that were given.

        Raises:
            InputError: One cannot be read.
        """
        if self.tare not in TARES:
            raise UnknownNameError("tare", self.tare, TARES, "--tare")
        found = self.motion() | {"tare": TARES.index(self.tare)}
        found |= {
            name: getattr(self, name) for name in ("one_motion", "continue_run", "unrecorded")
        }
        for name in ("most_pieces", "time_limit"):
            if (given := getattr(self, name)) is not None:
                found[name] = given
        if self.enough:
            found["enough"] = list(enough_of(self.enough))
        if self.known_mass:
            known = numbers_of(self.known_mass, "--known-mass", "a mass and its error [kg]")
            if len(known) != 2:
                raise InputError(f"--known-mass takes two numbers; found '{self.known_mass}'.")
            found["known_mass"] = list(known)
        return found


def identify(wanted: Identifying, planner: Planner = PLANNER, bridge: Bridge = BRIDGE) -> int:
    """MOVE THE ARM, and identify the payload: check, plan, excite, validate, save."""
    nodes = {"planner": planner, "bridge": bridge}
    return _do("identify", nodes, goal=wanted.goal(), yes=wanted.yes)


def obstacles(
    add: Annotated[
        list[str],
        option(
            "box:LX,LY,LZ, sphere:RADIUS or cylinder:RADIUS,LENGTH in the base frame [m], such as "
            "table=box:0.4,0.8,0.04@0.9,0,0.1; may be repeated",
            metavar="NAME=SHAPE:SIZES@X,Y,Z",
        ),
    ] = [],  # noqa: B006  # is not changed
    remove: Annotated[list[str], option("may be repeated", metavar="NAME")] = [],  # noqa: B006
    clear: Annotated[bool, flag("take all away first", "--clear")] = False,
    planner: Planner = PLANNER,
    bridge: Bridge = BRIDGE,
) -> int:
    """List the obstacles that motions are certified against, or change them."""
    from .obstacle import obstacle

    bodies = [obstacle(text) for text in add]
    nodes = {"planner": planner, "bridge": bridge}
    return _do("obstacles", nodes, bodies=bodies, remove=remove, clear=clear)


SERVICES = {
    "start": "Begin a run.",
    "stop": "End the run, and show the final estimate.",
    "reset": "Forget the payload.",
    "tare": "Declare that the run just made had no payload.",
    "status": "Say how the nodes are, and show the newest estimate.",
    "watch": "Show the intervals as they shrink, until interrupted.",
}
TASKS = (
    *(service(name, said) for name, said in SERVICES.items()),
    save, plan, describe, execute, identify, obstacles,
)  # fmt: skip
