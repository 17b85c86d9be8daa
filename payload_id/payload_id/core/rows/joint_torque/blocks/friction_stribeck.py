r"""Friction that is larger when slow: s(|dq|) sign(dq), over and above Coulomb friction.

Of s is known: it never rises with speed, s(0) <= S, it falls nowhere faster than S / v_s, and
s(v) <= S exp(-v / v_s) from v_s on. Such are S exp(-(v / v_s)^delta) for delta of 1 to 2.4, and the
line S (1 - v / v_s). With x = |dq| / v_s, s is the line through its values at `KNOTS`, which are
the parameters, and

    |s - line| <= S max_r r (1 - r / D),    0 <= r <= D,  r <= the largest fall in the cell,

in a cell of width D: with a fall r in it, s - line is largest where s falls at its fastest first
and then not at all. Beyond `END` the line is zero. What is not known of the speed counts with the
slope S / v_s; where the direction is not known, all of S does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Array
from ...nuisance import Effect, NuisanceBlock
from .stated import Stated, Window

KNOTS = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0])  # speeds over v_s
END = 5.0


def _largest(x: Array) -> Array:
    """Return the largest s / S at speeds x v_s."""
    return np.where(x < 1.0, 1.0, np.exp(-x))


def _cell_error() -> float:
    """Return the largest |s - line| / S between knots."""
    ends = np.append(KNOTS, END)
    width = np.diff(ends)
    fall = np.minimum(_largest(KNOTS), width / 2.0)
    return float((fall * (1.0 - fall / width)).max() + np.exp(-END))


CELL_ERROR = _cell_error()


@dataclass(frozen=True)
class FrictionStribeck(NuisanceBlock[Window]):
    """What slow joints have of friction beside Coulomb and viscous: its values at the knots.

    Attributes:
        size: S, shape (n,) [N m or N].
        speed: v_s, shape (n,) [rad/s or m/s].
        slow: Speed below which the direction is not known, shape (n,) [rad/s or m/s].
        speed_error: Of the measured velocities, shape (n,) [rad/s or m/s].
    """

    size: Array
    speed: Array
    slow: Array
    speed_error: Array

    @classmethod
    def of(cls, stated: Stated) -> FrictionStribeck:
        """Return it as it is stated; a knot is named in per cent of v_s."""
        size = stated.each("friction_stribeck")
        half = np.outer(_largest(KNOTS), size / 2).ravel()
        return cls(
            stated.names(*(f"friction_stribeck_{100 * knot:.0f}" for knot in KNOTS)), half, half,
            size=size,
            speed=stated.with_scale("friction_stribeck", "stribeck_velocity"),
            slow=stated.slow,
            speed_error=stated.each("velocity_error"),
        )  # fmt: skip

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        dq = window.samples.dq
        scale = np.where(self.size > 0.0, self.speed, 1.0)
        x, unsure = np.abs(dq) / scale, self.speed_error / scale
        known = np.abs(dq) > self.slow
        sign = np.where(known, np.sign(dq), 0.0)
        near = CELL_ERROR + np.minimum(unsure, 1.0)
        left = np.where(x - unsure < END, near, np.exp(-np.maximum(x - unsure, END)))
        left_out = self.size * (window.weight @ np.where(known, left, 1.0))
        columns = [window.weight @ (sign * share) for share in _shares(x)]
        return Effect.of_channels(columns, left_out)


def _shares(x: Array) -> Array:
    """Return the functions that are 1 at one knot and 0 at the others, shape (knots, N, n)."""
    ends = np.append(KNOTS, END)
    unit = np.eye(len(ends))[: len(KNOTS)]
    return np.stack([np.interp(x, ends, values) for values in unit])
