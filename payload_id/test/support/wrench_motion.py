"""Motions of a sensor with a payload, and what it measures, for the tests of the wrench path.

The wrench comes from Pinocchio's body dynamics, one sample at a time; the package's own regressor
has no part in it.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from scipy.spatial.transform import Rotation

from payload_id.core.body.inertial import from_mass_com_inertia, inertia_matrix
from payload_id.core.samples.wrench_samples import WrenchSamples

GRAVITY = np.array([0.0, 0.0, -9.81])
NONE = np.zeros(6)
PAYLOAD = from_mass_com_inertia(
    1.3, [0.02, -0.03, 0.06], [[4e-3, 3e-4, -2e-4], [3e-4, 5e-3, 1e-4], [-2e-4, 1e-4, 3e-3]]
)


def pose(t, speed=1.0):
    """Return orientation and origin at times t: smooth, about all axes."""
    angles = np.stack(
        [
            1.1 * np.sin(1.3 * speed * t),
            0.9 * np.sin(1.7 * speed * t + 1.0),
            0.8 * np.sin(0.9 * speed * t + 2.0),
        ],
        axis=1,
    )
    origin = np.stack(
        [
            0.2 * np.sin(1.1 * speed * t),
            0.15 * np.cos(1.9 * speed * t),
            0.2 * np.sin(1.5 * speed * t + 0.5),
        ],
        axis=1,
    )
    return Rotation.from_euler("xyz", angles), origin


def motion(t, speed=1.0):
    """Return rotation, omega, alpha and the origin's acceleration, in the moving frame.

    Differences of fourth order of the poses, steps small enough for 1e-8.
    """
    h = 2e-3

    def omega(at):
        a, b = pose(at - h, speed)[0], pose(at + h, speed)[0]
        c, d = pose(at - 2 * h, speed)[0], pose(at + 2 * h, speed)[0]
        centre = pose(at, speed)[0]
        near = ((centre.inv() * b).as_rotvec() - (centre.inv() * a).as_rotvec()) / (2 * h)
        far = ((centre.inv() * d).as_rotvec() - (centre.inv() * c).as_rotvec()) / (4 * h)
        return (4 * near - far) / 3

    rotation, _ = pose(t, speed)
    alpha = (8 * (omega(t + h) - omega(t - h)) - (omega(t + 2 * h) - omega(t - 2 * h))) / (12 * h)
    p = [pose(t + k * h, speed)[1] for k in (-2, -1, 0, 1, 2)]
    acceleration = (-p[0] + 16 * p[1] - 30 * p[2] + 16 * p[3] - p[4]) / (12 * h * h)
    return rotation, omega(t), alpha, rotation.inv().apply(acceleration)


def wrench_of(phi, rotation, omega, alpha, acceleration):
    """Return the wrench that moves a payload, by Pinocchio's spatial algebra, shape (N, 6)."""
    mass, h = phi[0], phi[1:4]
    com = h / mass
    C = pin.skew(com)
    body = pin.Inertia(mass, com, inertia_matrix(phi) - mass * (C @ C.T))
    wrench = []
    proper = acceleration - rotation.inv().apply(GRAVITY)
    for w, al, a in zip(omega, alpha, proper, strict=True):
        v = pin.Motion(np.zeros(3), w)
        force = body * pin.Motion(a, al) + v.cross(body * v)
        wrench.append(force.vector)
    return np.array(wrench)


def simulated(
    seconds=6.0,
    rate=200.0,
    phi=PAYLOAD,
    delay=0.0,
    noise=0.0,
    bias=NONE,
    drift=NONE,
    speed=1.0,
    seed=0,
):
    """Return samples of a sensor; noise is the standard deviation of the force, torque a tenth."""
    t = np.arange(int(seconds * rate)) / rate
    measured = wrench_of(phi, *motion(t - delay, speed))
    rng = np.random.default_rng(seed)
    measured = measured + noise * rng.normal(size=measured.shape) * [1, 1, 1, 0.1, 0.1, 0.1]
    rotation, omega, alpha, acceleration = motion(t, speed)
    return WrenchSamples(
        t,
        rotation.as_matrix(),
        omega,
        alpha,
        acceleration,
        measured + bias + t[:, None] * drift,
    )
