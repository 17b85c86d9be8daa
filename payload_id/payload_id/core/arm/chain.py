r"""Frames and axes of all bodies in the base, joint after joint, for many samples at once.

Samples are the last index, so that one operation on an array runs over all of them. The index
before counts the entries of a vector, of which there are five, x y z x y: a cross product then
takes three operations,

    (a x b)_k = a_{k+1} b_{k+2} - a_{k+2} b_{k+1}.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .arm_model import ArmModel


@dataclass(frozen=True)
class Chain:
    """An arm of n joints at N samples, seen from the base.

    Attributes:
        place: Origin [m] and the three axes of bodies 0..n (the payload last), shape
            (n + 1, 4, 5, N): place[:, 0] is the origin.
        linear: Linear part of the joint axes J about the base's origin, shape (n, 5, N).
        angular: Angular part, shape (n, 5, N).
    """

    place: Array
    linear: Array
    angular: Array


def chain_of(model: ArmModel, q: Array) -> Chain:
    """Return frames and axes at positions q, shape (N, n) [rad or m]."""
    N, n = q.shape
    place = np.empty((n + 1, 4, 5, N))
    linear, angular = np.empty((2, n, 5, N))
    origin, axes = place[:, 0, :3], place[:, 1:, :3]
    q = np.ascontiguousarray(q.T)
    sine, cosine = np.sin(q), np.cos(q)
    turns, slides = (np.abs(x).sum(axis=1) > 0.0 for x in (model.axis_angular, model.axis_linear))
    for joint in model.base_to_tip:
        parent = model.parent[joint]
        # `joint_maps` in the base: parts of the turned axes, offset, slide, axis of the turn.
        if parent < 0:
            parts, start = model.joint_maps[joint][:, :, None], 0.0
        else:
            parts = (model.joint_maps[joint] @ axes[parent].reshape(3, 3 * N)).reshape(12, 3, N)
            start = origin[parent]
        if turns[joint]:
            turned = parts[3:6] * sine[joint]
            turned += parts[6:9] * cosine[joint]
            np.add(turned, parts[:3], out=axes[joint])
        else:
            np.add(parts[6:9], parts[:3], out=axes[joint])
        np.add(start, parts[9], out=origin[joint])
        if slides[joint]:
            origin[joint] += parts[10] * q[joint]
        linear[joint, :3], angular[joint, :3] = parts[10], parts[11]
    carrier = axes[model.payload_joint].reshape(3, 3 * N)
    axes[n] = (model.payload_rotation.T @ carrier).reshape(3, 3, N)
    origin[n] = origin[model.payload_joint] + (model.payload_translation @ carrier).reshape(3, N)
    close(place)
    close(angular)
    linear[:, :3] += cross(place[:n, 0], angular)
    close(linear)
    return Chain(place, linear, angular)


def close(vectors: Array) -> None:
    """Set the last two of the five entries from the first two."""
    vectors[..., 3:, :] = vectors[..., :2, :]


def cross(a: Array, b: Array, out: Array | None = None) -> Array:
    """Return a x b, three entries, of vectors with five."""
    product: Array = np.multiply(a[..., 1:4, :], b[..., 2:5, :], out=out)
    product -= a[..., 2:5, :] * b[..., 1:4, :]
    return product
