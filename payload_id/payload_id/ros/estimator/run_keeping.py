"""Where runs are saved, and what their files say of robot and recording."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from rclpy.node import Node
from std_msgs.msg import String

from ...core.errors import ConfigurationError, PayloadIdError
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

        Whoever reaches the service may say where: below `runs_folder`, or where the recording is,
        so that nobody on the network writes elsewhere. Whoever publishes the recording's folder may
        only name one that holds a recording.

        Args:
            asked: What the caller asked for, relative to `runs_folder`; empty: choose.

        Raises:
            ConfigurationError: Nothing may be written there.
        """
        runs = Path(self._settings.runs_folder).expanduser().resolve()
        bag = Path(self._bag).expanduser().resolve() if self._bag else None
        here = bag is not None and holds_recording(bag)
        new = runs / datetime.now().strftime("run_%Y%m%d_%H%M%S")
        folder = _resolved(runs / Path(asked).expanduser()) if asked else bag if here else new
        if folder is None or not (folder.is_relative_to(runs) or (here and folder == bag)):
            raise ConfigurationError(
                f"The run cannot be saved to {asked!r}: this node writes to the folder of the "
                f"recording and below {runs} alone. Ask for a folder there, or start the node with "
                "another runs_folder."
            )
        if bag is not None and folder == bag:
            return folder, ""
        if bag is not None:
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


def holds_recording(folder: Path) -> bool:
    """Tell whether a folder holds a rosbag2 recording, be it one that is still being written."""
    return any(any(folder.glob(pattern)) for pattern in ("*.mcap*", "*.db3*"))


def _resolved(path: Path) -> Path | None:
    """Return a path without links and dots; None where there can be none of that name."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):  # too long, a NUL, links in a circle
        return None
