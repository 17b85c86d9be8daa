"""A saved run of a team: its log, its team file, its settings and result; and its repetition."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from ...core.arrays import plain_values
from ...core.body.payload_prior import PayloadPrior
from ...core.errors import ConfigurationError, InputError, RecordingError, brief, in_words
from ...core.team.bounds import RobotBounds, TeamBounds
from ...core.team.estimate import TeamEstimate
from ...core.team.online import TeamEstimator, TeamSettings
from ...core.version import VERSION
from ..configuration.input_path import input_path
from ..configuration.whole_file import kept_for_one, whole_file
from ..configuration.yaml_file import read_yaml, yaml_text
from .team_log import Left, TeamLog, Touched, Updated, read_log

FILE_NAME, LOG_NAME = "payload_id_team_run.yaml", "payload_id_team_samples.npys"
HEAD = (
    "# Settings and result of a team's run; 'payload-id replay' repeats it from the samples beside "
    "it.\n# SI units.\n"
)
KEYS = ("names", "bounds", "prior", "settings", "sha256", "result", "start_ns", "software_version")


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
            path: The file of settings.

        Raises:
            RecordingError: The log is not whole, or a file cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with kept_for_one(folder):
                with whole_file(folder / LOG_NAME) as file:
                    log.copy_to(file)
                entries = self._entries(_digest(folder / LOG_NAME), result)
                with whole_file(folder / FILE_NAME) as file:
                    file.write(yaml_text(entries, HEAD).encode())
        except OSError as error:
            raise RecordingError(
                f"The run could not be saved in {folder}: {in_words(error)}. Check that the "
                "folder may be written and that the disk has space."
            ) from error
        return folder / FILE_NAME

    def _entries(self, digest: str, result: TeamEstimate) -> dict[str, Any]:
        """Return what the file of settings holds."""
        return {
            "names": list(self.names),
            "bounds": {name: self.bounds.of(name).to_dict() for name in self.names},
            "prior": plain_values(asdict(self.prior)),
            "settings": plain_values(asdict(self.settings)),
            "start_ns": self.start_ns,
            "sha256": digest,
            "software_version": VERSION,
            "result": plain_estimate(result),
        }


@dataclass(frozen=True)
class SavedTeamRun:
    """A run that was saved.

    Attributes:
        run: What its estimate was made with.
        result: The last estimate, as plain values.
        software_version: Version of this package that made it.
        folder: Where it is.
    """

    run: TeamRun
    result: Mapping[str, Any]
    software_version: str
    folder: Path

    @classmethod
    def load(cls, folder: str | Path) -> SavedTeamRun:
        """Read the settings of a run.

        Raises:
            ConfigurationError: A file is missing, damaged or changed.
        """
        folder = input_path(folder, "run of a team")
        path = folder / FILE_NAME
        entries = read_yaml(path, "run of a team")
        if missing := [key for key in KEYS if key not in entries]:
            raise ConfigurationError(f"{path} lacks {', '.join(missing)}; it may be cut off.")
        _check(entries, path)
        try:
            run = TeamRun(
                names=tuple(entries["names"]),
                bounds=TeamBounds(
                    robots={k: RobotBounds.from_dict(v) for k, v in entries["bounds"].items()}
                ),
                prior=PayloadPrior.from_dict(entries["prior"]),
                settings=TeamSettings(**entries["settings"]),
                start_ns=entries["start_ns"],
            )
        except (TypeError, AttributeError, ValueError, InputError) as error:
            raise ConfigurationError(f"{path} holds what no run has: {error}") from error
        if not (folder / LOG_NAME).is_file() or _digest(folder / LOG_NAME) != entries["sha256"]:
            raise ConfigurationError(
                f"{folder / LOG_NAME} is missing, or not what {path.name} belongs to: copy both."
            )
        return cls(run, entries["result"], str(entries["software_version"]), folder)

    def repeat(self) -> TeamEstimate:
        """Return the estimate anew from the samples; bit-equal to the one that was saved.

        Raises:
            RecordingError: The log is cut off, or holds no estimate.
        """
        estimator, last = self.run.estimator(), None
        for event in read_log(self.folder / LOG_NAME):
            if isinstance(event, Updated):
                last = estimator.update()
            elif isinstance(event, Left):
                estimator.leave(event.name, event.time)
            elif isinstance(event, Touched):
                estimator.touched(event.start, event.end)
            else:
                estimator.add(event)
        if last is None:
            raise RecordingError(f"No estimate was made in the run {self.folder}.")
        return last


def _check(entries: Mapping[str, Any], path: Path) -> None:
    """Raise unless entries are of the kinds that a run has."""
    for key, kind, wanted in (
        ("names", list, "a list of names"),
        ("bounds", dict, "a section for each robot"),
        ("settings", dict, "keys and values"),
        ("result", dict, "keys and values"),
        ("start_ns", int, "a whole number [ns]"),
        ("sha256", str, "a text"),
        ("software_version", str, "a text"),
    ):
        if type(entries[key]) is not kind:
            raise ConfigurationError(
                f"'{key}' in {path} must be {wanted}; found {brief(entries[key])}."
            )
    if not all(isinstance(name, str) for name in entries["names"]):
        raise ConfigurationError(f"'names' in {path} must be texts; found {entries['names']}.")
    if set(entries["names"]) != set(entries["bounds"]):
        raise ConfigurationError(
            f"{path} has bounds of {', '.join(map(str, entries['bounds'])) or 'no robot'}, and the "
            f"robots {', '.join(entries['names']) or 'none'}."
        )


def has_team_run(folder: str | Path) -> bool:
    """Return whether a folder holds a saved run of a team."""
    return (input_path(folder, "recording") / FILE_NAME).is_file()


def plain_estimate(estimate: TeamEstimate) -> dict[str, Any]:
    """Return an estimate as plain values that files keep bit-equal."""

    def plain(value: Any) -> Any:
        if hasattr(value, "__dataclass_fields__"):
            return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
        if isinstance(value, Mapping):
            return {str(key): plain(entry) for key, entry in value.items()}
        if isinstance(value, tuple | list):
            return [plain(entry) for entry in value]
        if isinstance(value, Enum):
            return value.value
        return plain_values(value)

    return dict(plain(estimate))


def _digest(path: Path) -> str:
    """Return the checksum of a file."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()
