"""How far bodies of an arm are apart, or overlap, measured by coal; no proof rests on it."""

from __future__ import annotations

import coal
import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import frames
from ...arrays import Array
from .arm_geometry import BASE, ArmGeometry


def signed_distances(model: ArmModel, geometry: ArmGeometry, pairs: Array, poses: Array) -> Array:
    """Return the distances of pairs of bodies, negative where they overlap, shape (N, P) [m].

    Args:
        model: The arm.
        geometry: Its bodies.
        pairs: Indices of bodies, shape (P, 2).
        poses: Joint positions, shape (N, n) [rad or m].
    """
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    found = np.empty((len(poses), len(pairs)))
    for k, (rotation, origin) in enumerate(zip(*frames(model, np.asarray(poses)), strict=True)):
        placed = [
            item.body
            if item.joint == BASE
            else item.body.moved(rotation[item.joint], origin[item.joint])
            for item in geometry.bodies
        ]
        shapes = [(body.coal(), body.coal_pose()) for body in placed]
        for p, (i, j) in enumerate(np.asarray(pairs).tolist()):
            result.clear()
            found[k, p] = coal.distance(*shapes[i], *shapes[j], request, result)
    return found
