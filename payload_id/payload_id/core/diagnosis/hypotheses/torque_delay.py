"""Torques come late, or early, against positions and velocities, by more than is stated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...number_format import short
from ...samples.joint_samples import Samples
from ..hypothesis import Hypothesis, Reading, Recorded

LONGEST = 0.1  # [s] that is looked for
REACH = np.full(1, 0.04)  # of a round [s]


class TorqueDelay(Hypothesis):
    """T(t) = r(t + delay): one delay of all torques, or of one joint's."""

    name = "torque delay"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        n = recorded.source.model.n
        for joint in (None, *range(n)):
            late = np.ones(n, dtype=bool) if joint is None else np.arange(n) == joint
            words = _words("The torques come" if joint is None else "The torque of {joint} comes")
            yield Reading(
                words, _advanced(late), None, np.zeros(1), REACH, 1, joint,
                margin=LONGEST,
            )  # fmt: skip


def _advanced(late: np.ndarray) -> Callable[[Samples, Array], Samples]:
    """Return what moves some torques in time; what they are moved from is cut off the ends."""

    def advanced(samples: Samples, value: Array) -> Samples:
        stamp, delay = samples.stamp, np.clip(value[0], -LONGEST, LONGEST)
        inner = samples.between(stamp[0] + LONGEST, stamp[-1] - LONGEST)
        tau = inner.tau.copy()
        for joint in np.flatnonzero(late):
            tau[:, joint] = np.interp(inner.stamp + delay, stamp, samples.tau[:, joint])
        return replace(inner, tau=tau)

    return advanced


def _words(who: str) -> Callable[[Array], tuple[str, str]]:
    def words(value: Array) -> tuple[str, str]:
        when = "late" if value[0] > 0 else "early"
        return (
            f"{who} about {short(1e3 * abs(value[0]))} ms {when} against positions and velocities",
            "correct the stamps or the filter of the torque, or state a larger torque_delay",
        )

    return words
