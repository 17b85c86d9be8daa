"""Runs of a force-torque sensor, fed live; the same book-keeping as those of joint torques."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ..core.arm_model import ArmModel
from ..core.estimate import Estimate
from ..core.joint_states import JointMap, seconds_since
from ..core.online import OnlineIdentifier
from ..core.ring_buffer import SampleRows
from ..core.rows.newton_euler import NewtonEulerRows
from ..core.wrench.identify import judged
from ..core.wrench.samples import WrenchSamples
from ..core.wrench.uncertainty import WrenchUncertainty
from .live_run import LiveRun, RunSettings
from .wrench_blocks import samples_of_rows

REMEMBERED = 20.0  # [s] of samples that are looked at when the data are inconsistent


class WrenchRun(LiveRun):
    """Takes in wrench samples and gives estimates.

    A delay of the wrench is not estimated live: `time_error` of the uncertainty has to hold it.
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
        self._maker = NewtonEulerRows.of(uncertainty, model.payload_frame)
        self._recent: deque[WrenchSamples] = deque()
        super().__init__(model, joint_map, settings)

    def forget(self) -> None:
        """Begin anew with the settings that hold now; forget a tare too."""
        super().forget()
        self._identifier = OnlineIdentifier(self._maker, self.settings.identification)
        self._recent.clear()

    def begin(self) -> bool:
        """Begin a new run; return whether a tare was forgotten because settings have changed."""
        self._recent.clear()
        return super().begin()

    def add(self, rows: SampleRows) -> None:
        """Take in samples."""
        books = self._books
        if books.start_ns is None:
            books.start_ns = books.updated_ns = int(rows.stamp_ns[0])
        books.newest_ns = int(rows.stamp_ns[-1])
        books.effort_seen = True
        samples = samples_of_rows(rows, seconds_since(rows.stamp_ns, books.start_ns))
        self._identifier.add(samples)
        self._recent.append(samples)
        while self._recent[0].stamp[-1] < samples.stamp[-1] - REMEMBERED:
            self._recent.popleft()

    def update(self) -> Estimate:
        """Solve with all data so far; say what is wrong where the data are inconsistent."""
        books = self._books
        books.updated_ns = books.newest_ns
        books.estimate = judged(self._identifier, self._remembered(), None, False)
        books.updates = tuple(self._identifier.updates)
        books.end_ns = books.newest_ns
        return self._with_notes(books.estimate)

    def _remembered(self) -> WrenchSamples | None:
        """Return the newest samples of the run; None if there are none."""
        return WrenchSamples.stacked(list(self._recent)) if self._recent else None
