"""A saved run of a team: its log, and all that its estimate was made with; and its repetition."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...core.body.payload_prior import PayloadPrior
from ...core.errors import ConfigurationError, RecordingError, in_words
from ...core.team.bounds import TeamBounds
from ...core.team.estimate import TeamEstimate
from ...core.team.online import TeamEstimator, TeamSettings
from ...core.version import VERSION
from ..configuration.archive import Archive
from ..configuration.atomic_write import atomic_write, exclusive_lock
from ..configuration.input_path import file_digest, input_path
from .team_log import Left, TeamLog, Touched, Updated, read_log

FILE_NAME, LOG_NAME = "payload_id_team_run.npz", "payload_id_team_samples.npys"


@dataclass(frozen=True)
class TeamRun:
    """What a team's estimate is made with.

    Attributes:
        names: Of the robots; the first one is the reference.
        bounds: What is assumed of them.
        prior: What is known of the payload before any data.
        settings: How to identify.
        start_ns: Stamp of the time 0 [ns].
    """

    names: tuple[str, ...]
    bounds: TeamBounds
    prior: PayloadPrior
    settings: TeamSettings
    start_ns: int = 0

    def estimator(self) -> TeamEstimator:
        """Return an estimator without data."""
        return TeamEstimator(self.names, self.bounds, self.prior, self.settings)

    def save(self, folder: Path, log: TeamLog, result: TeamEstimate) -> Path:
        """Write a run into a folder, replacing an earlier one.

        Returns:
            path: The run file.

        Raises:
            RecordingError: The log is not whole, or a file cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with exclusive_lock(folder, wait=True):
                with atomic_write(folder / LOG_NAME) as file:
                    log.copy_to(file)
                saved = SavedTeamRun(self, result, file_digest(folder / LOG_NAME), VERSION)
                with atomic_write(folder / FILE_NAME) as file:
                    file.write(ARCHIVE.to_bytes(saved))
        except OSError as error:
            raise RecordingError(
                f"The run could not be saved in {folder}: {in_words(error)}. Check that the "
                "folder may be written and that the disk has space."
            ) from error
        return folder / FILE_NAME


@dataclass(frozen=True)
class SavedTeamRun:
    """A run file.

    Attributes:
        run: What its estimate was made with.
        result: The last estimate.
        log_digest: sha256 of the log beside it.
        software_version: Version of this package that made it.
    """

    run: TeamRun
    result: TeamEstimate
    log_digest: str
    software_version: str

    @classmethod
    def load(cls, folder: str | Path) -> SavedTeamRun:
        """Read the run file in a folder.

        Raises:
            ConfigurationError: A file is missing, damaged or changed, or of another version.
        """
        folder = input_path(folder, "run of a team")
        saved, log = ARCHIVE.load(folder / FILE_NAME), folder / LOG_NAME
        if not log.is_file() or file_digest(log) != saved.log_digest:
            raise ConfigurationError(
                f"{log} is missing, or not what {FILE_NAME} belongs to: copy both."
            )
        return saved

    def repeat(self, folder: str | Path) -> TeamEstimate:
        """Return the estimate anew from the samples; bit-equal to the one that was saved.

        Args:
            folder: Where it was loaded from.

        Raises:
            RecordingError: The log is cut off, or holds no estimate.
        """
        estimator, last = self.run.estimator(), None
        for event in read_log(Path(folder) / LOG_NAME):
            if isinstance(event, Updated):
                last = estimator.update()
            elif isinstance(event, Left):
                estimator.leave(event.name, event.time)
            elif isinstance(event, Touched):
                estimator.touched(event.start, event.end)
            else:
                estimator.add(event)
        if last is None:
            raise RecordingError(f"No estimate was made in the run {folder}.")
        return last


ARCHIVE = Archive(SavedTeamRun, "run of a team", 1, "Copy the whole folder of the run again.")


def has_team_run(folder: str | Path) -> bool:
    """Return whether a folder holds a saved run of a team."""
    return (input_path(folder, "recording") / FILE_NAME).is_file()
