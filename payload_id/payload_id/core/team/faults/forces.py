r"""Whose forces do not fit those of the others: dead sensors, factors, what moments tell.

Where some payload explains the forces within all bounds a factor on one robot's must be more than
errors of frames and motion could make of the rows, too; then it contradicts the bounds. By less
than that it contradicts nothing. But where it leaves what errors leave, and without it more is left
than such errors usually leave, with frames as far off as they likely may be, nothing counts until
somebody has looked. Neither does it where no factor explains what is left, and that is more than
errors at their bounds all the time leave.

Where no factor explains forces that no payload explains (a sensor that turned false in mid-run, one
axis of it, a large bias), moments about robot i's grasp p_i do not know its force at all:

    Y_m phi - p_i x Y_f phi = sum_j (m_j + (p_j - p_i) x f_j),

so that the robot about whose grasp alone some payload explains all moments is the one to look at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...body.inertial import skew
from ..estimate import Fault, Finding
from .dead_sensors import dead_axes, faint, silent_team, standing_still
from .evidence import Evidence
from .factors import INVERTED, beyond_rows, false_factor, how_they_fit
from .unexplained import LEAST_WINDOWS, UNIFORM, unexplained, what_is_left

MUCH_BETTER = 0.3  # of a residual, from which on a factor on one robot's forces is believed
EXPLAINED = 1.5  # root mean square of what is left, in parts of the bounds' standard deviations
UNEXPLAINED = 2.0  # likewise, more than errors at their bounds all the time leave
MUCH = 1.0  # likewise, more than others leave that no factor on one robot's forces explains
UNKNOWN = (
    "Forces fit no payload where the robots most likely hold it: {left:.1f} times as much is left "
    "as errors at their bounds leave, and no factor on one robot's forces explains it. Look at "
    "each sensor: axes, signs, an axis that stands still, saturation, what else touches the "
    "payload. Until somebody has looked no number counts."
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


def of_forces(e: Evidence) -> Told:
    """Return whose forces are none, are explained much better by a factor, or are false."""
    if found := silent_team(e):
        return Told(found, doubtful=True)
    if found := standing_still(e):
        return Told(found, contradicts=True)
    if found := faint(e):
        return Told(found, doubtful=True)
    left = unexplained(e)
    if found := dead_axes(e, left):
        return Told(found, doubtful=e.found.consistent)
    return _of_factors(e, left, _of_moments(e, left))


def _of_moments(e: Evidence, left: float) -> Told:
    """Return whose forces moments tell to be false, or that nothing explains what is left."""
    consistent, much = e.found.consistent, left > UNEXPLAINED
    if told := [] if consistent and not much else _by_moments(e):
        return Told(told, doubtful=consistent)
    if not (much and consistent):
        return Told([])
    sentence = UNKNOWN.format(left=left / UNIFORM)
    return Told([Finding(Fault.UNKNOWN, (), sentence)], doubtful=True)


def _of_factors(e: Evidence, left: float, otherwise: Told) -> Told:
    """Return whose forces a factor explains much better; what is told otherwise if it does not."""
    found = false_factor(e)
    if found is None:
        return otherwise
    i, inverted = found.robot, found.value < INVERTED
    if any(f.robots and f.robots != (e.names[i],) for f in otherwise.findings):
        return otherwise
    certain = found.sure and (inverted or beyond_rows(e, found))
    likely = left > MUCH and unexplained(e, (i, found.value)) < EXPLAINED
    if not certain and not (likely if e.found.consistent else found.sure):
        return otherwise  # errors of frames and motion may look like it
    fault = Fault.FORCE_INVERTED if inverted else Fault.FORCE_FALSE
    doubtful = not certain and e.found.consistent
    doubt = " Until somebody has looked no number counts." if doubtful else ""
    sentence = f"The forces of {e.names[i]} fit {how_they_fit(found.value)}{doubt}"
    return Told([Finding(fault, (e.names[i],), sentence)], certain, doubtful)


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
    alone = what_is_left(both[:, :3], error[:, :3], p)
    left = np.full(N, np.inf)
    for i in np.flatnonzero([e.rows.wrench_of(e.windows, i).any() for i in range(N)]):
        P = skew(e.rows.frames.position[i])
        about = both[:, 3:] - np.einsum("rk,wkj->wrj", P, both[:, :3])
        left[i] = what_is_left(about, error[:, 3:] + error[:, :3] @ np.abs(P).T, p)
    order = np.argsort(left)
    best, next_best = left[order[0]], left[order[1]]
    if not (best <= EXPLAINED and best <= MUCH_BETTER * min(next_best, alone)):
        return []  # where some payload explains all forces, moments are false instead
    name = e.names[int(order[0])]
    return [Finding(Fault.FORCE_FALSE, (name,), BY_MOMENTS.format(name=name))]


def is_by_moments(finding: Finding) -> bool:
    """Tell whether moments about a robot's grasp have told that its forces are false."""
    return any(finding.sentence == BY_MOMENTS.format(name=name) for name in finding.robots)
