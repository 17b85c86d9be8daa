"""The torque sensor of one joint has an offset beyond what is stated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .cause import Finding
from .evidence import Evidence

LARGEST = 10.0  # times the joint's largest mean torque over a window


class TorqueOffset:
    """A column of the weight of each of the joint's rows."""

    name = "torque offset"

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """See the protocol."""
        rows = evidence.rows
        duration = rows.weight
        for joint in np.unique(rows.joint[evidence.own & (duration > 0.0)]):
            here = evidence.own & (rows.joint == joint) & (duration > 0.0)
            mean = np.abs(rows.b + rows.reading)[here] / duration[here]
            largest = LARGEST * (mean.max() + 1.0)
            column = np.where(here, duration, 0.0) * largest
            fit = evidence.relaxed(extra=column[:, None])
            value = largest * fit.extra[0] if len(fit.extra) else np.nan
            sentence = (
                f"The torque reading of {{joint}} is off by about {value:.2g} (N m, or N): zero "
                "its sensor, tare, or state a larger torque_offset."
            )
            yield Finding(self.name, fit.factor, 1, sentence, int(joint))
