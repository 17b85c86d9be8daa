"""`payload-id calibrate`: learn the arm itself from recordings without payload, without ROS."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from .. import __version__
from ..core.calibration import CalibrationResult, Options, Prior, calibrate
from ..core.calibration.calibration import candidate_names, group_slice
from ..core.errors import InputError
from ..core.inertial import Array, as_phi
from ..core.rows.nuisance import JOINT_GROUPS
from ..files.calibration_file import save_calibrated_robot
from ..files.formatting import digits, number
from ..files.link_ellipsoids import link_ellipsoids
from ..files.recording import Recording
from ..files.robot_file import RobotFile
from ..files.robot_model import RobotModel
from .arguments import with_changes
from .presentation import console
from .replay import read_recording, remarks

TITLES = {
    "friction_coulomb": "Coulomb friction",
    "friction_viscous": "viscous friction",
    "rotor_inertia": "rotor inertia",
    "torque_offset": "torque offset",
    "torque_gain": "torque gain",
}
UNITS = {
    "friction_coulomb": "N m",
    "friction_viscous": "N m s/rad",
    "rotor_inertia": "kg m²",
    "torque_offset": "N m",
    "torque_gain": "-",
}


@dataclass(frozen=True)
class Job:
    """What is calibrated, from what.

    Attributes:
        file: The robot file.
        robot: The arm.
        recordings: At least one.
        result: The calibration.
        written: The calibrated robot file; None if there is none.
    """

    file: RobotFile
    robot: RobotModel
    recordings: tuple[Recording, ...]
    result: CalibrationResult
    written: Path | None


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "calibrate the arm itself from recordings without payload, without ROS"
    parser = verbs.add_parser("calibrate", help=text, description=text.capitalize() + ".")
    parser.add_argument(
        "recording",
        type=Path,
        nargs="+",
        help="rosbag2 folders, .mcap or .db3 files, or tables (.csv)",
    )
    parser.add_argument(
        "--robot", metavar="FILE", required=True, help="robot file (YAML), or a shipped name"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE.yaml", required=True, help="robot file to write"
    )
    parser.add_argument(
        "--columns", type=Path, metavar="FILE", help="YAML that says what a table's columns hold"
    )
    parser.add_argument("--topic", help="topic of the joint states (default: the robot file's)")
    parser.add_argument("--from", dest="start", type=float, metavar="SECONDS", help="first second")
    parser.add_argument("--to", dest="end", type=float, metavar="SECONDS", help="last second")
    parser.add_argument(
        "--payload",
        metavar="m,hx,...,Izz",
        help="the payload that the arm carried, exactly known: ten numbers in SI units, inertia "
        "about the payload frame's origin (default: none)",
    )
    parser.add_argument(
        "--window",
        type=float,
        default=0.1,
        metavar="SECONDS",
        help="length of the windows (default: 0.1)",
    )
    parser.add_argument(
        "--uncertainty",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="replace one bound of the robot file, such as link_relative=0.1; may be repeated",
    )
    parser.add_argument(
        "--changes",
        action="append",
        default=[],
        choices=JOINT_GROUPS,
        help="what may differ in later runs, such as torque_offset when it drifts between power "
        "cycles; may be repeated",
    )
    parser.add_argument(
        "--prior",
        choices=[Prior.QUADRATIC.value, Prior.ENTROPIC.value],
        default=Prior.QUADRATIC.value,
        help="how the point estimate is drawn to the description (default: quadratic)",
    )
    parser.add_argument(
        "--ellipsoids",
        action="store_true",
        help="keep each link's estimated mass inside the ellipsoid around its collision shapes",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and no more")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Calibrate, write and show the result; return the exit code."""
    job = work(arguments)
    if arguments.json:
        print(json.dumps(as_json(job)))
    else:
        show(job)
    return 0 if job.written else 3


