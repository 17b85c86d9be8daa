"""`payload-id calibrate`: learn the arm itself from recordings with known payloads, without ROS."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.calibration import CalibrationResult, LinkPrior, Options, calibrate
from ...core.calibration.forgetting import without
from ...core.calibration.measured_noise import MARGIN, with_measured_noise
from ...core.errors import ConfigurationError, InputError
from ...core.history import KnownLoad
from ...core.rows.joint_torque.nuisance import JOINT_GROUPS
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.version import VERSION
from ...files.configuration.whole_file import check_place
from ...files.learnt.learnt_file import CALIBRATION, save_learnt_robot
from ...files.recordings.known_runs import KnownRecording, read_known_runs
from ...files.recordings.recording import Recording
from ...files.robots.link_ellipsoids import link_ellipsoids
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.arguments import add_assumption_arguments, add_verb, number, numbers_of, with_changes
from ..common.progress import progress
from ..common.recording_arguments import (
    add_source_arguments,
    add_stretch_arguments,
    check_different,
    read_recording,
    stretch_of,
)
from . import calibration_report, history_report
from .calibration_report import Job
from .history_report import HistoryJob, learn

BOUNDS = "bounds"


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "calibrate the arm itself from recordings with known payloads, without ROS"
    parser = add_verb(verbs, "calibrate", text)
    parser.add_argument(
        "recording",
        type=Path,
        nargs="*",
        help=f"rosbag2 folders, .mcap or .db3 files, or tables (.csv), all with --payload; after "
        f"the word '{BOUNDS}' the noise that they show is measured first, and stated with --margin",
    )
    parser.add_argument(
        "--margin",
        type=number,
        default=MARGIN,
        metavar="TIMES",
        help=f"with '{BOUNDS}': how many times the noise that was seen is stated "
        f"(default: {MARGIN:g})",
    )
    parser.add_argument(
        "--runs",
        type=Path,
        action="append",
        default=[],
        metavar="FILE.yaml",
        help="further recordings, each with what is known of its payload; may be repeated",
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
    parser.add_argument(
        "--history",
        action="store_true",
        help="learn how far estimates of this arm err, for intervals with a stated probability, "
        "instead of bounds on its parameters; of a payload the mass is enough",
    )
    parser.add_argument(
        "--segments",
        type=number,
        metavar="SECONDS",
        help="with --history: cut recordings into runs of this length",
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
        choices=[LinkPrior.QUADRATIC.value, LinkPrior.ENTROPIC.value],
        default=LinkPrior.QUADRATIC.value,
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
    """Learn, write and show the result; return the exit code."""
    if arguments.out.suffix not in (".yaml", ".yml"):
        raise InputError(f"--out must end in .yaml; found '{arguments.out.name}'.")
    for place in (arguments.out, arguments.out.with_suffix(".npz")):
        check_place(place, "calibrated robot file")
    arguments.bounds = arguments.recording[:1] == [Path(BOUNDS)]
    arguments.recording = arguments.recording[arguments.bounds :]
    if arguments.bounds and arguments.history:
        raise InputError(f"'{BOUNDS}' measures bounds, which --history does without: give one.")
    if not 1.0 <= arguments.margin < math.inf:
        raise InputError(f"--margin must be a number from 1 on; found {arguments.margin:g}.")
    if arguments.history:
        return run_history(arguments)
    with progress("calibrating"):
        job = work(arguments)
    if arguments.json:
        print(json.dumps(calibration_report.as_json(job)))
    else:
        calibration_report.show(job)
    if job.failure is not None:
        raise job.failure
    return 0 if job.written else 3


def run_history(arguments: argparse.Namespace) -> int:
    """Learn a history, write and show it; return the exit code."""
    file = RobotFile.load(arguments.robot)
    robot = RobotModel.from_robot_file(replace(file, history=None))  # calibrated as later runs
    uncertainty = with_changes(file.uncertainty, arguments.uncertainty)
    known = known_recordings(arguments)
    check_masses(known, uncertainty.prior.mass_max)
    runs = [(run, _read(run.path, arguments, file)) for run in known]
    robot = measured_with(robot, [recording for _, recording in runs])
    with progress(f"learning from {len(runs)} runs"):
        job: HistoryJob = learn(arguments, file, robot, uncertainty, runs)
    if arguments.json:
        print(json.dumps(history_report.as_json(job)))
    else:
        history_report.show(job)
    if job.failure is not None:
        raise job.failure
    return 0


def work(arguments: argparse.Namespace) -> Job:
    """Read everything, calibrate, and write the calibrated robot file."""
    file, robot = robot_of(arguments)
    uncertainty = with_changes(file.uncertainty, arguments.uncertainty)
    runs = known_recordings(arguments)
    recordings = tuple(_read(each.path, arguments, file) for each in runs)
    options = Options(
        window=arguments.window,
        ellipsoids=link_ellipsoids(file.urdf, robot) if arguments.ellipsoids else (),
        prior=LinkPrior(arguments.prior),
        scales=arguments.scales or (),
    )
    robot = measured_with(robot, recordings)
    loads = [each.load.phi for each in runs]
    if arguments.bounds:
        uncertainty = with_measured_noise(uncertainty, recordings, loads, robot, arguments.margin)
    result = calibrate(recordings, robot, uncertainty, options, loads)
    written = failure = None
    if result.consistent:
        kept = replace(result.calibration, about=_about(arguments, runs, result))
        kept = without(kept, arguments.changes)
        lines = (
            f"Written by payload-id {VERSION} calibrate from "
            + ", ".join(each.path.name for each in runs)
            + ".",
            "Calibrate again after a change of robot, tool, sensors or of the bounds below.",
            *(_measured(file.uncertainty, uncertainty, arguments) if arguments.bounds else ()),
        )
        try:
            written = save_learnt_robot(arguments.out, file.path, CALIBRATION, kept, lines)
        except ConfigurationError as error:  # what took minutes to learn is shown all the same
            failure = error
    return Job(robot, recordings, result, written, failure)


def _measured(
    before: Uncertainty, after: Uncertainty, arguments: argparse.Namespace
) -> tuple[str, ...]:
    """Return which bounds were measured, and which are still assumed, as lines."""
    was, now = before.to_dict(), after.to_dict()
    changed = [name for name in now if now[name] != was[name]]
    stated = [name for name in now if name not in changed and name != "prior"]
    own = ", ".join(name for name in changed if np.any(now[name]))
    return (
        f"Measured, times {arguments.margin:g}: {own}.",
        f"Part of the measured torque_mean: {', '.join(x for x in changed if not np.any(now[x]))}.",
        f"Assumed, as in {arguments.robot}: {', '.join(x for x in stated if np.any(now[x]))}.",
    )


def robot_of(arguments: argparse.Namespace) -> tuple[RobotFile, RobotModel]:
    """Return the arm as described, without what is known of it from earlier runs."""
    file = RobotFile.load(arguments.robot)
    return file, RobotModel.from_robot_file(replace(file, calibration=None, history=None))


def measured_with(robot: RobotModel, recordings: Sequence[Recording]) -> RobotModel:
    """Return the arm with the scales of the torques of recordings."""
    return replace(robot, effort={k: v for each in recordings for k, v in each.effort.items()})


def known_recordings(arguments: argparse.Namespace) -> tuple[KnownRecording, ...]:
    """Return the recordings with what is known of their payloads.

    Raises:
        InputError: There are none.
    """
    load = KnownLoad.none()
    if arguments.payload is not None:
        load = KnownLoad.exactly(
            np.array(numbers_of(arguments.payload, "--payload", "ten numbers"))
        )
    runs = tuple(KnownRecording(path, load) for path in arguments.recording)
    for path in arguments.runs:
        runs += read_known_runs(path)
    if not runs:
        raise InputError("Give at least one recording, or --runs FILE.yaml that lists some.")
    check_different(run.path for run in runs)
    return runs


def check_masses(runs: Sequence[KnownRecording], mass_max: float) -> None:
    """Raise unless the prior allows the payload of every run, as it shall those of new runs.

    Args:
        runs: Their payloads' masses are known.
        mass_max: Heaviest payload of the prior [kg].

    Raises:
        InputError: Names the run whose payload is heavier.
    """
    for run in runs:
        if run.load.phi[0] > mass_max:
            raise InputError(
                f"{run.path.name} is said to carry {run.load.phi[0]:g} kg, and the stated prior "
                f"allows {mass_max:g} kg at most (uncertainty.prior.mass_max): one of them is "
                "wrong."
            )


def _read(path: Path, arguments: argparse.Namespace, file: RobotFile) -> Recording:
    """Return the stretch of a recording that is asked for."""
    return stretch_of(read_recording(path, arguments, file), arguments)


def _about(
    arguments: argparse.Namespace, runs: Sequence[KnownRecording], result: CalibrationResult
) -> dict[str, Any]:
    """Return what a reader of the archive should know."""
    return {
        "recordings": [str(each.path) for each in runs],
        "software_version": VERSION,
        "windows": result.windows,
        "window": arguments.window,
        "scales": arguments.scales or [],
        "payloads": [each.load.phi.tolist() for each in runs],
        "may_change": list(arguments.changes),
    }
