"""What `calibrate bounds` prints: tables for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

from ...core.calibration import CalibrationResult
from ...core.identification.status import times_as_large
from ...core.number_format import digits, number
from ...core.rows.joint_torque.nuisance import JOINT_GROUPS, group_slice
from ...files.recordings.recording import Recording
from ...files.robots.robot_model import RobotModel
from ..common.figure import Drawn
from ..common.presentation import console, table_of
from ..common.reading import remarks
from .known import written

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
        robot: The arm.
        recordings: At least one.
        result: The calibration.
        output: The calibrated robot file; there is none where the data are inconsistent.
    """

    robot: RobotModel
    recordings: tuple[Recording, ...]
    result: CalibrationResult
    output: Drawn


def as_json(job: Job) -> dict[str, Any]:
    """Return the result with what it rests on."""
    result, names = job.result, job.result.stated.every
    calibration, validation = result.calibration, result.validation
    uncertain = np.flatnonzero(result.stated.uncertain)
    stated = result.stated
    return {
        "consistent": result.consistent,
        "noise_factor": result.noise_factor,
        "blame": {job.robot.joints[joint]: share for joint, share in result.blame},
        "robot": job.robot.name,
        "robot_digest": job.robot.digest,
        "samples": result.samples,
        "windows": result.windows,
        "parameters": {
            names[k]: {
                "estimate": result.calibration.estimate[k],
                "lower": calibration.lower[k],
                "upper": calibration.upper[k],
                "stated_lower": stated.centre[k] - stated.half_width[k],
                "stated_upper": stated.centre[k] + stated.half_width[k],
            }
            for k in uncertain
        },
        "links": dict(zip(job.robot.joints, result.link_phi(), strict=True)),
        "rank": result.identifiability.rank,
        "rank_possible": result.identifiability.possible,
        "base_parameters": [str(base) for base in result.identifiability.base],
        "unseen": result.identifiability.unseen,
        "validation": validation,
        "notes": [*result.notes, *(line for r in job.recordings for line in remarks(r))],
        "uncertainty": dict(calibration.uncertainty),
        "written": None if job.output.path is None else str(job.output.path),
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
        terminal.print(line, soft_wrap=True, markup=False)


def inconsistent(job: Job) -> str:
    """Return the sentence for data that no arm within the stated bounds explains."""
    joints = [job.robot.joints[joint] for joint, _ in job.result.blame[:3]]
    return (
        "INCONSISTENT: no arm within the stated bounds explains the data; their errors would have "
        f"to be {times_as_large(job.result.noise_factor)} (most at {', '.join(joints)}). State "
        "larger bounds with --uncertainty, or check signs, tool and payload. Nothing was written."
    )


def joint_table(job: Job) -> Table:
    """Return friction, rotor inertia, offsets and gains with their intervals."""
    result, n = job.result, job.robot.n
    columns: dict[str, Iterable[str]] = {"joint": job.robot.joints}
    for group in JOINT_GROUPS:
        at = group_slice(group, n)
        if result.stated.uncertain[at].any():
            columns[f"{TITLES[group]} [{UNITS[group]}]"] = [
                _interval(result, at.start + j) for j in range(n)
            ]
    return table_of(columns)


def _interval(result: CalibrationResult, k: int) -> str:
    """Return an estimate with its interval."""
    lower, upper = result.calibration.lower[k], result.calibration.upper[k]
    places = digits((upper - lower) / 2)
    ends = f"{number(lower, places)}, {number(upper, places)}"
    return f"{number(result.calibration.estimate[k], places)} \\[{ends}]"


def link_table(job: Job) -> Table:
    """Return how far each link's parameters have become better known."""
    result, n = job.result, job.robot.n
    ratio, names = result.width_ratio()[: 10 * n].reshape(n, 10), result.stated.every
    best, counts = ["–"] * n, result.narrowed_links()
    for link in np.flatnonzero(counts):
        k = int(np.nanargmin(ratio[link]))
        best[link] = f"{names[10 * link + k].rpartition('.')[2]} to {100 * ratio[link, k]:.0f} %"
    known = np.isfinite(ratio).sum(axis=1)
    return table_of(
        {
            "link beyond": job.robot.joints,
            "mass [kg]": [f"{x:.3f}" for x in result.calibration.estimate[: 10 * n : 10]],
            "was [kg]": [f"{x:.3f}" for x in job.robot.link_phi[:, 0]],
            "narrowed": [f"{count} of {all}" for count, all in zip(counts, known, strict=True)],
            "best": best,
        }
    )


def validation_table(job: Job) -> Table:
    """Return what is left of the torques in the part of the data that was held out."""
    validation = job.result.validation
    left = {
        "description alone": validation.nominal,
        "friction and sensors fitted": validation.nominal_links,
        "everything fitted": validation.calibrated,
    }
    return table_of(
        {
            "left over on the last fifth, rms": job.robot.joints,
            **{f"{title} [N m]": [number(float(x), 3) for x in left[title]] for title in left},
        }
    )


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
    return [*lines, *written(job.output)]
