r"""Whose forces do not fit those of the others, and by what factor.

A factor c on what robot i exerts is one more unknown of the rows; biases and what else is stated
stay inside their boxes. It is believed where it explains nearly all that the rows leave, in parts
of the forces that there are with it, and where (c - 1) f_i is more than the stated bounds let the
robot's forces err: constant and slow errors within the bounds look like a factor, too, but like a
smaller one. Where some payload explains the forces within all bounds it must be more than errors of
frames and motion could make of the rows, too; then it contradicts the bounds. By less than that it
contradicts nothing. But where it leaves what errors leave, and without it more is left than such
errors usually leave with frames where they most likely are, nothing counts until somebody has
looked. Neither does it where no factor explains what is left, and that is more than errors at their
bounds all the time leave, with frames as far off as they likely may be.

Where no factor explains forces that no payload explains (a sensor that turned false in mid-run, one
axis of it, a large bias), moments about robot i's grasp p_i do not know its force at all:

    Y_m phi - p_i x Y_f phi = sum_j (m_j + (p_j - p_i) x f_j),

so that the robot about whose grasp alone some payload explains all moments is the one to look at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...body.inertial import skew
from ..estimate import Fault, Finding
from .evidence import Evidence, turns

MUCH_BETTER = 0.3  # of a residual, from which on a factor on one robot's forces is believed
LEAST_WINDOWS = 8
UNIFORM = np.sqrt(3.0)  # half-width of a box over its standard deviation
CLEAR = 6.0  # deviations of a factor, by errors as large as the bounds, that are no chance
FAKED = 2.0  # times the share of errors in what tells a factor
VANISHED = 0.05  # part of all forces, below which a factor has made them vanish
SLIGHT = 0.1  # of all forces, above which a bound lets a sensor show nothing
DIGITS = 1e-9  # relative, within which readings are one and the same
NEARLY_NONE = 0.2  # a factor below which no scale explains it
EXPLAINED = 1.5  # root mean square of what is left, in parts of the bounds' standard deviations
UNEXPLAINED = 2.0  # likewise, more than errors at their bounds all the time leave
MOVED = 6.0  # deviations of frames from where kinematics put them
LEAST_PART = 0.01  # of all forces, that is not looked at
SOME = 0.3  # likewise, of which a dead axis may be the cause
MUCH = 1.0  # likewise, more than others leave that no factor on one robot's forces explains
INVERTED = -0.5  # a factor below which the sign is wrong
UNKNOWN = (
    "Forces fit no payload where the robots most likely hold it: {left:.1f} times as much is left "
    "as errors at their bounds leave, and no factor on one robot's forces explains it. Look at "
    "each sensor: axes, signs, an axis that stands still, saturation, what else touches the "
    "payload. Until somebody has looked no number counts."
)
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
BY_MOMENTS = (
    "The forces of {name} fit none of the others', whatever the payload; moments about its grasp, "
    "which do not know them, fit: check each axis, sign and bias of its sensor, and since when it "
    "shows something else."
)


@dataclass(frozen=True)
class Told:
    """What forces tell.

    Attributes:
        findings: Whose are false, or may be.
        contradicts: Whether they contradict the bounds.
        doubtful: Whether nothing of the payload counts until somebody has looked.
    """

    findings: list[Finding]
    contradicts: bool = False
    doubtful: bool = False


@dataclass(frozen=True)
class Factor:
    """A factor on a robot's forces with which they fit.

    Attributes:
        robot: Its number.
        value: The factor.
        phi: Of the payload then, shape (10,).
        sure: Whether errors of frames and motion cannot look like it.
    """

    robot: int
    value: float
    phi: Array
    sure: bool


def of_forces(e: Evidence) -> Told:
    """Return whose forces a free factor explains much better, or are none."""
    if len(e.forces) and all(_is_within_error(e, i) for i in range(len(e.names))):
        return Told([Finding(Fault.NO_FORCE, tuple(e.names), NOBODY)], doubtful=True)
    if dead := [finding for i in range(len(e.names)) if (finding := _unchanging(e, i))]:
        return Told(dead, contradicts=True)
    if faint := [finding for i in range(len(e.names)) if (finding := _faint(e, i))]:
        return Told(faint, doubtful=True)
    found, left = _false_factor(e), _unexplained(e)
    if left > SOME and (
        dead := [finding for axis in _still_axes(e) if (finding := _dead(e, axis, left))]
    ):
        return Told(dead, doubtful=e.found.consistent)
    unexplained = left > UNEXPLAINED
    told = [] if e.found.consistent and not unexplained else _by_moments(e)
    rest = Told(told, doubtful=bool(told) and e.found.consistent)
    if not told and unexplained and e.found.consistent:
        rest = Told([Finding(Fault.UNKNOWN, (), UNKNOWN.format(left=left / UNIFORM))], False, True)
    if found is None or (told and told[0].robots != (e.names[found.robot],)):
        return rest
    i, inverted = found.robot, found.value < INVERTED
    certain = found.sure and (inverted or _beyond_rows(e, i, found.value, found.phi))
    likely = left > MUCH and _unexplained(e, found) < EXPLAINED
    if not certain and not (likely if e.found.consistent else found.sure):
        return rest  # errors of frames and motion may look like it
    fault = Fault.FORCE_INVERTED if inverted else Fault.FORCE_FALSE
    doubtful = not certain and e.found.consistent
    doubt = " Until somebody has looked no number counts." if doubtful else ""
    sentence = f"The forces of {e.names[i]} fit {_how(found.value)}{doubt}"
    return Told([Finding(fault, (e.names[i],), sentence)], certain, doubtful)


def _how(factor: float) -> str:
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
    if _is_within_error(e, i) or error > SLIGHT * _exerts(e) or change < 2 * error:
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


def _dead(e: Evidence, axis: tuple[int, int], left: float) -> Finding | None:
    """Return that a force that stands still along an axis explains what payloads leave.

    It may be that little; then what is unknown of it explains no more than its part.
    """
    i, k = axis
    X, p = e.rows.frames.rotation[i], e.rows.frames.position[i]
    along = np.concatenate([X[:, k], np.cross(p, X[:, k])])
    if not np.isfinite(along).all() or _unexplained(e, free=along) > MUCH_BETTER * left:
        return None
    sentence = STANDS_STILL.format(name=e.names[i], axis="xyz"[k])
    return Finding(Fault.FORCE_FALSE, (e.names[i],), sentence)


def _faint(e: Evidence, i: int) -> Finding | None:
    """Return that a robot that holds the payload shows no more force than errors may be."""
    held = e.forces.present[i] & e.forces.holding[i]
    if np.count_nonzero(held) < LEAST_WINDOWS or not _exerts(e) or not _is_within_error(e, i):
        return None
    error = e.forces.wrench_error[i][held, :3] + e.rows.bounds[i].force_bias
    if error.mean() > SLIGHT * _exerts(e):
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


def _exerts(e: Evidence) -> float:
    """Return the mean size of the vertical force of all robots together [N]."""
    return float(np.abs(e.forces.lift.sum(axis=0)).mean())


def _unexplained(e: Evidence, factor: Factor | None = None, free: Array | None = None) -> float:
    """Return what some payload leaves of the rows, in parts of the deviations of their errors.

    These are those of the bounds, and what frames may be off by [N, Nm].

    Args:
        e: What is known.
        factor: On a robot's forces; None: on nobody's.
        free: Wrench of which nothing is known but its direction, shape (6,); None: there is none.
    """
    if len(e.windows) < LEAST_WINDOWS or not _exerts(e):
        return 0.0
    block, frames, bounds = e.rows.of_estimate(e.windows), e.rows.frames, e.rows.bounds
    error, here = block.d.reshape(-1, 6).copy(), e.windows.present & e.windows.holding
    spread = np.sqrt(np.maximum(np.diagonal(frames.covariance, axis1=1, axis2=2), 0.0))
    for i in np.flatnonzero(frames.known):
        size = np.linalg.norm(e.windows.wrench[i], axis=1) * here[i]
        far = float(np.linalg.norm(frames.position[i]))
        off = sum(b.orientation + b.tilt for b in (bounds[0], bounds[i]))
        turn = off + MOVED * float(np.linalg.norm(spread[i, :3]))
        place = (
            bounds[0].position + bounds[i].position + MOVED * float(np.linalg.norm(spread[i, 6:9]))
        )
        error[:, :3] += (turn * size)[:, None]
        error[:, 3:] += ((place + far * turn + turn) * size)[:, None]
    least, reach = LEAST_PART * _exerts(e), float(np.max(np.abs(frames.position[frames.known])))
    error = np.maximum(error, np.repeat([least, least * reach], 3))
    b = block.b
    if factor is not None:
        b = b + (factor.value - 1.0) * e.rows.wrench_of(e.windows, factor.robot).ravel()
    rows = np.hstack([block.A, block.B, b[:, None]]).reshape(len(error), 6, -1)
    return _left(rows, error, block.B.shape[1], free)


def _false_factor(e: Evidence) -> Factor | None:
    """Return the factor with which alone a robot's forces fit; None if there is none."""
    if len(e.windows) < LEAST_WINDOWS or not _exerts(e):
        return None
    block = e.rows.of_estimate(e.windows)
    weight = UNIFORM / np.maximum(block.d, 0.05 * np.median(block.d))
    A, b = np.hstack([block.A, block.B]) * weight[:, None], block.b * weight
    p = block.B.shape[1]
    boxes = np.hstack([np.zeros((p, 10)), UNIFORM * np.eye(p)])
    nothing, zero = np.zeros((p, 1)), np.zeros(p)
    usual = np.vstack([A, boxes])
    _, without = _fit(usual, np.concatenate([b, zero]))
    whole = without / float(b @ b)
    least, best = np.inf, None
    for i in range(len(e.names)):
        own = e.rows.wrench_of(e.windows, i).ravel() * weight
        if not own.any():
            continue
        free = np.block([[A, -own[:, None]], [boxes, nothing]])
        x, left = _fit(free, np.concatenate([b - own, zero]))
        # Of forces as small as they then are: those of a robot that holds the payload alone are
        # explained by no payload, once their factor is 0.
        total = b + (x[-1] - 1.0) * own
        size = float(total @ total)
        # Another robot's wrong sign turns into that of the payload: its mass would be below 0.
        explained = x[0] > 0.0 and size > VANISHED**2 * float(b @ b)
        if explained and left / size < least:
            least, factor = left / size, float(x[-1])
            deviation = float(np.linalg.norm(np.linalg.pinv(free)[-1]))
            least_step = max(CLEAR * deviation, _faked(e, i, weight, own, usual))
            best = Factor(i, factor, x[:10], abs(factor - 1.0) >= least_step)
    if best is None or least > MUCH_BETTER**2 * whole or not _beyond(e, best.robot, best.value):
        return None
    return best


