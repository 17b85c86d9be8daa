"""Parameters of the estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.body.ellipsoid_union import MOST_SLABS
from ...core.body.shape import DENSITY, Shape
from ...core.bounds import METHODS
from ...core.estimators import ESTIMATORS, estimator_named
from ...core.identification.settings import Settings
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...files.configuration.schema import Key
from ...files.robots.robot_schema import UNCERTAINTY
from ...files.shapes.shape_file import ShapeSource
from ..common.parameters import Parameter
from .live_run import RunSettings

UNCERTAINTY_PREFIX = "uncertainty."
PRIOR_PREFIX = "uncertainty.prior."


def _bound(prefix: str, name: str, key: Key) -> Parameter:
    """Return the parameter that replaces one bound of the robot file."""
    return Parameter(
        prefix + name,
        None,
        f"{key.text[0].upper()}{key.text[1:]}; not set: as the robot file says.",
        key.unit,
        key.lowest,
        None if key.highest == float("inf") else key.highest,
        read_only=False,
        kind=key.kind,
    )


ESTIMATOR_TABLE = (
    Parameter("robot_file", "kinova_gen3", "Robot file: its path, or the name of a shipped one."),
    Parameter(
        "source",
        "torque",
        "What is measured: joint torques (sampler), or the wrench of a force-torque sensor between "
        "flange and payload (wrench_sampler).",
        choices=("torque", "wrench"),
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
        "runs_folder",
        "~/.ros/payload_id",
        "Folder in which ~/save makes a new one where there is no recording to add to.",
    ),
    Parameter("estimator", "lmi", "Point estimator.", choices=tuple(ESTIMATORS), read_only=False),
    Parameter(
        "intervals", "hull", "Method of the intervals.", choices=tuple(METHODS), read_only=False
    ),
    Parameter(
        "shape",
        "",
        "Mesh or point cloud of the payload (.stl, .ply, .obj), in the payload frame; it must be "
        "true. The estimator point_masses needs one; entropic, lmi and the intervals use it. "
        "Empty: nothing is known of the shape.",
        read_only=False,
    ),
    Parameter(
        "shape_filling",
        "surface",
        "What of the shape is solid: what its surface encloses, or its convex hull.",
        choices=("surface", "hull"),
        read_only=False,
    ),
    Parameter(
        "shape_density",
        DENSITY,
        "Point masses in a cubic centimetre of the shape.",
        "1/cm3",
        1e-4,
        100.0,
        read_only=False,
    ),
    Parameter(
        "shape_ellipsoids",
        1,
        "Ellipsoids whose union contains the payload.",
        "",
        1,
        MOST_SLABS,
        read_only=False,
    ),
    Parameter(
        "shape_scale",
        1.0,
        "Metres per unit of the shape's file: 0.001 for millimetres.",
        "m",
        1e-6,
        1e3,
        read_only=False,
    ),
    Parameter(
        "shape_pose",
        None,
        "Pose of the file's frame in the payload frame: x, y, z [m], roll, pitch, yaw [rad]; not "
        "set: the same frame.",
        kind="numbers",
        read_only=False,
    ),
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
        "update_period",
        0.5,
        "Time, by the data's stamps, between two updates of the estimate.",
        "s",
        0.01,
        60.0,
        read_only=False,
    ),
    *(
        _bound(UNCERTAINTY_PREFIX, name, key)
        for name, key in UNCERTAINTY.items()
        if key.kind != "section"
    ),
    *(_bound(PRIOR_PREFIX, name, key) for name, key in UNCERTAINTY["prior"].keys.items()),
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
    runs_folder: str

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> EstimatorParameters:
        """Take them out of all values."""
        return cls(**{name: values[name] for name in cls.__dataclass_fields__})

    @property
    def blocks(self) -> str:
        """Topic of the blocks."""
        sampler = "wrench_sampler" if self.source == "wrench" else "payload_sampler"
        return self.samples_topic or f"{sampler}/samples"

    @property
    def bags(self) -> str:
        """Topic on which the sampler says where it records."""
        sampler = "wrench_sampler" if self.source == "wrench" else "payload_sampler"
        return self.bag_topic or f"{sampler}/bag"


def run_settings(values: Mapping[str, Any], from_robot_file: Uncertainty, n: int) -> RunSettings:
    """Return the settings of the next run.

    Args:
        values: Values of `ESTIMATOR_TABLE`.
        from_robot_file: The bounds where no parameter replaces them.
        n: Number of joints.

    Raises:
        InputError: A bound is impossible, or has another number of entries than there are joints;
            the shape cannot be read, or the estimator needs one.
    """
    entries = from_robot_file.to_dict()
    for name, value in values.items():
        if value is None:
            continue
        if name.startswith(PRIOR_PREFIX):
            entries["prior"][name.removeprefix(PRIOR_PREFIX)] = value
        elif name.startswith(UNCERTAINTY_PREFIX):
            entries[name.removeprefix(UNCERTAINTY_PREFIX)] = value
    uncertainty = Uncertainty.from_dict(entries)
    for name, key in UNCERTAINTY.items():
        if key.kind == "number or numbers":
            uncertainty.per_joint(name, n)
    return RunSettings(
        Settings(
            uncertainty,
            values["estimator"],
            values["intervals"],
            values["window"],
            shape_of(values),
        ),
        values["update_period"],
    )


def shape_of(values: Mapping[str, Any]) -> Shape | None:
    """Return the payload's shape; None if nothing is known of it.

    Args:
        values: Values of `ESTIMATOR_TABLE`.

    Raises:
        InputError: It cannot be read.
    """
    if not values["shape"]:
        return None
    return ShapeSource(
        values["shape"],
        values["shape_filling"],
        values["shape_density"],
        values["shape_scale"],
        values["shape_ellipsoids"],
        tuple(values["shape_pose"] or ()),
    ).read()


def check_estimator(values: Mapping[str, Any]) -> None:
    """Raise unless the estimator can do with what is known of the shape.

    Raises:
        InputError: The shape cannot be read, or the estimator needs one.
    """
    estimator_named(values["estimator"], shape_of(values))
