"""Parameters of the estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.estimators import ESTIMATORS, estimator_named
from ...core.identification.headline import enough_of
from ...core.identification.settings import INTERVALS, Settings
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...files.robots.robot_schema import UNCERTAINTY
from ..common.parameters import Parameter
from ..common.shared_parameters import ROBOT_FILE, UNCERTAINTY_PARAMETERS, uncertainty_of
from .shape_parameters import FILES_FOLDER, KNOWLEDGE_FILE, SHAPE_PARAMETERS, knowledge_of, shape_of
from .sources import SOURCES
from .sources.live_run import RunSettings

ESTIMATOR_TABLE = (
    ROBOT_FILE,
    Parameter(
        "source",
        "torque",
        "What is measured: joint torques (sampler), or the wrench of a force-torque sensor between "
        "flange and payload (wrench_sampler).",
        choices=tuple(SOURCES),
    ),
    Parameter(
        "samples_topic",
        "",
        "Topic of the sampler's blocks; relative names lie in this node's namespace. Empty: "
        "payload_sampler/samples, or wrench_sampler/samples for source wrench.",
    ),
    Parameter(
        "sensor_frame",
        "",
        "For source wrench, frame of the sensor; empty: the robot file's payload frame.",
    ),
    Parameter(
        "wrench_uncertainty",
        "",
        "For source wrench, YAML file with the bounds of WrenchUncertainty; empty: only the bias "
        "is unknown.",
    ),
    Parameter(
        "bag_topic",
        "",
        "Topic on which the sampler says where it records; ~/save writes there by default. Empty: "
        "payload_sampler/bag, or wrench_sampler/bag for source wrench.",
    ),
    Parameter("autostart", False, "Whether a run begins at once, without ~/start."),
    Parameter(
        "buffer",
        60.0,
        "Time of data that may wait while a solver runs; what exceeds it is lost and counted.",
        "s",
        1.0,
        600.0,
    ),
    Parameter(
        "contact_window",
        0.1,
        "Length of the windows in which contact is looked for once a payload is known; 0: no "
        "watch. Shorter ones tell sooner, and only of larger forces. For source torque.",
        "s",
        0.0,
        10.0,
    ),
    Parameter(
        "runs_folder",
        "~/.ros/payload_id",
        "Folder in which ~/save makes a new one where there is no recording to add to; elsewhere "
        "it writes nothing but to the folder of a recording.",
    ),
    Parameter(
        "recordings_folder",
        "~",
        "Folder in which the sampler's recordings lie: ~/save adds to one that the sampler names "
        "there, and to none elsewhere.",
    ),
    FILES_FOLDER,
    Parameter("estimator", "lmi", "Point estimator.", choices=tuple(ESTIMATORS), read_only=False),
    Parameter("intervals", "hull", "Method of the intervals.", choices=INTERVALS, read_only=False),
    Parameter(
        "level",
        0.95,
        "Probability with which confidence intervals and those from the arm's history hold.",
        "-",
        0.01,
        0.999,
        read_only=False,
    ),
    Parameter(
        "enough",
        [0.05, 0.05, 0.01],
        "How near the mass must be known for GOOD, as a part of it or in kg, whichever is more, "
        "and the centre of mass in m.",
        "-",
        0.0,
        10.0,
        read_only=False,
        kind="numbers",
    ),
    *SHAPE_PARAMETERS,
    KNOWLEDGE_FILE,
    Parameter(
        "window",
        0.1,
        "Length of the windows over which torques are integrated.",
        "s",
        0.005,
        10.0,
        read_only=False,
    ),
    Parameter(
        "scales",
        None,
        "For source torque, further lengths of windows, whose rows the intervals use as well; not "
        "set: those for which uncertainty.torque_mean is stated, and 0.5 and 2 s where "
        "uncertainty.velocity_error is.",
        "s",
        0.0001,
        60.0,
        read_only=False,
        kind="numbers",
    ),
    Parameter(
        "update_period",
        0.5,
        "Time, by the data's stamps, between two updates of the estimate.",
        "s",
        0.01,
        60.0,
        read_only=False,
    ),
    *UNCERTAINTY_PARAMETERS,
)


@dataclass(frozen=True)
class EstimatorParameters:
    """Those values of `ESTIMATOR_TABLE` that are fixed when the node starts."""

    robot_file: str
    source: str
    samples_topic: str
    sensor_frame: str
    wrench_uncertainty: str
    bag_topic: str
    autostart: bool
    buffer: float
    contact_window: float
    runs_folder: str
    recordings_folder: str
    files_folder: str

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> EstimatorParameters:
        """Take them out of all values."""
        return cls(**{name: values[name] for name in cls.__dataclass_fields__})


def run_settings(values: Mapping[str, Any], from_robot_file: Uncertainty, n: int) -> RunSettings:
    """Return the settings of the next run.

    Args:
        values: Values of `ESTIMATOR_TABLE`.
        from_robot_file: The bounds where no parameter replaces them.
        n: Number of joints.

    Raises:
        InputError: A bound is impossible, or has another number of entries than there are joints;
            shape or knowledge cannot be read, or the estimator needs one.
    """
    uncertainty = uncertainty_of(values, from_robot_file)
    for name, key in UNCERTAINTY.items():
        if key.kind == "number or numbers":
            uncertainty.per_joint(name, n)
    uncertainty.means(n)
    return RunSettings(
        Settings(
            uncertainty,
            values["estimator"],
            values["intervals"],
            values["window"],
            shape_of(values),
            values["level"],
            knowledge_of(values),
            tuple(values["scales"] or ()),
            enough_of(values["enough"]),
        ),
        values["update_period"],
    )


def check_estimator(values: Mapping[str, Any]) -> None:
    """Raise unless the estimator can do with what is known of the payload.

    Raises:
        InputError: Shape or knowledge cannot be read, or the estimator needs a shape.
    """
    estimator_named(values["estimator"], shape_of(values))
    knowledge_of(values)
    enough_of(values["enough"])