def _by_moments(e: Evidence) -> list[Finding]:
    """Return the robot about whose grasp alone some payload explains all moments, if there is one.

    To be asked only where no payload explains the forces, or where the frames most likely are:
    then nothing is blamed that is within its bounds.
    """
    N = len(e.names)
    if len(e.windows) < LEAST_WINDOWS or N < 2:
        return []
    block = e.rows.of_estimate(e.windows)
    p = block.B.shape[1]
    # Each window's force and moment, with what is unknown and what is known side by side.
    both = np.hstack([block.A, block.B, block.b[:, None]]).reshape(len(e.windows), 6, -1)
    error = block.d.reshape(len(e.windows), 6)
    alone = _left(both[:, :3], error[:, :3], p)
    left = np.full(N, np.inf)
    for i in np.flatnonzero([e.rows.wrench_of(e.windows, i).any() for i in range(N)]):
        P = skew(e.rows.frames.position[i])
        about = both[:, 3:] - np.einsum("rk,wkj->wrj", P, both[:, :3])
        left[i] = _left(about, error[:, 3:] + error[:, :3] @ np.abs(P).T, p)
    order = np.argsort(left)
    best, next_best = left[order[0]], left[order[1]]
    if not (best <= EXPLAINED and best <= MUCH_BETTER * min(next_best, alone)):
        return []  # where some payload explains all forces, moments are false instead
    name = e.names[int(order[0])]
    return [Finding(Fault.FORCE_FALSE, (name,), BY_MOMENTS.format(name=name))]


