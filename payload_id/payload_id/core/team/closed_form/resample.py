r"""Values of a robot's samples between its stamps: cubic through four samples, errors bounded.

At u in [0, 1] between the second and the third of four samples at t_0..t_3 the value is sum L_a f_a
with Lagrange's polynomials. Errors of samples count with sum |L_a|, and the interpolation itself is
off by |f''''| |prod (t - t_a)| / 24, the derivative taken from differences of five samples. At a
stamp the value is the sample's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array, BoolArray, IntArray

NODES = 4
EXACT = 1e-9  # [s] from a stamp that counts as on it


@dataclass(frozen=True)
class Resampling:
    """How values at some instants follow from samples.

    Attributes:
        first: Number of the first of the four samples, shape (n,).
        weight: Of each of the four, shape (n, 4).
        product: prod (t - t_a), shape (n,) [s4].
        step: Mean distance of the four samples, shape (n,) [s].
        inside: Whether there is no gap around the instant, shape (n,).
    """

    first: IntArray
    weight: Array
    product: Array
    step: Array
    inside: BoolArray

    @classmethod
    def of(cls, stamp: Array, time: Array, pause: float) -> Resampling:
        """Prepare.

        Args:
            stamp: Of the samples, shape (k,) [s], k >= 5.
            time: Instants at which values are wanted, shape (n,) [s].
            pause: Longest step between samples that is no gap [s].
        """
        left = np.searchsorted(stamp, time + EXACT) - 1
        first = np.clip(left - 1, 0, len(stamp) - NODES)
        nodes = stamp[first[:, None] + np.arange(NODES)]
        away = time[:, None] - nodes
        weight = np.ones((len(time), NODES))
        for a in range(NODES):
            for b in range(NODES):
                if a != b:
                    weight[:, a] *= away[:, b] / (nodes[:, a] - nodes[:, b])
        on = np.abs(away) <= EXACT
        hit = on.any(axis=1)
        weight[hit] = on[hit]
        near = np.clip(left, 0, len(stamp) - 2)
        gap = stamp[near + 1] - stamp[near] > pause
        inside = (time >= stamp[0] - EXACT) & (time <= stamp[-1] + EXACT) & (hit | ~gap)
        product = np.where(hit, 0.0, np.abs(away).prod(axis=1))
        return cls(first, weight, product, (nodes[:, -1] - nodes[:, 0]) / 3.0, inside)

    def values(self, samples: Array) -> Array:
        """Return values at the instants, shape (n, ...), of samples of shape (k, ...)."""
        four = samples[self.first[:, None] + np.arange(NODES)]
        return np.asarray(np.einsum("na,na...->n...", self.weight, four))

    def gain(self) -> Array:
        """Return by how much errors of samples may grow, sum |L_a|, shape (n,)."""
        return np.abs(self.weight).sum(axis=1)

    def remainder(self, samples: Array) -> Array:
        """Return what the interpolation leaves out, shape (n, ...), as differences tell.

        The largest of four next to each other: one alone may be small by chance, and is where
        steps are unequal.
        """
        last = len(samples) - 5
        every = np.abs(np.diff(samples, n=4, axis=0))
        bend = np.max([every[np.clip(self.first + k, 0, last)] for k in (-2, -1, 0, 1)], axis=0)
        scale = self.product / (24.0 * self.step**4)
        return np.asarray(scale.reshape(-1, *[1] * (bend.ndim - 1)) * bend)

    def rotations(self, samples: Array) -> Array:
        """Return rotations at the instants, shape (n, 3, 3), of samples of shape (k, 3, 3).

        Rotation vectors against the nearest of the four samples are interpolated.
        """
        base = self.weight.argmax(axis=1)
        home = samples[self.first + base]
        if (self.weight.max(axis=1) == 1.0).all():
            return home
        four = samples[self.first[:, None] + np.arange(NODES)]
        turned = np.einsum("nji,najk->naik", home, four).reshape(-1, 3, 3)
        vectors = Rotation.from_matrix(turned).as_rotvec().reshape(-1, NODES, 3)
        vector = np.einsum("na,nai->ni", self.weight, vectors)
        return np.asarray(home @ Rotation.from_rotvec(vector).as_matrix())
