"""The zero of one joint's position is off by more than is stated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...number_format import short
from ...samples.joint_samples import Samples
from ..hypothesis import Hypothesis, Reading, Recorded

REACH = np.full(1, 0.2)  # of a round [rad or m]


class JointZero(Hypothesis):
    """A constant beside one joint's position."""

    name = "joint zero"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        for joint, revolute in enumerate(recorded.source.model.revolute):
            words = _words(bool(revolute))
            start = np.zeros(1)
            yield Reading(words, _moved(joint), None, start, REACH, 1, joint)


def _moved(joint: int) -> Callable[[Samples, Array], Samples]:
    """Return what takes a constant off one joint's positions."""

    def moved(samples: Samples, value: Array) -> Samples:
        q = samples.q.copy()
        q[:, joint] -= value[0]
        return replace(samples, q=q)

    return moved


def _words(revolute: bool) -> Callable[[Array], tuple[str, str]]:
    def words(value: Array) -> tuple[str, str]:
        size = f"{short(np.rad2deg(value[0]))} deg" if revolute else f"{short(1e3 * value[0])} mm"
        return (
            f"Positions of {{joint}} are about {size} more than they should be",
            "correct its zero, or state a larger joint_zero",
        )

    return words
