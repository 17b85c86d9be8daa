"""Parameters of the sampler."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.parameters import NodeParameters, declared, parameter, table_of
from ..common.shared_parameters import (
    RELIABILITY,
    ROBOT_FILE,
    SENSOR_FRAME,
    SOURCE,
)


@dataclass(frozen=True)
class SamplerParameters(NodeParameters):
    """Parameters of the sampler."""

    robot_file: str = declared(ROBOT_FILE)
    source: str = declared(SOURCE)
    reliability: str = declared(RELIABILITY)
    queue: int = parameter(
        4000,
        "Messages that may wait to be taken, 4 s at 1 kHz; what exceeds it is lost.",
        lower=10,
        upper=100_000,
    )
    block_period: float = parameter(
        0.05,
        "Time between two blocks of samples; a longer one costs less, and estimates come later.",
        "s",
        0.001,
        1.0,
    )
    bag: str = parameter(
        "",
        "Folder of the recording: messages as received, and for source wrench the samples made of "
        "them; if it exists, the next free name is taken. Empty: none is made.",
    )
    silence: float = parameter(
        1.0, "Time without measurements after which their absence is reported.", "s", 0.05, 60.0
    )
    sensor_frame: str = declared(SENSOR_FRAME)
    wrench_sign: float = parameter(
        1.0,
        "1 where the wrench is what the sensor exerts on the payload, -1 where it is the opposite.",
        "",
        -1.0,
        1.0,
    )
    bandwidth: float = parameter(
        4.0,
        "For source wrench, highest frequency of the motion: accelerations are smoothed above it.",
        "Hz",
        0.1,
        100.0,
    )


SAMPLER_TABLE = table_of(SamplerParameters)
