"""The side file of a live run: all that is needed to repeat it from its bag.

Entries are checked here, not by a `Schema`: its numbers are floats, and stamps have more digits.
"""

from __future__ import annotations

import hashlib
import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from typing import Any

from ...core.arm.arm_history import ArmHistory
from ...core.arm.calibration import Calibration
from ...core.arm.per_joint import PerJoint
from ...core.arrays import plain_values
from ...core.body.shape import Shape
from ...core.errors import ConfigurationError, RecordingError, UnknownNameError, brief, in_words
from ...core.identification.headline import ENOUGH, Enough
from ...core.identification.settings import Settings
from ...core.identification.tare import Tare
from ...core.knowledge.knowledge import NOTHING, Knowledge
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.safety.certificate.certificate import digest_of
from ..configuration.input_path import input_path, sibling
from ..configuration.whole_file import kept_for_one, whole_file
from ..configuration.yaml_file import read_yaml, yaml_text
from ..knowledge.statement_file import load_knowledge, save_knowledge
from ..learnt.calibration_file import load_calibration, save_calibration
from ..learnt.history_file import load_history, save_history
from ..shapes.shape_file import load_shape, save_shape
from .tare_file import load_tare, save_tare

FILE_NAME = "payload_id_run.yaml"
URDF_NAME = "robot.urdf"
# Entries that are files of their own: name of the file, how it is written and read.
BESIDE: dict[str, tuple[str, Callable[[Path, Any], Path], Callable[[Path], Any]]] = {
    "calibration": ("payload_id_calibration.npz", save_calibration, load_calibration),
    "history": ("payload_id_history.npz", save_history, load_history),
    "knowledge": ("payload_id_knowledge.npz", save_knowledge, load_knowledge),
    "shape": ("payload_id_shape.npz", save_shape, load_shape),
    "tare": ("payload_id_tare.npz", save_tare, load_tare),
}
EARLIER = "earlier_runs"  # folder beside a bag with runs of it that were saved before the last one
SOURCES = ("torque", "wrench")
DIGEST = "digest"  # the first entry: that of all others and of the files that they name
_HEAD = (
    "# Settings and result of a payload identification; 'payload-id replay' repeats it from the\n"
    f"# bag in this folder, or in the one above '{EARLIER}'. The robot description is\n"
    f"# {URDF_NAME}. SI units; times in nanoseconds.\n"
)


