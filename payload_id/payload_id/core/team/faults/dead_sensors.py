"""Sensors of forces that show nothing, or whose readings stand still."""

from __future__ import annotations

import numpy as np

from ..estimate import Fault, Finding
from .evidence import Evidence, turns
from .unexplained import LEAST_WINDOWS, exerts, unexplained

SLIGHT = 0.1  # of all forces, above which a bound lets a sensor show nothing
DIGITS = 1e-9  # relative, within which readings are one and the same
SOME = (
    0.3  # left by payloads, in parts of errors' deviations, of which a dead axis may be the cause
)
MUCH_BETTER = 0.3  # of a residual, from which on a dead axis is believed to cause it
NOBODY = (
    "No robot shows more force than its own error may be: nobody carries anything, or no sensor "
    "shows anything. Look at the sensors and what publishes them; until there is some force no "
    "number counts."
)
STANDS_STILL = (
    "The force of {name} along {axis} of its grasp frame does not change while the payload moves, "
    "and payloads explain all forces but that one well: the sensor's axis seems to be dead. Until "
    "somebody has looked no number counts."
)


def silent_team(e: Evidence) -> list[Finding]:
    """Return that no robot shows any force."""
    if not len(e.forces) or not all(_is_within_error(e, i) for i in range(len(e.names))):
        return []
    return [Finding(Fault.NO_FORCE, tuple(e.names), NOBODY)]


def standing_still(e: Evidence) -> list[Finding]:
    """Return whose forces do not change while the payload moves, to the last digits."""
    return [finding for i in range(len(e.names)) if (finding := _unchanging(e, i))]


def faint(e: Evidence) -> list[Finding]:
    """Return who holds the payload, and shows no more force than errors may be."""
    return [finding for i in range(len(e.names)) if (finding := _faint(e, i))]


def dead_axes(e: Evidence, left: float) -> list[Finding]:
    """Return whose forces stand still along one axis, and so explain what payloads leave.

    Args:
        e: What is known.
        left: What payloads leave, as `unexplained` has it.
    """
    if left < SOME:
        return []
    return [finding for i, k in _still_axes(e) if (finding := _dead(e, i, k, left))]


def _unchanging(e: Evidence, i: int) -> Finding | None:
    """Return that a robot's forces do not change while the payload moves, to the last digits."""
    held = e.forces.present[i] & e.forces.holding[i]
    force, weight = e.forces.wrench[i][held, :3], e.forces.features[i][held, :3]
    if len(force) < LEAST_WINDOWS or not turns(e):
        return None
    if np.ptp(force, axis=0).max() > DIGITS * float(np.abs(force).max()):
        return None
    error = float(e.forces.wrench_error[i][:, :3].mean())
    turned = float(np.ptp(weight, axis=0).max() / np.linalg.norm(weight, axis=1).max())
    change = turned * float(np.linalg.norm(force[0]))  # of what holds up a part of the weight
    if _is_within_error(e, i) or error > SLIGHT * exerts(e) or change < 2 * error:
        return None  # a sensor may show that little as nothing, within its bound
    return Finding(
        Fault.FORCE_FALSE, (e.names[i],),
        f"The forces of {e.names[i]} do not change while the payload moves: its sensor or driver "
        "stands still. Have it measure, or, if it exerts nothing, say that it left.",
    )  # fmt: skip


def _still_axes(e: Evidence) -> list[tuple[int, int]]:
    """Return robots and axes along which forces stand still, to the last digits, of them alone."""
    found: list[tuple[int, int]] = []
    for i in range(len(e.names)):
        force = e.forces.wrench[i][e.forces.present[i] & e.forces.holding[i], :3]
        if len(force) < LEAST_WINDOWS or not turns(e):
            continue
        still = np.ptp(force, axis=0) <= DIGITS * float(np.abs(force).max())
        found += [(i, int(axis)) for axis in np.flatnonzero(still) if not still.all()]
    return found


def _dead(e: Evidence, i: int, k: int, left: float) -> Finding | None:
    """Return that robot i's force, which stands still along axis k, explains what payloads leave.

    It may be that little; then what is unknown of it explains no more than its part.
    """
    X, p = e.rows.frames.rotation[i], e.rows.frames.position[i]
    along = np.concatenate([X[:, k], np.cross(p, X[:, k])])
    if not np.isfinite(along).all() or unexplained(e, free=along) > MUCH_BETTER * left:
        return None
    sentence = STANDS_STILL.format(name=e.names[i], axis="xyz"[k])
    return Finding(Fault.FORCE_FALSE, (e.names[i],), sentence)


def _faint(e: Evidence, i: int) -> Finding | None:
    """Return that a robot that holds the payload shows no more force than errors may be."""
    held = e.forces.present[i] & e.forces.holding[i]
    if np.count_nonzero(held) < LEAST_WINDOWS or not exerts(e) or not _is_within_error(e, i):
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


def _is_within_error(e: Evidence, i: int) -> bool:
    """Tell whether a robot that holds the payload never shows more force than errors may be."""
    held = e.forces.present[i] & e.forces.holding[i]
    error = e.forces.wrench_error[i][held, :3] + e.rows.bounds[i].force_bias
    return bool((np.abs(e.forces.wrench[i][held, :3]) <= error).all())
