"""The run file beside a bag: all that is needed to repeat a live run from it, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ...core.arm.arm_history import ArmHistory
from ...core.arm.calibration import Calibration
from ...core.arm.per_joint import PerJoint
from ...core.arrays import Array
from ...core.errors import ConfigurationError, RecordingError, in_words
from ...core.identification.bound_use import BoundUse, bound_use
from ...core.identification.estimate import Estimate
from ...core.identification.problem import Problem
from ...core.identification.settings import Settings
from ...core.identification.tare import Tare
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ..configuration.archive import Archive
from ..configuration.atomic_write import atomic_write, exclusive_lock
from ..configuration.input_path import input_path

FILE_NAME = "payload_id_run.npz"
EARLIER = "earlier_runs"  # folder beside a bag with runs of it that were saved before the last one


@dataclass(frozen=True)
class RunFile:
    """Settings and result of one run, saved in the folder of its bag.

    Attributes:
        joints: Names of the joints, in the order of the arrays.
        payload_frame: Frame in which the payload was identified.
        urdf: Robot description (XML text).
        robot: The robot file that the run was started with: a name or path, for the reader.
        gravity: Gravity in the base frame [m/s2].
        topic: Topic of the joint states; for a wrench, of the wrench sampler's blocks.
        effort_sign: Factor of the efforts. Per joint.
        effort_offset: Effort at zero torque, after the sign [N m or N]. Per joint.
        start_ns: Header stamp of the first sample used [ns]; None without samples.
        end_ns: Header stamp of the last sample used [ns]; None without samples.
        settings: How the payload was identified, and what was stated of arm and payload.
        wrench: What was stated of a force-torque sensor; None: joint torques were measured.
        updates: Number of windows in the data at each update of the live run, in order.
        bounds: Estimate, lower and upper ends after each of `updates`, shape (K, 3, 10); None
            without an estimate.
        result: The last estimate; None without one.
        use: How near the data come to their bounds; None without data, or where they break them.
        software_version: Version of this package that made the run.
        calibration: What was known of the arm beforehand; None: nothing.
        history: What runs with known payloads had shown of the arm; None: nothing that was used.
        tare: What runs without payload had taught before; None: nothing.
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
    settings: Settings = field(default_factory=Settings)
    wrench: WrenchUncertainty | None = None
    updates: tuple[int, ...] = ()
    bounds: Array | None = None
    result: Estimate | None = None
    use: BoundUse | None = None
    software_version: str = ""
    calibration: Calibration | None = None
    history: ArmHistory | None = None
    tare: Tare | None = None

    def with_result(
        self, result: Estimate, bounds: Sequence[Array], problem: Problem | None
    ) -> RunFile:
        """Return the file with what came of the run.

        Args:
            result: The last estimate.
            bounds: `Estimate.bounds` after each of `updates`.
            problem: After the last update; None: the data are not held against their bounds.
        """
        return replace(
            self,
            bounds=np.array(bounds),
            result=result.of_any_measurement(),
            use=None if problem is None else bound_use(problem, result),
        )

    def save(self, folder: Path | str) -> Path:
        """Write the run file into a bag's folder.

        What was saved of this run before is replaced; another run is kept in `earlier_run`.

        Returns:
            path: The file.

        Raises:
            RecordingError: It cannot be written.
        """
        path = Path(folder) / FILE_NAME
        try:
            with exclusive_lock(path.parent, wait=True):
                if (kept := self.earlier_run(path.parent)) is not None:
                    kept.mkdir(parents=True, exist_ok=True)
                    with atomic_write(kept / FILE_NAME) as file:
                        file.write(path.read_bytes())
                with atomic_write(path) as file:
                    file.write(ARCHIVE.to_bytes(self))
        except OSError as error:
            raise RecordingError(
                f"The run could not be saved in {folder}: {in_words(error)}. Check that the folder "
                "exists and that the disk has space."
            ) from error
        return path

    def earlier_run(self, folder: Path) -> Path | None:
        """Return where another run's file that is in a folder is kept when this is saved.

        None where there is none, or only that of this run.
        """
        path = folder / FILE_NAME
        if not path.is_file():
            return None
        try:
            start = str(ARCHIVE.load(path).start_ns)
        except ConfigurationError:
            start = f"damaged_{path.stat().st_mtime_ns}"
        return None if start == str(self.start_ns) else folder / EARLIER / start

    @classmethod
    def load(cls, folder: Path | str) -> RunFile:
        """Read the run file in a bag's folder.

        Raises:
            ConfigurationError: It is missing, damaged or changed, or of another version.
        """
        return ARCHIVE.load(input_path(folder, "run") / FILE_NAME)


ARCHIVE = Archive(
    RunFile, "run of one arm", 2, "Copy the whole folder of the run again, or identify anew from "
    "its recording, with the robot named ('payload-id identify --robot').",
)  # fmt: skip


def bag_of(folder: Path) -> Path:
    """Return the folder of the bag that a run was made of, from the folder with its file."""
    return folder.parent.parent if folder.absolute().parent.name == EARLIER else folder


def run_in(path: Path | str) -> Path | None:
    """Return the folder with a run's file: a path itself, or the folder `bag` in it; None: none."""
    path = input_path(path, "recording")
    folders = (folder for folder in (path, path / "bag") if (folder / FILE_NAME).is_file())
    return next(folders, None)
