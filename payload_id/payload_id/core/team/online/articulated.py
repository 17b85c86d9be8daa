"""The two bodies of a payload on a hinge, kept up to date as data arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...errors import SolverError
from ..bounds import RobotBounds
from ..estimate import Fault, Finding, TeamEstimate
from ..faults.motions import articulated
from ..hinged.two_bodies import Side, two_bodies
from ..hinged_payload import HingedPayload
from ..samples import RobotSamples

AGAIN = 0.1  # of the data's length, that must be new before all is found again
OTHERS = (Fault.SLIPS, Fault.MIRRORED, Fault.GIMBAL_LOCKED, Fault.CLOCK, Fault.UNKNOWN)


class Articulated:
    """Finds two bodies where a team's findings say that there is a hinge.

    That takes seconds, so it is done again only when a tenth of the samples is new.
    """

    def __init__(self, window: float, reach: float) -> None:
        """Begin without data; `window` and `reach` as `two_bodies` takes them."""
        self._window, self._reach = window, reach
        self._second: frozenset[str] = frozenset()
        self._again = -np.inf  # stamp of samples from which on all is found anew [s]
        self._found: HingedPayload | None = None

    def update(
        self,
        findings: Sequence[Finding],
        robots: Sequence[RobotSamples | None],
        bounds: Sequence[RobotBounds],
        step: float,
        touched: Sequence[tuple[float, float]],
    ) -> HingedPayload | None:
        """Return both bodies; None where there is no hinge, or something else is wrong as well.

        Args:
            findings: What is wrong.
            robots: Samples that are kept of each, None for none.
            bounds: What is assumed about each.
            step: Of the grid on which samples are taken [s].
            touched: Stretches of team time in which something else touched the payload [s].
        """
        turning = [f for f in findings if f.fault is Fault.ARTICULATED]
        here = [robot for robot in robots if robot is not None and len(robot) > 1]
        if not turning or any(f.fault in OTHERS for f in findings) or len(here) < len(robots):
            self._found, self._again = None, -np.inf
            return None
        second = frozenset(name for finding in turning for name in finding.robots)
        if here[0].name in second:  # the first robot's body is the first
            second = frozenset(robot.name for robot in here) - second
        if not second:
            return None
        newest = min(float(r.time[-1]) for r in here)
        if second != self._second or newest >= self._again:
            length = newest - max(float(r.time[0]) for r in here)
            self._second, self._again = second, newest + AGAIN * length
            held = list(zip(here, bounds, strict=True))
            first = _side([one for one in held if one[0].name not in second])
            other = _side([one for one in held if one[0].name in second])
            try:
                self._found = two_bodies(first, other, self._window, step, self._reach, touched)
            except SolverError:
                self._found = None
        return self._found


def with_hinge(estimate: TeamEstimate, hinged: HingedPayload | None) -> TeamEstimate:
    """Return an estimate with both bodies, and findings with their axis, the better one."""
    if hinged is None:
        return estimate
    findings, message = list(estimate.findings), estimate.message
    for k, finding in enumerate(findings):
        if finding.fault is not Fault.ARTICULATED:
            continue
        (name,) = finding.robots
        other = hinged.robots[0 if name in hinged.robots[1] else 1][0]
        findings[k] = articulated(name, other, hinged.angle, hinged.axis[0])
        message = message.replace(finding.sentence, findings[k].sentence)
    return replace(estimate, hinged=hinged, findings=tuple(findings), message=message)


def _side(held: list[tuple[RobotSamples, RobotBounds]]) -> Side:
    """Return the robots on one body."""
    return Side([samples for samples, _ in held], [bounds for _, bounds in held])
