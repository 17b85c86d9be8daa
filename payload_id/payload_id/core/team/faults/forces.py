r"""Whose forces are false, where no payload explains them.

That is asked where no payload explains the forces within all bounds: with frames anywhere within
what is proved of them, or as far off as they likely may be. In the second case nothing contradicts
what is stated, but no number counts until somebody has looked. Where some payload explains them
nobody is blamed, whatever else explains them better.

Hypotheses of each robot, each with what some payload leaves of the rows under it:

- nothing is known of its force, or of those axes of its wrench that stand still: they are taken out
  of every window, which of a force leaves the moments about its grasp;
- there is a factor on all it shows: one more unknown.

A robot is named if one of its hypotheses leaves no more than errors, and clearly less than those of
every other robot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, BoolArray
from ...body.inertial import skew
from ...identification.status import times_as_large
from ..estimate import Fault, Finding
from ..rows import DEVIATIONS, UNIFORM
from ..window_series import GRAVITY
from .evidence import Evidence, is_explained, turns

LEAST_WINDOWS = 8
EXPLAINED = 1.5  # deviations that a hypothesis may leave: those of errors at their bounds, sqrt(3)
CLEARLY = 0.3  # of what all others leave, down to which the best one leads
LEAST_PART = 0.01  # of all forces, that is not looked at
VANISHED = 0.05  # part of all forces, below which a hypothesis has made them vanish
SLIGHT = 0.1  # of all forces, above which a bound lets a sensor show nothing
INVERTED, NEARLY_NONE = -0.5, 0.2  # factors below which a sign is wrong, and no scale explains it
SAME = 1e-9  # relative, within which readings are one and the same
LOOK = " Until somebody has looked no number counts."


@dataclass(frozen=True)
class Told:
    """What forces tell.

    Attributes:
        findings: Whose are false, or may be.
        doubtful: Whether nothing of the payload counts until somebody has looked.
    """

    findings: list[Finding]
    doubtful: bool = False


@dataclass(frozen=True)
class Hypothesis:
    """What would explain the forces.

    Attributes:
        robot: Number of the robot whose forces would be false.
        left: What some payload leaves of the rows, in parts of their errors' deviations.
        finding: What to say then.
    """

    robot: int
    left: float
    finding: Finding


def of_forces(e: Evidence) -> Told:
    """Return whose forces are none, or are false."""
    if found := _faint(e):
        return Told(found, doubtful=True)
    if is_explained(e):
        return Told([])
    return Told(_silent_stretch(e) or _named(e), doubtful=e.found.consistent)


def _named(e: Evidence) -> list[Finding]:
    """Return whose forces explain what no payload does; that nobody's do, where that is a doubt."""
    if len(e.windows) < LEAST_WINDOWS or not exerts(e):
        return [_all_inverted(e)] if _all_pull_down(e) else []
    rows, error, p = _rows_of(e)
    x, left = _fitted(rows, error, p)
    if x[0] < 0.0 and left < EXPLAINED:
        return [_all_inverted(e)]
    every = [h for i in range(len(e.names)) for h in _hypotheses(e, i, rows, error, p)]
    best = min(every, key=lambda h: h.left, default=None)
    if best is not None and best.left < EXPLAINED:
        others = [h.left for h in every if h.robot != best.robot]
        alone = _fitted(rows[:, :3], error[:, :3], p)[1]  # moments are false instead
        if best.left < CLEARLY * min([*others, left, alone]):
            own = (h for h in every if h.robot == best.robot and h.left < EXPLAINED)
            return [next(own).finding]  # that of the fewest numbers
    if not e.found.consistent:
        return []
    times = times_as_large(e.likely) if np.isfinite(e.likely) else "larger than any"
    return [
        Finding(
            Fault.UNKNOWN, (),
            "Forces fit no payload where the robots most likely hold it: their bounds would have "
            f"to be {times}, and no single robot's forces explain them. Look at each sensor: axes, "
            f"signs, an axis that stands still, saturation, what else touches the payload.{LOOK}",
        )
    ]  # fmt: skip


