"""Why no payload explains a wrench: how it, or its orientation, is read otherwise than written.

The force of a rigid payload follows the proper acceleration, f = m a_p + (terms of m c) + bias,
m > 0. The same fit is made in every reading of the table: gravity already taken out by the sensor,
axes exchanged and reversed in all 48 ways, orientations inverted or with the scalar first, a wrench
in the axes of the world or of a turned frame, force and torque exchanged, gravity elsewhere. What
leaves far less of the force's variance than all simpler readings is what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...samples.wrench_samples import WrenchSamples
from ...threads import one_thread
from .quick_fit import misfits, regressor, residual, thinned, with_bias

CLEARLY = 0.3  # part of what simpler readings leave, that another one may leave
EXPLAINED = 0.7  # part of the variance that a simple reading must explain
SURELY_EXPLAINED = 0.9  # likewise one of a turned or another frame
LEAST_SAMPLES = 20
# Gravity counts as taken out when the mass that weighs is at most this part of the one that resists
# acceleration. A small load's force is mostly noise; then the mass must be this many standard
# deviations above zero, and the weight below that part of it by some of its own.
WEIGHTLESS, SURE, SURELY = 0.2, 8.0, 2.0
LEAST_TURN = 0.3  # change of gravity in the sensor frame, in parts of g, that a check needs
FOLLOWS = 0.2  # part of the force's variance that gravity explains, for the force to follow it
TURNED = 0.1  # part of the force's size by which it changes where a payload was turned
ALONG = 0.95  # cosine of the angle between two directions of gravity that count as one
LEAST_ANGLE = 5.0  # [degrees] of a frame that is turned

QUATERNIONS = {  # how x, y, z, w are to be read, and whether the rotation is the inverse
    (False, True): "The orientation is the inverse of what it should be: inverted, the force is "
    "that of a payload of {mass:.3g} kg. It must turn the sensor's axes into those of the world.",
    (True, False): "The quaternion's numbers are in another order: with the scalar first (w, x, y, "
    "z) the force is that of a payload of {mass:.3g} kg. They are read as x, y, z, w: name the "
    "columns in that order.",
    (True, True): "The quaternion's numbers are in another order, and its inverse: with the scalar "
    "first (w, x, y, z), and inverted, the force is that of a payload of {mass:.3g} kg. It is read "
    "as x, y, z, w, and must turn the sensor's axes into those of the world.",
}


class Reading(NamedTuple):
    """A force as it would have been, and what explains it.

    Attributes:
        sentence: What is wrong then; "{mass}" stands for the payload's mass.
        columns: Of the mass, and of what else is fitted, shape (N, 3, k).
        force: Shape (N, 3) [N].
    """

    sentence: str
    columns: Array
    force: Array

    def left(self) -> tuple[float, float]:
        """Return the part of the force's variance that a fit with a bias leaves, and the mass."""
        x, left = residual(with_bias(self.columns), self.force)
        share = float((left**2).sum()) / _variation(self.force)
        return (share if x[0] > 0.0 else 1.0), float(x[0])


def diagnose(samples: WrenchSamples) -> str | None:
    """Return one sentence that names what is wrong with a wrench, or None.

    To be asked where the residual is bad, or where there seems to be no load.
    """
    if len(samples) < LEAST_SAMPLES:
        return None
    few = thinned(samples)
    with one_thread():
        stages = _never_turns, _otherwise, _compensated, _force_axes, _torque_axes, _weightless
        return next(filter(None, (stage(few) for stage in stages)), None)


def diagnose_turned(samples: WrenchSamples) -> str | None:
    """Return what `diagnose` does, if the sensor was turned far enough for it to mean something.

    To be asked of data that some payload explains: of little motion other axes may fit by chance.
    """
    return diagnose(samples) if _turns(samples) else None


def _never_turns(samples: WrenchSamples) -> str | None:
    """Tell whether the orientation is one and the same although the force turns."""
    R, force = samples.rotation, samples.wrench[:, :3]
    size = float(np.linalg.norm(force, axis=1).mean())
    spread = float(np.linalg.norm(force.std(axis=0)))
    if np.ptp(R, axis=0).any() or spread < TURNED * size:
        return None
    return (
        "The orientation is the same in all samples although the force changes much: record the "
        "sensor's orientation while it moves, or look what else pushes it if it does not."
    )


def _otherwise(samples: WrenchSamples) -> str | None:
    """Name another frame, orientation or gravity that explains the force far better than axes."""
    found = [(*reading.left(), reading.sentence) for reading in _readings(samples)]
    left, mass, sentence = min(found)
    axes = float(_arranged(samples)[1].min()) / _variation(samples.wrench[:, :3])
    if left > min(1.0 - SURELY_EXPLAINED, CLEARLY * axes):
        return None
    return sentence.format(mass=mass)


