"""What payloads are identified from: joint torques, or a wrench; one file for each, one protocol.

In: blocks of samples as messages, settings of the next run.
Out: rows for the ring buffer, runs that take them in and give estimates.
"""

from __future__ import annotations

from ....core.errors import UnknownNameError
from ....files.robots.robot_file import RobotFile
from .joint_torque_source import JointTorqueSource
from .sample_source import SampleSource, SensorSettings
from .wrench_source import WrenchSource

SOURCES: dict[str, type[SampleSource]] = {"torque": JointTorqueSource, "wrench": WrenchSource}


def source_named(name: str, robot: RobotFile, sensor: SensorSettings) -> SampleSource:
    """Return the source of that name.

    Args:
        name: One of `SOURCES`.
        robot: The robot file.
        sensor: Where the force-torque sensor is, and how good; for the source that is one.

    Raises:
        UnknownNameError: There is no such source, or no such frame.
        PayloadIdError: A file cannot be used, or the robot measures no torque.
    """
    if name not in SOURCES:
        raise UnknownNameError("source", name, SOURCES)
    return SOURCES[name](robot, sensor)
