r"""Inertial parameters of what passive joints carry, over all places where these joints may be.

A body of mass m with its centre of mass at c (frame of the arm's joint that carries it) and the
inertia J about c, turned with it, has h = m c and I = J + m (|c|^2 1 - c c'). Each of its numbers f
is a smooth function of the positions s_i of the joints that may be anywhere. Between the samples of
a grid, D_i apart, f is beyond the largest sample by at most

    sum_i D_i^2 / 8 max |d2f / ds_i2|.

With a_i and b_i the sums of |multiplier| of the joints on the way that turn and slide with s_i, and
rho the largest distance of c from the carrying frame and from any axis on the way,

    |dc/ds_i| <= v = a_i rho + b_i,    |d2c/ds_i2| <= A = a_i^2 rho + 2 a_i b_i,
    |d2J/ds_i2| <= 5 a_i^2 |J - tr J / 3|,    |d2(|c|^2 1 - c c')/ds_i2| <= 2 (A rho + v^2),

since dJ/ds = [w] J - J [w] with |w| <= a and |dw/ds| <= a^2 / 2; a multiple of 1 does not turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from ..arrays import Array

SAMPLES = {1: 65, 2: 33, 3: 13, 4: 7, 5: 5}  # values of each of so many joints that are anywhere
FEW = 3  # values of each of more than these
MOST = 9  # joints of a grid; beyond more of them a body is anywhere within its reach
TOGETHER = 3  # so many joints are sampled together though no body is beyond all of them
ROUNDING = 1e-13  # relative to the terms of the sums


@dataclass(frozen=True)
class PassiveJoint:
    """A joint between the arm and a body, at  multiplier * s + offset  of its master's position s.

    Attributes:
        rotation: Its axes at 0 in the frame before it, shape (3, 3).
        translation: Its origin there, shape (3,) [m].
        axis: Unit vector along its axis, shape (3,).
        slides: Whether it slides; else it turns.
        master: Name of the joint that it follows, or its own.
        multiplier: Of the master's position [-].
        offset: Added to it [rad or m].
    """

    rotation: Array
    translation: Array
    axis: Array
    slides: bool
    master: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class PassiveBody:
    """A body beyond passive joints.

    Attributes:
        way: The joints from the arm's joint that carries it, at least one.
        mass: Its mass [kg].
        com: Its centre of mass in the frame of the last joint, shape (3,) [m].
        inertia: About that centre, axes of that frame, shape (3, 3) [kg m2].
    """

    way: tuple[PassiveJoint, ...]
    mass: float
    com: Array
    inertia: Array


Travel = Mapping[str, tuple[float, float]]  # least and largest position by master [rad or m]


def phi_range(bodies: Sequence[PassiveBody], travel: Travel) -> tuple[Array, Array]:
    """Return bounds of the bodies' phi together, about the frame that carries them.

    Args:
        bodies: At least one.
        travel: Between which positions the joints that others follow may be.

    Returns:
        lower: Shape (10,).
        upper: Shape (10,).
    """
    lower, upper = np.zeros(10), np.zeros(10)
    for free, group in _groups(bodies, travel).items():
        least, largest = _group_range(free, group, travel)
        lower, upper = lower + least, upper + largest
    slip = ROUNDING * np.sum([_size(body, travel) for body in bodies], axis=0)
    return lower - slip, upper + slip


def free_masters(body: PassiveBody, travel: Travel) -> tuple[str, ...]:
    """Return the names of the joints that may be in several places and move a body."""
    masters = {joint.master for joint in body.way if joint.multiplier != 0.0}
    return tuple(sorted(name for name in masters if travel[name][0] < travel[name][1]))


def _groups(
    bodies: Sequence[PassiveBody], travel: Travel
) -> dict[tuple[str, ...], list[PassiveBody]]:
    """Return bodies by the joints that are sampled together for them."""
    free = [free_masters(body, travel) for body in bodies]
    every = tuple(sorted({name for names in free for name in names}))
    groups: dict[tuple[str, ...], list[PassiveBody]] = {}
    for names, body in zip(free, bodies, strict=True):
        groups.setdefault(every if len(every) <= TOGETHER else names, []).append(body)
    return groups


def _group_range(
    free: tuple[str, ...], bodies: Sequence[PassiveBody], travel: Travel
) -> tuple[Array, Array]:
    """Return bounds of some bodies' phi, from samples of their free joints and what is between.

    Beyond too many joints for that: what bodies have that are anywhere within their reach.
    """
    if len(free) > MOST:
        size = np.sum([_size(body, travel) for body in bodies], axis=0)
        return size * [1, *[-1] * 3, 0, -1, -1, 0, -1, 0], size
    count = SAMPLES.get(len(free), FEW)
    grids = [np.linspace(*travel[name], count) for name in free]
    mesh = np.meshgrid(*grids, indexing="ij")
    size = count ** len(free)
    places = {name: np.full(size, low) for name, (low, _) in travel.items()}
    places |= {name: values.ravel() for name, values in zip(free, mesh, strict=True)}
    phi = np.sum([_phi(body, places) for body in bodies], axis=0)
    between = np.sum(
        [
            (grid[1] - grid[0]) ** 2 / 8.0 * _curvature(body, name, travel)
            for body in bodies
            for name, grid in zip(free, grids, strict=True)
        ],
        axis=0,
    )
    return phi.min(axis=0) - between, phi.max(axis=0) + between


def _phi(body: PassiveBody, places: Mapping[str, Array]) -> Array:
    """Return a body's phi about the carrying frame at K places of the masters, shape (K, 10)."""
    size = len(next(iter(places.values())))
    R, t = np.broadcast_to(np.eye(3), (size, 3, 3)), np.zeros((size, 3))
    for joint in body.way:
        s = joint.multiplier * places[joint.master] + joint.offset
        t = t + R @ joint.translation
        R = R @ joint.rotation
        if joint.slides:
            t = t + s[:, None] * (R @ joint.axis)
        else:
            R = R @ Rotation.from_rotvec(np.outer(s, joint.axis)).as_matrix()
    c = t + R @ body.com
    turned = R @ body.inertia @ R.transpose(0, 2, 1)
    square = np.einsum("ki,ki->k", c, c)[:, None, None] * np.eye(3)
    about = turned + body.mass * (square - c[:, :, None] * c[:, None, :])
    rows, columns = np.triu_indices(3)  # xx, xy, xz, yy, yz, zz
    return np.hstack([np.full((size, 1), body.mass), body.mass * c, about[:, rows, columns]])


