"""Samples are in other units: degrees, millimetres, milli-newton-metres, and others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...samples.joint_samples import Samples
from ..causes.cause import Finding
from ..causes.remade_rows import NOTHING, RemadeRows, Unchanged

DEGREE = np.pi / 180.0
LEAST_MOTION = 0.2  # [rad or m] of some joint; a run of less was hardly meant to be one
NO_MOTION = 0.02  # [rad or m] of all joints; a run of less certainly was not


@dataclass(frozen=True)
class OtherUnits(Unchanged):
    """Samples times the units that they are in.

    Attributes:
        sentence: What they are in.
        turn: Unit of the positions of joints that turn [rad].
        slide: Unit of the positions of joints that slide [m].
        turn_rate: Unit of the velocities of joints that turn [rad/s].
        slide_rate: Unit of those of joints that slide [m/s].
        torque: Unit of the torques [N m or N].
        revolute: Which joints turn, shape (n,).
    """

    sentence: str
    revolute: Array
    turn: float = 1.0
    slide: float = 1.0
    turn_rate: float = 1.0
    slide_rate: float = 1.0
    torque: float = 1.0

    def samples(self, samples: Samples, value: Array) -> Samples:
        """Return the samples in SI units."""
        q = samples.q * np.where(self.revolute, self.turn, self.slide)
        dq = samples.dq * np.where(self.revolute, self.turn_rate, self.slide_rate)
        return replace(samples, q=q, dq=dq, tau=samples.tau * self.torque)


def turning(model: ArmModel) -> Array:
    """Return which joints turn, shape (n,)."""
    return np.abs(model.axis_angular).max(axis=1) > 0.0


def made_of_currents(model: ArmModel) -> bool:
    """Tell whether torques are efforts times other factors than signs."""
    return any(abs(abs(k) - 1.0) > 1e-12 for scale in model.effort.values() for k in scale.factor)


def units_of(revolute: Array) -> list[OtherUnits]:
    """Return what samples of an arm may be in."""
    found = [
        OtherUnits(f"Torques are in {name}, not in N m (or N)", revolute, torque=unit)
        for name, unit in (("mN m (or mN)", 1e-3), ("N cm", 1e-2), ("kgf m (or kgf)", 9.80665),
                           ("kgf cm", 0.0980665), ("lbf in", 0.1129848), ("lbf ft", 1.3558179),
                           ("kN m", 1e3))
    ]  # fmt: skip
    if revolute.any():
        found += [
            OtherUnits("Positions and velocities are in degrees, not in radians", revolute,
                       turn=DEGREE, turn_rate=DEGREE),
            OtherUnits("Positions are in degrees, not in radians", revolute, turn=DEGREE),
            OtherUnits("Velocities are in degrees per second", revolute, turn_rate=DEGREE),
            OtherUnits("Velocities are in revolutions per minute", revolute, turn_rate=np.pi / 30),
            OtherUnits("Positions and velocities are in milliradians", revolute,
                       turn=1e-3, turn_rate=1e-3),
        ]  # fmt: skip
    if not revolute.all():
        found += [
            OtherUnits("Positions and velocities of slides are in millimetres, not in metres",
                       revolute, slide=1e-3, slide_rate=1e-3),
            OtherUnits("Positions of slides are in millimetres", revolute, slide=1e-3),
            OtherUnits("Velocities of slides are in millimetres per second", revolute,
                       slide_rate=1e-3),
        ]  # fmt: skip
    return found


class Units:
    """All torques, positions or velocities times a factor that other units have."""

    name = "units"

    def findings(self, remade: RemadeRows) -> Iterator[Finding]:
        """See the protocol."""
        few = remade.few()
        choices = [
            units
            for units in units_of(turning(remade.source.model))
            if units.turn == units.slide == 1.0 or _moves(units, few) > NO_MOTION
        ]
        left = [few.judged(units, NOTHING).factor for units in choices]
        best = choices[int(np.argmin(left))]
        scaled = best.torque != 1.0 and made_of_currents(remade.source.model)
        remedy = "the torque constants that make torques of currents" if scaled else "the driver"
        sentence = f"{best.sentence}: correct {remedy}, or the units of the columns."
        freedoms = 0 if _moves(best, few) > LEAST_MOTION else 2
        yield Finding(self.name, remade.judged(best, NOTHING).factor, freedoms, sentence)


def _moves(units: OtherUnits, remade: RemadeRows) -> float:
    """Return how far a joint moves if samples are in other units [rad or m]."""
    return max(float(np.ptp(units.samples(x, NOTHING).q, axis=0).max()) for x in remade.stretches)
