"""Options that several verbs share, and how a verb takes them.

A group is a dataclass whose fields are options. A verb names it as the type of a parameter, and
`spread` turns that parameter into one option for each field.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from ...core.errors import InputError, brief

READING, METHOD, ASSUMED = "How it is read", "How it is identified", "What is assumed"
PAYLOAD, SENSOR, OUTPUT = "What is known of the payload", "Force-torque sensor", "Output"
RIGHT = "recording of the same arm"


def number(text: object) -> float:
    """Return a number, as the type of an option.

    Raises:
        InputError: It is none, such as nan, or other programs would not read it as that number:
            1_0, digits of other scripts.
    """
    said = str(text)
    try:
        if said.isascii() and "_" not in said and not math.isnan(found := float(said)):
            return found
    except ValueError:
        pass
    raise InputError(f"must be a number; found {brief(said)}")


def whole(text: object, least: int = 0, most: int = 2**63 - 1) -> int:
    """Return a whole number from `least` to `most`, as the type of an option.

    Raises:
        InputError: It is none.
    """
    said = str(text)
    digits = said.removeprefix("-")
    if digits.isascii() and digits.isdecimal() and least <= int(said[:40]) <= most:
        return int(said)
    raise InputError(f"must be a whole number from {least} to {most}; found {brief(said)}")


def numbers_of(text: str, option: str, wanted: str) -> tuple[float, ...]:
    """Return numbers separated by commas.

    Args:
        text: What was given.
        option: Which option it was given for, for the message.
        wanted: What that takes, such as "ten numbers".

    Raises:
        InputError: A part is no number.
    """
    try:
        return tuple(number(part) for part in text.split(","))
    except InputError as error:
        raise InputError(f"{option} takes {wanted} separated by commas; found '{text}'.") from error


def option(text: str, *names: str, panel: str | None = None, **more: Any) -> Any:
    """Return an option with its help; without names it is called like its parameter."""
    shown = text.replace("[", r"\[")  # a unit, not the markup of Rich
    return typer.Option(*names, help=shown, rich_help_panel=panel, show_default=False, **more)


def argument(help: str, **more: Any) -> Any:
    """Return an argument with its help."""
    return typer.Argument(help=help.replace("[", r"\["), show_default=False, **more)


file = partial(option, parser=Path, metavar="FILE")
value = partial(option, parser=number, metavar="NUMBER")
seconds = partial(option, parser=number, metavar="SECONDS")
flag = partial(option, metavar="")
count = partial(option, parser=whole, metavar="NUMBER")

Json = Annotated[bool, flag("print one JSON object and no more", "--json", panel=OUTPUT)]
Figure = Annotated[Path | None, file("draw a figure of it here (.png, .pdf or .svg)", panel=OUTPUT)]
Robot = Annotated[
    str | None,
    option("robot file (YAML), or the name of a shipped one, such as kinova_gen3", metavar="FILE"),
]
Frame = Annotated[
    str | None,
    option("frame of the payload (default: the robot file's)", metavar="LINK", panel=READING),
]
Static = Annotated[
    bool,
    flag(
        "each row of a table without time, or with rows far apart, is one pose at rest; of a "
        "force-torque sensor's motion use only the stretches in which it rests",
        "--static",
        panel=READING,
    ),
]
Window = Annotated[float | None, seconds("length of the windows (default: 0.1)", panel=METHOD)]
Scales = Annotated[
    str,
    option(
        "further lengths of windows whose rows the intervals use, separated by commas (joint "
        "torques only)",
        metavar="SECONDS,...",
        panel=METHOD,
    ),
]
Changes = Annotated[
    list[str],
    option(
        "replace one bound of the robot file, such as torque_absolute=1.07 (SI units; one number, "
        "or one for each joint separated by commas); may be repeated",
        "--uncertainty",
        metavar="NAME=VALUE",
        panel=ASSUMED,
    ),
]
Seed = Annotated[int | None, count("of everything that is drawn at random")]


def none_given() -> Any:
    """Return the default of an option that may be repeated."""
    return field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Source:
    """Which arm made a recording, and how it is read."""

    robot: Robot = None
    columns: Annotated[Path | None, file("YAML that says what a table's columns hold")] = None
    topic: Annotated[
        str,
        option(
            "topic of the joint states (default: the robot file's); several separated by commas, "
            "or TOPIC:FIELD for efforts in a field of any message, are merged",
            metavar="TOPIC",
            panel=READING,
        ),
    ] = ""
    start: Annotated[float | None, seconds("first second", "--from", panel=READING)] = None
    end: Annotated[float | None, seconds("last second", "--to", panel=READING)] = None


@dataclass(frozen=True, kw_only=True)
class Method:
    """How a payload is identified."""

    estimator: Annotated[
        str, option("point estimator (default: lmi)", metavar="NAME", panel=METHOD)
    ] = ""
    intervals: Annotated[
        str, option("interval method (default: hull)", metavar="NAME", panel=METHOD)
    ] = ""
    level: Annotated[
        float | None,
        value("probability of confidence and calibrated intervals (default: 0.95)", panel=METHOD),
    ] = None
    enough: Annotated[
        str,
        option(
            "how near the mass must be known for GOOD, as a part of it or in kg, whichever is "
            "more, and the centre of mass in m (default: 0.05,0.05,0.01)",
            metavar="PART,KG,M",
            panel=METHOD,
        ),
    ] = ""
    window: Window = None
    scales: Scales = ""
    uncertainty: Changes = none_given()
    payload: Annotated[
        Path | None,
        file(
            "YAML of what is known: mass, centre of mass, symmetry, materials, a container's "
            "cavity, a mesh of its shape; it must be true, estimates and intervals rely on it",
            panel=PAYLOAD,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Wrench:
    """How a force-torque sensor's recording is read."""

    wrench_topic: Annotated[
        str | None, option("topic of the wrench in a bag", metavar="TOPIC", panel=SENSOR)
    ] = None
    pose_topic: Annotated[
        str | None,
        option(
            "topic of the sensor's pose (PoseStamped), instead of --robot and joint states",
            metavar="TOPIC",
            panel=SENSOR,
        ),
    ] = None
    orientation: Annotated[
        str | None,
        option(
            "for a bag of a sensor that rests: its orientation in the world, whose z points up "
            "[rad]; instead of --robot or --pose-topic",
            metavar="ROLL,PITCH,YAW",
            panel=SENSOR,
        ),
    ] = None
    wrench_sign: Annotated[
        str,
        option(
            "1: the wrench in a bag is what the sensor exerts on the payload (default); -1: the "
            "opposite; or six factors to N and N m: 1,1,1,0.001,0.001,0.001",
            metavar="SIGN",
            panel=SENSOR,
        ),
    ] = "1"


