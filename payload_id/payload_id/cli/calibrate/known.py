"""Recordings with known payloads, from which an arm is learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...core.calibration import Options
from ...core.errors import InputError, UnknownNameError
from ...core.history import KnownLoad
from ...core.rows.joint_torque.nuisance import JOINT_GROUPS
from ...files.configuration.atomic_write import check_place
from ...files.recordings.known_runs import KnownRecording, read_known_runs
from ...files.recordings.recording import Recording
from ...files.robots.robot_model import RobotModel
from ..common.figure import Drawn
from ..common.options import numbers_of
from ..common.reading import check_different
from .command import Known


def check_out(path: Path) -> None:
    """Raise unless a robot file and its archive can be written.

    Raises:
        InputError: It is no YAML.
        ConfigurationError: Nothing can be written there.
    """
    if path.suffix not in (".yaml", ".yml"):
        raise InputError(f"--out must end in .yaml; found '{path.name}'.")
    for place in (path, path.with_suffix(".npz")):
        check_place(place, "calibrated robot file")


def changing(wanted: Known) -> tuple[str, ...]:
    """Return what may differ in later runs.

    Raises:
        UnknownNameError: There is no such bound.
    """
    for name in wanted.changes:
        if name not in JOINT_GROUPS:
            raise UnknownNameError("bound", name, JOINT_GROUPS, "--changes")
    return tuple(wanted.changes)


def window_of(wanted: Known) -> float:
    """Return the length of windows [s]."""
    return Options.window if wanted.window is None else wanted.window


def written(output: Drawn) -> list[str]:
    """Return what is said of a robot file that was written."""
    if output.path is None:
        return []
    return [
        f"Written: {output.path} and {output.path.with_suffix('.npz').name} beside it.",
        f"next: ./payload-id identify RECORDING --robot {output.path}",
    ]


def measured_with(robot: RobotModel, recordings: Sequence[Recording]) -> RobotModel:
    """Return the arm with the scales of the torques of recordings."""
    return replace(robot, effort={k: v for each in recordings for k, v in each.effort.items()})


def known_recordings(wanted: Known) -> tuple[KnownRecording, ...]:
    """Return the recordings with what is known of their payloads.

    Raises:
        InputError: There are none.
    """
    load = KnownLoad.none()
    if wanted.payload is not None:
        load = KnownLoad.exactly(np.array(numbers_of(wanted.payload, "--payload", "ten numbers")))
    runs = tuple(KnownRecording(path, load) for path in wanted.recordings)
    for path in wanted.runs:
        runs += read_known_runs(path)
    if not runs:
        raise InputError("Give at least one recording, or --runs FILE.yaml that lists some.")
    check_different(run.path for run in runs)
    return runs
