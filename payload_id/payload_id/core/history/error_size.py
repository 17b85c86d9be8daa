"""How large the errors of an arm's estimates are expected to be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from typing_extensions import Self

from ..arrays import Array, BoolArray
from ..statistics.posterior import Posterior
from ..statistics.statistics import Statistics
from .known_run import KnownRun

INFLATIONS = np.geomspace(1.0, 100.0, 33)
LOAD_NOISES = np.concatenate([[0.0], np.geomspace(1e-3, 10.0, 41)])


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


@dataclass(frozen=True)
class HeldOutRun:
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


@dataclass(frozen=True)
class MassErrors:
    """Errors of the masses of K runs, and how large they are expected to be with each size.

    Attributes:
        error: Estimate less truth, shape (K,) [kg].
        variance: Expected square, for each of I `INFLATIONS` and L `LOAD_NOISES`, shape (I, L, K).
    """

    error: Array
    variance: Array

    @classmethod
    def of(cls, tried: list[HeldOutRun]) -> Self:
        """Return those of runs whose masses are known."""
        parts = np.empty((len(INFLATIONS), len(LOAD_NOISES), len(tried)))
        for k, each in enumerate(tried):
            posterior, run, phi = each.posterior, each.run.statistics, each.phi
            for i, inflation in enumerate(INFLATIONS):
                own = posterior.deviation(inflation)[0]
                load = posterior.load_deviation(inflation, run, phi)[0]
                parts[i, :, k] = own**2 + (LOAD_NOISES * load) ** 2
        return cls(np.array([each.error[0] for each in tried]), parts)

    def likeliest(self, kept: BoolArray) -> tuple[int, int]:
        """Return under which inflation and load noise the errors of some runs are most likely.

        Errors count as normal.

        Args:
            kept: Which runs, shape (K,).
        """
        variance = self.variance[:, :, kept]
        cost = (self.error[kept] ** 2 / variance + np.log(variance)).sum(axis=2)
        i, j = np.unravel_index(int(np.argmin(cost)), cost.shape)
        return int(i), int(j)

    def size(self) -> ErrorSize:
        """Return the size under which the errors of all runs are most likely."""
        if not len(self.error):
            return ErrorSize(1.0, 0.0)
        i, j = self.likeliest(np.ones(len(self.error), dtype=bool))
        return ErrorSize(float(INFLATIONS[i]), float(LOAD_NOISES[j]))

    def deviation(self, kept: BoolArray) -> Array:
        """Return how large errors are expected to be by those of some runs, shape (K,) [kg].

        Args:
            kept: Which runs, shape (K,).
        """
        return np.asarray(np.sqrt(self.variance[self.likeliest(kept)]))
