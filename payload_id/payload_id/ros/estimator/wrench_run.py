"""Runs of a force-torque sensor, fed live; the same book-keeping as those of joint torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...core.arm.arm_model import ArmModel
from ...core.identification.estimate import Estimate
from ...core.identification.online import OnlineIdentifier
from ...core.identification.wrench.online import OnlineWrench
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...core.samples.joint_map import JointMap
from ...core.samples.ring_buffer import SampleRows
from ...core.samples.stamps import seconds_since
from ...files.runs.run_file import RunFile
from ..common.wrench_blocks import samples_of_rows
from .live_run import LiveRun, RunSettings


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
        self._row_source = NewtonEulerRows.of(uncertainty, model.payload_frame)
        super().__init__(model, joint_map, settings)

    def _new_identifier(self) -> OnlineIdentifier:
        """Return the identification of runs with the present settings."""
        return OnlineWrench(self._row_source, self.settings.identification)

    def add(self, rows: SampleRows) -> None:
        """Take in samples."""
        record = self._record
        if record.start_ns is None:
            record.start_ns = record.updated_ns = int(rows.stamp_ns[0])
        record.newest_ns = int(rows.stamp_ns[-1])
        self._identifier.add(samples_of_rows(rows, seconds_since(rows.stamp_ns, record.start_ns)))

    def update(self) -> Estimate:
        """Solve with all data so far; say what is wrong where the data are inconsistent."""
        record = self._record
        record.updated_ns = record.newest_ns
        record.estimate = self._identifier.update()
        record.updates = tuple(self._identifier.updates)
        record.end_ns = record.newest_ns
        return self._with_notes(record.estimate)

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
