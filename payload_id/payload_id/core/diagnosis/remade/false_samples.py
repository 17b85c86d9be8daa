"""Why most samples are left out as false: positions or velocities in other units, or order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...rows.gate import note_of
from ...rows.joint_torque.momentum import MomentumRows
from ...samples.differentiation import velocities
from ...samples.joint_samples import Samples
from ..causes.remade_rows import NOTHING, Hypothesis
from .joint_order import OtherOrder, orders_of, sentence_of
from .units import turning, units_of
from .velocity import Differentiated, differences

MOST, ALL = 0.5, 0.98  # parts of the samples that are left out, and that must be let through
MANY = 2000  # samples are looked at
NAMED = 3  # joints, or explanations
OFF = 0.3  # part by which velocities may be off what the positions say


def why_false(source: MomentumRows, samples: Samples, pause: float) -> str:
    """Return what would make most samples true; empty if few are false, or nothing would.

    Args:
        source: What makes rows of such samples.
        samples: Of a run as they came, with the false ones.
        pause: Longest time between samples over which rows integrate [s].
    """
    if not len(samples) or _through(source, samples, pause) >= 1.0 - MOST:
        return ""
    found: list[str] = []
    for stage in (_units(source), _velocities(source, samples), _orders(source)):
        for sentence, hypothesis in stage:
            changed = hypothesis.samples(samples, NOTHING)
            if _through(source, changed, pause) >= ALL and _follows(changed):
                found.append(sentence)
        if found:
            break
    return _sentence(found)


def why_no_window(source: MomentumRows, samples: Samples, pause: float) -> str:
    """Say why a run fills no window: what is left out of it as false, or that it is too short.

    Args:
        source: What makes rows of such samples.
        samples: Of the run as they came.
        pause: Longest time between samples over which rows integrate [s].
    """
    first = samples.part(0, MANY)
    gate = source.gate(pause)
    gate.let_through(first)
    if not gate.dropped:
        return "Record longer or faster, or give a longer window."
    return " ".join(filter(None, (note_of(gate.dropped), why_false(source, first, pause))))


def _follows(samples: Samples) -> bool:
    """Tell whether the velocities are about those of the positions: small units pass any gate."""
    true = velocities(samples.stamp, samples.q)
    off = np.linalg.norm(samples.dq - true, axis=0)
    return bool((off <= OFF * np.linalg.norm(true, axis=0) + 1e-6).all())


def _through(source: MomentumRows, samples: Samples, pause: float) -> float:
    """Return the part of the samples that are let through."""
    gate = source.gate(pause)
    return len(gate.let_through(samples)) / len(samples)


def _units(source: MomentumRows) -> Iterator[tuple[str, Hypothesis]]:
    """Give other units of positions and velocities."""
    for units in units_of(turning(source.model)):
        if units.torque == 1.0:
            yield units.sentence, units


def _velocities(source: MomentumRows, samples: Samples) -> Iterator[tuple[str, Hypothesis]]:
    """Give velocities that the positions have."""
    how = "; ".join(differences([samples], source.model.joints)[:NAMED])
    yield f"Velocities are not the derivatives of positions: {how}", Differentiated()


def _orders(source: MomentumRows) -> Iterator[tuple[str, Hypothesis]]:
    """Give other orders of the columns."""
    joints = source.model.joints
    for columns in orders_of(len(joints)):
        order = OtherOrder(columns, torques_only=False)
        yield sentence_of(order, joints).removesuffix("."), order


def _sentence(found: Sequence[str]) -> str:
    """Put explanations in words."""
    if not found:
        return ""
    more = f", or {len(found) - NAMED} others" if len(found) > NAMED else ""
    return f"They would be true if this is so: {'; or: '.join(found[:NAMED])}{more}."
