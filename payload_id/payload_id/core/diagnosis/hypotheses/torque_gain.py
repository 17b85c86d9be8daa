"""The gain of one joint's torque sensor is wrong by more than stated, or that of all alike."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..evidence import Evidence, Fit, Relaxation
from ..hypothesis import Error, Hypothesis, Relaxed
from ..identified_mass import IdentifiedMass

# The torque may be this part of the reading, beside what the stated gain allows.
LEAST, MOST = np.array([0.2]), np.array([5.0])


class TorqueGain(Hypothesis):
    """tau = c reading with c far from 1: a column of minus the reading, (c - 1) times."""

    name = "torque gain"
    assumption = "torque gains as stated"

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class."""
        rows = evidence.rows
        reading = np.where(evidence.own, rows.reading, 0.0)
        for joint in np.unique(rows.joint[reading != 0.0]):
            column = np.where(rows.joint == joint, -reading, 0.0)[:, None]
            yield Relaxed(Relaxation(column, LEAST - 1.0, MOST - 1.0), _words, 1, int(joint))

    def errors(self, found: IdentifiedMass) -> Iterator[Error]:
        """See the base class."""
        rows, joints = found.rows, found.source.model.joints
        reading = np.where(found.own, -0.01 * rows.reading, 0.0)
        common = "torque than shown, at all joints"
        yield Error(f"more {common}", f"less {common}", reading, "%", 50.0)
        for j, name in enumerate(joints):
            column, where = np.where(rows.joint == j, reading, 0.0), f"torque than shown at {name}"
            yield Error(f"more {where}", f"less {where}", column, "%", 50.0)


def _words(fit: Fit) -> str:
    return (
        f"The torque of {{joint}} is about {1.0 + fit.values[0]:.2g} times its reading: correct "
        "the gain of its sensor (or the unit or torque constant that makes torque of its effort), "
        "or state a larger torque_gain."
    )
