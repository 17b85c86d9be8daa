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
from .constant_error import Effect, Window


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
