"""Orientations of a force-torque sensor are read otherwise than they were written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...samples.filters import angular_velocity
from ...samples.wrench_samples import WrenchSamples
from ..hypothesis import Hypothesis, Reading, Recorded, told

ORDER = "name the columns in the order x, y, z, w"
SENSE = "it must turn the sensor's axes into those of the world"

Read = Callable[[Array], Array]
Change = Callable[[WrenchSamples, Array], WrenchSamples]


class Orientation(Hypothesis):
    """Inverse rotations, quaternions with the scalar first, or a wrench in the world's axes."""

    name = "orientation"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        scalar = "The quaternion's numbers are in another order, with the scalar first (w, x, y, z)"
        for what, remedy, read in (
            ("The orientation is the inverse of what it should be", SENSE, _inverse),
            (scalar, ORDER, _scalar_first),
            (f"{scalar}, and inverted", f"{ORDER}; {SENSE}", lambda R: _inverse(_scalar_first(R))),
        ):
            for change in (_with, _moving):
                yield Reading(told(what, remedy), change(read))
        what, remedy = "The wrench is in the axes of the world", "record it in the sensor's axes"
        yield Reading(told(what, remedy), _in_sensor)


def _inverse(R: Array) -> Array:
    return R.transpose(0, 2, 1)


def _scalar_first(R: Array) -> Array:
    """Return the rotations of the same numbers, read as w, x, y, z."""
    numbers = Rotation.from_matrix(R).as_quat()
    return np.asarray(Rotation.from_quat(numbers[:, [1, 2, 3, 0]]).as_matrix())


def _with(read: Read) -> Change:
    """Return what has other orientations; rates and acceleration were measured in the sensor."""
    return lambda samples, _: replace(samples, rotation=read(samples.rotation))


def _moving(read: Read) -> Change:
    """Return what has other orientations and their rates; the path in the world is the same."""

    def changed(samples: WrenchSamples, _: Array) -> WrenchSamples:
        R, stamp = read(samples.rotation), samples.stamp
        omega = angular_velocity(stamp, R)
        path = np.einsum("nij,nj->ni", samples.rotation, samples.linear_acceleration)
        return replace(
            samples,
            rotation=R,
            angular_velocity=omega,
            angular_acceleration=np.gradient(omega, stamp, axis=0),
            linear_acceleration=np.einsum("nji,nj->ni", R, path),
        )

    return changed


def _in_sensor(samples: WrenchSamples, _: Array) -> WrenchSamples:
    """Return a wrench in the world's axes in those of the sensor."""
    return samples.with_wrench((samples.wrench.reshape(-1, 2, 3) @ samples.rotation).reshape(-1, 6))
