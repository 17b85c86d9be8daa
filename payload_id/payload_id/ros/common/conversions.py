"""Between messages and the plain values that the layers below work with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import (
    Inertia,
    InertiaStamped,
    Point,
    Pose,
    Quaternion,
    Transform,
    Vector3,
)
from payload_id_msgs.msg import ConvexBody as ConvexBodyMessage
from payload_id_msgs.msg import PayloadEstimate, SampleBlock
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.serialization import deserialize_message
from scipy.spatial.transform import Rotation

from ...core.arrays import Array
from ...core.body.inertial import mass_com_inertia
from ...core.errors import InputError, brief
from ...core.identification.estimate import Estimate
from ...core.identification.status import USABLE, Status
from ...core.identification.width import mentioned
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.samples.sample_checks import Drop
from ...core.samples.sample_rows import SampleRows

STATUSES = {getattr(PayloadEstimate, status.value): status for status in Status}


@dataclass(frozen=True)
class Report:
    """An estimate and when it was made.

    Attributes:
        estimate: The estimate.
        stamp_ns: Stamp of the newest sample used [ns]; 0 if there is none.
        solve_seconds: Computing time [s].
        held_since_ns: Since when the payload is in the hand [ns]; 0: that is not told.
    """

    estimate: Estimate
    stamp_ns: int = 0
    solve_seconds: float = float("nan")
    held_since_ns: int = 0

    @property
    def status(self) -> Status:
        """Of the estimate."""
        return self.estimate.status

    @property
    def message(self) -> str:
        """Of the estimate."""
        return self.estimate.message

    @property
    def usable(self) -> bool:
        """Whether it holds numbers to go on with."""
        return self.estimate.status in USABLE

    @property
    def conclusive(self) -> bool:
        """Whether its intervals hold."""
        return self.usable or self.estimate.status is Status.NOT_IDENTIFIABLE


def decoded(data: bytes, kind: Any) -> Any:
    """Return a serialized message; None if the bytes are not one of that kind.

    Left to rclpy, bytes that cannot be decoded end the subscription for good.
    """
    try:
        return deserialize_message(data, kind)
    except rclpy_implementation.RMWError:
        return None


def time_message(stamp_ns: int) -> Time:
    """Return a stamp [ns] as a message."""
    seconds, nanoseconds = divmod(int(stamp_ns), 10**9)
    return Time(sec=seconds, nanosec=nanoseconds)


def duration_message(seconds: float) -> Duration:
    """Return a time that something takes [s] as a message."""
    whole, nanoseconds = divmod(round(seconds * 1e9), 10**9)
    return Duration(sec=whole, nanosec=nanoseconds)


def stamp_of(time: Time) -> int:
    """Return a message's stamp [ns]."""
    return int(time.sec) * 10**9 + int(time.nanosec)


def block_message(
    rows: SampleRows,
    joints: Sequence[str],
    received: int,
    dropped: Mapping[str, int],
    gaps: int,
) -> SampleBlock:
    """Return samples as a message.

    Args:
        rows: The samples, at least one.
        joints: Names of their columns.
        received: Messages received since then.
        dropped: Messages dropped since then, by cause.
        gaps: Gaps since then.
    """
    message = SampleBlock()
    message.header.stamp = time_message(int(rows.stamp_ns[-1]))
    message.first_index = rows.first
    message.joint_names = list(joints)
    message.stamp_ns = rows.stamp_ns
    message.position = rows.q.ravel()
    message.velocity = rows.dq.ravel()
    message.effort = rows.tau.ravel()
    message.received, message.gaps = received, gaps
    for cause in Drop:
        setattr(message, f"dropped_{cause.value}", dropped.get(cause.value, 0))
    return message


def rows_of(message: SampleBlock, joints: Sequence[str]) -> SampleRows:
    """Return the samples of a message.

    Args:
        message: The message.
        joints: The joints that its columns must have.

    Raises:
        InputError: The joints are others, or the arrays do not fit together.
    """
    if tuple(message.joint_names) != tuple(joints):
        raise InputError(
            f"A block of samples has the joints {', '.join(message.joint_names) or 'none'}, and "
            f"this node's robot file has {', '.join(joints)}. Start sampler and estimator with the "
            "same robot_file, and check whose samples are remapped."
        )
    stamp_ns = np.asarray(message.stamp_ns, dtype=np.int64)
    shape = (len(stamp_ns), len(joints))
    arrays = [np.asarray(x) for x in (message.position, message.velocity, message.effort)]
    if any(array.size != shape[0] * shape[1] for array in arrays):
        raise InputError(
            f"A block of samples with {shape[0]} stamps and {shape[1]} joints must hold "
            f"{shape[0] * shape[1]} numbers of each kind; found {[x.size for x in arrays]}."
        )
    q, dq, tau = (array.reshape(shape) for array in arrays)
    return SampleRows(stamp_ns, q, dq, tau, int(message.first_index))


def waiting(message: str, estimator: str, intervals: str, payload_frame: str) -> Estimate:
    """Return the estimate that says that there is none, and why."""
    return Estimate(
        phi=np.full(10, np.nan),
        lower=np.full(10, -np.inf),
        upper=np.full(10, np.inf),
        identifiable=np.zeros(10, dtype=bool),
        status=Status.WAITING,
        message=message,
        estimator=estimator,
        intervals=intervals,
        payload_frame=payload_frame,
    )


