r"""Torque that comes and goes with the joint's angle: teeth, magnets, wave generators.

A ripple of at most A with k cycles in a turn is, whatever its phase,

    a sin(k q) + b cos(k q),    a^2 + b^2 <= A^2,

two columns for each joint. A zero of the encoder that is off turns (a, b), which changes nothing;
positions that err by e move it by at most A min(k e, 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....arrays import Array
from ....errors import InputError
from .nuisance_block import Effect, Stated, Window


@dataclass(frozen=True)
class TorqueRipple:
    """A ripple of each joint's torque.

    Attributes:
        size: Largest amplitude, shape (n,) [N m or N].
        wave_number: Phase over position, shape (n,) [rad/rad or rad/m].
        position: Error of the positions at each sample, shape (n,) [rad or m].
        joints: Names.
    """

    size: Array
    wave_number: Array
    position: Array
    joints: tuple[str, ...]
    of_motion_alone: ClassVar[bool] = False

    @classmethod
    def of(cls, stated: Stated) -> TorqueRipple:
        """Return it as it is stated."""
        size, position = stated.each("torque_ripple"), stated.each("position_error")
        return cls(size, wave_number(stated), position, stated.joints)

    @property
    def names(self) -> tuple[str, ...]:
        """Two for each joint with a ripple."""
        return tuple(
            f"{self.joints[j]}.torque_ripple_{part}"
            for part in ("sin", "cos")
            for j in np.flatnonzero(self.size)
        )

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        phase = self.wave_number * window.samples.q
        columns = self.size * np.stack([window.weight @ f(phase) for f in (np.sin, np.cos)])
        moved = np.minimum(self.wave_number * self.position, 2.0)
        whole = Effect.of_joints(columns, self.size * moved * float(window.weight.sum()))
        return whole.only(np.tile(self.size > 0.0, 2))


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
