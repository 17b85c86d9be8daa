"""A wrench is in other axes than those of the orientations, by a turn that stays the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...samples.wrench_samples import WrenchSamples
from ..hypothesis import Hypothesis, Reading, Recorded

REACH = np.full(3, 0.5)  # of a round [rad]


class WrenchFrame(Hypothesis):
    """A constant turn, found from the one that brings forces to proper accelerations."""

    name = "wrench frame"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        each = [(s.proper_acceleration, s.wrench[:, :3]) for s in recorded.stretches]
        acceleration, force = (np.concatenate(x) for x in zip(*each, strict=True))
        acceleration, force = (x - x.mean(axis=0) for x in (acceleration, force))
        turn, _ = Rotation.align_vectors(acceleration, force)
        yield Reading(_words, _turned_back, None, turn.as_rotvec(), REACH, 3)


def _turned_back(samples: WrenchSamples, value: Array) -> WrenchSamples:
    """Return the wrench in the axes of the orientations, of one that is turned by -value."""
    turn = Rotation.from_rotvec(value).as_matrix()
    wrench = samples.wrench.reshape(-1, 2, 3) @ turn.T
    return samples.with_wrench(wrench.reshape(-1, 6))


def _words(value: Array) -> tuple[str, str]:
    turn = Rotation.from_rotvec(value).as_rotvec(degrees=True)
    angle = float(np.linalg.norm(turn))
    about = ", ".join(f"{x + 0.0:.1f}" for x in np.round(turn / max(angle, 1e-9), 1))
    return (
        f"The axes of the wrench are turned by {angle:.0f} degrees about ({about}) against those "
        "of the orientations",
        "take the orientation of the frame in which the wrench is measured",
    )
