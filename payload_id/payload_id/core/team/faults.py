"""What is wrong or missing in a team's data, and about whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..bounds import Bounds
from .blocks import Blocks
from .bounds import RobotBounds
from .estimate import Fault, Finding
from .frame_bounds import FrameBounds
from .grasp_frames import GraspFrames
from .joint import Joint
from .windows import Windows


@dataclass(frozen=True)
class Findings:
    """What was found.

    Attributes:
        all: Findings, the gravest first.
        cannot: What cannot be given, and why.
        contradicts: Whether any of them means that the data contradict each other.
    """

    all: tuple[Finding, ...]
    cannot: tuple[str, ...]
    contradicts: bool


def findings_of(
    names: Sequence[str],
    bounds: list[RobotBounds],
    frames: GraspFrames,
    blocks: Blocks,
    frame_bounds: list[FrameBounds],
    windows: Windows,
    fit: Joint | None,
    found: Bounds,
    silent: Mapping[str, float],
    front: float,
) -> Findings:
    """Return what is wrong or missing."""
    return Findings((), (), not all(f.consistent for f in frame_bounds))