@dataclass(frozen=True)
class RunFile:
    """Settings and result of one run, saved in the folder of its bag.

    Attributes:
        joints: Names of the joints, in the order of the arrays.
        payload_frame: Frame in which the payload was identified.
        urdf: Robot description (XML text); saved beside the bag, so that a later change of the
            robot's own file does not change a replay.
        robot: The robot file that the run was started with: a name or path, for the reader.
        gravity: Gravity in the base frame [m/s2].
        source: What was measured: "torque" or "wrench".
        topic: Topic of the joint states; for a wrench, of the wrench sampler's blocks.
        effort_sign: Factor of the efforts. Per joint.
        effort_offset: Effort at zero torque, after the sign [N m or N]. Per joint.
        start_ns: Header stamp of the first sample used [ns].
        end_ns: Header stamp of the last sample used [ns].
        window: Length of the windows [s].
        scales: Further lengths, whose rows the intervals use [s].
        estimator: Name of the estimator.
        intervals: Name of the method of the intervals.
        level: Probability of confidence intervals and calibrated intervals.
        enough: How near mass and centre of mass had to be known, as in `Enough`.
        uncertainty: The assumed bounds, `to_dict()` of `Uncertainty` or `WrenchUncertainty`.
        updates: Number of windows in the data at each update of the live run, in order.
        result: The last estimate, `Estimate.to_dict()`.
        software_version: Version of this package that made the run.
        calibration: What was known of the arm beforehand; saved beside the bag. None: nothing.
        history: What runs with known payloads had shown of the arm; saved beside the bag. None:
            nothing that was used.
        shape: What was known of the payload's shape; saved beside the bag. None: nothing.
        knowledge: What else was stated of the payload; saved beside the bag.
        tare: What runs without payload had taught before; saved beside the bag. None: nothing.

    """

    joints: tuple[str, ...]
    payload_frame: str
    urdf: str
    robot: str = ""
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
    topic: str = "/joint_states"
    effort_sign: PerJoint = 1.0
    effort_offset: PerJoint = 0.0
    start_ns: int | None = None
    end_ns: int | None = None
    window: float = 0.1
    estimator: str = "lmi"
    intervals: str = "hull"
    level: float = 0.95
    enough: tuple[float, ...] = astuple(ENOUGH)
    uncertainty: Mapping[str, Any] = field(default_factory=dict)
    updates: tuple[int, ...] = ()
    result: Mapping[str, Any] = field(default_factory=dict)
    software_version: str = ""
    calibration: Calibration | None = None
    source: str = "torque"
    scales: tuple[float, ...] = ()
    shape: Shape | None = None
    knowledge: Knowledge = NOTHING
    tare: Tare | None = None
    history: ArmHistory | None = None

    def __post_init__(self) -> None:
        for entry in fields(self):
            if entry.name in BESIDE:
                continue
            value = plain_values(getattr(self, entry.name))
            if entry.name not in ("uncertainty", "result") and isinstance(value, list):
                value = tuple(value)
            object.__setattr__(self, entry.name, value)

    def save(self, folder: Path | str) -> Path:
        """Write payload_id_run.yaml and what it names into a bag's folder.

        What was saved of this run before is replaced; another run's files are kept in
        `earlier_run`.

        Returns:
            path: The file of settings.

        Raises:
            RecordingError: The files cannot be written.
            ConfigurationError: A file beside it cannot be written.

        """
        folder = Path(folder)
        names = [entry.name for entry in fields(self) if entry.name not in BESIDE]
        entries = {name: plain_values(getattr(self, name)) for name in names}
        entries["urdf"] = URDF_NAME
        try:
            with kept_for_one(folder):
                if (kept := self.earlier_run(folder)) is not None:
                    _copy(folder, kept)
                self._write(folder, entries)
        except OSError as error:
            raise RecordingError(
                f"The settings of the run could not be saved in {folder}: {in_words(error)}. "
                "Check that the folder exists and that the disk has space."
            ) from error
        return folder / FILE_NAME

    def earlier_run(self, folder: Path) -> Path | None:
        """Return where the files of another run that are in a folder are kept when this is saved.

        None where there are none, or only those of this run.
        """
        path = folder / FILE_NAME
        if not path.is_file():
            return None
        try:
            start = read_yaml(path, "run of one arm").get("start_ns")
        except ConfigurationError:
            start = f"damaged_{path.stat().st_mtime_ns}"
        return None if start == self.start_ns else folder / EARLIER / str(start)

    def _write(self, folder: Path, entries: dict[str, Any]) -> None:
        """Write the files that belong together; the digest is that of all of them."""
        for name, (file_name, save, _) in BESIDE.items():
            if getattr(self, name) not in (None, NOTHING):
                entries[name] = file_name
                save(folder / file_name, getattr(self, name))
        with whole_file(folder / URDF_NAME) as file:
            file.write(self.urdf.encode())
        entries = {DIGEST: _digest(entries, folder / FILE_NAME), **entries}
        with whole_file(folder / FILE_NAME) as file:
            file.write(yaml_text(entries, _HEAD).encode())

    def settings(self, uncertainty: Uncertainty) -> Settings:
        """Return how the run identified, with bounds that were read from its entries."""
        return Settings(
            uncertainty, self.estimator, self.intervals, self.window, self.shape, self.level,
            self.knowledge, self.scales, Enough(*self.enough),
        )  # fmt: skip

    @classmethod
    def load(cls, folder: Path | str) -> RunFile:
        """Read the settings of a run from its bag's folder.

        Raises:
            ConfigurationError: A file is missing, damaged or changed, or an entry is unknown or
                impossible.

        """
        path = input_path(folder, "run") / FILE_NAME
        entries = read_yaml(path, "run of one arm")
        stated = entries.pop(DIGEST, None)
        _check(entries, path)
        if stated is not None:
            _check_digest(stated, entries, path)
        urdf = sibling(path, entries["urdf"])
        try:
            entries["urdf"] = urdf.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"The robot description {urdf} that {path.name} names cannot be read: "
                f"{in_words(error)}."
            ) from error
        for name, (_, _, load) in BESIDE.items():
            if name in entries:
                entries[name] = load(sibling(path, entries[name]))
        return cls(**entries)


