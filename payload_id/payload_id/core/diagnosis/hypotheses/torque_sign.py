"""The effort of one joint, or of all, has the opposite sign."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..evidence import Evidence, Relaxation
from ..hypothesis import Hypothesis, Relaxed, said

REVERSED = np.array([-2.0])  # times the reading, that the torque is more than it


class TorqueSign(Hypothesis):
    """tau = -reading: a column of minus the reading, -2 times."""

    name = "torque sign"

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class."""
        rows = evidence.rows
        reading = np.where(evidence.own, rows.reading, 0.0)
        joints = np.unique(rows.joint[reading != 0.0])
        for joint in (None, *joints.tolist()) if len(joints) else ():
            here = reading if joint is None else np.where(rows.joint == joint, reading, 0.0)
            who = "efforts of all joints have" if joint is None else "effort of {joint} has"
            entry = "effort.sign" if joint is None else "its entry of effort.sign"
            sentence = (
                f"The {who} the opposite sign: reverse {entry} in the robot file (effort_sign in "
                "the columns of a table)."
            )
            changed = Relaxation(-here[:, None], REVERSED, REVERSED)
            yield Relaxed(changed, said(sentence), 0, joint)
