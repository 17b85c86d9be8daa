"""Runs of a force-torque sensor, fed live; the same book-keeping as those of joint torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..core.arm_model import ArmModel
from ..core.estimate import Estimate
from ..core.joint_states import JointMap, seconds_since
from ..core.online import OnlineIdentifier
from ..core.ring_buffer import SampleRows
from ..core.rows.newton_euler import NewtonEulerRows
from ..core.wrench.online import OnlineWrench
from ..core.wrench.uncertainty import WrenchUncertainty
from ..files.run_file import RunFile
from .live_run import LiveRun, RunSettings
from .wrench_blocks import samples_of_rows


class WrenchRun(LiveRun):
    """Takes in wrench samples and gives estimates; a delay of the wrench is estimated on the way.

    Attributes:
        uncertainty: What is assumed about sensor and motion.
    """

    def __init__(
        self,
        model: ArmModel,
        joint_map: JointMap,
        settings: Callable[[], RunSettings],
        uncertainty: WrenchUncertainty,
    ) -> None:
        """Begin the first run.

        Args:
            model: The arm, its payload frame that of the sensor.
            joint_map: How joint states are read.
            settings: Gives the settings for the next run.
            uncertainty: What is assumed about sensor and motion.
        """
        self.uncertainty = uncertainty
        self._maker = NewtonEulerRows.of(uncertainty, model.payload_frame)
        super().__init__(model, joint_map, settings)

    def _new_identifier(self) -> OnlineIdentifier:
        """Return the identification of runs with the present settings."""
        return OnlineWrench(self._maker, self.settings.identification)

    def add(self, rows: SampleRows) -> None:
        """Take in samples."""
        books = self._books
        if books.start_ns is None:
            books.start_ns = books.updated_ns = int(rows.stamp_ns[0])
        books.newest_ns = int(rows.stamp_ns[-1])
        self._identifier.add(samples_of_rows(rows, seconds_since(rows.stamp_ns, books.start_ns)))

    def update(self) -> Estimate:
        """Solve with all data so far; say what is wrong where the data are inconsistent."""
        books = self._books
        books.updated_ns = books.newest_ns
        books.estimate = self._identifier.update()
        books.updates = tuple(self._identifier.updates)
        books.end_ns = books.newest_ns
        return self._with_notes(books.estimate)

    def fill_in(self, run: RunFile) -> RunFile:
        """Return a run file with the entries that come from the run, up to its last update."""
        filled = super().fill_in(run)
        return replace(
            filled,
            source="wrench",
            payload_frame=self._model.payload_frame,
            uncertainty=self.uncertainty.to_dict(),
            calibration=None,
        )
