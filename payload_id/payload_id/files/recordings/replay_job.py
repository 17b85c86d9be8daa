"""A recording, or a saved run, and how to identify from it: of an arm or a force-torque sensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.identification.estimate import Estimate
from ...core.identification.identify import begun, estimates_of, last_estimate
from ...core.identification.online import OnlineIdentifier
from ...core.identification.settings import Settings
from ...core.identification.tare import Tare
from ...core.identification.wrench.online import OnlineWrench
from ...core.rows.windows import TimedSamples
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ..robots.robot_file import RobotFile
from ..robots.robot_model import RobotModel
from ..runs.run_file import RunFile, bag_of
from .recording import Recording
from .saved_run import arm_of, recording_of, with_known
from .taring import tared
from .wrench_blocks import read_blocks
from .wrench_recording import WrenchRecording

COMPARED = "phi", "lower", "upper"  # of a saved result and one that repeats it
STEPS = 12  # updates on the way, where the recording prescribes none


@dataclass(frozen=True)
class ReplayJob:
    """A recording and how to identify from it.

    Attributes:
        recording: The samples, a Recording or WrenchRecording.
        robot: The arm, a RobotModel; of a force-torque sensor the NewtonEulerRows of its samples.
        settings: How to identify.
        updates: Numbers of windows at which to update; empty to choose them.
        before: Result of the live run that made the recording; None if there was none.
        tare: What is known of the arm from runs without payload, if anything.
        bare: Recordings of such runs that were named.
    """

    recording: Any
    robot: Any
    settings: Settings
    updates: tuple[int, ...] = ()
    before: Estimate | None = None
    tare: Tare | None = None
    bare: tuple[Recording, ...] = ()

    @classmethod
    def of_robot(
        cls,
        recording: Recording,
        file: RobotFile,
        settings: Settings,
        frame: str | None = None,
        bare: Sequence[Recording] = (),
    ) -> ReplayJob:
        """Return the job of any recording of a known robot.

        Args:
            recording: Its samples.
            file: The robot's.
            settings: How to identify.
            frame: Link that carries the payload; None: the robot file's.
            bare: Recordings of the arm without payload.
        """
        robot = RobotModel.described(file, frame)
        return cls(recording, with_known(robot, recording, file), settings, bare=tuple(bare))

    @classmethod
    def of_sensor(
        cls, recording: WrenchRecording, stated: WrenchUncertainty, settings: Settings
    ) -> ReplayJob:
        """Return the job of any recording of a force-torque sensor of which bounds are stated."""
        return cls(recording, NewtonEulerRows.of(stated, recording.frame), settings)

    @classmethod
    def of_run(cls, folder: Path, file: RunFile, topic: str = "", frame: str = "") -> ReplayJob:
        """Return the job that repeats a saved run.

        Args:
            folder: The run's.
            file: The run's.
            topic: Of the samples; empty: the run's.
            frame: Link that carries the payload; empty: the run's.

        Raises:
            PayloadIdError: The recording cannot be read.
        """
        ends = file.start_ns, file.end_ns
        if file.wrench is not None:
            samples = read_blocks(bag_of(folder), topic or file.topic, *ends)
            samples = replace(samples, frame=samples.frame or file.payload_frame)
            job = cls.of_sensor(samples, file.wrench, file.settings)
        else:
            recording = recording_of(folder, file, topic, *ends)
            job = cls(recording, arm_of(file, recording, frame), file.settings, tare=file.tare)
        return replace(job, updates=file.updates, before=file.result)

    def with_tare(self) -> ReplayJob:
        """Return the job with what its bare recordings tell.

        Raises:
            InputError: One is too short, is inconsistent, or shows a payload.
        """
        if not self.bare:
            return self
        known = tared(self.bare, self.robot, self.settings, self.tare)
        return replace(self, tare=known, updates=())

    @property
    def begun(self) -> Any:
        """A run that has just begun."""
        if isinstance(self.robot, NewtonEulerRows):
            return OnlineWrench(self.robot, self.settings)
        return begun(self.robot, self.settings, self.tare)

    def run(
        self, callback: Callable[[float], object] = lambda part: None
    ) -> tuple[OnlineIdentifier, list[Estimate]]:
        """Identify; return the run and its estimates, the last one with what its mass rests on.

        Args:
            callback: Called with the part that is done.
        """
        updates, online = self._looks, self.begun
        made: list[Estimate] = []
        for estimate in estimates_of(online, self.recording, updates):
            made.append(estimate)
            callback(len(made) / (len(updates) + 1))
        return online, [*made[:-1], online.concluded(made[-1])]

    def last(self) -> tuple[OnlineIdentifier, Estimate]:
        """Identify; return the run and the last of the estimates that `run` gives."""
        online = self.begun
        estimate = last_estimate(online, self.recording, self._looks)
        return online, online.concluded(estimate)

    def repeats(self, estimate: Estimate) -> bool | None:
        """Tell whether an estimate is the saved one bit for bit; None where there is none."""
        before = self.before
        if before is None or not self.updates:
            return None
        return before.status is estimate.status and all(
            np.array_equal(getattr(before, name), getattr(estimate, name), equal_nan=True)
            for name in COMPARED
        )

    @property
    def _looks(self) -> tuple[int, ...]:
        """Numbers of windows at which to look."""
        return self.updates or steps(self.recording, self.settings.window)


def steps(samples: TimedSamples, window: float) -> tuple[int, ...]:
    """Return some numbers of windows at which to look, the last of them beyond the end."""
    seconds = float(samples.stamp[-1] - samples.stamp[0]) if len(samples) else 0.0
    full = int(seconds / window) + 1
    return tuple(int(x) for x in np.unique(np.linspace(0, full, STEPS + 1).astype(int))[1:])
