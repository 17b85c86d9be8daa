"""Moments of bodies and levers of joints, from which `remainder` bounds second derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from ...arm.kinetics import cross
from ...arrays import Array
from ...body.inertial import pseudo_inertia
from .slice_motion import EPS

# Corners of a box of six moments, one of each opposite pair.
_CORNERS = np.array([(1.0, *signs) for signs in product((-1.0, 1.0), repeat=5)])


@dataclass(frozen=True, eq=False)
class Moments:
    """Bounds on the moments of B bodies about a reference point of each.

    Attributes:
        mass: |m|, shape (B,) [kg].
        first: |h|, shape (B,) [kg m].
        second: |Sigma|_*, shape (B,) [kg m2].
    """

    mass: Array
    first: Array
    second: Array


def second_moment(phi: Array) -> Array:
    """Return Sigma = 1/2 tr(I) 1 - I of bodies, shape (B, 3, 3), from phi (B, 10)."""
    return pseudo_inertia(phi)[:, :3, :3]


def reference_points(phi: Array) -> Array:
    """Return a point for each body about which its moments are small, shape (B, 3) [m]."""
    mass = np.where(phi[:, 0] > 0, phi[:, 0], 1.0)
    return np.where(phi[:, :1] > 0, phi[:, 1:4] / mass[:, None], 0.0)


def moments_of(phi: Array, point: Array) -> Moments:
    """Return the moments of bodies phi (B, 10) about points (B, 3)."""
    m, h = phi[:, 0], phi[:, 1:4]
    outer = h[:, :, None] * point[:, None]
    second = second_moment(phi) - outer - outer.transpose(0, 2, 1)
    second += m[:, None, None] * point[:, :, None] * point[:, None]
    nuclear = np.abs(np.linalg.eigvalsh(second)).sum(axis=1)
    size = np.abs(second).sum(axis=(1, 2))
    rounding = 64 * EPS * (np.abs(phi).sum(axis=1) * (1 + np.abs(point).sum(axis=1)) ** 2)
    first = np.linalg.norm(h - m[:, None] * point, axis=1)
    return Moments(np.abs(m), first + rounding, np.minimum(nuclear, size) + rounding)


def moments_within(half_width: Array) -> Moments:
    """Return bounds for all phi with |phi| <= half_width (B, 10), about the frames' origins.

    The sum of singular values is convex: over a box it is largest at a corner.
    """
    moments = half_width[:, None, 4:] * _CORNERS
    bodies = np.concatenate([np.zeros((*moments.shape[:2], 4)), moments], axis=2).reshape(-1, 10)
    nuclear = np.abs(np.linalg.eigvalsh(second_moment(bodies))).sum(axis=1)
    second = nuclear.reshape(len(half_width), -1).max(axis=1)
    grown = 1 + 64 * EPS
    first = np.linalg.norm(half_width[:, 1:4], axis=1)
    return Moments(half_width[:, 0], first * grown, second * grown)


@dataclass(frozen=True, eq=False)
class Levers:
    """Distances of each body's reference point from the axes, over whole slices.

    Attributes:
        distance: o, 0 where the joint does not carry the body, shape (K, B, n) [m or 1].
        turning: k, shape (B, n).
    """

    distance: Array
    turning: Array

    def pair(self, moments: Moments) -> Array:
        """Return P, shape (K, B, n, n)."""
        o, k = self.distance, self.turning
        m, h, s = moments.mass[:, None], moments.first[:, None], moments.second[:, None]
        # P = (m o_a + h k_a) o_b + (h o_a + s k_a) k_b
        left = (m * o + h * k)[..., None] * o[:, :, None]
        return np.asarray(left + (h * o + s * k)[..., None] * k[:, None])

    def single(self, moments: Moments) -> Array:
        """Return bounds on sum_i m_i |r_i,a..|, shape (K, B, n)."""
        m, h = moments.mass[:, None], moments.first[:, None]
        return np.asarray(m * self.distance + h * self.turning)


def levers(axis: Array, point: Array, support: Array, revolute: Array, reach: Array) -> Levers:
    """Return the levers on slices.

    Args:
        axis: Axes in the bodies' frames at the slices' centres, base to tip, (K, B, n, 6).
        point: Reference points in the bodies' frames, shape (B, 3) [m].
        support: Which joints carry which body, shape (B, n).
        revolute: Which joints turn, shape (n,).
        reach: Bounds on |q - q_c|, shape (K, n).
    """
    arm = axis[..., :3] + cross(axis[..., 3:], point[:, None])
    distance = np.linalg.norm(arm, axis=-1) * support
    moved = np.zeros(distance.shape[:2])
    # A joint nearer to the tip moves the point by no more than its own lever times its angle.
    for k in reversed(range(axis.shape[2])):
        distance[..., k] += moved * support[:, k]
        moved = moved + distance[..., k] * reach[:, None, k]
    grown = 1 + 64 * axis.shape[2] * EPS
    return Levers(distance * grown, support * revolute)


def last_of(x: Array, y: Array) -> Array:
    """Return weights of the last of two joints drawn with weights x and y, (..., n) each."""
    return np.asarray(x * np.cumsum(y, axis=-1) + (np.cumsum(x, axis=-1) - x) * y)
