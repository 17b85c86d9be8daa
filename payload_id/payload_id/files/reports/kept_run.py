"""A saved run, read from its own folder alone: what a report is made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...core.arrays import BoolArray
from ...core.errors import ConfigurationError
from ...core.identification.estimate import Estimate
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ..configuration.input_path import input_path
from ..recordings.recording import Recording
from ..recordings.replay_job import ReplayJob
from ..recordings.wrench_recording import WrenchRecording
from ..runs.run_file import FILE_NAME, RunFile, run_in
from ..teams.team_run import has_team_run


@dataclass(frozen=True, eq=False)
class KeptRun:
    """A run with its result.

    Attributes:
        folder: Of the bag.
        file: Settings and result as saved.
        job: Its samples and arm.
        estimate: Its result.
    """

    folder: Path
    file: RunFile
    job: ReplayJob
    estimate: Estimate

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
    def bounds_used(self) -> float:
        """The least part of the stated bounds that the data need; NaN: there are none.

        Above 1 the data contradict them.
        """
        use = self.file.use
        return self.estimate.noise_factor if use is None else use.factor

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
        "./payload-id live save), or let ./payload-id identify RECORDING --save RUN make one."
    )


def kept_run(folder: Path) -> KeptRun:
    """Read a run.

    Args:
        folder: From `run_folder`.

    Raises:
        PayloadIdError: A file is missing, damaged or changed, or the run has no result.
    """
    file = RunFile.load(folder)
    if file.result is None:
        raise ConfigurationError(
            f"The run in {folder} holds no result. Identify from its recording: ./payload-id "
            f"identify {folder} --save RUN, and report that."
        )
    return KeptRun(folder, file, ReplayJob.of_run(folder, file), file.result)