def _curvature(body: PassiveBody, master: str, travel: Travel) -> Array:
    """Return bounds of |d2 phi / d s2| for a master's position s anywhere, shape (10,)."""
    J, m = body.inertia, body.mass
    uneven = float(np.linalg.norm(J - np.trace(J) / 3.0 * np.eye(3), 2))
    rho = _reach(body, travel)
    a, b = (
        sum(abs(x.multiplier) for x in body.way if x.master == master and x.slides == slides)
        for slides in (False, True)
    )
    v, A = a * rho + b, a * a * rho + 2.0 * a * b
    inertia = 5.0 * a * a * uneven + 2.0 * m * (A * rho + v * v)
    return np.array([0.0, *[m * A] * 3, *[inertia] * 6])


def _size(body: PassiveBody, travel: Travel) -> Array:
    """Return how large the terms of a body's phi are, shape (10,)."""
    rho, m = _reach(body, travel), body.mass
    inertia = float(np.linalg.norm(body.inertia)) + m * rho * rho
    return np.array([m, *[m * rho] * 3, *[inertia] * 6])


def _reach(body: PassiveBody, travel: Travel) -> float:
    """Return the largest distance of a centre of mass from the frames on its way [m]."""
    return float(np.linalg.norm(body.com)) + sum(_length(joint, travel) for joint in body.way)


def _length(joint: PassiveJoint, travel: Travel) -> float:
    """Return the largest distance of a joint's moving frame from the frame before it [m]."""
    straight = float(np.linalg.norm(joint.translation))
    ends = [joint.multiplier * end + joint.offset for end in travel[joint.master]]
    return straight + (max(map(abs, ends)) if joint.slides else 0.0)
