"""Where runs are saved, and what their files say of robot and recording."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from rclpy.node import Node
from std_msgs.msg import String

from ...core.errors import PayloadIdError
from ...core.version import VERSION
from ...files.robots.robot_file import RobotFile
from ...files.runs.run_file import RunFile
from ..common.throttled_log import ThrottledLog
from ..common.topics import LATCHED
from .parameters import EstimatorParameters
from .sources.sample_source import SampleSource


class RunKeeping:
    """Knows the sampler's recording, beside which a run is kept by default."""

    def __init__(
        self,
        node: Node,
        settings: EstimatorParameters,
        robot: RobotFile,
        source: SampleSource,
        blocks: str,
        log: ThrottledLog,
    ) -> None:
        """Ask where the sampler records.

        Args:
            node: The node.
            settings: Its parameters.
            robot: The robot file.
            source: What is measured.
            blocks: Full name of the topic of its blocks.
            log: For recordings that cannot be read.
        """
        self._settings, self._robot, self._source = settings, robot, source
        self._blocks, self._log = blocks, log
        self._bag = ""
        topic = settings.bag_topic or f"{source.sampler}/bag"
        node.create_subscription(String, topic, self._on_bag, LATCHED)

    def _on_bag(self, message: String) -> None:
        """Remember where the sampler records."""
        self._bag = message.data

    def folder(self, asked: str) -> tuple[Path, str]:
        """Return where to save a run, and what to say about it.

        Args:
            asked: What the caller asked for; empty: choose.
        """
        new = Path(self._settings.runs_folder) / datetime.now().strftime("run_%Y%m%d_%H%M%S")
        folder = Path(asked or self._bag or new).expanduser()
        if self._bag and folder.resolve() == Path(self._bag):
            return folder, ""
        if self._bag:
            return folder, f" The recording is elsewhere: {self._bag}"
        return folder, (
            " The sampler makes no recording, so the run cannot be replayed: start it with the "
            "parameter bag."
        )

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
            return self._source.recorded_topic(self._blocks, self._bag)
        except PayloadIdError as error:
            self._log.warn("bag", str(error))
            return self._source.recorded_topic(self._blocks, "")
