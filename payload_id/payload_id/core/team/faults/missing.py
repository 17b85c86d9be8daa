"""What is missing, and what cannot be given for that."""

from __future__ import annotations

import numpy as np

from ..blocks import GAP
from ..estimate import Fault, Finding
from .evidence import LEAST_TURN, Evidence, turning, turns

MUCH = 0.8  # of another robot's turning and time, from which on a robot turns as it does
ON_A_LINE = 0.02  # of the largest distance of grasps: their distance from a line


def missing(e: Evidence, named: set[str]) -> tuple[list[Finding], list[str]]:
    """Return what is missing, and what cannot be given for that."""
    found = _unheard(e)
    cannot: list[str] = []
    frames = e.rows.frames
    named = named | set(e.arrival.sparse)
    there = e.windows.holding[:, -1] if len(e.windows) else np.ones(len(e.names), dtype=bool)
    unknown = [n for n, h, k in zip(e.names, there, frames.known, strict=True) if h and not k]
    unknown = [n for n in unknown if n not in named]
    alone = [n for n in unknown if _is_alone(e, e.names.index(n))]
    if alone:
        cannot.append(
            f"The grasp frames of {', '.join(alone)} cannot be given yet, though the same motion "
            "tells those of others. Turn the payload about two axes; if that does not tell them, "
            "check axes, signs, units and clock, and that the payload is held there."
        )
    unknown = [n for n in unknown if n not in alone]
    if unknown:
        still = not turns(e)
        why = "the payload hardly turned" if still else "their data do not determine them"
        sentence = (
            f"The grasp frames of {', '.join(unknown)} cannot be given: {why}. Turn the payload "
            "about two axes by some degrees; without frames only the mass follows, from holds."
        )
        cannot.append(sentence)
        if still and len(e.blocks) > 20:
            found.append(Finding(Fault.NO_ROTATION, tuple(unknown), "The payload did not turn."))
    line = _on_a_line(e)
    if line is not None:
        found.append(line)
        cannot.append(
            "With passive gimbals on one line the team exerts no moment about that line: holds do "
            "not give the centre of mass across it beyond the plane through the vertical; only "
            "swinging about the line tells more."
        )
    return found, cannot


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
    for name, step in e.arrival.sparse.items():
        found.append(
            Finding(
                Fault.UNKNOWN, (name,),
                f"The samples of {name} are {1e3 * step:.0f} ms apart, and no value is taken "
                f"between two that are more than {1e3 * GAP:.0f} ms apart: nothing of it is used. "
                "Have it send at 20 Hz or more.",
            )
        )  # fmt: skip
    return found


def _is_alone(e: Evidence, i: int) -> bool:
    """Tell whether the motion that robot i gives has told the frames of another robot."""
    known = e.rows.frames.known
    sizes, present = turning(e.blocks), e.blocks.present
    return any(
        known[j]
        and present[i].sum() >= MUCH * present[j].sum()
        and sizes[i] >= max(MUCH * sizes[j], LEAST_TURN)
        for j in range(1, len(e.names))
    )


def _on_a_line(e: Evidence) -> Finding | None:
    """Return that the grasps lie on one line while no robot exerts moments."""
    frames, windows = e.rows.frames, e.windows
    if not len(windows):
        return None
    holds = frames.known & windows.holding[:, -1]
    if holds.sum() < 2 or windows.wrench[holds][:, :, 3:].any():
        return None
    places = frames.position[holds]
    sizes = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)
    if len(sizes) > 1 and sizes[1] > ON_A_LINE * sizes[0] and holds.sum() > 2:
        return None
    names = tuple(n for n, h in zip(e.names, holds, strict=True) if h)
    return Finding(Fault.COLLINEAR, names, f"The grasps of {', '.join(names)} lie on one line.")
