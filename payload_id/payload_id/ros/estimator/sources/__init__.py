"""What payloads are identified from: joint torques, or a wrench; one file for each, one protocol.

In: blocks of samples as messages, settings of the next run.
Out: rows for the ring buffer, runs that take them in and give estimates.
"""

from __future__ import annotations

from .joint_torque_source import JointTorqueSource
from .sample_source import SampleSource
from .wrench_source import WrenchSource

SOURCES: dict[str, type[SampleSource]] = {"torque": JointTorqueSource, "wrench": WrenchSource}
