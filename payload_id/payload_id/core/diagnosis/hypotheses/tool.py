"""The tool is not as described: it is not there or lighter, or something hangs beside it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..evidence import Evidence, Fit, Relaxation
from ..hypothesis import Error, Hypothesis, Relaxed
from ..identified_mass import IdentifiedMass


class Tool(Hypothesis):
    """What is carried beyond the description would be no body; or a point mass at its frame."""

    name = "wrong tool"
    assumption = "the tool as described"

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class."""
        yield Relaxed(Relaxation(physical=False), _words, 10)

    def errors(self, found: IdentifiedMass) -> Iterator[Error]:
        """See the base class."""
        where = found.source.model.payload_frame
        column = np.where(found.own, found.rows.A[:, 0], 0.0)
        yield Error(f"more at {where}", f"less at {where}", column, "kg")


def _words(fit: Fit) -> str:
    mass = fit.phi[0]
    what = f"about {-mass:.2g} kg less" if mass < 0 else "less, in part,"
    return (
        f"The arm carries {what} than the robot description says: the tool in it is not "
        "mounted, or lighter than described. Correct the description, or state the tool's "
        "uncertainty."
    )
