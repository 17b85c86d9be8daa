"""The payload is heavier, or reaches farther, than the prior allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...bounds.interval import NO_SHAPE, Interval
from .cause import Finding
from .evidence import Evidence

LARGER = 10.0  # mass and reach that are tried, in those of the prior
# Of phi's elements, which grow with the mass times the reach to the power 0, 1 or 2.
GROWTH = LARGER ** np.array([1, 2, 2, 2, 3, 3, 3, 3, 3, 3])


class Prior:
    """Some body that is larger than the prior's explains the rows."""

    name = "prior"

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """See the protocol."""
        known = Interval(evidence.known.lower * GROWTH, evidence.known.upper * GROWTH)
        fit = replace(evidence, known=known, shape=NO_SHAPE).relaxed()
        mass = fit.phi[0]
        reach = np.linalg.norm(fit.phi[1:4]) / mass if mass > 1e-6 else 0.0
        sentence = (
            f"The data ask for a payload of about {mass:.2g} kg with its centre of mass "
            f"{reach:.2g} m from the payload frame, and the prior excludes that. State a larger "
            "prior.mass_max or prior.com_max."
        )
        yield Finding(self.name, fit.factor, 2, sentence)