def _digest(entries: Mapping[str, Any], path: Path) -> str:
    """Return the digest of a run file's entries and of the files beside it that they name.

    Raises:
        OSError: One of those cannot be read.
    """
    names = [entries[key] for key in ("urdf", *BESIDE) if key in entries]
    beside = {name: hashlib.sha256(sibling(path, name).read_bytes()).hexdigest() for name in names}
    return digest_of([dict(entries), beside])


def _check_digest(stated: object, entries: Mapping[str, Any], path: Path) -> None:
    """Raise unless the files of a run are those that were saved together.

    Raises:
        ConfigurationError: They are not.
    """
    try:
        found = _digest(entries, path)
    except OSError as error:
        raise ConfigurationError(
            f"{error.filename}, which {path} names, cannot be read: {in_words(error)}."
        ) from error
    except TypeError:  # a date, say, which this program does not write
        found = ""
    if stated != found:
        raise ConfigurationError(
            f"{path} or a file that it names was changed after the run was saved, or was not "
            "saved with it: its digest is not that of their content; copy the whole folder again. "
            f"Whoever has changed it on purpose deletes the line '{DIGEST}'."
        )


def bag_of(folder: Path) -> Path:
    """Return the folder of the bag that a run was made of, from the folder with its files."""
    return folder.parent.parent if folder.absolute().parent.name == EARLIER else folder


def _copy(folder: Path, kept: Path) -> None:
    """Copy the files of a run; they are there whole or not at all.

    Raises:
        OSError: The disk does not take them.
    """
    part = kept.with_name(f"{kept.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name in (FILE_NAME, URDF_NAME, *(entry[0] for entry in BESIDE.values())):
        if (folder / name).is_file():
            shutil.copy2(folder / name, part / name)
    shutil.rmtree(kept, ignore_errors=True)
    part.rename(kept)


def has_run_file(folder: Path | str) -> bool:
    """Return whether a bag's folder holds the settings of a live run."""
    return input_path(Path(folder) / FILE_NAME, "recording").is_file()


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(map(_number, value))


def _integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _stamp(value: Any) -> bool:
    """Tell whether a value is a stamp whose differences from others are integers of 64 bits."""
    return _integer(value) and abs(value) < 2**62


def _counts(value: Any) -> bool:
    """Tell whether a value is a list of whole numbers above 0 that do not fall."""
    if not isinstance(value, list) or not all(map(_integer, value)):
        return False
    return value == sorted(value) and all(count > 0 for count in value)


_TESTS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "joints": ("a list of names", lambda x: _texts(x) and bool(x)),
    "gravity": ("three numbers", lambda x: _numbers(x) and len(x) == 3),
    "effort_sign": ("a number, or one for each joint", lambda x: _number(x) or _numbers(x)),
    "effort_offset": ("a number, or one for each joint", lambda x: _number(x) or _numbers(x)),
    "start_ns": ("a whole number [ns] below 2**62, or null", lambda x: x is None or _stamp(x)),
    "end_ns": ("a whole number [ns] below 2**62, or null", lambda x: x is None or _stamp(x)),
    "source": ("'torque' or 'wrench'", lambda x: x in SOURCES),
    "level": ("a number between 0 and 1", lambda x: _number(x) and 0 < x < 1),
    "enough": ("three numbers from 0 on", lambda x: _numbers(x) and len(x) == 3 and min(x) >= 0),
    "window": ("a number above 0 [s]", lambda x: _number(x) and x > 0),
    "scales": ("a list of numbers [s]", _numbers),
    "uncertainty": ("keys and values", lambda x: isinstance(x, dict)),
    "updates": ("a list of whole numbers of windows that do not fall", _counts),
    "result": ("keys and values", lambda x: isinstance(x, dict)),
}
_TEXT: tuple[str, Callable[[Any], bool]] = ("text", lambda x: isinstance(x, str))


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _check(entries: Mapping[str, Any], path: Path) -> None:
    """Raise unless the entries are those of a run file."""
    known = [entry.name for entry in fields(RunFile)]
    for key, value in entries.items():
        if key not in known:
            raise ConfigurationError(str(UnknownNameError("entry", str(key), known, str(path))))
        wanted, fits = _TESTS.get(key, _TEXT)
        if not fits(value):
            raise ConfigurationError(f"'{key}' in {path} must be {wanted}; found {brief(value)}.")
    absent = [key for key in ("joints", "payload_frame", "urdf") if key not in entries]
    if absent:
        raise ConfigurationError(f"{path} lacks {', '.join(absent)}; it may be cut off.")
