"""What an arm's sensors make of its true state. Every error stays within its stated bound."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..arm.per_joint import PerJoint
from ..arrays import Array, BoolArray
from ..errors import InputError
from ..samples.joint_samples import Samples
from .effects import quantised

PER_JOINT = (
    "torque_relative",
    "torque_absolute",
    "torque_gain",
    "torque_offset",
    "position_resolution",
    "velocity_noise",
)


@dataclass(frozen=True)
class SensorModel:
    """Errors of an arm's sensors. Zero means perfect. Noise is uniform and white.

    Those marked "per joint" take one number, or one number for each joint.

    Attributes:
        torque_relative: Bound of the torque noise as a fraction of the torque [-]. Per joint.
        torque_absolute: Bound of a further torque noise [N m or N]. Per joint.
        torque_gain: Constant error of the torque sensors' gain, of either sign [-]. Per joint.
        torque_offset: Constant offset of the torque, of either sign [N m or N]. Per joint.
        position_resolution: Step of the encoders; positions err by at most half of it
            [rad or m]. Per joint.
        velocity_noise: Bound of the velocity noise [rad/s or m/s]. Per joint.
        stamp_jitter: Bound of the error of the stamps [s].
        loss: Probability that a message is lost [-].
    """

    torque_relative: PerJoint = 0.0
    torque_absolute: PerJoint = 0.0
    torque_gain: PerJoint = 0.0
    torque_offset: PerJoint = 0.0
    position_resolution: PerJoint = 0.0
    velocity_noise: PerJoint = 0.0
    stamp_jitter: float = 0.0
    loss: float = 0.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = np.asarray(getattr(self, entry.name), dtype=float)
            signed = entry.name in ("torque_gain", "torque_offset")
            if not np.isfinite(value).all() or (not signed and (value < 0).any()):
                allowed = "finite" if signed else "finite and not negative"
                raise InputError(
                    f"Sensor model '{entry.name}' must be {allowed}; "
                    f"found {getattr(self, entry.name)!r}."
                )
        if self.loss >= 1.0:
            raise InputError(f"Sensor model 'loss' must be below 1; found {self.loss!r}.")


@dataclass(frozen=True)
class Measurement:
    """N measured samples of n joints.

    Attributes:
        stamp: Measured times, shape (N,) [s].
        q: Measured positions, shape (N, n) [rad or m].
        dq: Measured velocities, shape (N, n) [rad/s or m/s].
        tau: Measured torques, shape (N, n) [N m or N].
        lost: Which samples do not arrive, shape (N,).
    """

    stamp: Array
    q: Array
    dq: Array
    tau: Array
    lost: BoolArray


def measure(
    sensor: SensorModel, rng: np.random.Generator, t: Array, q: Array, dq: Array, tau: Array
) -> Measurement:
    """Return what the sensors say.

    stamp = t + u jitter, q = resolution round(q / resolution), dq = dq + u noise,
    tau = tau (1 + gain + u relative) + u absolute + offset, every u uniform in [-1, 1] and drawn
    anew.

    Args:
        sensor: The sensors' errors.
        rng: Source of randomness; a sample draws the same numbers whichever errors are zero.
        t: True times, shape (N,) [s].
        q: True positions, shape (N, n) [rad or m].
        dq: True velocities, shape (N, n) [rad/s or m/s].
        tau: True torques, shape (N, n) [N m or N].
    """
    N, n = np.shape(q)
    # One row for each sample, so that N samples at once equal N single ones.
    u = rng.uniform(-1.0, 1.0, (N, 3 * n + 2))
    relative, absolute, velocity = u[:, :n], u[:, n : 2 * n], u[:, 2 * n : 3 * n]
    bound = {name: _per_joint(sensor, name, n) for name in PER_JOINT}
    gain = 1.0 + bound["torque_gain"] + bound["torque_relative"] * relative
    return Measurement(
        t + sensor.stamp_jitter * u[:, -2],
        quantised(q, bound["position_resolution"]),
        dq + bound["velocity_noise"] * velocity,
        tau * gain + bound["torque_absolute"] * absolute + bound["torque_offset"],
        0.5 * (u[:, -1] + 1.0) < sensor.loss,
    )


def measured_samples(sensor: SensorModel, rng: np.random.Generator, true: Samples) -> Samples:
    """Return the samples that arrive when the true ones are measured."""
    seen = measure(sensor, rng, true.stamp, true.q, true.dq, true.tau)
    keep = ~seen.lost
    return Samples(seen.stamp[keep], seen.q[keep], seen.dq[keep], seen.tau[keep])


def effort_from_torque(tau: Array, sign: Array, offset: Array) -> Array:
    """Return what a driver publishes as effort when the joint torque is tau.

    The inverse of the sampler's  tau = sign * effort - offset.

    Args:
        tau: Joint torques, shape (n,) or (N, n) [N m or N].
        sign: Factor from effort to torque, mostly 1 or -1, shape (n,).
        offset: What the effort shows, with the sign applied, when there is no torque,
            shape (n,) [N m or N].
    """
    return (tau + offset) / sign


def _per_joint(sensor: SensorModel, name: str, n: int) -> Array:
    """Return an error as one number, shape (), or one for each of n joints, shape (n,)."""
    value = np.asarray(getattr(sensor, name), dtype=float)
    if value.shape not in ((), (n,)):
        raise InputError(
            f"Sensor model '{name}' has shape {value.shape}; give one number, or {n} (one for each "
            "joint)."
        )
    return value