def _readings(samples: WrenchSamples) -> Iterator[Reading]:
    """Give the table of other frames, orientations and directions of gravity."""
    R, wrench, columns = samples.rotation, samples.wrench, regressor(samples)[:, :3, :4]
    force, g = wrench[:, :3], np.array(samples.gravity)
    for (scalar_first, inverse), sentence in QUATERNIONS.items():
        other = _scalar_first(R) if scalar_first else R
        weighs = -(g @ (other.transpose(0, 2, 1) if inverse else other))
        yield Reading(sentence, weighs[:, :, None], force)
    sentence = (
        "Force and torque are exchanged: what is read as torque is the force of a payload of "
        "{mass:.3g} kg. Name the columns in the order force, torque."
    )
    yield Reading(sentence, columns, wrench[:, 3:])
    turned = np.einsum("kji,kj->ki", R, force)
    resists = columns.copy()
    resists[:, :, 0] += samples.gravity_in_sensor
    # A force that does not turn may also be without weight, which explains it as it is.
    in_world = Reading(
        "The wrench is in the axes of the world: turned into those of the sensor, the force is "
        "that of a payload of {mass:.3g} kg. Record it in the axes of the sensor frame.",
        columns, turned,
    )  # fmt: skip
    weightless = Reading("", resists, force).left()[0] * _variation(force)
    if in_world.left()[0] * _variation(turned) < CLEARLY * weightless:
        yield in_world
    turn = _turn(samples)
    angle = float(np.rad2deg(turn.magnitude()))
    if angle >= LEAST_ANGLE:
        axis = turn.as_rotvec(degrees=True) / angle
        about = ", ".join(f"{part + 0.0:.1f}" for part in np.round(axis, 1))
        yield Reading(
            f"The axes of the wrench are turned by {angle:.0f} degrees about ({about}) against "
            "those of the orientations: turned back, the force is that of a payload of "
            "{mass:.3g} kg. Take the orientation of the frame in which the wrench is measured.",
            columns, force @ turn.as_matrix().T,
        )  # fmt: skip
    weighs = -R.transpose(0, 2, 1)
    w = residual(with_bias(weighs), force)[0][:3]  # m g in the world
    direction = w / max(float(np.linalg.norm(w)), 1e-30)
    if g.any() and direction @ g <= ALONG * np.linalg.norm(g):
        where = ", ".join(f"{part + 0.0:.2f}" for part in direction)
        yield Reading(
            f"By the force, gravity has the direction ({where}) in the world of the orientations, "
            "not that which is stated, for a payload of {mass:.3g} kg. State gravity in that "
            "world, or look for a cable that pulls.",
            (weighs @ direction)[:, :, None] * np.linalg.norm(g), force,
        )  # fmt: skip


def _scalar_first(R: Array) -> Array:
    """Return the rotations of the same numbers, read as w, x, y, z."""
    quaternion = Rotation.from_matrix(R).as_quat()
    return np.asarray(Rotation.from_quat(quaternion[:, [1, 2, 3, 0]]).as_matrix())


def _turn(samples: WrenchSamples) -> Rotation:
    """Return the turn of the sensor's axes that brings the proper acceleration to the force."""
    force, a = samples.wrench[:, :3], samples.proper_acceleration
    columns = np.concatenate([a, np.ones((len(a), 1))], axis=1)
    U, _, Vt = np.linalg.svd(np.linalg.lstsq(columns, force, rcond=None)[0][:3].T)
    return Rotation.from_matrix((U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt).T)


# Axes of force and torque in other orders and with other signs.


def _arranged(samples: WrenchSamples) -> tuple[Array, Array]:
    """Return of all arrangements of the force's axes the mass [kg] and the squares left, (48,)."""
    X = with_bias(regressor(samples)[:, :3, :4])
    x, sizes = misfits(X, samples.wrench[:, :3] @ np.stack(signed_permutations()))
    return x[:, 0], np.where(x[:, 0] > 0, sizes, np.inf)


def _force_axes(samples: WrenchSamples) -> str | None:
    """Name a sign or an order of the force's axes that explains the force far better."""
    whole = _variation(samples.wrench[:, :3])
    masses, sizes = _arranged(samples)
    best = int(np.argmin(sizes))
    matrix, mass = signed_permutations()[best], masses[best]
    sizes[0] = min(sizes[0], whole)
    if not _leads(sizes, best, whole):
        return None
    if (matrix == -np.eye(3)).all():
        return (
            f"The force has the wrong sign: reversed, it is that of a payload of {mass:.3g} kg. "
            "The wrench must be what the sensor exerts on the payload; set its sign to -1."
        )
    return (
        f"The axes of the force are swapped or reversed: {_arrangement(matrix)} it is that of a "
        f"payload of {mass:.3g} kg. Correct the sensor frame's orientation, or the order and signs "
        "of the channels."
    )


