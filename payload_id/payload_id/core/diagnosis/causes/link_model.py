"""The links differ from the description by more than is stated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .cause import Finding
from .evidence import Evidence

WIDER = 10.0  # times the stated bound


class LinkModel:
    """The boxes of the links' parameters are widened: of one body, or of all."""

    name = "link model"

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """See the protocol."""
        bodies = np.unique(evidence.links[evidence.links >= 0])
        for body in bodies:
            here = evidence.links == body
            sentence = (
                "The inertial parameters of the body that {joint} moves differ from the robot "
                "description by more than link_relative: correct them, calibrate the arm with a "
                "bare-arm recording, or state a larger link_relative."
            )
            factor = evidence.relaxed(wider=np.where(here, WIDER, 1.0)).factor
            yield Finding(self.name, factor, int(here.sum()), sentence, int(body))
        if len(bodies) > 1:
            here = evidence.links >= 0
            sentence = (
                "The links differ from the robot description by more than link_relative: check "
                "that it is this arm's, calibrate the arm with a bare-arm recording, or state a "
                "larger link_relative."
            )
            factor = evidence.relaxed(wider=np.where(here, WIDER, 1.0)).factor
            yield Finding(self.name, factor, int(here.sum()), sentence)
