r"""Torque that comes and goes with the joint's angle: teeth, magnets, wave generators.

A ripple of at most A with k cycles in a turn is, whatever its phase,

    a sin(k q) + b cos(k q),    a^2 + b^2 <= A^2,

two columns for each joint. A zero of the encoder that is off turns (a, b), which changes nothing;
positions that err by e move it by at most A min(k e, 2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Array
from ....errors import InputError
from ...nuisance import Effect, NuisanceBlock
from .stated import Stated, Window


@dataclass(frozen=True)
class TorqueRipple(NuisanceBlock[Window]):
    """A ripple of each joint's torque: a, then b.

    Attributes:
        wave_number: Phase over position, shape (n,) [rad/rad or rad/m].
        position: Error of the positions at each sample, shape (n,) [rad or m].
    """

    wave_number: Array
    position: Array

    @classmethod
    def of(cls, stated: Stated) -> TorqueRipple:
        """Return it as it is stated."""
        size, position = stated.each("torque_ripple"), stated.each("position_error")
        names = stated.names("torque_ripple_sin", "torque_ripple_cos")
        none = np.zeros(len(names))
        return cls(names, none, np.tile(size, 2), wave_number(stated), position)

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        phase, size = self.wave_number * window.samples.q, self.half_width[: len(self.position)]
        moved = np.minimum(self.wave_number * self.position, 2.0)
        left_out = size * moved * float(window.weight.sum())
        return Effect.of_channels([window.weight @ f(phase) for f in (np.sin, np.cos)], left_out)


def wave_number(stated: Stated) -> Array:
    """Return the phase of each joint's ripple over its position, shape (n,) [rad/rad or rad/m].

    Raises:
        InputError: A joint has no cycles, or turns without limits through a part of a cycle.
    """
    cycles, model = stated.with_scale("torque_ripple", "ripple_cycles"), stated.model
    for j in np.flatnonzero(stated.each("torque_ripple")):
        if model.continuous[j] and cycles[j] != round(cycles[j]):
            raise InputError(
                f"Uncertainty 'ripple_cycles' of {model.joints[j]} must be a whole number, since "
                f"its positions start anew after each turn; found {cycles[j]:g}. Leave its ripple "
                "to 'torque_absolute'."
            )
    turning = model.revolute
    return np.where(turning, cycles, 2.0 * np.pi * cycles)
