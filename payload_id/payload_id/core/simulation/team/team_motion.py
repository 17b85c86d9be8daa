"""Motions of a held payload: sums of sines, as a team's wrists are asked to follow them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array

RAMP = 2.0  # [s] in which a motion grows from rest


@dataclass(frozen=True)
class TeamMotion:
    """Where the payload frame is to be: x(t) = middle + sum_k a_k sin(2 pi f_k t + b_k).

    It grows to that from where the payload was before.

    Attributes:
        amplitude: a, shape (K, 6): rotation vector [rad], then translation [m].
        frequency: f, shape (K,) [Hz].
        phase: b, shape (K, 6) [rad].
        middle: Rotation vector [rad] and translation [m] about which it moves, shape (6,).
        centre: Point of the payload frame about which it turns, shape (3,) [m].
    """

    amplitude: Array
    frequency: Array
    phase: Array
    middle: Array
    centre: Array

    @classmethod
    def random(
        cls,
        rng: np.random.Generator,
        centre: Array,
        tilt: float = np.deg2rad(7.0),
        reach: float = 0.03,
        highest: float = 0.9,
        terms: int = 3,
    ) -> TeamMotion:
        """Draw a motion.

        Args:
            rng: Source of randomness.
            centre: Point of the payload frame about which to turn, shape (3,) [m].
            tilt: Largest angle of the rotation about each axis [rad].
            reach: Largest way along each axis [m].
            highest: Highest frequency [Hz].
            terms: Number of sines of each coordinate.
        """
        share = rng.uniform(0.5, 1.0, (terms, 6))
        size = np.array([tilt] * 3 + [reach] * 3)
        return cls(
            amplitude=size * share / share.sum(axis=0),
            frequency=np.sort(rng.uniform(0.25 * highest, highest, terms)),
            phase=rng.uniform(0.0, 2 * np.pi, (terms, 6)),
            middle=np.zeros(6),
            centre=np.asarray(centre, dtype=float),
        )

    @classmethod
    def hold(cls, middle: Array, centre: Array) -> TeamMotion:
        """Return a pose that is held, as rotation vector [rad] and translation [m], shape (6,)."""
        still = np.zeros((1, 6))
        place = np.asarray(middle, dtype=float)
        return cls(still, np.ones(1), still, place, np.asarray(centre, dtype=float))

    def at(self, t: float, start: Array) -> Array:
        """Return rotation vector [rad] and translation [m] at a time, shape (6,).

        Args:
            t: Time since the motion began [s].
            start: Where it began, shape (6,).
        """
        x = min(max(t / RAMP, 0.0), 1.0)
        ramp = x**3 * (10 - 15 * x + 6 * x**2)
        turn = 2 * np.pi * self.frequency[:, None] * t + self.phase
        wanted = self.middle + np.sum(self.amplitude * np.sin(turn), axis=0)
        return np.asarray(start + ramp * (wanted - start))

    def pose(self, x: Array) -> tuple[Array, Array]:
        """Return a pose as rotation (3, 3) and translation (3,) [m] of the payload frame.

        Args:
            x: Rotation vector [rad] and translation [m] about the centre, shape (6,).
        """
        rotation = Rotation.from_rotvec(x[:3]).as_matrix()
        return rotation, self.centre + x[3:] - rotation @ self.centre


@dataclass(frozen=True)
class WristReferences:
    """Where each wrist is to be, as robots that know nothing of each other are told.

    Attributes:
        time: Since the motion began, increasing from 0, shape (k,) [s].
        place: p_i0i, beginning and ending where the wrists are, shape (N, k, 3) [m].
    """

    time: Array
    place: Array

    def wrists(self, t: float) -> Array:
        """Return where the wrists are to be at a time, shape (N, 3) [m]."""
        at = [[np.interp(t, self.time, x) for x in place.T] for place in self.place]
        return np.array(at)


@dataclass(frozen=True)
class Stage:
    """A part of a run.

    Attributes:
        motion: What the payload, or each wrist, is to do.
        seconds: How long [s].
        human: Whether a human guides it, so that nobody knows all forces on it.
    """

    motion: TeamMotion | WristReferences
    seconds: float
    human: bool = False


def holds(centre: Array, seconds: float, tilt: float = np.deg2rad(9.0)) -> tuple[Stage, ...]:
    """Return four static holds with the payload tilted about different axes.

    Args:
        centre: Point of the payload frame about which it is tilted, shape (3,) [m].
        seconds: Length of each [s].
        tilt: Angle [rad].
    """
    turns = tilt * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [-0.7, -0.7, 0]])
    poses = np.hstack([turns, np.zeros((4, 3))])
    return tuple(Stage(TeamMotion.hold(pose, centre), seconds) for pose in poses)
