r"""Whose forces are false, where no payload explains them within all bounds.

Asked are the rows of all windows again, under each of these hypotheses:

- all sensors have the wrong sign;
- there is a factor on all that one robot shows: one more unknown;
- nothing is known of a robot's force: what is left are moments about its grasp.

A robot is named if a hypothesis on it has some payload explain the rows, and leaves clearly smaller
errors than those on all others do, and than false moments do, which no force explains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array, BoolArray
from ...body.inertial import skew
from ...bounds import Interval
from ...diagnosis.evidence import Evidence as Relaxable
from ...diagnosis.evidence import Fit, Relaxation
from ...rows.row_block import RowBlock
from ..estimate import Fault, Finding
from ..source import CHANNELS, MOVING
from .evidence import Evidence

SLIGHT = 0.1  # of all forces, above which a bound lets a sensor show nothing
FACTORS = Interval(np.array([-3.0]), np.array([3.0]))  # looked at, of what a sensor shows
INVERTED = -0.5  # factor below which a sign is wrong, and no scale explains it
LEADS = 0.3  # of the factors that those of all others leave, from which on one is named
SAME = 1e-9  # relative, within which readings are one and the same


@dataclass(frozen=True)
class Case:
    """A hypothesis on some robots' forces.

    Attributes:
        robots: Names of the robots.
        fit: What it leaves of the rows.
        fault: What it would be.
        sentence: Cause and remedy.
    """

    robots: tuple[str, ...]
    fit: Fit
    fault: Fault = Fault.FORCE_FALSE
    sentence: str = ""


def of_forces(e: Evidence) -> list[Finding]:
    """Return whose forces are none, or are false."""
    if found := _faint(e):
        return found
    if e.found.consistent or len(e.names) < 2:
        return []
    rows, box = e.source.window(e.windows), Interval(*e.source.prior.box())
    nobody = np.full(rows.B.shape[1], -1)
    asked = Relaxable.of(rows, box, e.source.prior.shape(), 0, nobody, e.found.noise_factor)
    cases = list(_cases(e, asked))
    for case in cases:  # that of the fewest numbers first
        others = [other.fit.factor for other in cases if other.robots != case.robots]
        if case.robots and case.fit.factor <= min(1.0, LEADS * min(others)):
            return [Finding(case.fault, case.robots, case.sentence)]
    return []


def _cases(e: Evidence, asked: Relaxable) -> Iterator[Case]:
    """Yield every hypothesis, and those that are nobody's force."""
    yield Case((), asked.fit)
    if any(r is not None and r.moment is not None for r in e.robots):
        yield Case((), asked.refit(Relaxation(keep=asked.rows.joint % MOVING < 3)))
    inverted = replace(asked, rows=replace(asked.rows, b=-asked.rows.b))
    yield Case(
        e.names, inverted.refit(), Fault.FORCE_INVERTED,
        "The forces of all robots together pull the payload down, and fit with the opposite sign. "
        "Samples hold the force on the payload, not the one on the robot.",
    )  # fmt: skip
    for i, name in enumerate(e.names):
        own = e.source.window(e.windows.of_robot(i)).b[:, None]
        fit = asked.refit(Relaxation(-own, FACTORS.lower - 1.0, FACTORS.upper - 1.0))
        factor = 1.0 + float(fit.values[0])
        if factor < INVERTED:
            fault = Fault.FORCE_INVERTED
            said = "with the opposite sign: its sensor is inverted. Samples hold the force on the"
            said += " payload."
        else:
            fault = Fault.FORCE_FALSE
            said = f"if they are {factor:.2f} times as large as it says: check its scale, its axes,"
            said += " whether it still holds the payload, and what else touches it."
        yield Case((name,), fit, fault, f"The forces of {name} fit {said}")
    for i, name in enumerate(e.names):
        fit = replace(asked, rows=_about_grasp(e, asked.rows, i)).refit()
        still = _still(e.windows.wrench[i][e.windows.present[i] & e.windows.holding[i]])
        dead = " and ".join(np.array(["x", "y", "z"])[still])
        where = f" (along {dead} its force does not change, whatever the motion)" if dead else ""
        yield Case(
            (name,), fit, Fault.FORCE_FALSE,
            f"The forces of {name} fit none of the others', whatever the payload; moments about "
            f"its grasp, which do not know them, fit{where}: check each axis, sign and bias of its "
            "sensor, and since when it shows something else.",
        )  # fmt: skip


def _about_grasp(e: Evidence, rows: RowBlock, i: int) -> RowBlock:
    """Return what does not know robot i's force: moments about its grasp."""
    six = rows.take(rows.joint % MOVING < len(CHANNELS) - 1)
    P = skew(e.source.frames.position[i])

    def moments(values: Array, P: Array) -> Array:
        each = values.reshape(-1, 6, *values.shape[1:])
        return np.asarray(each[:, 3:] - np.tensordot(each[:, :3], P, (1, 1)).swapaxes(1, -1)
                          ).reshape(-1, *values.shape[1:])  # fmt: skip

    kept = six.take(six.joint % MOVING >= 3)
    A, B, b = (moments(values, P) for values in (six.A, six.B, six.b))
    return replace(kept, A=A, A_static=A, B=B, b=b, d=moments(six.d, -np.abs(P)))


def _still(wrench: Array) -> BoolArray:
    """Return along which axes forces are the same to all digits, shape (3,)."""
    return np.asarray(np.ptp(wrench[:, :3], axis=0) <= SAME * np.abs(wrench[:, :3]).max())


def within_errors(e: Evidence) -> BoolArray:
    """Return where no robot that holds the payload shows more force than errors may be, (N, W)."""
    bias = np.array([bound.force_bias for bound in e.source.bounds])[:, None, None]
    within = np.abs(e.windows.wrench[..., :3]) <= e.windows.wrench_error[..., :3] + bias
    return np.asarray(within.all(axis=2) | ~(e.windows.present & e.windows.holding))


def _faint(e: Evidence) -> list[Finding]:
    """Return who holds the payload, and shows no more force than errors may be; all of them."""
    held, within = e.windows.present & e.windows.holding, within_errors(e)
    if len(e.windows) and within.all():
        return [
            Finding(
                Fault.NO_FORCE, tuple(e.names),
                "No robot shows more force than its own error may be: nobody carries anything, or "
                "no sensor shows anything. Look at the sensors and what publishes them; until "
                "there is some force no number counts.",
            )
        ]  # fmt: skip
    exerted = float(np.abs(e.windows.lift.sum(axis=0)).mean()) if len(e.windows) else 0.0
    found = []
    for i in np.flatnonzero(within.all(axis=1) & held.any(axis=1)).tolist():
        error = e.windows.wrench_error[i][held[i], :3] + e.source.bounds[i].force_bias
        if error.mean() <= SLIGHT * exerted:
            said = (
                f"The forces of {e.names[i]} are never more than their own error may be, while the "
                "others carry the payload: it exerts nothing, or its sensor shows nothing, and "
                "these data do not tell which. If it exerts nothing, say that it left; until then "
                "no number counts."
            )
            found.append(Finding(Fault.NO_FORCE, (e.names[i],), said))
    return found
