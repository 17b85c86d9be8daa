"""Why no payload explains a wrench: it or its orientation is read otherwise than it was written.

The force of a payload that hardly accelerates is f = -m R^T g + bias, R the sensor's axes in the
world. The same fit is made with what R, or f, would be if the quaternion were the inverse, had its
scalar first, the wrench were in the axes of the world or of a frame that is turned, force and
torque were exchanged, or g had another direction; where one of these explains the force far better,
that is what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...samples.wrench_samples import WrenchSamples
from .quick_fit import regressor, residual, with_bias

# Another reading must explain this part of the force's variance, and leave at most this part of it
# of what the best one with exchanged axes leaves.
EXPLAINED = 0.9
CLEARLY = 0.3
SAME = 1e-9  # of a rotation that never changes
ALONG = 0.95  # cosine of the angle between two directions of gravity that count as one
LEAST_ANGLE = 5.0  # [degrees] of a frame that is turned
TURNED = 0.1  # part of the force's size by which it changes where a payload was turned


class _Reading(NamedTuple):
    """What the orientations may be in truth.

    Attributes:
        of: Gives the sensor's axes in the world from those that were read, shape (N, 3, 3).
        sentence: What is wrong then.
    """

    of: Callable[[Array], Array]
    sentence: str


def _inverse(R: Array) -> Array:
    return R.transpose(0, 2, 1)


def _scalar_first(R: Array) -> Array:
    """Return the rotations of the same numbers, read as w, x, y, z."""
    quaternion = Rotation.from_matrix(R).as_quat()
    return np.asarray(Rotation.from_quat(quaternion[:, [1, 2, 3, 0]]).as_matrix())


READINGS = (
    _Reading(
        _inverse,
        "The orientation is the inverse of what it should be: inverted, the force is that of a "
        "payload of {mass:.3g} kg. It must turn the sensor's axes into those of the world.",
    ),
    _Reading(
        _scalar_first,
        "The quaternion's numbers are in another order: with the scalar first (w, x, y, z) the "
        "force is that of a payload of {mass:.3g} kg. They are read as x, y, z, w: name the "
        "columns in that order.",
    ),
    _Reading(
        lambda R: _inverse(_scalar_first(R)),
        "The quaternion's numbers are in another order, and its inverse: with the scalar first "
        "(w, x, y, z), and inverted, the force is that of a payload of {mass:.3g} kg. It is read "
        "as x, y, z, w, and must turn the sensor's axes into those of the world.",
    ),
)


def other_orientation(samples: WrenchSamples, axes: float) -> str | None:
    """Return one sentence that names how orientations are read wrongly, or None.

    Args:
        samples: Of a sensor that turns.
        axes: Part of the force's variance that no exchange of its axes explains.
    """
    return _never_turns(samples) or _another(samples, axes)


def _never_turns(samples: WrenchSamples) -> str | None:
    """Tell whether the orientation is one and the same although the force turns."""
    R, force = samples.rotation, samples.wrench[:, :3]
    size = float(np.linalg.norm(force, axis=1).mean())
    spread = float(np.linalg.norm(force.std(axis=0)))
    if np.ptp(R, axis=0).max() > SAME or spread < TURNED * size:
        return None
    return (
        "The orientation is the same in all samples although the force changes much: record the "
        "sensor's orientation while it moves, or look what else pushes it if it does not."
    )


def _another(samples: WrenchSamples, axes: float) -> str | None:
    """Return the sentence of the reading that explains the force best, if it does so clearly."""
    R, force = samples.rotation, samples.wrench[:, :3]
    fits = []
    for reading in READINGS:
        weighs = -(np.array(samples.gravity) @ reading.of(R))
        fits.append((*_left(weighs[:, :, None], force), reading.sentence))
    fits += [_other_gravity(samples), _in_world(samples), _turned(samples), _exchanged(samples)]
    left, mass, sentence = min(fits)
    if left > 1.0 - EXPLAINED or left > CLEARLY * axes:
        return None
    return sentence.format(mass=mass)


def _other_gravity(samples: WrenchSamples) -> tuple[float, float, str]:
    """Return what f = -R^T w + bias leaves of the variance, |w| / |g| [kg], and a sentence.

    w is m g in the world; where it is along the stated g nothing is wrong with its direction.
    """
    R, force, g = samples.rotation, samples.wrench[:, :3], np.array(samples.gravity)
    x, left = residual(with_bias(-R.transpose(0, 2, 1)), force)
    size, stated = float(np.linalg.norm(x[:3])), float(np.linalg.norm(g))
    direction = x[:3] / max(size, 1e-30)
    if stated == 0.0 or float(direction @ g) > ALONG * stated:
        return 1.0, 0.0, ""
    found = ", ".join(f"{part + 0.0:.2f}" for part in direction)
    return (
        float((left**2).sum()) / _variation(force),
        size / stated,
        f"By the force, gravity has the direction ({found}) in the world of the orientations, not "
        "that which is stated, for a payload of {mass:.3g} kg. State gravity in that world, or "
        "look for a cable that pulls.",
    )


def _in_world(samples: WrenchSamples) -> tuple[float, float, str]:
    """Return what a wrench in the axes of the world leaves, its mass [kg], and a sentence.

    A force that does not turn may also be without weight: then m (a + ...) explains it as it is.
    """
    X, force = regressor(samples)[:, :3, :4], samples.wrench[:, :3]
    turned = np.einsum("kji,kj->ki", samples.rotation, force)
    left, mass = _left(X, turned)
    resists = X.copy()
    resists[:, :, 0] += samples.gravity_in_sensor
    weightless = _left(resists, force)[0]
    return (
        left if left * _variation(turned) < CLEARLY * weightless * _variation(force) else 1.0,
        mass,
        "The wrench is in the axes of the world: turned into those of the sensor, the force is "
        "that of a payload of {mass:.3g} kg. Record it in the axes of the sensor frame.",
    )


def _turned(samples: WrenchSamples) -> tuple[float, float, str]:
    """Return what f = m Q a_p + bias leaves, m [kg], and a sentence; Q^T turns the sensor's axes.

    Q is the orthogonal factor of the best matrix, whose determinant is 1.
    """
    force = samples.wrench[:, :3]
    columns = np.concatenate([samples.proper_acceleration, np.ones((len(samples), 1))], axis=1)
    matrix = np.linalg.lstsq(columns, force, rcond=None)[0][:3].T
    U, _, Vt = np.linalg.svd(matrix)
    Q = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    turn = Rotation.from_matrix(Q.T).as_rotvec(degrees=True)
    angle = float(np.linalg.norm(turn))
    if angle < LEAST_ANGLE:
        return 1.0, 0.0, ""
    about = ", ".join(f"{part + 0.0:.1f}" for part in np.round(turn / angle, 1))
    return (
        *_left(regressor(samples)[:, :3, :4], force @ Q),
        f"The axes of the wrench are turned by {angle:.0f} degrees about ({about}) against those "
        "of the orientations: turned back, the force is that of a payload of {mass:.3g} kg. Take "
        "the orientation of the frame in which the wrench is measured.",
    )


def _exchanged(samples: WrenchSamples) -> tuple[float, float, str]:
    """Return what the torques leave if they are taken for forces, the mass [kg], and a sentence."""
    return (
        *_left(regressor(samples)[:, :3, :4], samples.wrench[:, 3:]),
        "Force and torque are exchanged: what is read as torque is the force of a payload of "
        "{mass:.3g} kg. Name the columns in the order force, torque.",
    )


def _left(X: Array, force: Array) -> tuple[float, float]:
    """Return the part of the force's variance that X x + bias leaves, and x[0], the mass [kg]."""
    x, left = residual(with_bias(X), force)
    mass = float(x[0])
    return (float((left**2).sum()) / _variation(force) if mass > 0.0 else 1.0), mass


def _variation(force: Array) -> float:
    """Return the sum of squares about the mean."""
    return max(float(((force - force.mean(axis=0)) ** 2).sum()), 1e-30)
