"""What is missing, and what cannot be given for that."""

from __future__ import annotations

import numpy as np

from ..blocks import GAP, LEAST_SAMPLES
from ..estimate import Fault, Finding
from ..window_series import STILL_ANGULAR
from .evidence import Evidence

ON_A_LINE = 0.02  # of the largest distance of grasps: their distance from a line


def missing(e: Evidence, named: set[str]) -> tuple[list[Finding], list[str]]:
    """Return what is missing, and what cannot be given for that."""
    found, cannot = _unheard(e), list[str]()
    named = named | {finding.robots[0] for finding in found if finding.fault is not Fault.SILENT}
    there = e.windows.holding[:, -1] if len(e.windows) else np.ones(len(e.names), dtype=bool)
    open_frames = np.flatnonzero(there & ~e.source.frames.known)
    unknown = tuple(e.names[i] for i in open_frames if e.names[i] not in named)
    if unknown:
        still = not _turns(e)
        cannot.append(
            f"The grasp frames of {', '.join(unknown)} cannot be given: "
            f"{'the payload hardly turned' if still else 'their data do not determine them'}. Turn "
            "the payload about two axes by some degrees; without frames only the mass follows, "
            "from holds. If that does not tell them, check axes, signs, units and clocks."
        )
        if still and len(e.blocks):
            found.append(Finding(Fault.NO_ROTATION, unknown, "The payload did not turn."))
    line = _on_a_line(e)
    if line is not None:
        found.append(line)
        cannot.append(
            "With passive gimbals on one line the team exerts no moment about that line: holds do "
            "not give the centre of mass across it beyond the plane through the vertical; only "
            "swinging about the line tells more."
        )
    return found, cannot


def _turns(e: Evidence) -> bool:
    """Tell whether some robot's angular velocity is more than its errors make of none."""
    for omega, here, bound in zip(
        e.blocks.twist[..., :3], e.blocks.present, e.source.bounds, strict=True
    ):
        size = np.sqrt((omega[here] ** 2).sum(axis=1).mean()) if here.any() else 0.0
        if size > STILL_ANGULAR + np.sqrt(3.0) * bound.angular_velocity:
            return True
    return False


def _unheard(e: Evidence) -> list[Finding]:
    """Return whose samples do not count: of another clock, none any more, or too far apart."""
    found = []
    for name, far in e.arrival.ahead.items():
        side = "ahead of" if far > 0 else "behind"
        found.append(
            Finding(
                Fault.CLOCK, (name,),
                f"The stamps of {name} are {abs(far):.1f} s {side} the others': its clock was "
                "set, or is another one. What it gives now does not count. Set its clock and begin "
                "anew.",
            )
        )  # fmt: skip
    for name, since in e.arrival.silent.items():
        found.append(
            Finding(
                Fault.SILENT, (name,),
                f"Nothing has come from {name} since {since:.2f} s of team time. What it exerts is "
                "not known, so that forces after that do not count; the payload is that of earlier "
                "data. Say that it left, or bring it back.",
                since,
            )
        )  # fmt: skip
    for robot in e.robots:
        if robot is not None and len(robot) >= LEAST_SAMPLES and robot.step > GAP:
            found.append(
                Finding(
                    Fault.UNKNOWN, (robot.name,),
                    f"The samples of {robot.name} are {1e3 * robot.step:.0f} ms apart, and no "
                    f"value is taken between two that are more than {1e3 * GAP:.0f} ms apart: "
                    "nothing of it is used. Have it send at 20 Hz or more.",
                )
            )  # fmt: skip
    return found


def _on_a_line(e: Evidence) -> Finding | None:
    """Return that the grasps lie on one line while no robot exerts moments."""
    frames, windows = e.source.frames, e.windows
    if not len(windows):
        return None
    holds = frames.known & windows.holding[:, -1]
    if holds.sum() < 2 or not frames.known[windows.holding[:, -1]].all():
        return None
    if windows.wrench[holds][:, :, 3:].any():
        return None
    places = frames.position[holds]
    sizes = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)
    if sizes[1] > ON_A_LINE * sizes[0]:
        return None
    names = tuple(n for n, h in zip(e.names, holds, strict=True) if h)
    return Finding(Fault.COLLINEAR, names, f"The grasps of {', '.join(names)} lie on one line.")
