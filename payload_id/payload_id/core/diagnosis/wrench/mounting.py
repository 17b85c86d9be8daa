"""Why no payload explains a wrench: wrong sign, swapped axes, gravity already taken out.

The force of a rigid payload follows the proper acceleration, f = m a_p + ..., m > 0. The same fit
is made with the axes of the force exchanged and reversed in all 48 ways; where another way than
the given one explains the force far better, that is what is wrong.
"""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from ...arrays import Array
from ...samples.wrench_samples import WrenchSamples
from ...threads import one_thread
from .orientation import other_orientation
from .quick_fit import misfits, regressor, residual, thinned, with_bias

NAMES = "xyz"
# Another arrangement of the axes must leave at most this part of the sum of squares that the given
# one leaves, and explain this part of the whole.
CLEARLY = 0.3
EXPLAINED = 0.7
LEAST_SAMPLES = 20
# Gravity counts as taken out when the mass that weighs is at most this part of the one that resists
# acceleration, and that one explains this much of the force.
WEIGHTLESS = 0.2
# A small load's force is mostly noise; then the mass must be this many standard deviations above
# zero, and the weight below that part of it by some of its own.
SURE, SURELY = 8.0, 2.0
LEAST_TURN = 0.3  # change of gravity in the sensor frame, in parts of g, that a check needs
FOLLOWS = 0.2  # part of the force's variance that gravity explains, for the force to follow it


def diagnose(samples: WrenchSamples) -> str | None:
    """Return one sentence that names what is wrong with a wrench, or None.

    To be asked where the residual is bad, or where there seems to be no load.
    """
    if len(samples) < LEAST_SAMPLES:
        return None
    few = thinned(samples)
    with one_thread():
        return (
            other_orientation(few, _left_by_axes(few))
            or _compensated(few)
            or _force_axes(few)
            or _torque_axes(few)
            or _weightless(few)
        )


def diagnose_turned(samples: WrenchSamples) -> str | None:
    """Return what `diagnose` does, if the sensor was turned far enough for it to mean something.

    To be asked of data that some payload explains: of little motion other axes may fit by chance.
    """
    return diagnose(samples) if _turns(samples) else None


def _arranged(samples: WrenchSamples) -> tuple[Array, Array]:
    """Return of all arrangements of the force's axes the mass [kg] and the squares left, (48,)."""
    X = with_bias(regressor(samples)[:, :3, :4])
    # matrix' f in the sensor's own axes
    x, sizes = misfits(X, samples.wrench[:, :3] @ np.stack(signed_permutations()))
    return x[:, 0], np.where(x[:, 0] > 0, sizes, np.inf)


def _left_by_axes(samples: WrenchSamples) -> float:
    """Return the part of the force's variance that the best arrangement of its axes leaves."""
    return float(_arranged(samples)[1].min()) / max(_variation(samples.wrench[:, :3]), 1e-30)


def _force_axes(samples: WrenchSamples) -> str | None:
    """Name a sign or an order of the force's axes that explains the force far better."""
    whole = _variation(samples.wrench[:, :3])
    matrices = signed_permutations()  # the first is the given arrangement
    masses, sizes = _arranged(samples)
    given, best = min(sizes[0], whole), int(np.argmin(sizes))
    size, matrix, mass = sizes[best], matrices[best], masses[best]
    if (matrix == np.eye(3)).all() or size > CLEARLY * given or size > (1 - EXPLAINED) * whole:
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
    """Name an order of the torque's axes that explains the torque far better.

    The torque's overall sign goes with that of the lever arm; the force's own dependence on the
    lever arm, m (alpha x c + ...), is what tells it, where the motion is fast enough.
    """
    torque = samples.wrench[:, 3:]
    X = with_bias(regressor(samples)[:, 3:, 1:])
    whole = _variation(torque)
    # A matrix and its opposite are the same, with the opposite lever arm.
    matrices = [M for M in signed_permutations() if M[np.flatnonzero(M[:, 0])[0], 0] > 0]
    sizes = misfits(X, torque @ np.stack(matrices))[1]
    given, best = sizes[0], int(np.argmin(sizes))
    size, matrix = sizes[best], matrices[best]
    if (matrix == np.eye(3)).all() or size > CLEARLY * given or size > (1 - EXPLAINED) * whole:
        return _torque_sign(samples)
    return (
        f"The axes of the torque are swapped or reversed: {_arrangement(matrix)} (or all of them "
        "reversed) it is that of a rigid payload. Correct the order and signs of the channels."
    )