def estimate_message(report: Report) -> PayloadEstimate:
    """Return an estimate as a message."""
    estimate, message = report.estimate, PayloadEstimate()
    message.header.stamp = time_message(report.stamp_ns)
    message.header.frame_id = estimate.payload_frame
    message.held_since = time_message(report.held_since_ns)
    message.inertia = _inertia(estimate.phi)
    message.phi, message.lower, message.upper = estimate.phi, estimate.lower, estimate.upper
    message.identifiable = [bool(x) for x in estimate.identifiable]
    message.status = getattr(PayloadEstimate, estimate.status.value)
    message.message = estimate.message
    message.estimator, message.intervals = estimate.estimator, estimate.intervals
    message.samples, message.windows = estimate.samples, estimate.windows
    message.seconds = float(estimate.seconds)
    message.residual_rms = float(estimate.residual_rms)
    message.condition_number = float(estimate.condition_number)
    message.physically_consistent = estimate.physically_consistent
    message.noise_factor = float(estimate.noise_factor)
    if estimate.headline is not None:
        number = estimate.headline
        message.kind = number.kind
        message.mass_lower, message.mass_upper = float(number.lower[0]), float(number.upper[0])
        message.com_lower, message.com_upper = number.lower[1:], number.upper[1:]
    message.width = [str(share) for share in mentioned(estimate.width)]
    if estimate.confidence is not None:
        message.confidence_probability = float(estimate.confidence.level)
        message.confidence_lower = estimate.confidence.lower
        message.confidence_upper = estimate.confidence.upper
    if estimate.calibrated is not None:
        message.calibrated_probability = float(estimate.calibrated.level)
        message.calibrated_phi = estimate.calibrated.phi
        message.calibrated_lower = estimate.calibrated.lower
        message.calibrated_upper = estimate.calibrated.upper
    message.cause = estimate.cause
    message.rests_on = [each.sentence() for each in estimate.rests_on]
    message.solve_seconds = float(report.solve_seconds)
    return message


def unsolved_message(frame: str) -> PayloadEstimate:
    """Return the estimate of a request that ended before anything was solved, in a frame."""
    return estimate_message(Report(waiting("Nothing was solved.", "", "", frame)))


def inertia_message(report: Report) -> InertiaStamped:
    """Return the point estimate as ROS writes inertias: about the centre of mass."""
    message = InertiaStamped(inertia=_inertia(report.estimate.phi))
    message.header.stamp = time_message(report.stamp_ns)
    message.header.frame_id = report.estimate.payload_frame
    return message


def point(v: Sequence[float] | Array) -> Point:
    """Return a position, shape (3,) [m], as a message."""
    return Point(**dict(zip("xyz", map(float, v), strict=True)))


def vector(v: Sequence[float] | Array) -> Vector3:
    """Return three numbers as a message."""
    return Vector3(**dict(zip("xyz", map(float, v), strict=True)))


def pose_message(rotation: Array, position: Sequence[float] | Array) -> Pose:
    """Return a pose as a message; NaN where it is not known."""
    return Pose(position=point(position), orientation=_quaternion(rotation))


def transform_message(rotation: Array, position: Array) -> Transform:
    """Return a transform as a message; NaN where it is not known."""
    return Transform(translation=vector(position), rotation=_quaternion(rotation))


def _quaternion(rotation: Array) -> Quaternion:
    """Return a rotation matrix as a message; NaN where it is not known."""
    known = np.isfinite(rotation).all()
    numbers = Rotation.from_matrix(rotation).as_quat() if known else np.full(4, np.nan)
    return Quaternion(**dict(zip("xyzw", map(float, numbers), strict=True)))


def body_message(body: ConvexBody) -> ConvexBodyMessage:
    """Return a body of certificates as a message, bit for bit."""
    return ConvexBodyMessage(
        name=body.name,
        kind=body.kind,
        size=[float(x) for x in body.size],
        points=body.points.ravel(),
        rotation=body.rotation.ravel(),
        translation=body.translation,
    )


def body_of(message: ConvexBodyMessage) -> ConvexBody:
    """Return the body of a message.

    Raises:
        InputError: It is none.
    """
    shaped = {"points": message.points, "rotation": message.rotation}
    if len(message.points) % 3:
        raise InputError(f"The points of body {brief(message.name)} are not of three numbers each.")
    return ConvexBody(
        message.name,
        message.kind,
        tuple(message.size),
        translation=np.asarray(message.translation),
        **{name: np.reshape(values, (-1, 3)) for name, values in shaped.items()},
    )


def _inertia(phi: Array) -> Inertia:
    """Return inertial parameters as a message; NaN where there is no mass."""
    mass, com, matrix = mass_com_inertia(phi)
    if not math.isfinite(mass):
        com, matrix = np.full(3, np.nan), np.full((3, 3), np.nan)
    return Inertia(
        m=mass,
        com=vector(com),
        ixx=float(matrix[0, 0]),
        ixy=float(matrix[0, 1]),
        ixz=float(matrix[0, 2]),
        iyy=float(matrix[1, 1]),
        iyz=float(matrix[1, 2]),
        izz=float(matrix[2, 2]),
    )
