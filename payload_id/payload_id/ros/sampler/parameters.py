"""Parameters of the sampler."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.parameters import Parameter
from ..common.shared_parameters import BAG_STORAGE, JOINT_STATES_TOPIC, RELIABILITY, ROBOT_FILE

SAMPLER_TABLE = (
    ROBOT_FILE,
    JOINT_STATES_TOPIC,
    RELIABILITY,
    Parameter(
        "queue",
        4000,
        "Messages that may wait to be taken, 4 s at 1 kHz; what exceeds it is lost.",
        lower=10,
        upper=100_000,
    ),
    Parameter(
        "block_period",
        0.05,
        "Time between two blocks of samples; a longer one costs less, and estimates come later.",
        "s",
        0.001,
        1.0,
    ),
    Parameter(
        "bag",
        "",
        "Folder of the recording of the joint states as received; if it exists, the next free "
        "name is taken. Empty: none is made.",
    ),
    BAG_STORAGE,
    Parameter(
        "silence",
        1.0,
        "Time without joint states after which their absence is reported.",
        "s",
        0.05,
        60.0,
    ),
)


@dataclass(frozen=True)
class SamplerParameters:
    """Values of `SAMPLER_TABLE`, which explains them."""

    robot_file: str
    joint_states_topic: str
    reliability: str
    queue: int
    block_period: float
    bag: str
    bag_storage: str
    silence: float
