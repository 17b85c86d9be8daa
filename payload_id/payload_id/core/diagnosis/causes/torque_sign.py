"""The effort of one joint, or of all, has the opposite sign."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .cause import Finding
from .evidence import Evidence


class TorqueSign:
    """A reversed effort: tau = -reading, a gain of -2 beside the one that is there."""

    name = "torque sign"

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """See the protocol."""
        rows = evidence.rows
        joints = np.unique(rows.joint[evidence.own & (rows.reading != 0.0)])
        if not len(joints):
            return
        yield self._all(evidence)
        for joint in joints:
            here = evidence.own & (rows.joint == joint)
            sentence = (
                "The effort of {joint} has the opposite sign: reverse its entry of "
                "effort.sign in the robot file (effort_sign in the columns of a table)."
            )
            yield Finding(self.name, _reversed(evidence, here), 0, sentence, int(joint))

    def _all(self, evidence: Evidence) -> Finding:
        """Reverse every effort."""
        sentence = (
            "The efforts of all joints have the opposite sign: reverse "
            "effort.sign in the robot file (effort_sign in the columns of a table)."
        )
        return Finding(self.name, _reversed(evidence, evidence.own), 0, sentence)


def _reversed(evidence: Evidence, here: np.ndarray) -> float:
    """Return the factor that is left when these readings count with the opposite sign."""
    rows = evidence.rows
    b = rows.b - 2.0 * np.where(here, rows.reading, 0.0)
    return evidence.with_right_hand_side(b).relaxed().factor
