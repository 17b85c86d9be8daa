"""Gravity is not where the description has it: a tilted base, another mounting, compensation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...rows.joint_torque.momentum import MomentumRows
from ...samples.wrench_samples import WrenchSamples
from ..hypothesis import Error, Hypothesis, Reading, Recorded
from ..identified_mass import IdentifiedMass

STEP, REACH = np.full(3, 0.1), np.full(3, 3.0)  # of differences, and of a round [m/s2]


def _in_gravity(source: MomentumRows, value: Array) -> MomentumRows:
    return replace(source, model=replace(source.model, gravity=value))


class Gravity(Hypothesis):
    """Any constant gravity; found from the stated one, from the axes, and from none at all."""

    name = "gravity direction"
    assumption = "gravity as stated"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        for reading in _any_gravity(recorded.source.model.gravity):
            yield replace(reading, source=_in_gravity)

    def errors(self, found: IdentifiedMass) -> Iterator[Error]:
        """See the base class: a tilt about two axes across gravity, to first order."""
        model = found.source.model
        size = float(np.linalg.norm(model.gravity))
        if size == 0.0:
            return
        bodies = np.vstack([model.link_phi, found.phi])
        for direction in np.linalg.svd(model.gravity[None])[2][1:]:
            column = found.column_of_gravity(np.deg2rad(size) * direction, bodies)
            more, less = (
                f"of tilt of gravity toward ({', '.join(f'{x + 0.0:.2g}' for x in toward)})"
                for toward in (direction, -direction)
            )
            yield Error(more, less, column, "deg", 10.0)  # to first order


class WrenchGravity(Hypothesis):
    """The same of a force-torque sensor's motion."""

    name = Gravity.name

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        for reading in _any_gravity(np.array(recorded.stretches[0].gravity)):
            yield replace(reading, samples=_with_gravity)


def _with_gravity(samples: WrenchSamples, value: Array) -> WrenchSamples:
    """Return samples with the proper acceleration that they have in another gravity."""
    more = samples.gravity_in_sensor - value @ samples.rotation
    return replace(samples, linear_acceleration=samples.linear_acceleration + more)


def _any_gravity(stated: Array) -> Iterator[Reading]:
    """Give readings of any gravity, found from several ones."""
    size = float(np.linalg.norm(stated)) or 9.81

    def words(value: Array) -> tuple[str, str]:
        return _words(stated, value)

    for start in (stated, *(size * np.eye(3)), *(-size * np.eye(3)), np.zeros(3)):
        yield Reading(words, value=start, step=STEP, reach=REACH, free=3)


def _words(stated: Array, value: Array) -> tuple[str, str]:
    """Say how gravity differs from what is stated."""
    size, found = float(np.linalg.norm(stated)), float(np.linalg.norm(value))
    what = f"Gravity seems to be ({', '.join(f'{x:.2f}' for x in value)}) m/s2 in the base's axes"
    if size > 0.0 and found > 0.0:
        angle = float(np.rad2deg(np.arccos(np.clip(stated @ value / (size * found), -1.0, 1.0))))
        what += f", {angle:.3g} deg off what is stated and {found / size:.2g} times as large"
    return what, (
        "level the base, or state gravity as it is, or a larger gravity_error; where it has "
        "another size or sign, what is measured may be compensated for it: record it as it is"
    )
