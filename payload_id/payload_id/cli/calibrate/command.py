"""`payload-id calibrate`: learn the arm itself from recordings without payload, without ROS."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.body.inertial import as_phi
from ...core.calibration import CalibrationResult, Options, Prior, calibrate
from ...core.calibration.forgetting import without
from ...core.errors import InputError
from ...core.rows.joint_torque.nuisance import JOINT_GROUPS
from ...core.version import VERSION
from ...files.robots.calibration_file import save_calibrated_robot
from ...files.robots.link_ellipsoids import link_ellipsoids
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.arguments import add_assumption_arguments, add_verb, numbers_of, with_changes
from ..common.recording_arguments import (
    add_source_arguments,
    add_stretch_arguments,
    read_recording,
    stretch_of,
)
from .calibration_report import Job, as_json, show


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "calibrate the arm itself from recordings without payload, without ROS"
    parser = add_verb(verbs, "calibrate", text)
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
    add_source_arguments(parser)
    add_stretch_arguments(parser)
    parser.add_argument(
        "--payload",
        metavar="m,hx,...,Izz",
        help="the payload that the arm carried, exactly known: ten numbers in SI units, inertia "
        "about the payload frame's origin (default: none)",
    )
    add_assumption_arguments(parser, example="link_relative=0.1")
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
    parser.set_defaults(run=run, window=Options.window)


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
        stretch_of(read_recording(path, arguments, file), arguments) for path in arguments.recording
    )
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
        kept = without(kept, arguments.changes)
        lines = (
            f"Written by payload-id {VERSION} calibrate from "
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
    return as_phi(numbers_of(text, "--payload", "ten numbers"))


def _about(arguments: argparse.Namespace, result: CalibrationResult) -> dict[str, Any]:
    """Return what a reader of the archive should know."""
    return {
        "recordings": [str(path) for path in arguments.recording],
        "software_version": VERSION,
        "windows": result.windows,
        "window": arguments.window,
        "payload": _payload(arguments.payload).tolist(),
        "may_change": list(arguments.changes),
    }
