"""A body cut into slabs along its longest axis: a union of ellipsoids fits closer than one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..arrays import Array
from ..errors import InputError

MOST_SLABS = 8
PLACES = 24  # places of a cut that are tried
THIN = 0.02  # of the body's length: no slab is thinner


def slab_outlines(triangles: Array, count: int) -> list[Array]:
    """Return points whose convex hulls contain the body together, one set for each slab.

    The cuts are at right angles to the longest principal axis, each where it lowers the volume of
    the slabs' boxes most; there are fewer slabs where no cut lowers it. The extreme points of a
    slab are corners of the surface in it, and points at which edges cross its two planes.

    Args:
        triangles: Surface whose hull contains the body and inside which the body lies, shape
            (F, 3, 3) [m]; faces inside the body do no harm.
        count: Number of slabs.

    Raises:
        InputError: The number is not from 1 to `MOST_SLABS`.
    """
    if not 1 <= count <= MOST_SLABS:
        raise InputError(f"A shape has 1 to {MOST_SLABS} ellipsoids; found {count!r}.")
    points = triangles.reshape(-1, 3)
    axis = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2][0]
    height = triangles @ axis
    cuts = [float(height.min()), float(height.max())]
    tried = np.linspace(cuts[0], cuts[1], PLACES + 2)[1:-1]
    while len(cuts) <= count:
        choices = [sorted([*cuts, float(place)]) for place in tried]
        least = THIN * (cuts[-1] - cuts[0])
        choices = [c for c in choices if np.diff(c).min() > least]
        sizes = [_size(triangles, height, choice) for choice in choices]
        if not sizes or min(sizes) >= _size(triangles, height, cuts):
            break
        cuts = choices[int(np.argmin(sizes))]
    return [_outline(triangles, height, low, high) for low, high in pairwise(cuts)]


def _size(triangles: Array, height: Array, cuts: Sequence[float]) -> float:
    """Return the volume of the slabs' boxes along their principal axes [m3]."""
    total = 0.0
    for low, high in pairwise(cuts):
        points = _outline(triangles, height, low, high)
        axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
        total += float(np.prod(np.ptp(points @ axes.T, axis=0)))
    return total


def _outline(triangles: Array, height: Array, low: float, high: float) -> Array:
    """Return the extreme points of the body between two planes, and some more, shape (N, 3)."""
    found = [triangles[(height >= low) & (height <= high)]]
    for i, j in ((0, 1), (1, 2), (2, 0)):
        for plane in (low, high):
            before, after = height[:, i] - plane, height[:, j] - plane
            crossing = before * after < 0
            part = (before[crossing] / (before - after)[crossing])[:, None]
            found.append(
                triangles[crossing, i] + part * (triangles[crossing, j] - triangles[crossing, i])
            )
    return np.unique(np.concatenate(found), axis=0)
