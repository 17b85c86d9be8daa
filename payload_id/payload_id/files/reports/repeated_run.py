"""A saved run, identified again from its own folder alone: what a report is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ...core.arrays import BoolArray
from ...core.errors import ConfigurationError
from ...core.identification.bound_use import BoundUse, bound_use
from ...core.identification.estimate import Estimate
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ..configuration.input_path import input_path
from ..recordings.recording import Recording
from ..recordings.replay_job import ReplayJob
from ..recordings.wrench_recording import WrenchRecording
from ..runs.run_file import FILE_NAME, RunFile, run_in
from ..teams.team_run import has_team_run

Progress = Callable[[float], object]


@dataclass(frozen=True, eq=False)
class RepeatedRun:
    """A run and what its recording says again.

    Attributes:
        folder: Of the bag.
        file: Settings and result as saved.
        job: Its samples and arm.
        history: Estimates in the order in which they were made, at least one.
        use: How near the data come to their bounds; None without data.
    """

    folder: Path
    file: RunFile
    job: ReplayJob
    history: Sequence[Estimate]
    use: BoundUse | None

    @property
    def recording(self) -> Recording | WrenchRecording:
        """The samples."""
        return self.job.recording

    @property
    def revolute(self) -> BoolArray:
        """Which joints turn, shape (n,); none of a force-torque sensor."""
        return getattr(self.job.robot, "revolute", np.zeros(0, dtype=bool))

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
        return self.job.repeats(self.estimate)

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
    if found := run_in(path):
        return found.resolve()
    for folder in (path, path / "bag"):
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
    job = ReplayJob.of_run(folder, file)
    online, history = job.run(show)
    return RepeatedRun(folder, file, job, tuple(history), bound_use(online.problem()))