def _torque_sign(samples: WrenchSamples) -> str | None:
    """Tell whether the torque fits the force only when reversed."""
    Y = with_bias(regressor(samples))
    scale = np.maximum(samples.wrench.std(axis=0), 1e-9)
    sizes = []
    for sign in (1.0, -1.0):
        wrench = samples.wrench * ([1.0] * 3 + [sign] * 3)
        left = residual(Y / scale[None, :, None], wrench / scale)[1]
        sizes.append(float((left**2).sum()))
    if sizes[1] > CLEARLY * sizes[0] or sizes[1] > (1 - EXPLAINED) * 6 * len(samples):
        return None
    return (
        "The torque has the wrong sign against the force: reversed, both are those of one payload. "
        "Force and torque must both be what the sensor exerts on the payload."
    )


def _compensated(samples: WrenchSamples) -> str | None:
    """Tell whether the force follows the acceleration, and the sensor's orientation not."""
    if not _turns(samples):
        return None
    fit = _WeightAndMass(samples)
    light = fit.mass > 0 and abs(fit.weight) < WEIGHTLESS * fit.mass
    return _compensates(fit.mass) if light and fit.explained > EXPLAINED else None


def _weightless(samples: WrenchSamples) -> str | None:
    """Tell whether a force that is mostly noise does not follow the sensor's orientation."""
    if not _turns(samples):
        return None
    fit = _WeightAndMass(samples)
    sure = fit.mass > SURE * fit.deviation[1]
    if sure and abs(fit.weight) + SURELY * fit.deviation[0] < WEIGHTLESS * fit.mass:
        return _compensates(fit.mass)
    if fit.explained > EXPLAINED or fit.without_weight > EXPLAINED:
        return None
    if _turned_share(samples, samples.wrench[:, :3]) < FOLLOWS:
        return (
            "The force does not follow the sensor's orientation at all: there is no load, or the "
            "sensor already compensates gravity, or orientation and wrench are not of one motion."
        )
    return None


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


class _WeightAndMass:
    """A fit to the force in which the mass that weighs and the one that resists may differ.

    Attributes:
        weight: Mass that weighs [kg].
        mass: Mass that resists acceleration [kg].
        deviation: Standard deviations of both [kg].
        explained: Part of the force's variance that the fit explains.
        without_weight: Part that one without weight explains.
    """

    def __init__(self, samples: WrenchSamples) -> None:
        """Fit."""
        force, g = samples.wrench[:, :3], samples.gravity_in_sensor
        resists = regressor(samples)[:, :3, :4]
        resists[:, :, 0] += g
        weighs = -g[:, :, None]
        whole = max(_variation(force), 1e-30)
        X = with_bias(np.concatenate([weighs, resists], axis=2))
        both, left = residual(X, force)
        without = residual(with_bias(resists), force)[1]
        self.weight, self.mass = float(both[0]), float(both[1])
        self.deviation = _deviations(X, left)[:2]
        self.explained = 1.0 - float((left**2).sum()) / whole
        self.without_weight = 1.0 - float((without**2).sum()) / whole


def _deviations(X: Array, left: Array) -> Array:
    """Return the standard deviations of a fit's unknowns, shape (columns,)."""
    flat = X.reshape(-1, X.shape[2])
    size = np.linalg.norm(flat, axis=0)
    size[size == 0.0] = 1.0
    spread = np.diag(np.linalg.pinv((flat / size).T @ (flat / size))) / size**2
    return np.asarray(np.sqrt(np.maximum(spread, 0.0) * float((left**2).mean())))


def _turned_share(samples: WrenchSamples, force: Array) -> float:
    """Return how much of the force any linear function of gravity in the sensor explains."""
    g, whole = samples.gravity_in_sensor, _variation(force)
    X = np.column_stack([g, np.ones(len(g))])
    left = force - X @ np.linalg.lstsq(X, force, rcond=None)[0]
    return 1.0 - float((left**2).sum()) / max(whole, 1e-30)


def _variation(value: Array) -> float:
    """Return the sum of squares about the mean."""
    return float(((value - value.mean(axis=0)) ** 2).sum())


def signed_permutations() -> list[Array]:
    """Return the 48 matrices that exchange and reverse three axes."""
    return [
        np.eye(3)[:, list(order)] * signs
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
    ]


def _arrangement(matrix: Array) -> str:
    """Say which channels to take for x, y, z: value @ matrix are the sensor's own."""
    parts = []
    for column in matrix.T:
        row = int(np.flatnonzero(column)[0])
        parts.append(("-" if column[row] < 0 else "") + NAMES[row])
    return f"with channels ({', '.join(parts)}) as x, y, z"
