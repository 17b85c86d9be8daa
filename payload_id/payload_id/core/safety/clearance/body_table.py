"""Bodies, pairs of bodies and poses as arrays, so that many pairs are judged at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import frames
from ...arrays import Array, BoolArray, IntArray
from .convex_body import ConvexBody

COVER = 3  # balls that cover a body, along its longest side


@dataclass(frozen=True, eq=False)
class BodyTable:
    """All bodies of a scene as arrays, shape (B, ...); obstacles are bodies of the base.

    Attributes:
        bodies: Poses in the frame of their joint.
        joint: Joint that carries each, -1 for the base.
        rotation: Axes in that frame, shape (B, 3, 3).
        translation: Origin in that frame, shape (B, 3) [m].
        half: Half lengths of the box in the sum of `convex_body`, shape (B, 3) [m].
        disc: Radius of the disc in the sum, shape (B,) [m].
        radius: Radius of the ball in the sum, shape (B,) [m].
        plane: Which are half-spaces.
        is_hull: Which are hulls.
        cover: Centres of balls that cover the body, own frame, shape (B, COVER, 3) [m].
        cover_radius: Their radius, shape (B,) [m].
        shapes: For coal.
    """

    bodies: tuple[ConvexBody, ...]
    joint: IntArray
    rotation: Array
    translation: Array
    half: Array
    disc: Array
    radius: Array
    plane: BoolArray
    is_hull: BoolArray
    cover: Array
    cover_radius: Array
    shapes: tuple[object, ...]

    @classmethod
    def of(cls, bodies: tuple[ConvexBody, ...], joint: IntArray) -> BodyTable:
        """Return the table of bodies that these joints carry."""
        covers = [_cover(body) for body in bodies]
        return cls(
            bodies=bodies,
            joint=np.asarray(joint, dtype=int),
            rotation=np.array([body.rotation for body in bodies]),
            translation=np.array([body.translation for body in bodies]),
            half=np.array([body.half for body in bodies]),
            disc=np.array([body.disc for body in bodies]),
            radius=np.array([body.radius for body in bodies]),
            plane=np.array([body.kind == "half_space" for body in bodies]),
            is_hull=np.array([body.kind == "hull" for body in bodies]),
            cover=np.array([centres for centres, _ in covers]),
            cover_radius=np.array([radius for _, radius in covers]),
            shapes=tuple(body.coal() for body in bodies),
        )


def _cover(body: ConvexBody) -> tuple[Array, float]:
    """Return centres (COVER, 3) and radius of equal balls that cover a body."""
    extent = body.half + np.array([body.disc, body.disc, 0.0])
    long = int(np.argmax(extent))
    centres = np.zeros((COVER, 3))
    if body.kind == "half_space":
        return centres, 0.0
    part = extent[long] / COVER
    centres[:, long] = extent[long] - part * (2 * np.arange(COVER) + 1)
    if body.disc and long == 2:
        rest = np.array([body.disc])
    else:
        rest = np.delete(extent, long)
    return centres, float(np.sqrt(part**2 + rest @ rest) + body.radius)


@dataclass(frozen=True, eq=False)
class Poses:
    """K poses of the arm, each with a range around it.

    Attributes:
        rotation: Axes of the joint frames and, last, of the base, shape (K, n + 1, 3, 3).
        origin: Their origins, shape (K, n + 1, 3) [m].
        axis: Directions of the joint axes, shape (K, n, 3).
        delta: Largest |q_j - pose|, shape (K, n) [rad or m].
    """

    rotation: Array
    origin: Array
    axis: Array
    delta: Array

    @classmethod
    def of(cls, model: ArmModel, q: Array, delta: Array) -> Poses:
        """Return the poses q, shape (K, n), with their ranges."""
        rotation, origin = frames(model, q)
        rotation[:, -1], origin[:, -1] = np.eye(3), 0.0  # the base in place of the payload
        own = model.axis_angular + model.axis_linear
        axis = np.einsum("knij,nj->kni", rotation[:, :-1], own)
        return cls(rotation, origin, axis, delta)


@dataclass(frozen=True, eq=False)
class PairTable:
    """Which bodies are checked against each other, and which joints move the one to the other.

    Attributes:
        pairs: Indices of bodies, shape (P, 2); the first moves, the second may.
        moves: Which joints move each of the two and not the other, shape (P, 2, n).
        order: Joints from the tip to the base.
        revolute: Which joints turn, shape (n,).
    """

    pairs: IntArray
    moves: Array
    order: tuple[int, ...]
    revolute: BoolArray

    @classmethod
    def of(cls, model: ArmModel, joint: IntArray, pairs: IntArray) -> PairTable:
        """Return the table for bodies that these joints carry."""
        support = np.vstack([model.supports()[:-1], np.zeros(model.n)])  # the base last
        one, other = (support[joint[pairs[:, k]]] for k in (0, 1))
        both = one * other
        depth = model.supports()[:-1].sum(axis=1)
        return cls(
            pairs=pairs,
            moves=np.stack([one - both, other - both], axis=1),
            order=tuple(int(j) for j in np.argsort(-depth, kind="stable")),
            revolute=np.linalg.norm(model.axis_angular, axis=1) > 0.5,
        )


@dataclass(frozen=True, eq=False)
class Items:
    """I pairs of bodies, each at one pose, in the base frame.

    Attributes:
        first: Index of the moving body, shape (I,).
        second: Index of the other body, shape (I,).
        R: Axes of both bodies, shape (2, I, 3, 3).
        c: Their origins, shape (2, I, 3) [m].
        delta: Ranges of the joints that move the first, and the second, shape (2, I, n).
        axis: Directions of the joint axes, shape (I, n, 3).
        origin: Points on them, shape (I, n, 3) [m].
    """

    first: IntArray
    second: IntArray
    R: Array
    c: Array
    delta: Array
    axis: Array
    origin: Array

    @classmethod
    def of(
        cls, table: BodyTable, pairs: PairTable, poses: Poses, slice_: IntArray, pair: IntArray
    ) -> Items:
        """Return pairs at poses, both given by index, shape (I,)."""
        chosen = pairs.pairs[pair]
        R, c = [], []
        for body in (chosen[:, 0], chosen[:, 1]):
            carrier = poses.rotation[slice_, table.joint[body]]
            R.append(carrier @ table.rotation[body])
            arm = np.einsum("kij,kj->ki", carrier, table.translation[body])
            c.append(poses.origin[slice_, table.joint[body]] + arm)
        delta = poses.delta[slice_] * pairs.moves[pair].transpose(1, 0, 2)
        axis, origin = poses.axis[slice_], poses.origin[slice_, :-1]
        return cls(chosen[:, 0], chosen[:, 1], np.stack(R), np.stack(c), delta, axis, origin)

    def take(self, which: IntArray | BoolArray) -> Items:
        """Return some of the items."""
        return Items(
            self.first[which],
            self.second[which],
            self.R[:, which],
            self.c[:, which],
            self.delta[:, which],
            self.axis[which],
            self.origin[which],
        )
