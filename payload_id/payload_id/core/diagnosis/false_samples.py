"""What of samples cannot be, whatever the payload; and why most of them are left out as false."""

from __future__ import annotations

from collections.abc import Sequence

from ..rows.gate import note_of
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.torques_seen import TorquesSeen
from ..samples.joint_samples import Samples
from .hypotheses.joint_order import JointOrder
from .hypotheses.units import Units
from .hypotheses.velocity import Velocity, other_velocities
from .hypothesis import NOTHING, Finding, Recorded
from .window_buffer import WindowBuffer

EXPLANATIONS = Units(), Velocity(), JointOrder()
MOST, ALL = 0.5, 0.98  # parts of the samples that are left out, and that must be let through
FIRST_SAMPLES = 2000  # of a run that are looked at
NAMED = 3  # explanations
TWICE = "torque read twice"


def why_false(source: MomentumRows, samples: Samples, pause: float) -> str:
    """Return what would make most samples true; empty if few are false, or nothing would.

    Args:
        source: What makes rows of such samples.
        samples: Of a run as they came, with the false ones.
        pause: Longest time between samples over which rows integrate [s].
    """

    def let_through(some: Samples) -> float:
        return len(source.gate(pause).let_through(some)) / len(some)

    if not len(samples) or let_through(samples) >= 1.0 - MOST:
        return ""
    for hypothesis in EXPLANATIONS:
        found = []
        for reading in hypothesis.readings(Recorded(source, [samples], pause)):
            changed = reading.of_samples(samples, NOTHING)
            if let_through(changed) >= ALL:
                found.append(reading.words(NOTHING)[0])
        if found:
            return _sentence(found)
    return ""


def why_no_window(source: MomentumRows, samples: Samples, pause: float) -> str:
    """Say why a run fills no window: what is left out of it as false, or that it is too short.

    Args:
        source: What makes rows of such samples.
        samples: Of the run as they came.
        pause: Longest time between samples over which rows integrate [s].
    """
    first = samples.part(0, FIRST_SAMPLES)
    gate = source.gate(pause)
    gate.let_through(first)
    if not gate.dropped:
        return "Record longer or faster, or give a longer window."
    return " ".join(filter(None, (note_of(gate.dropped), why_false(source, first, pause))))


def false_reading(
    torques: TorquesSeen, windows: WindowBuffer, source: MomentumRows
) -> Finding | None:
    """Return what cannot be, whatever the payload; None if there is nothing.

    Args:
        torques: What is seen of them.
        windows: Of the run.
        source: What makes rows of them.
    """
    if twins := torques.twins(source.channels):
        return Finding(TWICE, float("inf"), 0, twins)
    return other_velocities(windows.stretches(), source.uncertainty, source.channels)


def _sentence(found: Sequence[str]) -> str:
    """Put explanations in words."""
    more = f", or {len(found) - NAMED} others" if len(found) > NAMED else ""
    return f"They would be true if this is so: {'; or: '.join(found[:NAMED])}{more}."
