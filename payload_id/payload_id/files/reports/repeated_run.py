"""A saved run, identified again from its own folder alone: what a report is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...core.errors import ConfigurationError
from ...core.identification.bound_use import BoundUse, bound_use
from ...core.identification.estimate import Estimate
from ...core.identification.identify import begun, estimates_of
from ...core.identification.online import OnlineIdentifier
from ...core.identification.wrench.online import OnlineWrench
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ..configuration.input_path import input_path
from ..recordings.recording import Recording
from ..recordings.saved_run import arm_of, identical, recording_of
from ..recordings.wrench_blocks import read_blocks
from ..recordings.wrench_recording import WrenchRecording
from ..robots.robot_model import RobotModel
from ..runs.run_file import FILE_NAME, RunFile, bag_of, has_run_file
from ..teams.team_run import has_team_run

WHOLE = (10**9,)  # number of windows at which a run without updates is looked at: its end
Progress = Callable[[float], object]


@dataclass(frozen=True, eq=False)
class RepeatedRun:
    """A run and what its recording says again.

    Attributes:
        folder: Of the bag.
        file: Settings and result as saved.
        recording: The samples.
        history: Estimates in the order in which they were made, at least one.
        use: How near the data come to their bounds; None without data.
        arm: The arm; None for a force-torque sensor.
    """

    folder: Path
    file: RunFile
    recording: Recording | WrenchRecording
    history: Sequence[Estimate]
    use: BoundUse | None
    arm: RobotModel | None = None

    @property
    def uncertainty(self) -> Uncertainty | WrenchUncertainty:
        """The bounds that were assumed."""
        return self.file.wrench or self.file.settings.uncertainty

    @property
    def estimate(self) -> Estimate:
        """The last estimate."""
        return self.history[-1]

    @cached_property
    def identical(self) -> bool | None:
        """Whether it is the live run's bit for bit; None if that cannot be compared."""
        return identical(self.file.result, self.estimate) if self.file.updates else None

    @property
    def bounds_used(self) -> float:
        """The least part of the stated bounds that the data need; above 1: they contradict them."""
        found = self.estimate.noise_factor  # of inconsistent data, whose interval is not known
        return found if math.isfinite(found) or self.use is None else self.use.factor

    @property
    def name(self) -> str:
        """What tells it from others."""
        return run_name(self.folder)


def run_name(folder: Path) -> str:
    """Return what tells a run from others: its folder, or that above a folder named bag."""
    return folder.parent.name if folder.name == "bag" else folder.name


def run_folder(path: Path | str) -> Path:
    """Return the folder with the run file: the path itself, or the folder `bag` in it.

    Raises:
        ConfigurationError: There is none.
    """
    path = input_path(path, "run")
    for folder in (path, path / "bag"):
        if has_run_file(folder):
            return folder.resolve()
        if folder.is_dir() and has_team_run(folder):
            raise ConfigurationError(
                f"{folder} holds the run of a team, of which there is no report. Look at it with "
                f"./payload-id identify {folder}."
            )
    raise ConfigurationError(
        f"{path} holds no run ({FILE_NAME}). Give the folder of a run that was saved (~/save, "
        "./payload-id live save); a recording alone is shown by ./payload-id identify."
    )


def repeat(folder: Path, show: Progress = lambda part: None) -> RepeatedRun:
    """Identify from a run's recording as the run did.

    Args:
        folder: From `run_folder`.
        show: Called with the part that is done.

    Raises:
        PayloadIdError: A file is missing, damaged or changed.
    """
    file = RunFile.load(folder)
    updates = file.updates or WHOLE
    if file.wrench is not None:
        return _of_wrench(folder, file, file.wrench, updates)
    recording = recording_of(folder, file, "", file.start_ns, file.end_ns)
    arm = arm_of(file, recording)
    online = begun(arm, file.settings, file.tare)
    history: list[Estimate] = []
    for estimate in estimates_of(online, recording, updates):
        history.append(estimate)
        show(len(history) / (len(updates) + 2))
    history[-1] = online.concluded(history[-1])
    return RepeatedRun(folder, file, recording, tuple(history), _use(online), arm)


def _of_wrench(
    folder: Path, file: RunFile, stated: WrenchUncertainty, updates: Sequence[int]
) -> RepeatedRun:
    """Identify from the recording of a force-torque sensor."""
    recording = read_blocks(bag_of(folder), file.topic, file.start_ns, file.end_ns)
    rows = NewtonEulerRows.of(stated, recording.frame or file.payload_frame)
    online = OnlineWrench(rows, file.settings)
    history: list[Estimate] = list(estimates_of(online, recording, updates))
    history[-1] = online.concluded(history[-1])
    return RepeatedRun(folder, file, recording, tuple(history), _use(online))


def _use(online: OnlineIdentifier) -> BoundUse | None:
    """Return how near the data come to their bounds, after the last update."""
    return bound_use(online.problem())
