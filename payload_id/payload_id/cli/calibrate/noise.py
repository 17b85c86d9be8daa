"""`payload-id calibrate noise`: the least bounds on the torques' noise that recordings need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from ...core import codec
from ...core.arrays import Array
from ...core.body.inertial import as_phi
from ...core.calibration.noise_needed import NoiseNeeded, noise_needed
from ...core.errors import InputError
from ...files.robots.robot_model import RobotModel
from ..common.options import Source, numbers_of
from ..common.presentation import console, table_of, told
from ..common.progress import progress
from ..common.reading import check_different, read_stretch, remarks, robot_file
from ..common.settings import with_changes

BARE, UNKNOWN = "none", "unknown"
CAVEAT = (
    "What these recordings need, not what holds: noise that looks like a payload, a link or an "
    "offset is not seen, and another motion may have more. Multiply by a margin, at the least by "
    "the largest of the last row, before you state it as torque_mean."
)
NOTHING_NEEDED = (
    "The other stated bounds, of offsets, gains, friction and links, explain these recordings "
    "without any noise of the torques: nothing is said of it. State them as small as they are for "
    "sure (--uncertainty NAME=VALUE, or the robot file), and measure again."
)


def run(
    source: Source,
    paths: Sequence[Path],
    payload_text: str,
    lengths_text: str,
    frame: str | None,
    changes: Sequence[str],
    json_wanted: bool,
) -> int:
    """Measure and show; return the exit code."""
    file = robot_file(source)
    robot = RobotModel.described(file, frame)
    robot = replace(robot, effort=file.effort.scales).with_calibration(file.calibration)
    uncertainty = with_changes(file.uncertainty, changes)

    check_different(paths)
    recordings = [read_stretch(path, source, file) for path in paths]
    payload = _payload(payload_text)
    lengths = numbers_of(lengths_text, "--lengths", "lengths [s]")
    with progress("measuring"):
        found = noise_needed(recordings, robot, uncertainty, lengths, payload)
    notes = [note for each in recordings for note in remarks(each)]
    told(
        json_wanted,
        partial(as_json, found, robot.joints),
        partial(show, found, robot.joints, notes),
    )
    return 0


def _payload(text: str) -> Array | None:
    """Return the payload's parameters; None if they are not known.

    Raises:
        InputError: They cannot be read.
    """
    if text == UNKNOWN:
        return None
    if text == BARE:
        return np.zeros(10)
    wanted = f"'{BARE}', '{UNKNOWN}' or ten numbers"
    phi = numbers_of(text, "--payload", wanted)
    if len(phi) != 10:
        raise InputError(f"--payload takes {wanted}; found {len(phi)} numbers.")
    return as_phi(phi)


def as_json(found: Sequence[NoiseNeeded], joints: Sequence[str]) -> dict[str, Any]:
    """Return the result in plain numbers; null where there is no number."""
    rows = [codec.plain(each) | {"margin": each.margin} for each in found]
    return {"joints": list(joints), "lengths": rows}


def show(found: Sequence[NoiseNeeded], joints: Sequence[str], notes: Sequence[str]) -> None:
    """Print the result for a person."""
    terminal = console()
    for note in notes:
        terminal.print(note, style="yellow")
    terminal.print(noise_table(found, joints))
    if all(each.factor == 0.0 for each in found):
        terminal.print(NOTHING_NEEDED)
        return
    terminal.print(
        f"factor: of torque_absolute, in its proportions. Joints: bounds of the least sum. {CAVEAT}"
    )
    terminal.print("next: ./payload-id calibrate bounds measures them and calibrates the arm.")


def noise_table(found: Sequence[NoiseNeeded], joints: Sequence[str]) -> Table:
    """Return what is needed, a column for each length of time."""
    margins = (f"{x.margin:.2g}" if math.isfinite(x.margin) else "–" for x in found)
    rows = [
        ["factor", *(f"{each.factor:.3g}" for each in found)],
        *(
            [f"{joint} \\[N m or N]", *(f"{each.absolute[j]:.3g}" for each in found)]
            for j, joint in enumerate(joints)
        ),
        ["each alone", *(" ".join(f"{x:.3g}" for x in each.alone) for each in found)],
        ["all over without one", *margins],
    ]
    titles = ["mean over", *(f"{each.length:g} s" for each in found)]
    return table_of(dict(zip(titles, zip(*rows, strict=True), strict=True)))
