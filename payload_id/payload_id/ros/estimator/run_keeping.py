"""Where runs are saved, and what their files say of robot and recording."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from rclpy.node import Node
from std_msgs.msg import String

from ...core.errors import ConfigurationError, PayloadIdError, printable
from ...core.version import VERSION
from ...files.configuration.input_path import from_home, place_below
from ...files.robots.robot_file import RobotFile
from ...files.runs.run_file import RunFile
from ..common.throttled_log import ThrottledLog
from ..common.topics import LATCHED
from .block_subscription import BlockSubscription
from .parameters import EstimatorParameters
from .sources.sample_source import SampleSource

RUN = "path of a run (parameter runs_folder)"  # for messages


class RunKeeping:
    """Knows the sampler's recording, beside which a run is kept by default."""

    def __init__(
        self,
        node: Node,
        settings: EstimatorParameters,
        robot: RobotFile,
        source: SampleSource,
        blocks: BlockSubscription,
        log: ThrottledLog,
    ) -> None:
        """Ask where the sampler records.

        Args:
            node: The node.
            settings: Its parameters.
            robot: The robot file.
            source: What is measured.
            blocks: Its blocks.
            log: For recordings that cannot be read.
        """
        self._settings, self._robot, self._source = settings, robot, source
        self._blocks, self._log = blocks.topic, log
        self._watch, self._changes = blocks.watch, 0
        self._bag = ""
        self._of_run = list[str]()  # recordings since the run began, the newest last
        self._node, self._told = node, list[str]()
        topic = settings.bag_topic or f"{source.sampler}/bag"
        self._topic = node.create_subscription(String, topic, self._on_bag, LATCHED).topic_name

    def _on_bag(self, message: String) -> None:
        """Remember where the sampler records."""
        self._told.append(message.data)
        self._look()

    def _look(self) -> None:
        """Take what was told last, but of two samplers what the one told whose blocks are used.

        Of one that was killed the middleware says for a while that it is there, while the blocks of
        another one are used already.
        """
        changed = self._watch.changes != self._changes
        first = self._bag and not changed and self._node.count_publishers(self._topic) > 1
        if self._told and not first:
            self._bag, self._changes = self._told[-1], self._watch.changes
            self._told.clear()
            self._of_run.append(self._bag)

    def begin(self) -> None:
        """Note that a run begins; any thread may."""
        self._of_run = [self._bag] if self._bag else []

    def _parted(self) -> str:
        """Say that the run's samples are in several recordings; empty: they are in one."""
        before = [x for x in dict.fromkeys(self._of_run) if x and x != self._bag]
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
        self._look()
        runs = from_home(self._settings.runs_folder, "runs_folder").resolve()
        bag = self._recording()
        folder = bag or runs / datetime.now().strftime("run_%Y%m%d_%H%M%S_%f")
        try:
            folder = place_below(asked, runs, RUN, runs) if asked else folder
        except ConfigurationError:
            if bag is None or place_below(asked, runs.anchor, RUN, runs) != bag:
                raise
        if bag is not None and folder == bag:
            return folder, self._parted()
        if self._bag and not Path(self._bag).exists():
            return folder, (
                " The recording is elsewhere, on another host, or was removed, so that the run "
                f"cannot be replayed here: {printable(self._bag)}"
            )
        if self._bag:
            return folder, f" The recording is elsewhere: {printable(self._bag)}"
        return folder, (
            " The sampler makes no recording, so the run cannot be replayed: start it with the "
            "parameter bag."
        )

    @property
    def recording(self) -> str:
        """Folder in which the sampler says that it records what it receives; empty: nowhere."""
        self._look()
        return self._bag

    def _recording(self) -> Path | None:
        """Return the recording that the sampler names, if it is one and lies where they may be."""
        if not self._bag:
            return None
        try:
            place = place_below(self._bag, self._settings.recordings_folder, "recording")
        except ConfigurationError as error:
            self._log.warn("recording", f"{error} (The parameter recordings_folder.)")
            return None
        return place if holds_recording(place) else None

    def entries(self) -> RunFile:
        """Return the entries of the run file that do not come from the identification."""
        robot, joints = self._robot, self._source.joint_map
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
        """Return the topic of the samples in the recording; what it is without one otherwise."""
        try:
            bag = self._recording()
            return self._source.recorded_topic(self._blocks, "" if bag is None else str(bag))
        except PayloadIdError as error:
            self._log.warn("bag", str(error))
            return self._source.recorded_topic(self._blocks, "")


def holds_recording(folder: Path) -> bool:
    """Tell whether a folder holds a rosbag2 recording, be it one that is still being written."""
    return any(any(folder.glob(pattern)) for pattern in ("*.mcap*", "*.db3*"))
