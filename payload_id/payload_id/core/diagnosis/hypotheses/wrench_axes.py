"""Channels of a force-torque sensor are in another order or have other signs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product

import numpy as np

from ...arrays import Array
from ...samples.wrench_samples import WrenchSamples
from ..hypothesis import Hypothesis, Reading, Recorded, told

ARRANGED = [
    np.eye(3)[:, list(order)] * signs
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
]
NONE = np.zeros((3, 3))


class WrenchAxes(Hypothesis):
    """All 47 other arrangements of the axes of force, of torque or of both; the two exchanged."""

    name = "wrench axes"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        remedy = (
            "correct the order and the signs of the channels, or the sensor frame's orientation"
        )
        what = "Force and torque are exchanged: the columns are in the order torque, force"
        yield Reading(told(what, remedy), _times(np.roll(np.eye(6), 3, axis=1)))
        one = np.eye(3)
        for M in ARRANGED[1:]:
            for of, force, torque in (
                ("force and torque", M, M), ("force", M, one), ("torque", one, M)
            ):  # fmt: skip
                what = f"The axes of the {of} are swapped or reversed: {_arrangement(M)} they fit"
                if (M == -one).all():
                    what = (
                        f"The {of} has the wrong sign: the wrench must be what the sensor exerts "
                        "on the payload"
                    )
                yield Reading(told(what, remedy), _times(np.block([[force, NONE], [NONE, torque]])))


def _times(matrix: Array) -> Callable[[WrenchSamples, Array], WrenchSamples]:
    """Return what multiplies wrenches by a matrix, shape (6, 6), from the right."""
    return lambda samples, _: samples.with_wrench(samples.wrench @ matrix)


def _arrangement(matrix: Array) -> str:
    """Say which channels to take for x, y, z: value @ matrix are the sensor's own."""
    rows = [int(np.flatnonzero(column)[0]) for column in matrix.T]
    parts = [("-" if matrix[row, k] < 0 else "") + "xyz"[row] for k, row in enumerate(rows)]
    return f"with channels ({', '.join(parts)}) as x, y, z"
