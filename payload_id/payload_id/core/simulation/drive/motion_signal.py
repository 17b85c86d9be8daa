"""From the motor's angle to published position and velocity: encoder steps, filter, delays.

The velocity is what a drive makes of its encoder: differences of rounded angles, smoothed and late.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from .late_signal import Lag, quantised


@dataclass(frozen=True)
class MotionSignal:
    """Encoders of n drives.

    Attributes:
        position_step: Of the encoder at the joint, shape (n,) [rad].
        position_lag: Delay of the position.
        velocity_lag: Low-pass and delay of the velocity. Without a low-pass the velocity is the
            links', without the encoder's steps.
        read: Rounded angle at the last instant, shape (n,) [rad]; None: at rest so far.
    """

    position_step: Array
    position_lag: Lag
    velocity_lag: Lag
    read: Array | None = None

    def through(
        self, angle: Array, velocity: Array, step: float
    ) -> tuple[Array, Array, MotionSignal]:
        """Return position and velocity, shape (N, n) each [rad], [rad/s], and what is left.

        Args:
            angle: Of the motor, at the joint, shape (N, n) [rad].
            velocity: Of the links, same shape [rad/s].
            step: Time between two instants [s].
        """
        read = quantised(angle, self.position_step)
        seen = velocity
        if np.isfinite(self.velocity_lag.cut_off):
            before = read[0] if self.read is None else self.read
            seen = np.diff(read, axis=0, prepend=before[np.newaxis]) / step
        position, position_lag = self.position_lag.through(read, step)
        late, velocity_lag = self.velocity_lag.through(seen, step)
        after = replace(self, position_lag=position_lag, velocity_lag=velocity_lag, read=read[-1])
        return position, late, after
