"""How large the errors of an arm's estimates are expected to be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..statistics.posterior import Posterior
from ..statistics.statistics import Statistics


@dataclass(frozen=True)
class ErrorSize:
    """What makes errors larger than those of independent noise.

    Attributes:
        inflation: Factor on the noise of rows, whose errors hang together for some time.
        load_noise: Further errors of a run's rows, in parts of what its load makes of them:
            friction that grows with the load, and the like.
    """

    inflation: float
    load_noise: float

    def of(self, posterior: Posterior, run: Statistics, phi: Array) -> Array:
        """Return the expected size of phi's errors, shape (10,).

        Args:
            posterior: Fit to the rows of the arm's history and of a run.
            run: Of the run's rows alone.
            phi: The run's load, shape (10,).
        """
        own = posterior.deviation(self.inflation)
        load = posterior.load_deviation(self.inflation, run, phi)
        return np.asarray(np.hypot(own, self.load_noise * load))