def _torque_axes(samples: WrenchSamples) -> str | None:
    """Name an order of the torque's axes that explains the torque far better, or its sign.

    The torque's overall sign goes with that of the lever arm; the force's own dependence on the
    lever arm, m (alpha x c + ...), is what tells it, where the motion is fast enough.
    """
    Y, torque = regressor(samples), samples.wrench[:, 3:]
    # A matrix and its opposite are the same, with the opposite lever arm.
    matrices = [M for M in signed_permutations() if M[np.flatnonzero(M[:, 0])[0], 0] > 0]
    sizes = misfits(with_bias(Y[:, 3:, 1:]), torque @ np.stack(matrices))[1]
    best = int(np.argmin(sizes))
    if _leads(sizes, best, _variation(torque)):
        return (
            f"The axes of the torque are swapped or reversed: {_arrangement(matrices[best])} (or "
            "all of them reversed) it is that of a rigid payload. Correct the order and signs of "
            "the channels."
        )
    scale = np.maximum(samples.wrench.std(axis=0), 1e-9)
    signs = np.stack([np.ones(6), np.repeat([1.0, -1.0], 3)])
    wrenches = samples.wrench / scale * signs[:, None]
    sizes = misfits(with_bias(Y / scale[None, :, None]), wrenches)[1]
    if not _leads(sizes, 1, 6.0 * len(samples)):
        return None
    return (
        "The torque has the wrong sign against the force: reversed, both are those of one payload. "
        "Force and torque must both be what the sensor exerts on the payload."
    )


def _leads(sizes: Array, best: int, whole: float) -> bool:
    """Tell whether one of some readings, the given one first, explains the whole far better."""
    return best > 0 and sizes[best] <= min(CLEARLY * sizes[0], (1.0 - EXPLAINED) * whole)


def signed_permutations() -> list[Array]:
    """Return the 48 matrices that exchange and reverse three axes, the unit matrix first."""
    return [
        np.eye(3)[:, list(order)] * signs
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
    ]


def _arrangement(matrix: Array) -> str:
    """Say which channels to take for x, y, z: value @ matrix are the sensor's own."""
    rows = [int(np.flatnonzero(column)[0]) for column in matrix.T]
    parts = [("-" if matrix[row, k] < 0 else "") + "xyz"[row] for k, row in enumerate(rows)]
    return f"with channels ({', '.join(parts)}) as x, y, z"


# Gravity that is already taken out.


def _compensated(samples: WrenchSamples) -> str | None:
    """Tell whether the force follows the acceleration, and the sensor's orientation not."""
    if not _turns(samples):
        return None
    (weight, mass), _, explained = _weight_and_mass(samples)
    light = mass > 0 and abs(weight) < WEIGHTLESS * mass
    return _compensates(mass) if light and explained > EXPLAINED else None


def _weightless(samples: WrenchSamples) -> str | None:
    """Tell whether a force that is mostly noise does not follow the sensor's orientation."""
    if not _turns(samples):
        return None
    (weight, mass), deviation, explained = _weight_and_mass(samples)
    sure = mass > SURE * deviation[1]
    if sure and abs(weight) + SURELY * deviation[0] < WEIGHTLESS * mass:
        return _compensates(mass)
    force, g = samples.wrench[:, :3], samples.gravity_in_sensor
    resists = regressor(samples)[:, :3, :4]
    resists[:, :, 0] += g
    without = residual(with_bias(resists), force)[1]
    if max(explained, _share(without, force)) > EXPLAINED:
        return None
    X = np.column_stack([g, np.ones(len(g))])
    if _share(force - X @ np.linalg.lstsq(X, force, rcond=None)[0], force) < FOLLOWS:
        return (
            "The force does not follow the sensor's orientation at all: there is no load, or the "
            "sensor already compensates gravity, or orientation and wrench are not of one motion."
        )
    return None


def _weight_and_mass(samples: WrenchSamples) -> tuple[Array, Array, float]:
    """Fit the force with the mass that weighs and the one that resists acceleration apart.

    Returns:
        Both masses [kg], their standard deviations, and the part of the variance explained.
    """
    force, g = samples.wrench[:, :3], samples.gravity_in_sensor
    resists = regressor(samples)[:, :3, :4]
    resists[:, :, 0] += g
    X = with_bias(np.concatenate([-g[:, :, None], resists], axis=2))
    both, left = residual(X, force)
    flat = X.reshape(-1, X.shape[2])
    size = np.linalg.norm(flat, axis=0)
    size[size == 0.0] = 1.0
    spread = np.diag(np.linalg.pinv((flat / size).T @ (flat / size))) / size**2
    deviation = np.sqrt(np.maximum(spread, 0.0) * float((left**2).mean()))
    return both[:2], deviation[:2], _share(left, force)


def _turns(samples: WrenchSamples) -> bool:
    """Tell whether the sensor is turned far enough for its orientation to matter."""
    spread = float(np.linalg.norm(samples.gravity_in_sensor.std(axis=0)))
    return spread >= LEAST_TURN * float(np.linalg.norm(samples.gravity))


def _compensates(mass: float) -> str:
    """Say that gravity is already taken out."""
    return (
        "The sensor already compensates gravity: its force follows the acceleration as that "
        f"of {mass:.3g} kg does, but does not follow the sensor's orientation. Switch the "
        "compensation off; the bias is estimated here."
    )


def _share(left: Array, force: Array) -> float:
    """Return the part of a force's variance that is explained."""
    return 1.0 - float((left**2).sum()) / _variation(force)


def _variation(value: Array) -> float:
    """Return the sum of squares about the mean."""
    return max(float(((value - value.mean(axis=0)) ** 2).sum()), 1e-30)
