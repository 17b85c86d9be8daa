"""The payload is heavier, or reaches farther, than the prior allows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...bounds.interval import Interval
from ..evidence import Evidence, Fit, Relaxation
from ..hypothesis import Hypothesis, Relaxed

LARGER = 10.0  # mass and reach that are tried, in those of the prior
# Of phi's elements, which grow with the mass times the reach to the power 0, 1 or 2.
GROWTH = LARGER ** np.array([1, 2, 2, 2, 3, 3, 3, 3, 3, 3])


class Prior(Hypothesis):
    """Some body that is larger than the prior's explains the rows."""

    name = "prior"

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class."""
        known = Interval(evidence.known.lower * GROWTH, evidence.known.upper * GROWTH)
        yield Relaxed(Relaxation(payload=known), _words, 2)


def _words(fit: Fit) -> str:
    mass = fit.phi[0]
    reach = np.linalg.norm(fit.phi[1:4]) / mass if mass > 1e-6 else 0.0
    return (
        f"The data ask for a payload of about {mass:.2g} kg with its centre of mass "
        f"{reach:.2g} m from the payload frame, and the prior excludes that. State a larger "
        "prior.mass_max or prior.com_max."
    )
