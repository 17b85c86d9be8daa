"""Samples are in other units: degrees, millimetres, milli-newton-metres, and others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...samples.joint_samples import Samples
from ...samples.wrench_samples import WrenchSamples
from ..hypothesis import NOTHING, Hypothesis, Reading, Recorded, told
from .velocity import follow_positions

LEAST_MOTION = 0.2  # [rad or m] of some joint; a run of less was hardly meant to be one
TORQUES = {  # in N m, or N
    "mN m (or mN)": 1e-3, "N cm": 1e-2, "kgf m (or kgf)": 9.80665, "kgf cm": 0.0980665,
    "lbf in": 0.1129848, "lbf ft": 1.3558179, "kN m": 1e3,
}  # fmt: skip
# Positions and velocities of joints that turn in rad, rad/s, and of those that slide in m, m/s.
TURNING = {
    "Positions and velocities are in degrees, not in radians": (np.pi / 180, np.pi / 180),
    "Positions are in degrees, not in radians": (np.pi / 180, 1.0),
    "Velocities are in degrees per second": (1.0, np.pi / 180),
    "Velocities are in revolutions per minute": (1.0, np.pi / 30),
    "Positions and velocities are in milliradians": (1e-3, 1e-3),
}
SLIDING = {
    "Positions and velocities of slides are in millimetres, not in metres": (1e-3, 1e-3),
    "Positions of slides are in millimetres": (1e-3, 1.0),
    "Velocities of slides are in millimetres per second": (1.0, 1e-3),
}


class Units(Hypothesis):
    """All torques, positions or velocities times a factor that other units have."""

    name = "units"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        model = recorded.source.model
        scaled = any(abs(abs(k) - 1.0) > 1e-12 for x in model.effort.values() for k in x.factor)
        driver, columns = "correct the driver", "or the units of the columns"
        made = "correct the torque constants that make torques of currents" if scaled else driver
        for name, size in TORQUES.items():
            what = (
                f"Torques are in {name}, not in N m (or N), or all masses of the description are "
                f"{size:.3g} times what they should be"
            )
            remedy = (
                f"{made}, {columns}, or weigh the links (mass_factor): torques do not tell which"
            )
            yield Reading(told(what, remedy), _scaled(1.0, 1.0, size))
        turn = model.revolute
        for table, here in ((TURNING, turn), (SLIDING, ~turn)):
            for what, (way, rate) in table.items() if here.any() else ():
                in_si = _scaled(np.where(here, way, 1.0), np.where(here, rate, 1.0))
                changed = [in_si(stretch, NOTHING) for stretch in recorded.stretches]
                if _plausible(changed, LEAST_MOTION if way != 1.0 else 0.0):
                    yield Reading(told(what, f"{driver}, {columns}"), in_si)


class WrenchUnits(Hypothesis):
    """Torques of a force-torque sensor in other units than its forces; all of it looks heavier."""

    name = Units.name

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        for name, size in TORQUES.items():
            unit = name.partition(" (")[0]
            words = told(f"Torques are in {unit}, not in N m", "correct the units of the columns")
            yield Reading(words, _with_torques(size))


def _with_torques(size: float) -> Callable[[WrenchSamples, Array], WrenchSamples]:
    """Return what multiplies the torques of wrenches."""
    return lambda samples, _: samples.with_wrench(samples.wrench * np.repeat([1.0, size], 3))


def _plausible(changed: Sequence[Samples], least: float) -> bool:
    """Tell whether samples in other units move, and their velocities are those of the positions."""
    moved = max(float(np.ptp(x.q, axis=0).max()) for x in changed)
    return moved >= least and all(map(follow_positions, changed))


def _scaled(
    way: Array | float, rate: Array | float, torque: float = 1.0
) -> Callable[[Samples, Array], Samples]:
    """Return what multiplies positions, velocities and torques, n numbers each or one."""
    return lambda samples, _: replace(
        samples, q=samples.q * way, dq=samples.dq * rate, tau=samples.tau * torque
    )