def work(arguments: argparse.Namespace) -> Job:
    """Read everything, calibrate, and write the calibrated robot file."""
    if arguments.out.suffix not in (".yaml", ".yml"):
        raise InputError(f"--out must end in .yaml; found '{arguments.out.name}'.")
    file = RobotFile.load(arguments.robot)
    robot = RobotModel.from_robot_file(replace(file, calibration=None))
    uncertainty = with_changes(file.uncertainty, arguments.uncertainty)
    recordings = tuple(
        read_recording(path, arguments.columns, arguments.topic, file)
        for path in arguments.recording
    )
    if arguments.start is not None or arguments.end is not None:
        start = 0.0 if arguments.start is None else arguments.start
        end = math.inf if arguments.end is None else arguments.end
        recordings = tuple(recording.between(start, end) for recording in recordings)
    options = Options(
        window=arguments.window,
        payload=_payload(arguments.payload),
        ellipsoids=link_ellipsoids(file.urdf, robot) if arguments.ellipsoids else (),
        prior=Prior(arguments.prior),
    )
    result = calibrate(recordings, robot, uncertainty, options)
    written = None
    if result.consistent:
        kept = replace(result.calibration, about=_about(arguments, result))
        kept = kept.without(arguments.changes)
        lines = (
            f"Written by payload-id {__version__} calibrate from "
            + ", ".join(path.name for path in arguments.recording)
            + ".",
            "Calibrate again after a change of robot, tool, sensors or of the bounds below.",
        )
        written = save_calibrated_robot(arguments.out, file.path, kept, lines)
    return Job(file, robot, recordings, result, written)


def _payload(text: str | None) -> Array:
    """Return the known payload."""
    if text is None:
        return np.zeros(10)
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError(
            f"--payload takes ten numbers separated by commas; found '{text}'."
        ) from error
    return as_phi(values)


def _about(arguments: argparse.Namespace, result: CalibrationResult) -> dict[str, Any]:
    """Return what a reader of the archive should know."""
    return {
        "recordings": [str(path) for path in arguments.recording],
        "software_version": __version__,
        "windows": result.windows,
        "window": arguments.window,
        "payload": _payload(arguments.payload).tolist(),
        "may_change": list(arguments.changes),
    }


def as_json(job: Job) -> dict[str, Any]:
    """Return the result with what it rests on."""
    result, names = job.result, candidate_names(job.robot.joints)
    calibration, validation = result.calibration, result.validation
    uncertain = np.flatnonzero(result.stated.uncertain)
    stated = result.stated
    return {
        "consistent": result.consistent,
        "noise_factor": None if result.consistent else result.noise_factor,
        "blame": {job.robot.joints[joint]: share for joint, share in result.blame},
        "robot": job.robot.name,
        "robot_digest": job.robot.digest,
        "samples": result.samples,
        "windows": result.windows,
        "parameters": {
            names[k]: {
                "estimate": float(result.estimate[k]),
                "lower": float(calibration.lower[k]),
                "upper": float(calibration.upper[k]),
                "stated_lower": float(stated.centre[k] - stated.half_width[k]),
                "stated_upper": float(stated.centre[k] + stated.half_width[k]),
            }
            for k in uncertain
        },
        "links": dict(zip(job.robot.joints, result.link_phi().tolist(), strict=True)),
        "rank": result.identifiability.rank,
        "rank_possible": result.identifiability.possible,
        "base_parameters": [str(base) for base in result.identifiability.base],
        "unseen": list(result.identifiability.unseen),
        "validation": {
            "nominal": validation.nominal.tolist(),
            "nominal_links": validation.nominal_links.tolist(),
            "calibrated": validation.calibrated.tolist(),
            "rows": validation.rows,
        },
        "notes": [*result.notes, *(line for r in job.recordings for line in remarks(r))],
        "uncertainty": dict(calibration.uncertainty),
        "written": str(job.written) if job.written else None,
    }


def show(job: Job) -> None:
    """Print the result for a person."""
    terminal, result = console(), job.result
    sources = ", ".join(recording.source or "recording" for recording in job.recordings)
    terminal.print(f"[bold]{sources}[/bold] on [bold]{job.robot.name}[/bold]")
    for line in [*(x for r in job.recordings for x in remarks(r)), *result.notes]:
        terminal.print(line, style="yellow")
    if not result.consistent:
        terminal.print(inconsistent(job), style="bold red")
    else:
        terminal.print(joint_table(job))
        terminal.print(link_table(job))
    terminal.print(validation_table(job))
    for line in summary(job):
        terminal.print(line)


