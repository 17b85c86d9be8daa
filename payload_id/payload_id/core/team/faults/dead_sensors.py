"""Sensors of forces that show nothing, or whose readings stand still."""

from __future__ import annotations

import numpy as np

from ...arrays import Array, BoolArray
from ..estimate import Fault, Finding
from .evidence import Evidence, turns
from .unexplained import LEAST_WINDOWS, MUCH_BETTER, exerts, without

SLIGHT = 0.1  # of all forces, above which a bound lets a sensor show nothing
DIGITS = 1e-9  # relative, within which readings are one and the same
SURELY = 2.0  # deviations of what a force is off, beyond its bound, that are no chance
LEAST_SILENT = 4  # windows, one after the other
NOBODY = (
    "No robot shows more force than its own error may be: nobody carries anything, or no sensor "
    "shows anything. Look at the sensors and what publishes them; until there is some force no "
    "number counts."
)
NOBODY_THEN = (
    "From {begin:.1f} s to {end:.1f} s of team time no robot shows more force than its own error "
    "may be, and otherwise some do: nobody held the payload then, or no sensor showed anything. "
    "Say that something touched it in that time, or reset."
)
DEAD = (
    "The forces of {name} do not change while the payload moves, and payloads explain those of the "
    "others much better: its sensor or driver stands still. Until somebody has looked no number "
    "counts. Have it measure, or, if it exerts nothing, say that it left."
)
DEAD_AXIS = (
    "The force of {name} along {axes} of its grasp frame does not change while the payload moves, "
    "and payloads explain all forces but that one much better: an axis of its sensor seems to be "
    "dead. Until somebody has looked no number counts."
)


def silent_team(e: Evidence) -> list[Finding]:
    """Return that no robot shows any force."""
    if not len(e.forces) or not _within_errors(e).all():
        return []
    return [Finding(Fault.NO_FORCE, tuple(e.names), NOBODY)]


def silent_stretch(e: Evidence) -> list[Finding]:
    """Return that no robot shows any force for some time, and some payload explains no forces."""
    silent = np.concatenate([[False], _within_errors(e).all(axis=0), [False]])
    first, last = np.flatnonzero(np.diff(silent)).reshape(-1, 2).T
    if e.found.consistent or not len(first) or (last - first).max() < LEAST_SILENT:
        return []
    k = int(np.argmax(last - first))
    begin = float(e.forces.start[first[k]])
    end = float(e.forces.start[last[k] - 1] + e.forces.length[last[k] - 1])
    return [
        Finding(Fault.NO_FORCE, tuple(e.names), NOBODY_THEN.format(begin=begin, end=end), begin)
    ]


def standing_still(e: Evidence, left: float) -> list[Finding]:
    """Return whose forces stand still, in whole or along an axis, and so explain what is left.

    Args:
        e: What is known.
        left: What payloads leave, as `unexplained` has it.
    """
    if not left or not turns(e):
        return []
    return [finding for i in range(len(e.names)) if (finding := _standing_still(e, i, left))]


def faint(e: Evidence) -> list[Finding]:
    """Return who holds the payload, and shows no more force than errors may be."""
    return [finding for i in range(len(e.names)) if (finding := _faint(e, i))]


def _standing_still(e: Evidence, i: int, left: float) -> Finding | None:
    """Return that robot i's force, which stands still along some axes, explains what is left.

    It may honestly be that little, or constant: so it must be off by more than it may, as the
    others tell.
    """
    held = e.forces.present[i] & e.forces.holding[i]
    wrench = e.forces.wrench[i][held]
    if np.count_nonzero(held) < LEAST_WINDOWS or not e.rows.frames.known[i]:
        return None
    still = np.ptp(wrench, axis=0) <= DIGITS * np.repeat(_sizes(wrench), 3)
    whole = bool(still[:3].all())
    still[3:] &= whole & wrench[:, 3:].any()  # moments of a sensor that stands still do so, too
    axes = np.flatnonzero(still)
    if not len(axes):
        return None
    explained, off, deviation = without(e, i, axes)
    here = e.windows.present[i] & e.windows.holding[i]
    bound = e.windows.wrench_error[i][here][:, axes]
    bound = bound + np.where(axes < 3, e.rows.bounds[i].force_bias, 0.0)
    beyond = np.abs(off[here]).mean(axis=0) > (bound + SURELY * deviation[here]).mean(axis=0)
    if explained > MUCH_BETTER * left or not beyond.any():
        return None
    sentence = DEAD if whole else DEAD_AXIS
    along = " and ".join(np.array(["x", "y", "z"])[still[:3]])
    sentence = sentence.format(name=e.names[i], axes=along)
    return Finding(Fault.FORCE_FALSE, (e.names[i],), sentence)


def _sizes(wrench: Array) -> Array:
    """Return the largest force and the largest moment of wrenches, shape (2,)."""
    return np.asarray(np.abs(wrench).reshape(len(wrench), 2, 3).max(axis=(0, 2)))


def _faint(e: Evidence, i: int) -> Finding | None:
    """Return that a robot that holds the payload shows no more force than errors may be."""
    held = e.forces.present[i] & e.forces.holding[i]
    if not held.any() or not exerts(e) or not _within_errors(e)[i].all():
        return None
    error = e.forces.wrench_error[i][held, :3] + e.rows.bounds[i].force_bias
    if error.mean() > SLIGHT * exerts(e):
        return None
    return Finding(
        Fault.NO_FORCE, (e.names[i],),
        f"The forces of {e.names[i]} are never more than their own error may be, while the others "
        "carry the payload: it exerts nothing, or its sensor shows nothing, and these data do not "
        "tell which. If it exerts nothing, say that it left; until then no number counts.",
    )  # fmt: skip


def _within_errors(e: Evidence) -> BoolArray:
    """Return where no robot that holds the payload shows more force than errors may be, (N, W)."""
    bias = np.array([bound.force_bias for bound in e.rows.bounds])[:, None, None]
    within = np.abs(e.forces.wrench[..., :3]) <= e.forces.wrench_error[..., :3] + bias
    return np.asarray(within.all(axis=2) | ~(e.forces.present & e.forces.holding))
