"""The torque sensor of one joint has an offset beyond what is stated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..evidence import Evidence, Fit, Relaxation
from ..hypothesis import Error, Hypothesis, Relaxed
from ..identified_mass import IdentifiedMass

LARGER = 10.0  # times the joint's largest mean torque over a window


class TorqueOffset(Hypothesis):
    """A column of the weight of each of the joint's rows."""

    name = "torque offset"
    assumption = "torque offsets as stated"

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class."""
        rows = evidence.rows
        duration = np.where(evidence.own, rows.duration, 0.0)
        for joint in np.unique(rows.joint[duration > 0.0]):
            column = np.where(rows.joint == joint, duration, 0.0)
            here = column > 0.0
            mean = np.abs(rows.b + rows.reading)[here] / column[here]
            most = np.array([LARGER * (mean.max() + 1.0)])
            yield Relaxed(Relaxation(column[:, None], -most, most), _words, 1, int(joint))

    def errors(self, found: IdentifiedMass) -> Iterator[Error]:
        """See the base class."""
        rows, model = found.rows, found.source.model
        for j, name in enumerate(model.joints):
            column = np.where(found.own & (rows.joint == j), rows.duration, 0.0)
            unit = "N m" if model.revolute[j] else "N"
            yield Error(f"of offset at {name}", f"of offset at {name}", column, unit)


def _words(fit: Fit) -> str:
    return (
        f"The torque reading of {{joint}} is off by about {fit.values[0]:.2g} (N m, or N): zero "
        "its sensor, tare, or state a larger torque_offset."
    )
