r"""Whose forces do not fit those of the others: dead sensors, factors, what moments tell.

That is asked where no payload explains the forces within all bounds: with frames anywhere within
what is proved of them, or as far off as they likely may be. In the second case nothing contradicts
what is stated, but no number counts until somebody has looked. Where some payload explains them
nobody is blamed, whatever else explains them better.

Where no factor explains the forces (a sensor that turned false in mid-run, one axis of it, a large
bias), moments about robot i's grasp p_i do not know its force at all:

    Y_m phi - p_i x Y_f phi = sum_j (m_j + (p_j - p_i) x f_j),

so that the robot about whose grasp alone some payload explains all moments is the one to look at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...body.inertial import skew
from ...identification.status import times_as_large
from ..estimate import Fault, Finding
from .dead_sensors import faint, silent_stretch, silent_team, standing_still
from .evidence import Evidence, is_explained
from .factors import INVERTED, false_factor, how_they_fit
from .unexplained import LEAST_WINDOWS, MUCH_BETTER, unexplained, what_is_left

EXPLAINED = 1.5  # root mean square of what is left, in parts of the bounds' standard deviations
UNKNOWN = (
    "Forces fit no payload where the robots most likely hold it: their bounds would have to be "
    "{times}, and no factor on one robot's forces explains them. Look at each sensor: axes, signs, "
    "an axis that stands still, saturation, what else touches the payload. Until somebody has "
    "looked no number counts."
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
        doubtful: Whether nothing of the payload counts until somebody has looked.
    """

    findings: list[Finding]
    doubtful: bool = False


def of_forces(e: Evidence) -> Told:
    """Return whose forces are none, are explained much better by a factor, or are false."""
    if found := silent_team(e) or faint(e):
        return Told(found, doubtful=True)
    if is_explained(e):
        return Told([])
    return Told(_blamed(e), doubtful=e.found.consistent)


def _blamed(e: Evidence) -> list[Finding]:
    """Return who may be to blame where no payload explains the forces."""
    if found := silent_stretch(e) or standing_still(e, unexplained(e)):
        return found
    by_moments = _by_moments(e)
    if found := _by_factor(e, by_moments) or by_moments:
        return found
    if not e.found.consistent:
        return []
    times = times_as_large(e.likely) if np.isfinite(e.likely) else "larger than any"
    return [Finding(Fault.UNKNOWN, (), UNKNOWN.format(times=times))]


def _by_factor(e: Evidence, by_moments: list[Finding]) -> list[Finding]:
    """Return whose forces a factor explains, unless moments tell of another robot."""
    found = false_factor(e)
    if found is None or any(f.robots != (e.names[found.robot],) for f in by_moments):
        return []
    fits = e.found.consistent and unexplained(e, (found.robot, found.value)) < EXPLAINED
    if not found.sure and not fits:
        return []  # errors of frames and motion may look like it
    name = e.names[found.robot]
    fault = Fault.FORCE_INVERTED if found.value < INVERTED else Fault.FORCE_FALSE
    doubt = " Until somebody has looked no number counts." if e.found.consistent else ""
    sentence = f"The forces of {name} fit {how_they_fit(found.value)}{doubt}"
    return [Finding(fault, (name,), sentence)]


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
