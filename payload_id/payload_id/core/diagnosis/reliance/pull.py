"""What gravity along a direction does to the rows of a window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import body_motion, force_regressor
from ...arrays import Array
from ...rows.quadrature import trapezoid_weights
from ...samples.joint_samples import Samples


def pulls(model: ArmModel, window: Samples, direction: Array) -> Array:
    """Return the coefficients of all bodies under gravity alone, the payload last.

    Args:
        model: The arm.
        window: Samples.
        direction: Gravity, in the base frame, shape (3,) [m/s2].

    Returns:
        -int W_c dt at rest, shape (n + 1, n, 10).
    """
    still = body_motion(replace(model, gravity=direction), window.q, np.zeros_like(window.q))
    return -np.tensordot(trapezoid_weights(window.stamp), force_regressor(still), axes=1)
