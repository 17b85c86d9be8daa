"""What the sampler asks of a source of measurements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ....core.samples.joint_state_sampler import JointStateSampler
from ....core.samples.wrench_sampler import WrenchSampler
from ....files.robots.robot_file import RobotFile
from ...lifecycle.managed_node import ManagedNode
from ..parameters import SamplerParameters

Record = Callable[[str, str, int, bytes], None]  # topic, type, when it was received [ns], bytes


@dataclass(frozen=True)
class Finding:
    """What an intake has found since it was asked last.

    Attributes:
        silent: Why no measurements arrive, a sentence; empty: they do.
        unusable: Why no sample is made of those that arrive; empty: some are, or none arrive.
        doubt: What else somebody should look at; empty: nothing.
        fine: What is said where nothing is wrong.
        figures: Numbers for the diagnostics.
    """

    silent: str
    unusable: str
    doubt: str
    fine: str
    figures: Mapping[str, object] = field(default_factory=dict)


class Intake(Protocol):
    """Takes in the messages of one source and makes samples of them.

    Attributes:
        block_type: Type of the blocks.
        recorded: Name and definition of further message types that go into the recording.
        what: What is measured, for people.
        topics: From which topics, for people.
        sampler: What makes the samples, and counts messages received and accepted.
    """

    block_type: Any
    recorded: tuple[tuple[str, str], ...]
    what: str
    topics: str
    sampler: JointStateSampler | WrenchSampler

    def __init__(self, node: ManagedNode, settings: SamplerParameters, robot: RobotFile) -> None:
        """Subscribe.

        Raises:
            PayloadIdError: A parameter cannot be used, or the robot does not have what is measured.
        """

    def forget(self) -> None:
        """Let go what has arrived so far."""

    def take(self, record: Record) -> None:
        """Take in what has arrived; each message is recorded."""

    def block(self) -> Any:
        """Return the samples since the last call, not numbered; None: there are none."""

    def record_block(self, topic: str, block: Any, record: Record) -> None:
        """Record a block as it is published, if replays need it."""

    def look(self) -> Finding:
        """Judge what has been arriving."""
