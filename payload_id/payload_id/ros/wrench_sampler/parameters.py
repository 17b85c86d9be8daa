"""Parameters of the wrench sampler."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.parameters import Parameter
from ..common.shared_parameters import BAG_STORAGE, JOINT_STATES_TOPIC, ROBOT_FILE

WRENCH_SAMPLER_TABLE = (
    ROBOT_FILE,
    Parameter("wrench_topic", "wrench", "Topic of geometry_msgs/WrenchStamped."),
    JOINT_STATES_TOPIC,
    Parameter(
        "sensor_frame",
        "",
        "Frame of the sensor in the robot's description; empty: the robot file's payload frame.",
    ),
    Parameter(
        "wrench_sign",
        1.0,
        "1 where the wrench is what the sensor exerts on the payload, -1 where it is the opposite.",
        "",
        -1.0,
        1.0,
    ),
    Parameter(
        "bandwidth",
        4.0,
        "Highest frequency of the motion: accelerations are smoothed above it.",
        "Hz",
        0.1,
        100.0,
    ),
    Parameter("queue", 4000, "Messages that may wait to be taken.", lower=10, upper=100_000),
    Parameter("block_period", 0.05, "Time between two blocks of samples.", "s", 0.001, 1.0),
    Parameter(
        "bag",
        "",
        "Folder of the recording: joint states and wrenches as received, and the samples made of "
        "them; if it exists, the next free name is taken. Empty: none is made.",
    ),
    BAG_STORAGE,
    Parameter(
        "silence", 1.0, "Time without wrenches after which that is reported.", "s", 0.05, 60.0
    ),
)


@dataclass(frozen=True)
class WrenchSamplerParameters:
    """Values of `WRENCH_SAMPLER_TABLE`, which explains them."""

    robot_file: str
    wrench_topic: str
    joint_states_topic: str
    sensor_frame: str
    wrench_sign: float
    bandwidth: float
    queue: int
    block_period: float
    bag: str
    bag_storage: str
    silence: float
