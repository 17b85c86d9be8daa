"""Bodies that a shape may be: cut at random into parts, each of a density of its own.

A tool is a handle of one material and a head of another, in places that its shape does not tell. So
no one segmentation is chosen: many are drawn, and the data weigh them (`estimators/body_mixture`).
Two or three seeds, spread over the solid, take each the points nearest to them; the logarithms of
the parts' densities are independent and normal, so that a part is typically four times as dense as
another, as metal is against wood or plastic.
"""

from __future__ import annotations

import numpy as np
import scipy

from ..arrays import Array
from .inertial import from_pseudo_inertia, pseudo_inertia

SEGMENTATIONS = 200
DENSITIES = 6  # drawn for each segmentation
PARTS = (2, 2, 3)  # of one segmentation after the other
SPREAD = 1.0  # standard deviation of a density's logarithm
SEEDS = 60  # places from which parts are drawn


def bodies_of_materials(points: Array, volume: Array, solid: Array) -> Array:
    """Return bodies of mass 1 that a shape may be, always the same ones, shape (S, 10).

    Their mean density is the solid's: the points are moved by the affine map that gives them the
    solid's first and second moments, so that bodies differ by their densities only.

    Args:
        points: Places all over the solid, shape (N, 3) [m].
        volume: Of what each stands for, in any unit, shape (N,).
        solid: phi of the homogeneous solid of mass 1, shape (10,).
    """
    rng = np.random.default_rng(0)
    x = np.column_stack([points, np.ones(len(points))])
    x = x @ _map(_moments(x, volume), pseudo_inertia(solid)).T
    seeds = points[_spread_out(points, SEEDS)]
    bodies = []
    for k in range(SEGMENTATIONS):
        chosen = rng.choice(len(seeds), min(PARTS[k % len(PARTS)], len(seeds)), replace=False)
        part = scipy.spatial.cKDTree(seeds[chosen]).query(points)[1]
        density = np.exp(SPREAD * rng.normal(size=(DENSITIES, len(chosen))))
        bodies += [_moments(x, volume * each[part]) for each in density]
    return np.stack([from_pseudo_inertia(J) for J in bodies])


def _moments(x: Array, weight: Array) -> Array:
    """Return the pseudo-inertia, of mass 1, of weights at homogeneous points (N, 4)."""
    return np.asarray((x.T * weight) @ x / weight.sum())


def _map(J: Array, wanted: Array) -> Array:
    """Return the map of homogeneous points that turns moments J into those wanted, shape (4, 4).

    Of its kind that moves points least [Olkin1982], so that it does not depend on the frame.
    """
    c, centre = J[:3, 3], wanted[:3, 3]
    here, there = J[:3, :3] - np.outer(c, c), wanted[:3, :3] - np.outer(centre, centre)
    root = scipy.linalg.sqrtm(here)
    inverse = np.linalg.inv(root)
    result = np.eye(4)
    result[:3, :3] = inverse @ scipy.linalg.sqrtm(root @ there @ root) @ inverse
    result[:3, 3] = centre - result[:3, :3] @ c
    return result


def _spread_out(points: Array, count: int) -> list[int]:
    """Return points each as far as can be from those before it: thin parts have their share."""
    distance = np.linalg.norm(points - points.mean(axis=0), axis=1)
    chosen: list[int] = []
    for _ in range(min(count, len(points))):
        chosen.append(int(np.argmax(distance)))
        away = np.linalg.norm(points - points[chosen[-1]], axis=1)
        distance = np.minimum(distance, away) if len(chosen) > 1 else away
    return chosen