def inconsistent(job: Job) -> str:
    """Return the sentence for data that no arm within the stated bounds explains."""
    joints = [job.robot.joints[joint] for joint, _ in job.result.blame[:3]]
    return (
        "INCONSISTENT: no arm within the stated bounds explains the data; their errors would have "
        f"to be {job.result.noise_factor:.2f} times as large (most at {', '.join(joints)}). State "
        "larger bounds with --uncertainty, or check signs, tool and payload. Nothing was written."
    )


def joint_table(job: Job) -> Table:
    """Return friction, rotor inertia, offsets and gains with their intervals."""
    result, n = job.result, job.robot.n
    table = Table(box=None, header_style="bold", padding=(0, 1), pad_edge=False)
    table.add_column("")
    groups = [g for g in JOINT_GROUPS if result.stated.uncertain[group_slice(g, n)].any()]
    for group in groups:
        table.add_column(f"{TITLES[group]} [{UNITS[group]}]".replace("[", "\\["), justify="right")
    for joint, name in enumerate(job.robot.joints):
        cells = [_interval(result, group_slice(group, n).start + joint) for group in groups]
        table.add_row(name, *cells)
    return table


def _interval(result: CalibrationResult, k: int) -> str:
    """Return an estimate with its interval."""
    lower, upper = result.calibration.lower[k], result.calibration.upper[k]
    places = digits((upper - lower) / 2)
    ends = f"{number(lower, places)}, {number(upper, places)}"
    return f"{number(result.estimate[k], places)} \\[{ends}]"


def link_table(job: Job) -> Table:
    """Return how far each link's parameters have become better known."""
    result, n = job.result, job.robot.n
    table = Table(box=None, header_style="bold", padding=(0, 1), pad_edge=False)
    table.add_column("link beyond")
    for title in ("mass \\[kg]", "was \\[kg]", "narrowed", "best"):
        table.add_column(title, justify="right")
    ratio, names = result.width_ratio()[: 10 * n].reshape(n, 10), candidate_names(job.robot.joints)
    for link, (joint, count) in enumerate(
        zip(job.robot.joints, result.narrowed_links(), strict=True)
    ):
        best, known = "–", int(np.isfinite(ratio[link]).sum())
        if count:
            k = int(np.nanargmin(ratio[link]))
            best = f"{names[10 * link + k].rpartition('.')[2]} to {100 * ratio[link, k]:.0f} %"
        mass = f"{result.estimate[10 * link]:.3f}"
        table.add_row(
            joint, mass, f"{job.robot.link_phi[link, 0]:.3f}", f"{count} of {known}", best
        )
    return table


def validation_table(job: Job) -> Table:
    """Return what is left of the torques in the part of the data that was held out."""
    validation = job.result.validation
    table = Table(box=None, header_style="bold", padding=(0, 1), pad_edge=False)
    table.add_column("left over on the last fifth, rms \\[N m]")
    for joint in job.robot.joints:
        table.add_column(joint, justify="right")
    rows = {
        "description alone": validation.nominal,
        "description, friction and sensors fitted": validation.nominal_links,
        "everything fitted": validation.calibrated,
    }
    for name, values in rows.items():
        table.add_row(name, *(number(float(value), 3) for value in values))
    return table


def summary(job: Job) -> Sequence[str]:
    """Return what the motion could tell, and what comes next."""
    found, result = job.result.identifiability, job.result
    lines = [
        f"{result.samples} samples, {result.windows} windows. The motion tells {found.rank} "
        f"combinations of {found.candidates} parameters apart; any motion could tell "
        f"{found.possible}. {len(found.unseen)} parameters have no effect on the torques here."
    ]
    still = found.unseen_links(job.robot.joints)
    if still:
        lines.append(f"Nothing is seen of the links beyond {', '.join(still)}: move other joints.")
    if job.written:
        lines.append(
            f"Written: {job.written} and {job.written.with_suffix('.npz').name} beside it. Use it "
            f"as robot file: payload-id replay RECORDING --robot {job.written}"
        )
    return lines
