"""Where runs are saved, and what their files say of robot and recording."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from rclpy.impl.rcutils_logger import RcutilsLogger

from ...core.errors import ConfigurationError, PayloadIdError, in_words, printable
from ...core.version import VERSION
from ...files.configuration.input_path import from_home, place_below
from ...files.robots.robot_file import RobotFile
from ...files.runs.run_file import EARLIER, RunFile
from ..common.timeouts import LOG
from .parameters import EstimatorParameters
from .sources.live_run import LiveRun

RUN = "path of a run (parameter runs_folder)"  # for messages


class RunKeeping:
    """Knows the sampler's recording, beside which a run is kept by default."""

    def __init__(
        self,
        settings: EstimatorParameters,
        robot: RobotFile,
        run: LiveRun,
        topic: str,
        log: RcutilsLogger,
    ) -> None:
        """Know of no recording.

        Args:
            settings: The node's parameters.
            robot: The robot file.
            run: Knows what is recorded of it.
            topic: Of the sampler's blocks.
            log: For recordings that cannot be read.
        """
        self._settings, self._robot, self._run = settings, robot, run
        self._topic, self._log = topic, log
        self.recording = ""  # folder in which the sampler records; empty: nowhere
        self._topics = dict[Path, str]()  # of the samples in each recording
        self._of_run = list[str]()  # recordings since the run began, the newest last

    def note(self, recording: str) -> None:
        """Note in which folder the sampler records; empty: nowhere."""
        if recording != self.recording:
            self.recording = recording
            self._of_run.append(recording)

    def keep_payload(self, filled: Callable[[RunFile], RunFile], held_ns: int) -> None:
        """Save what is known of a payload that has left the hand; any thread may.

        Args:
            filled: Fills in what comes from the run.
            held_ns: Since when it was in the hand [ns].
        """
        try:
            folder = self.folder("")[0] / EARLIER / str(held_ns)
            folder.mkdir(parents=True, exist_ok=True)
            filled(self.entries()).save(folder)
        except (OSError, PayloadIdError) as error:
            self._log.warning(f"What was found of a payload is not saved: {in_words(error)}")

    def begin(self) -> None:
        """Note that a run begins; any thread may."""
        self._of_run = [self.recording]

    def _parted(self) -> str:
        """Say that the run's samples are in several recordings; empty: they are in one."""
        before = [x for x in dict.fromkeys(self._of_run) if x and x != self.recording]
        if not before:
            return ""
        return (
            " The recording changed during the run, so that a replay differs: what came before is "
            f"in {', '.join(map(printable, before))}."
        )

    def folder(self, asked: str) -> tuple[Path, str]:
        """Return where to save a run, and what to say about it.

        Whoever reaches the service may name a place in `runs_folder`; whoever publishes where the
        recording is, one in `recordings_folder` that holds a recording.

        Args:
            asked: What the caller asked for, relative to `runs_folder`; empty: choose.

        Raises:
            ConfigurationError: Nothing may be written there.
        """
        runs = from_home(self._settings.runs_folder, "runs_folder").resolve()
        bag = self._recording()
        folder = bag or runs / datetime.now().strftime("run_%Y%m%d_%H%M%S_%f")
        try:
            folder = place_below(asked, runs, RUN, runs) if asked else folder
        except ConfigurationError:
            if bag is None or place_below(asked, runs.anchor, RUN, runs) != bag:
                raise
        return folder, self._parted() if folder == bag else self._elsewhere()

    def _elsewhere(self) -> str:
        """Say where the recording of a run is that is not saved beside it."""
        if not self.recording:
            return (
                " The sampler makes no recording, so the run cannot be replayed: start it with the "
                "parameter bag."
            )
        if not Path(self.recording).exists():
            return (
                " The recording is elsewhere, on another host, or was removed, so that the run "
                f"cannot be replayed here: {printable(self.recording)}"
            )
        return f" The recording is elsewhere: {printable(self.recording)}"

    def _recording(self) -> Path | None:
        """Return the recording that the sampler names, if it is one and lies where they may be."""
        if not self.recording:
            return None
        try:
            place = place_below(self.recording, self._settings.recordings_folder, "recording")
        except ConfigurationError as error:
            self._log.warning(
                f"{error} (The parameter recordings_folder.)", throttle_duration_sec=LOG
            )
            return None
        return place if holds_recording(place) else None

    def entries(self) -> RunFile:
        """Return the entries of the run file that do not come from the identification."""
        robot, joints = self._robot, self._run.joint_map
        return RunFile(
            joints=robot.joints,
            payload_frame=robot.payload_frame,
            urdf=robot.urdf,
            robot=str(robot.path),
            gravity=tuple(robot.gravity.tolist()),
            topic=self._recorded_topic(),
            effort_sign=joints.effort_sign,
            effort_offset=joints.effort_offset,
            software_version=VERSION,
        )

    def _recorded_topic(self) -> str:
        """Return the topic of the samples in the recording; without one, of joint states.

        A recording, which grows, is looked through once.
        """
        bag = self._recording()
        if bag is not None and bag not in self._topics:
            try:
                if found := self._run.recorded_topic(self._topic, str(bag)):
                    self._topics[bag] = found
            except PayloadIdError as error:
                self._log.warning(str(error), throttle_duration_sec=LOG)
        if bag in self._topics:
            return self._topics[bag]
        return self._run.recorded_topic(self._topic, "") or self._robot.joint_states.topic


def holds_recording(folder: Path) -> bool:
    """Tell whether a folder holds a rosbag2 recording, be it one that is still being written."""
    return any(any(folder.glob(pattern)) for pattern in ("*.mcap*", "*.db3*"))
