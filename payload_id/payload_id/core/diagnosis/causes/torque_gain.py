"""The gain of one joint's torque sensor is wrong by more than stated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .cause import Finding
from .evidence import Evidence

# The torque may be this part of the reading, beside what the stated gain allows.
LEAST, MOST = 0.2, 5.0


class TorqueGain:
    """tau = c reading with c far from 1: a column of minus the reading, (c - 1) times."""

    name = "torque gain"

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """See the protocol."""
        rows = evidence.rows
        for joint in np.unique(rows.joint[evidence.own & (rows.reading != 0.0)]):
            reading = np.where(evidence.own & (rows.joint == joint), rows.reading, 0.0)
            middle, half = (LEAST + MOST) / 2 - 1.0, (MOST - LEAST) / 2
            shifted = evidence.with_right_hand_side(rows.b + middle * reading)
            fit = shifted.relaxed(extra=-half * reading[:, None])
            factor = 1.0 + middle + (half * fit.extra[0] if len(fit.extra) else np.nan)
            sentence = (
                f"The torque of {{joint}} is about {factor:.2g} times its reading: correct the "
                "gain of its sensor (or the unit or torque constant that makes torque of its "
                "effort), or state a larger torque_gain."
            )
            yield Finding(self.name, fit.factor, 1, sentence, int(joint))