def _hypotheses(e: Evidence, i: int, rows: Array, error: Array, p: int) -> Iterator[Hypothesis]:
    """Yield what may be false of robot i's forces."""
    held = e.windows.present[i] & e.windows.holding[i]
    own = e.rows.wrench_of(e.windows, i)
    if np.count_nonzero(held) < LEAST_WINDOWS or not own.any():
        return
    name, doubt = e.names[i], LOOK if e.found.consistent else ""
    free = np.concatenate([rows[..., :-1], -own[..., None], rows[..., -1:] - own[..., None]], 2)
    x, left = _fitted(free, error, p)
    if x[0] * GRAVITY > VANISHED * exerts(e):
        fault = Fault.FORCE_INVERTED if x[-1] < INVERTED else Fault.FORCE_FALSE
        yield Hypothesis(
            i, left, Finding(fault, (name,), f"The forces of {name} fit {_fit(x[-1])}{doubt}")
        )
    if np.linalg.norm(rows[..., -1] - own) <= VANISHED * np.linalg.norm(own):
        return  # nobody else exerts anything
    still = _still(e.windows.wrench[i][held]) & turns(e)
    axes = np.flatnonzero(still) if still.any() else np.arange(3)
    along = " and ".join(np.array(["x", "y", "z"])[still[:3]])
    if still[:3].all():
        said = (
            f"The forces of {name} do not change while the payload moves, and payloads explain "
            "those of the others much better: its sensor or driver stands still. Have it measure, "
            "or, if it exerts nothing, say that it left."
        )
    elif still.any():
        said = (
            f"The force of {name} along {along} of its grasp frame does not change while the "
            "payload moves, and payloads explain all forces but that one much better: an axis of "
            "its sensor seems to be dead."
        )
    else:
        said = (
            f"The forces of {name} fit none of the others', whatever the payload; moments about "
            "its grasp, which do not know them, fit: check each axis, sign and bias of its sensor, "
            "and since when it shows something else."
        )
    left = _without(e, i, axes, rows, error, p)
    yield Hypothesis(i, left, Finding(Fault.FORCE_FALSE, (name,), said + doubt))


def _fit(factor: float) -> str:
    """Return how forces with a factor fit, and what to look at."""
    if factor < INVERTED:
        return (
            "with the opposite sign: its sensor is inverted. Samples hold the force on the payload."
        )
    if abs(factor) < NEARLY_NONE:
        return (
            "best if they count next to nothing: check their axes and signs, its orientation, and "
            "whether it still holds the payload."
        )
    return (
        f"if they are {factor:.2f} times as large as it says: check its scale, whether it still "
        "holds the payload, and what else touches it."
    )


def _still(wrench: Array) -> BoolArray:
    """Return along which axes readings are the same to all digits, shape (6,)."""
    sizes = np.abs(wrench).reshape(len(wrench), 2, 3).max(axis=(0, 2))
    still = np.ptp(wrench, axis=0) <= SAME * np.repeat(sizes, 3)
    still[3:] &= still[:3].all() and wrench[:, 3:].any()  # moments of a whole sensor, too
    return np.asarray(still)


def exerts(e: Evidence) -> float:
    """Return the mean size of the vertical force of all robots together [N]."""
    return float(np.abs(e.forces.lift.sum(axis=0)).mean())


def _rows_of(e: Evidence) -> tuple[Array, Array, int]:
    """Return rows with their right side, bounds on their errors, and the number of nuisances.

    Errors are those of the bounds, and what frames may be off by.
    """
    block, frames, bounds = e.rows.of_estimate(e.windows), e.rows.frames, e.rows.bounds
    error, here = block.d.reshape(-1, 6).copy(), e.windows.present & e.windows.holding
    variance = np.diagonal(frames.covariance, axis1=1, axis2=2)
    moved = DEVIATIONS * np.sqrt(np.maximum(variance, 0.0))
    for i in np.flatnonzero(frames.known):
        size = np.linalg.norm(e.windows.wrench[i], axis=1) * here[i]
        far = float(np.linalg.norm(frames.position[i]))
        turn = sum(b.orientation + b.tilt for b in (bounds[0], bounds[i]))
        turn += float(np.linalg.norm(moved[i, :3]))
        place = bounds[0].position + bounds[i].position + float(np.linalg.norm(moved[i, 6:9]))
        error[:, :3] += (turn * size)[:, None]
        error[:, 3:] += ((place + far * turn + turn) * size)[:, None]
    least, reach = LEAST_PART * exerts(e), float(np.max(np.abs(frames.position[frames.known])))
    error = np.maximum(error, np.repeat([least, least * reach], 3))
    rows = np.hstack([block.A, block.B, block.b[:, None]]).reshape(len(error), 6, -1)
    return rows, error, block.B.shape[1]


def _without(e: Evidence, i: int, axes: Array, rows: Array, error: Array, p: int) -> float:
    """Return what some payload leaves of the rows where axes of robot i's wrench are not known."""
    X, place = e.rows.frames.rotation[i], e.rows.frames.position[i]
    wrench = np.block([[X, np.zeros((3, 3))], [skew(place) @ X, X]])[:, axes]
    weight = _weight_of(error)[..., None]
    each = rows * weight
    out, _ = np.linalg.qr(weight * wrench)
    each = each - out @ (np.swapaxes(out, 1, 2) @ each)
    return _fitted(each, np.full(error.shape, UNIFORM), p)[1]


