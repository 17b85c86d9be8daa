"""Runs of a force-torque sensor, fed live; the same book-keeping as those of joint torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ....core.arm.arm_model import ArmModel
from ....core.arrays import Array
from ....core.identification.online import OnlineIdentifier
from ....core.identification.wrench.online import OnlineWrench
from ....core.rows.wrench.newton_euler import NewtonEulerRows
from ....core.rows.wrench.uncertainty import WrenchUncertainty
from ....core.samples.joint_map import JointMap
from ....core.samples.sample_rows import SampleRows
from ....files.runs.run_file import RunFile
from ...common.wrench_blocks import samples_of_rows
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

    def _identifier_of(self, settings: RunSettings) -> OnlineIdentifier:
        """Return the identification of runs with some settings."""
        return OnlineWrench(self._row_source, settings.identification)

    def _take_in(self, rows: SampleRows, stamp: Array) -> None:
        """Hand samples to the identification, with stamps since the run began, shape (N,) [s]."""
        record, samples = self._record, samples_of_rows(rows, stamp)
        record.watch = record.watch.seen(samples)
        record.measured = not record.watch.complaint
        self._identifier.add(samples)

    def _complaint(self) -> str:
        """Say that nothing is measured."""
        return self._record.watch.complaint

    def fill_in(self, run: RunFile) -> RunFile:
        """Return a run file with the entries that come from the run, up to its last update."""
        filled = super().fill_in(run)
        return replace(
            filled,
            payload_frame=self._model.payload_frame,
            wrench=self.uncertainty,
            calibration=None,
        )