def is_by_moments(finding: Finding) -> bool:
    """Tell whether moments about a robot's grasp have told that its forces are false."""
    return finding.sentence == BY_MOMENTS.format(name=finding.robots[0])


def _left(rows: Array, error: Array, p: int, free: Array | None = None) -> float:
    """Return what some payload leaves of rows, in parts of their errors' deviations.

    Of any mass: moments about a grasp do not know it, since a point there adds none.

    Args:
        rows: Columns of phi and of p nuisance parameters, then the right side, of shape
            (W, k, 11 + p).
        error: Bounds on the errors, shape (W, k).
        p: Number of nuisance parameters.
        free: Direction in which the rows of each window err by any amount, shape (k,).
    """
    weight = UNIFORM / np.maximum(error, 0.05 * np.median(error))
    each = rows * weight[..., None]
    if free is not None:
        out = weight * free
        out /= np.linalg.norm(out, axis=1, keepdims=True)
        each = each - np.einsum("wk,wj,wjc->wkc", out, out, each)
    weighted = each.reshape(-1, 11 + p)
    boxes = np.hstack([np.zeros((p, 10)), UNIFORM * np.eye(p)])
    _, rest = _fit(np.vstack([weighted[:, :-1], boxes]), np.append(weighted[:, -1], np.zeros(p)))
    return float(np.sqrt(rest / len(weighted)))