def _weight_of(error: Array) -> Array:
    """Return one over the deviation of errors within bounds."""
    return np.asarray(UNIFORM / np.maximum(error, 0.05 * np.median(error)))


def _fitted(rows: Array, error: Array, p: int) -> tuple[Array, float]:
    """Return what fits rows best, and what that leaves in parts of their errors' deviations.

    Of any mass: moments about a grasp do not know it, since a point there adds none.

    Args:
        rows: Columns of phi, of p nuisance parameters, which stay in their boxes, of others, then
            the right side, of shape (W, k, n + 1).
        error: Bounds on the errors, shape (W, k).
        p: Number of nuisance parameters.
    """
    weighted = (rows * _weight_of(error)[..., None]).reshape(-1, rows.shape[2])
    boxes = np.zeros((p, rows.shape[2]))
    boxes[:, 10 : 10 + p] = UNIFORM * np.eye(p)
    stacked = np.vstack([weighted, boxes])
    A, b = stacked[:, :-1], stacked[:, -1]
    x, *_ = np.linalg.lstsq(A, b, rcond=1e-10)
    return x, float(np.sqrt(np.sum((A @ x - b) ** 2) / len(weighted)))


def _all_inverted(e: Evidence) -> Finding:
    """Return that the forces of all robots have the wrong sign."""
    return Finding(
        Fault.FORCE_INVERTED, tuple(e.names),
        "The forces of all robots together pull the payload down, and fit with the opposite sign. "
        "Samples hold the force on the payload, not the one on the robot.",
    )  # fmt: skip


def _all_pull_down(e: Evidence) -> bool:
    """Tell whether every robot says that it pulls the payload down, by more than its error."""
    held = e.forces.holding & e.forces.present
    if np.count_nonzero(held.all(axis=0)) < LEAST_WINDOWS:
        return False
    pull = np.where(held, e.forces.lift + e.forces.lift_error, 0.0)
    return bool((pull.sum(axis=1) < 0.0).all())


def _within_errors(e: Evidence) -> BoolArray:
    """Return where no robot that holds the payload shows more force than errors may be, (N, W)."""
    bias = np.array([bound.force_bias for bound in e.rows.bounds])[:, None, None]
    within = np.abs(e.forces.wrench[..., :3]) <= e.forces.wrench_error[..., :3] + bias
    return np.asarray(within.all(axis=2) | ~(e.forces.present & e.forces.holding))


def _faint(e: Evidence) -> list[Finding]:
    """Return who holds the payload, and shows no more force than errors may be; all of them."""
    held, within = e.forces.present & e.forces.holding, _within_errors(e)
    if len(e.forces) and within.all():
        return [
            Finding(
                Fault.NO_FORCE, tuple(e.names),
                "No robot shows more force than its own error may be: nobody carries anything, or "
                "no sensor shows anything. Look at the sensors and what publishes them; until "
                "there is some force no number counts.",
            )
        ]  # fmt: skip
    found = []
    for i in np.flatnonzero(within.all(axis=1) & held.any(axis=1)).tolist():
        error = e.forces.wrench_error[i][held[i], :3] + e.rows.bounds[i].force_bias
        if error.mean() <= SLIGHT * exerts(e):
            said = (
                f"The forces of {e.names[i]} are never more than their own error may be, while the "
                "others carry the payload: it exerts nothing, or its sensor shows nothing, and "
                "these data do not tell which. If it exerts nothing, say that it left; until then "
                "no number counts."
            )
            found.append(Finding(Fault.NO_FORCE, (e.names[i],), said))
    return found


def _silent_stretch(e: Evidence) -> list[Finding]:
    """Return that no robot shows any force for some time, and some payload explains no forces."""
    edges = np.diff(_within_errors(e).all(axis=0), prepend=False, append=False)
    first, last = np.flatnonzero(edges).reshape(-1, 2).T
    if e.found.consistent or not len(first) or (last - first).max() < LEAST_WINDOWS / 2:
        return []
    k = int(np.argmax(last - first))
    begin = float(e.forces.start[first[k]])
    end = float(e.forces.start[last[k] - 1] + e.forces.length[last[k] - 1])
    said = (
        f"From {begin:.1f} s to {end:.1f} s of team time no robot shows more force than its own "
        "error may be, and otherwise some do: nobody held the payload then, or no sensor showed "
        "anything. Say that something touched it in that time, or reset."
    )
    return [Finding(Fault.NO_FORCE, tuple(e.names), said, begin)]
