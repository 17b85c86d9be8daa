"""What is assumed about a force-torque sensor and the motion that goes with it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import ClassVar

import numpy as np

from ...arrays import Array
from ...body.payload_prior import PayloadPrior
from ...errors import require_type
from ...stated import FRACTION, Entries, check_stated, stated

PerAxis = float | tuple[float, ...]

# Strain-gauge sensors of hand-held size measure up to some hundred N and some ten N m, and their
# readings are shifted by mounting and temperature: a bias up to this needs no taring beforehand.
FORCE_BIAS = 100.0  # [N]
TORQUE_BIAS = 10.0  # [N m]
# A Gaussian deviation beyond this many standard deviations comes once in 147 000 times.
SIGMA_FACTOR = 4.5


@dataclass(frozen=True)
class WrenchUncertainty(Entries):
    """Bounds on everything that is not known exactly. Zero means known exactly.

    "Error" bounds hold at every sample, whatever the errors of the others are: they do not average
    out. "Sigma" is the standard deviation of noise beside them, independent from sample to sample
    (or from one `correlation_time` to the next): the mean over a window of N samples is taken to
    stay within `sigma_factor` sigma / sqrt(N). Intervals are guaranteed only where sigmas are zero;
    otherwise they hold with the confidence of that factor. Entries for force, torque and motion
    take one number, or one for each of the three axes.

    Attributes:
        force_error: |measured - true force| beyond bias, drift and gain [N]. Data sheet: accuracy,
            resolution and crosstalk together.
        torque_error: Likewise [N m].
        force_sigma: Noise of the force [N]. Standard deviation of a recording at rest.
        torque_sigma: Noise of the torque [N m].
        force_gain: Error of each force axis's gain, constant in a run [-]. Data sheet.
        torque_gain: Likewise of the torque [-].
        force_bias: Largest bias of the force, constant in a run [N].
        torque_bias: Largest bias of the torque [N m].
        force_drift: Largest rate at which the bias of the force changes, constant in a run [N/s].
        torque_drift: Likewise of the torque [N m/s].
        angular_velocity_error: Of omega [rad/s].
        angular_velocity_sigma: Noise of omega [rad/s].
        angular_acceleration_error: Of alpha [rad/s2].
        angular_acceleration_sigma: Noise of alpha [rad/s2].
        linear_acceleration_error: Of the sensor's origin [m/s2].
        linear_acceleration_sigma: Noise of it [m/s2].
        orientation_error: Of the sensor's orientation, at every sample [rad].
        gravity_error: Tilt of the world frame against true gravity, constant in a run [rad].
        time_error: Delay of the wrench against the motion that is left, constant in a run [s].
        correlation_time: Time after which noise is independent; 0: from sample to sample [s].
        dynamism_scale: c1 of eq. 9 of [NGK], for `point_masses`: motion at which it counts the full
            model nearly alone, below it more and more that of gravity; to be tuned for each arm
            where accelerations are poor; 0: the full model alone [-].
        sigma_factor: How many standard deviations of a mean are allowed for, at least 1 [-].
        prior: Box that holds the payload before any data.
    """

    WHERE: ClassVar[str] = "uncertainty"

    force_error: PerAxis = 0.0
    torque_error: PerAxis = 0.0
    force_sigma: PerAxis = 0.0
    torque_sigma: PerAxis = 0.0
    force_gain: PerAxis = stated(highest=FRACTION)
    torque_gain: PerAxis = stated(highest=FRACTION)
    force_bias: PerAxis = FORCE_BIAS
    torque_bias: PerAxis = TORQUE_BIAS
    force_drift: PerAxis = 0.0
    torque_drift: PerAxis = 0.0
    angular_velocity_error: PerAxis = 0.0
    angular_velocity_sigma: PerAxis = 0.0
    angular_acceleration_error: PerAxis = 0.0
    angular_acceleration_sigma: PerAxis = 0.0
    linear_acceleration_error: PerAxis = 0.0
    linear_acceleration_sigma: PerAxis = 0.0
    orientation_error: float = 0.0
    gravity_error: float = 0.0
    time_error: float = 0.0
    correlation_time: float = 0.0
    dynamism_scale: float = 300.0  # as in Sec. V of [NGK]
    sigma_factor: float = stated(SIGMA_FACTOR, lowest=1.0)
    prior: PayloadPrior = field(default_factory=PayloadPrior)

    def __post_init__(self) -> None:
        check_stated(self, "Wrench uncertainty")
        require_type(self.prior, PayloadPrior, "Wrench uncertainty 'prior'", "a PayloadPrior")

    def axes(self, name: str) -> Array:
        """Return a bound for each of three axes, shape (3,), not to be written to."""
        return self._arrays[name]

    def six(self, kind: str) -> Array:
        """Return `force_KIND` and `torque_KIND` for the six axes of a wrench, shape (6,)."""
        return self._arrays[kind]

    @property
    def largest_gain(self) -> Array:
        """How many times the reading, bias apart, the wrench can be, shape (6,)."""
        return np.asarray(1.0 / (1.0 - self.six("gain")))

    @cached_property
    def _arrays(self) -> dict[str, Array]:
        """Return all bounds per axis; they are asked for with every window."""
        arrays = {
            entry.name: np.broadcast_to(np.asarray(getattr(self, entry.name), dtype=float), (3,))
            for entry in fields(self)
            if entry.type == "PerAxis"
        }
        for kind in ("error", "sigma", "gain", "bias", "drift"):
            arrays[kind] = np.concatenate([arrays[f"force_{kind}"], arrays[f"torque_{kind}"]])
            arrays[kind].setflags(write=False)
        return arrays
