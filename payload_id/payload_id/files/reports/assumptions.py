"""What a result rests on: stated bounds in words, and how far data are from breaking them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.body.payload_prior import PayloadPrior
from ...core.number_format import short
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ..configuration.meanings import meanings_of
from .kept_run import KeptRun

# Entries that say how others are meant, and are no assumption where those are zero.
SIDE = {
    "coverage": "torque_sigma",
    "stribeck_velocity": "friction_stribeck",
    "ripple_cycles": "torque_ripple",
    "sigma_factor": "force_sigma",
    "correlation_time": "force_sigma",
}


@dataclass(frozen=True)
class Assumption:
    """One thing that must be true for the intervals to hold.

    Attributes:
        name: Key in the robot file; empty for what has none.
        text: What is assumed.
        stated: How much.
    """

    name: str
    text: str
    stated: str


def assumptions_of(run: KeptRun) -> tuple[Assumption, ...]:
    """Return all that was stated of sensors, links and payload, but what is known exactly."""
    stated, found = run.uncertainty, []
    default, of_joints = type(stated)(), isinstance(stated, Uncertainty)
    for entry in (entry for entry in fields(stated) if entry.init):
        value, partner = getattr(stated, entry.name), SIDE.get(entry.name)
        idle = partner is not None and not np.any(getattr(stated, partner))
        if entry.name == "prior" or idle or not np.any(value):
            continue
        if entry.name == "stiction_velocity" and value == getattr(default, entry.name):
            continue
        if of_joints:
            text, unit = _of_joints(run, entry.name)
        else:
            text, unit = entry.name.replace("_", " "), meanings_of(WrenchUncertainty)[entry.name][1]
        found.append(Assumption(entry.name, text, _size(unit, value)))
    return (*found, *_of_payload(run, stated.prior))


def use_sentence(run: KeptRun) -> str:
    """Return how near the data come to breaking the stated bounds, in words."""
    factor = run.bounds_used
    if np.isnan(factor):
        return "There are no data to hold against the stated bounds."
    if not np.isfinite(factor):
        return "No bounds on the data, however large, would make them consistent."
    if factor > 1.0:
        return (
            f"The data break the stated bounds: all of them would have to be {factor:.3g} times as "
            "large. The intervals do not hold."
        )
    return (
        f"The data need {short(100 * factor)} % of the stated bounds on what was measured, at the "
        "least: nothing in them contradicts what was assumed. This is no proof: an error that "
        "looks like a payload needs no part of the bounds."
    )


def _of_payload(run: KeptRun, prior: PayloadPrior) -> list[Assumption]:
    """Return what was stated of the payload, and what was known of the arm beforehand."""
    file = run.file
    found = [
        Assumption("prior", "largest mass of the payload", f"{prior.mass_max:g} kg"),
        Assumption("prior", "all of it is within", f"{1e3 * prior.com_max:g} mm"),
    ]
    if file.settings.shape is not None:
        found.append(Assumption("shape", "the payload lies within the stated shape", "stated"))
    if names := file.settings.knowledge.names:
        found.append(Assumption("knowledge", "stated of the payload", ", ".join(names)))
    for name, text in (
        ("tare", "runs without payload, with the same arm and tool"),
        ("calibration", "an earlier calibration of the same arm"),
        ("history", "runs of the same arm with known weights"),
    ):
        if getattr(file, name) is not None:
            found.append(Assumption(name, text, "used"))
    gravity = f"({', '.join(f'{x:g}' for x in file.gravity)}) m/s²"
    return [*found, Assumption("gravity", "gravity in the base frame", gravity)]


def _of_joints(run: KeptRun, name: str) -> tuple[str, str]:
    """Return what a bound of joint torques is of, and its unit."""
    text, unit = meanings_of(Uncertainty)[name]
    return text, unit.split(" or ")[0] if run.revolute.all() else unit


def _size(unit: str, value: Any) -> str:
    """Return a bound with its unit; the smallest and largest of several."""
    numbers: Array = np.ravel(np.asarray(value, dtype=float))
    if unit == "-":
        numbers, unit = 100.0 * numbers, "%"
    low, high = numbers.min(), numbers.max()
    text = f"{high:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
    return f"{text} {unit.replace('m2', 'm²').replace('s2', 's²')}".strip()