@dataclass(frozen=True, kw_only=True)
class RecordingOptions(Wrench, Method, Source):  # in this order from the last on in the help
    """All that is said of one recording: which it is, how it is read, how identified."""

    recordings: Annotated[
        list[str],
        argument(
            "rosbag2 folder, .mcap, .db3 or .bag file, table, or the folder of a run; with "
            "--out also several, folders of recordings, globs in quotes, URLs, @FILE (a list)",
            metavar="RECORDING",
        ),
    ] = none_given()
    payload_frame: Frame = None
    static: Static = False
    also: Annotated[
        list[Path],
        file(
            f"further {RIGHT} and payload, whose rows count as well; may be repeated",
            metavar="RECORDING",
        ),
    ] = none_given()
    tare: Annotated[
        list[Path],
        file(
            f"{RIGHT} WITHOUT payload, read in the same way, that tells of links, friction and "
            "sensors; may be repeated",
            metavar="RECORDING",
        ),
    ] = none_given()

    @property
    def recording(self) -> Path:
        """The one recording."""
        return Path(self.recordings[0])


def spread(verb: Callable[..., int]) -> Callable[..., int]:
    """Return a verb that takes the options of its groups one by one."""
    signature = inspect.signature(verb, eval_str=True)
    groups: dict[str, Any] = {
        k: x.annotation for k, x in signature.parameters.items() if is_dataclass(x.annotation)
    }
    taken = []
    for name, parameter in signature.parameters.items():
        parts = [parameter]
        if name in groups:
            hints = get_type_hints(groups[name], include_extras=True)
            parts = [
                inspect.Parameter(
                    x.name, parameter.kind, default=_default(x), annotation=hints[x.name]
                )
                for x in fields(groups[name])
            ]
        taken += [part.replace(kind=inspect.Parameter.KEYWORD_ONLY) for part in parts]

    @wraps(verb)
    def taking(**given: Any) -> int:
        for name, group in groups.items():
            given[name] = group(**{x.name: given.pop(x.name) for x in fields(group)})
        return verb(**given)

    taking.__signature__ = signature.replace(parameters=taken)  # type: ignore[attr-defined]
    return taking


def _default(entry: Field[Any]) -> Any:
    """Return the default of a field; for one without, that there is none."""
    if entry.default_factory is not MISSING:
        return entry.default_factory()
    return inspect.Parameter.empty if entry.default is MISSING else entry.default
