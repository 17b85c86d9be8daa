"""How large the errors of an arm's estimates are expected to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from typing_extensions import Self

from ..arrays import Array, BoolArray
from ..statistics.posterior import Posterior
from ..statistics.statistics import Statistics

INFLATIONS = np.geomspace(1.0, 100.0, 33)
LOAD_NOISES = np.concatenate([[0.0], np.geomspace(1e-3, 10.0, 41)])


@dataclass(frozen=True)
class Fitted:
    """A run's estimate with what other runs have shown.

    Attributes:
        posterior: Fit to the rows of the other runs and of this one.
        run: Of its rows alone.
        phi: Its load, as far as it is known; the rest as the estimate has it, shape (10,).
    """

    posterior: Posterior
    run: Statistics
    phi: Array

    def parts(self, inflation: float) -> tuple[Array, Array]:
        """Return what errors the noise of rows lets expect, and the load, shape (10,) each.

        Args:
            inflation: Factor on the noise of rows, whose errors hang together for some time.

        Returns:
            own: Standard deviation by the noise.
            load: That of errors as large as what the load makes of the rows: friction that grows
                with the load, and the like, make a part of it.
        """
        own = self.posterior.deviation(inflation)
        return own, self.posterior.load_deviation(inflation, self.run, self.phi)


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
    def of(cls, error: Array, tried: Sequence[Fitted]) -> Self:
        """Return those of K runs whose masses are known, their errors given, (K,) [kg]."""
        variance = np.empty((len(INFLATIONS), len(LOAD_NOISES), len(tried)))
        for i, inflation in enumerate(INFLATIONS):
            for k, each in enumerate(tried):
                own, load = each.parts(inflation)
                variance[i, :, k] = own[0] ** 2 + (LOAD_NOISES * load[0]) ** 2
        return cls(error, variance)

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

    def size(self) -> tuple[float, float]:
        """Return the inflation and load noise under which the errors of all are most likely."""
        if not len(self.error):
            return 1.0, 0.0
        i, j = self.likeliest(np.ones(len(self.error), dtype=bool))
        return float(INFLATIONS[i]), float(LOAD_NOISES[j])

    def deviation(self, kept: BoolArray) -> Array:
        """Return how large errors are expected to be by those of some runs, shape (K,) [kg].

        Args:
            kept: Which runs, shape (K,).
        """
        return np.asarray(np.sqrt(self.variance[self.likeliest(kept)]))
