"""A run that was estimated as if its payload were not known."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Array
from ..statistics.posterior import Posterior
from .known_run import KnownRun


@dataclass(frozen=True)
class Tried:
    """A run that was estimated as if its payload were not known.

    Attributes:
        run: The run.
        error: Estimate less truth, NaN where the truth is unknown, shape (10,).
        posterior: What its rows and the other runs say.
    """

    run: KnownRun
    error: Array
    posterior: Posterior

    @property
    def phi(self) -> Array:
        """The load, as far as it is known; the rest as the estimate has it, shape (10,)."""
        return self.posterior.given(self.run.load.phi)
