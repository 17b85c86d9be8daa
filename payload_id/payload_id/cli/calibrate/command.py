"""`payload-id calibrate`: learn the arm itself from recordings with known payloads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ...core.errors import InputError
from ..common.options import (
    METHOD,
    READING,
    Changes,
    Frame,
    Json,
    Scales,
    Source,
    Window,
    argument,
    count,
    file,
    flag,
    none_given,
    option,
    seconds,
    value,
)

PHI = "m,hx,...,Izz"
Recordings = Annotated[
    list[Path],
    argument(
        parser=Path,
        metavar="RECORDING",
        help="rosbag2 folders, .mcap or .db3 files, or tables (.csv), all with --payload",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Known(Source):
    """Recordings with known payloads, and what is learnt from them."""

    recordings: Recordings = none_given()
    out: Annotated[Path, file("robot file to write", metavar="FILE.yaml")]
    payload: Annotated[
        str | None,
        option(
            "the payload that the arm carried, exactly known: ten numbers in SI units, inertia "
            "about the payload frame's origin (default: none)",
            metavar=PHI,
        ),
    ] = None
    runs: Annotated[
        list[Path],
        file(
            "further recordings, each with what is known of its payload; may be repeated",
            metavar="FILE.yaml",
        ),
    ] = none_given()
    window: Window = None
    uncertainty: Changes = none_given()
    changes: Annotated[
        list[str],
        option(
            "what may differ in later runs, such as torque_offset when it drifts between power "
            "cycles; may be repeated",
            metavar="BOUND",
            panel=METHOD,
        ),
    ] = none_given()
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Bounds(Known):
    """How bounds of an arm are learnt."""

    margin: Annotated[
        float | None, value("how many times the noise that is seen is stated (default: 2)")
    ] = None
    stated_noise: Annotated[
        bool,
        flag(
            "do not measure the noise: it is as robot file and --uncertainty state",
            "--stated-noise",
            panel=METHOD,
        ),
    ] = False
    scales: Scales = ""
    prior: Annotated[
        str,
        option(
            "how the point estimate is drawn to the description (default: quadratic)",
            metavar="quadratic|entropic",
            panel=METHOD,
        ),
    ] = "quadratic"
    ellipsoids: Annotated[
        bool,
        flag(
            "keep each link's estimated mass inside the ellipsoid around its collision shapes",
            "--ellipsoids",
            panel=METHOD,
        ),
    ] = False


def bounds(wanted: Bounds) -> int:
    """Measure noise, friction, offsets and links in recordings with known payloads, or none."""
    from .bounds import run

    return run(wanted)


@dataclass(frozen=True, kw_only=True)
class History(Known):
    """How a history is learnt."""

    segments: Annotated[
        float | None, seconds("cut recordings into runs of this length", panel=READING)
    ] = None


def history(wanted: History) -> int:
    """Learn how far estimates of this arm err, for intervals with a stated probability.

    Of a payload the mass is enough. `calibrate record` makes such runs.
    """
    from .history import run

    return run(wanted)


def noise(
    source: Source,
    recordings: Recordings,
    payload: Annotated[
        str,
        option(
            "the payload: ten numbers in SI units about the payload frame's origin, 'none' "
            "(default), or 'unknown'",
            metavar=PHI,
        ),
    ] = "none",
    lengths: Annotated[
        str,
        option(
            "lengths of windows (default: 0.1,0.2,0.5,1.0)", metavar="SECONDS,...", panel=METHOD
        ),
    ] = "0.1,0.2,0.5,1.0",
    payload_frame: Frame = None,
    uncertainty: Changes = [],  # noqa: B006  # is not changed
    json: Json = False,
) -> int:
    """Measure which bounds on the torques' noise recordings need, by length of time.

    The bound torque_absolute only says in which proportions the joints' noise is looked for.
    """
    from .noise import run

    return run(source, recordings, payload, lengths, payload_frame, uncertainty, json)


@dataclass(frozen=True, kw_only=True)
class Session:
    """Runs that a planner is to make with known weights."""

    weights: Annotated[
        list[str],
        argument(
            metavar="WEIGHT",
            help="what the arm carries, in the order in which it is changed: 'bare', or a mass "
            "[kg] of all that is put on; a weight that comes again is put on again, best elsewhere",
        ),
    ]
    out: Annotated[
        Path,
        file(
            "where runs are kept; if it holds the first runs of the same session, the "
            "others are made",
            metavar="FOLDER",
        ),
    ]
    runs: Annotated[int, count("number of runs, divided among weights (default: 20)")] = 20
    duration: Annotated[
        float, seconds("length of each motion at full speed (default: the planner's parameter)")
    ] = 0.0
    speed_scale: Annotated[
        float, value("part of the velocity limits that may be used (default: 1)", metavar="PART")
    ] = 1.0
    tolerance: Annotated[
        float,
        value(
            "by which part of a mass it may be wrong, for the certificates (default: 0.01)",
            metavar="PART",
        ),
    ] = 0.01
    seed: Annotated[int, count("of the first motion; each has another (default: 0)")] = 0
    planner: Annotated[
        str, option("name of the planner's node (default: payload_planner)", metavar="NODE")
    ] = "payload_planner"


def record(session: Session) -> int:
    """Have the planner move the arm with known weights, and record it for calibrate history."""
    from ...core.history import KnownLoad
    from ...files.configuration.atomic_write import check_place
    from ...files.recordings.known_runs import LIST
    from ..common.nodes import needing_ros
    from ..common.options import number

    masses = []
    for text in session.weights:
        try:
            masses.append(0.0 if text == "bare" else number(text))
        except InputError as error:
            raise InputError(f"A weight is 'bare' or a mass in kg; found '{text}'.") from error
        if text != "bare":
            KnownLoad.of_mass(masses[-1])
    check_place(session.out / LIST, "list of runs")
    with needing_ros("The arm is moved", "calibrate record"):
        from .record import run
    return run(session, masses)