def _faked(e: Evidence, i: int, weight: Array, own: Array, usual: Array) -> float:
    """Return how far from 1 errors of a robot's own forces may pull its factor.

    What no payload explains of its forces tells the factor. As far as that is error, the factor
    that leaves least is smaller by its share (errors in variables), down to 0 for a robot that
    holds the payload alone, or a constant part of it: that part some payload explains.

    Args:
        e: What is known.
        i: Number of the robot.
        weight: Of the rows, shape (N,).
        own: The robot's forces, weighted, shape (N,).
        usual: The other unknowns' columns, weighted, shape (N + p, k).
    """
    rest = np.zeros(len(usual) - len(own))
    x, *_ = np.linalg.lstsq(usual, np.concatenate([own, rest]), rcond=1e-10)
    told = ((usual @ x)[: len(own)] - own).reshape(-1, 6)[:, :3]
    held = e.windows.present[i] & e.windows.holding[i]
    error = np.linalg.norm(e.windows.wrench_error[i][:, :3], axis=1) * held
    error += _turn(e, i) * np.linalg.norm(e.windows.wrench[i][:, :3], axis=1) * held
    energy = float(np.sum(error**2 * np.mean(weight.reshape(-1, 6)[:, :3] ** 2, axis=1)))
    size = float(np.sum(told**2))
    return FAKED * energy / size if size > 0.0 else np.inf


def _turn(e: Evidence, i: int) -> float:
    """Return by how much robot i's frame may be turned, against another or gravity [rad]."""
    frame, tilt = e.rows.frame_bounds[i], np.sqrt(2.0) * e.rows.bounds[i].tilt
    if frame.known:
        return float(np.linalg.norm(frame.a) + tilt)
    variance = np.trace(e.rows.frames.covariance[i][:3, :3])
    return float(UNIFORM * np.sqrt(max(variance, 0.0)) + tilt)


def _beyond(e: Evidence, i: int, factor: float) -> bool:
    """Tell whether a factor changes a robot's forces by more than its bounds let them err."""
    held = e.windows.present[i] & e.windows.holding[i]
    force = np.linalg.norm(e.windows.wrench[i][held, :3], axis=1).mean()
    error = np.linalg.norm(e.windows.wrench_error[i][held, :3], axis=1).mean()
    bounds = e.rows.bounds[i]
    error += UNIFORM * bounds.force_bias + bounds.force_gain / (1.0 - bounds.force_gain) * force
    return bool(abs(factor - 1.0) * force > error)


def _beyond_rows(e: Evidence, i: int, factor: float, phi: Array) -> bool:
    """Tell whether a factor changes the rows by more than all that is stated lets them err.

    Where no frame is bounded no row says how much that is.
    """
    block = e.rows.of_bounds(e.windows)
    allowed = block.d + block.A_error @ np.abs(phi) + np.abs(block.B).sum(axis=1)
    changed = np.abs((factor - 1.0) * e.rows.wrench_of(e.windows, i).ravel())
    force = (np.arange(len(allowed)) % 6 < 3) & np.isfinite(allowed)  # of each window's six rows
    return bool(force.any() and changed[force].mean() > allowed[force].mean())


def _fit(A: Array, b: Array) -> tuple[Array, float]:
    """Return the least-squares solution, and the sum of squares that it leaves."""
    x, *_ = np.linalg.lstsq(A, b, rcond=1e-10)
    return x, float(np.sum((A @ x - b) ** 2))
