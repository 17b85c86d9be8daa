"""How far bodies of an arm overlap at one pose, measured by coal; no proof rests on it."""

from __future__ import annotations

from collections.abc import Iterable

import coal
import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import frames
from ...arrays import Array
from .convex_body import ConvexBody


def signed_distances(
    model: ArmModel, bodies: Iterable[tuple[int, ConvexBody]], pairs: Array, q: Array
) -> Array:
    """Return the distances of pairs of bodies at one pose, negative where they overlap, (P,) [m].

    Args:
        model: The arm.
        bodies: The joint that carries each (-1: none does), and its body in that joint's frame.
        pairs: Indices of bodies, shape (P, 2).
        q: Joint positions, shape (n,) [rad or m].
    """
    rotation, origin = (x[0] for x in frames(model, np.asarray(q, dtype=float)[None]))
    placed = [
        body.moved(rotation[joint], origin[joint]) if joint >= 0 else body for joint, body in bodies
    ]
    shapes = [(body.coal(), body.coal_pose()) for body in placed]
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    found = np.empty(len(pairs))
    for k, (i, j) in enumerate(np.asarray(pairs).tolist()):
        result.clear()
        found[k] = coal.distance(*shapes[i], *shapes[j], request, result)
    return found
