"""`payload-id calibrate bounds`: learn the arm itself from recordings with known payloads."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from ...core.calibration import LinkPrior, Options, calibrate
from ...core.calibration.forgetting import without
from ...core.calibration.measured_noise import MARGIN, with_measured_noise
from ...core.errors import InputError, UnknownNameError
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.version import VERSION
from ...files.calibration_io.calibrated_robot import CALIBRATION, save_calibrated_robot
from ...files.robots.link_ellipsoids import link_ellipsoids
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.figure import Drawn, drawn
from ..common.presentation import told
from ..common.progress import progress
from ..common.reading import read_stretch, robot_file
from ..common.settings import scales_of, with_changes
from . import bounds_report
from .bounds_report import Job
from .command import Bounds
from .known import changing, check_out, known_recordings, measured_with, window_of


def run(wanted: Bounds) -> int:
    """Learn, write and show the result; return the exit code."""
    check_out(wanted.out)
    margin = MARGIN if wanted.margin is None else wanted.margin
    if wanted.stated_noise and wanted.margin is not None:
        raise InputError("--margin is of the noise that is measured: leave out --stated-noise.")
    if not 1.0 <= margin < math.inf:
        raise InputError(f"--margin must be a number from 1 on; found {margin:g}.")
    with progress("calibrating"):
        job = work(wanted, margin)
    told(wanted.json, partial(bounds_report.as_json, job), partial(bounds_report.show, job))
    job.output.settle()
    return 0 if job.output.path else 3


def work(wanted: Bounds, margin: float) -> Job:
    """Read everything, calibrate, and write the calibrated robot file."""
    file = robot_file(wanted)
    robot = RobotModel.from_robot_file(replace(file, calibration=None, history=None))
    uncertainty = with_changes(file.uncertainty, wanted.uncertainty)
    runs = known_recordings(wanted)
    recordings = tuple(read_stretch(each.path, wanted, file) for each in runs)
    options = Options(
        window=window_of(wanted),
        ellipsoids=link_ellipsoids(file, robot) if wanted.ellipsoids else (),
        prior=_prior(wanted.prior),
        scales=scales_of(wanted.scales),
    )
    robot = measured_with(robot, recordings)
    loads = [each.load.phi for each in runs]
    if not wanted.stated_noise:
        uncertainty = with_measured_noise(uncertainty, recordings, loads, robot, margin)
    result = calibrate(recordings, robot, uncertainty, options, loads)
    if not result.consistent:
        return Job(robot, recordings, result, Drawn())
    about = {
        "recordings": [str(each.path) for each in runs],
        "software_version": VERSION,
        "windows": result.windows,
        "window": options.window,
        "scales": list(options.scales),
        "payloads": [x.tolist() for x in loads],
        "may_change": list(changing(wanted)),
    }
    kept = without(replace(result.calibration, about=about), changing(wanted))
    lines = (
        f"Written by payload-id {VERSION} calibrate bounds from "
        + ", ".join(each.path.name for each in runs)
        + ".",
        "Calibrate again after a change of robot, tool, sensors or of the bounds below.",
        *(() if wanted.stated_noise else _measured(file, uncertainty, margin)),
    )
    # What took minutes to learn is shown though it cannot be written.
    write = partial(save_calibrated_robot, robot=file.path, archive=CALIBRATION, result=kept,
                    remarks=lines)  # fmt: skip
    return Job(robot, recordings, result, drawn(wanted.out, write))


def _measured(file: RobotFile, after: Uncertainty, margin: float) -> tuple[str, ...]:
    """Return which bounds were measured, and which are still assumed, as lines."""
    was, now = file.uncertainty.to_dict(), after.to_dict()
    changed = [name for name in now if now[name] != was[name]]
    stated = [name for name in now if name not in changed and name != "prior"]
    own = ", ".join(name for name in changed if np.any(now[name]))
    return (
        f"Measured, times {margin:g}: {own}.",
        f"Part of the measured torque_mean: {', '.join(x for x in changed if not np.any(now[x]))}.",
        f"Assumed, as in {file.path.name}: {', '.join(x for x in stated if np.any(now[x]))}.",
    )


def _prior(text: str) -> LinkPrior:
    """Return how the point estimate is drawn to the description.

    Raises:
        UnknownNameError: There is no such way.
    """
    known = [LinkPrior.QUADRATIC.value, LinkPrior.ENTROPIC.value]
    if text not in known:
        raise UnknownNameError("prior", text, known, "--prior")
    return LinkPrior(text)
