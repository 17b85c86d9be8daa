"""Gravity is not where the description has it: a ceiling, a wall, a tilted base; or taken out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ...arm.arm_model import STANDARD_GRAVITY
from ...arrays import Array
from ...rows.joint_torque.momentum import MomentumRows
from ...samples.wrench_samples import WrenchSamples
from ..hypothesis import Error, Hypothesis, Reading, Recorded, told
from ..identified_mass import IdentifiedMass

REACH = np.full(2, 0.5)  # of a round [parts of gravity]
Toward = Callable[[Array], Array]  # gravity, shape (3,), from two numbers across a direction [m/s2]

COMPENSATED = (
    "What is measured is without the weight of what is carried, compensated for gravity",
    "record it as it is",
)


class Gravity(Hypothesis):
    """Gravity of the stated size in any direction; or none."""

    name = "gravity direction"
    assumption = "gravity as stated"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        yield from hanging(recorded)
        yield Reading(told(*COMPENSATED), source=_of_arm(_nowhere))

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
        for reading, toward in _any_direction(np.array(recorded.stretches[0].gravity)):
            yield replace(reading, samples=_of_sensor(toward))
        yield Reading(told(*COMPENSATED), _of_sensor(_nowhere))


def hanging(recorded: Recorded) -> Iterator[Reading]:
    """Give readings of an arm that is mounted otherwise than stated."""
    for reading, toward in _any_direction(recorded.source.model.gravity):
        yield replace(reading, source=_of_arm(toward))


def _of_arm(toward: Toward) -> Callable[[MomentumRows, Array], MomentumRows]:
    """Return what makes rows of the arm in another gravity."""
    return lambda source, value: replace(source, model=replace(source.model, gravity=toward(value)))


def _of_sensor(toward: Toward) -> Callable[[WrenchSamples, Array], WrenchSamples]:
    """Return what gives samples the proper acceleration that they have in another gravity."""

    def changed(samples: WrenchSamples, value: Array) -> WrenchSamples:
        more = samples.gravity_in_sensor - toward(value) @ samples.rotation
        return replace(samples, linear_acceleration=samples.linear_acceleration + more)

    return changed


def _any_direction(stated: Array) -> Iterator[tuple[Reading, Toward]]:
    """Give gravity of the stated size, found from the stated direction and from the axes."""
    size = float(np.linalg.norm(stated) or np.linalg.norm(STANDARD_GRAVITY))
    for start in (stated, *np.eye(3), *-np.eye(3)):
        if start.any():
            toward = partial(_toward, start / np.linalg.norm(start), size)
            words = partial(_words, stated, toward)
            yield Reading(words, value=np.zeros(2), reach=REACH, free=2), toward


def _toward(start: Array, size: float, value: Array) -> Array:
    """Return gravity of a size along a unit vector and two numbers across it."""
    along = start + value @ np.linalg.svd(start[None])[2][1:]
    return np.asarray(size * along / np.linalg.norm(along))


def _nowhere(value: Array) -> Array:
    return np.zeros(3)


def _words(stated: Array, toward: Toward, value: Array) -> tuple[str, str]:
    """Say how gravity differs from what is stated."""
    found = toward(value)
    what = f"Gravity seems to be ({', '.join(f'{x:.2f}' for x in found)}) m/s2 in the base's axes"
    size = float(np.linalg.norm(stated) * np.linalg.norm(found))
    if size > 0.0:
        angle = float(np.rad2deg(np.arccos(np.clip(stated @ found / size, -1.0, 1.0))))
        what += f", {angle:.3g} deg off what is stated (a ceiling, a wall, a tilted base)"
    return what, (
        "state 'gravity' in the robot file as the arm is mounted, level the base, or state a "
        "larger gravity_error"
    )
