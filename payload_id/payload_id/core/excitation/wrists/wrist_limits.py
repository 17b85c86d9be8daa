r"""What a motion of a team's wrists may not exceed, proved in continuous time.

With w the payload's rotation vector, t the translation of the grasps' middle, c the middle and r a
grasp from it in {1}, omega = J(w) dw,

    away = t + (R(w) - 1) r,      velocity = R' dt + omega x r        (in turned axes),
    proper = R'(ddt + g) - alpha x c - omega x (omega x c),    force_i = S_i Y(proper, ...) phi.

R, J and dJ/dt are integrals of products of rotations: |dR| <= |dw|, |J| <= 1, |dJ| <= |dw| / 2, and
the second derivative of J is at most 1/3. From the middle of a slice's ranges, on which w and its
derivatives stay within e_0, e_1, e_2 and t within f_0, f_1, f_2, largest rates W_1, W_2, T_1, T_2,

    |d omega| <= e_1 + W_1 e_0 / 2,
    |d alpha| <= e_2 + W_2 e_0 / 2 + W_1 e_1 + W_1^2 e_0 / 3,

and all else follows by the product rule. Of a motion that is proved nothing is exceeded at any
time, for the estimated payload; robots that pull at each other are no part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from ...arrays import one_number
from ...body.inertial import inertia_matrix
from ...errors import InputError
from ...motion.fourier import FourierSeries
from ...motion.trajectory import MotionRanges, even_edges
from ...safety.margins.margin import Refusal
from ...safety.margins.subdivision import LimitBound, Need, Slices
from ...team.window_series import GRAVITY
from .held_team import HeldTeam

STEP = 0.02  # [s] first slices of the proof, and instants at which a motion is scaled
MARGIN = 1.3  # for what robots pull at each other, and for the estimate's errors
ROUNDS = 8  # of shrinking a motion whose forces are too large


@dataclass(frozen=True)
class WristLimits:
    """Limits of a motion, about where the payload is held when it begins.

    Attributes:
        tilt: Largest angle that the payload turns by, about whatever axis [rad].
        reach: Largest distance of a wrist from where it was [m].
        force: Largest force of a robot [N]; motions are planned for forces `MARGIN` times as large
            as the least ones that move the estimated payload. What the intervals leave open is not
            in it: after a few holds they still contain bodies that no team could move.
        speed: Largest speed of a wrist [m/s].
        highest: Highest frequency of a motion [Hz].
    """

    tilt: float = float(np.deg2rad(9.5))
    reach: float = 0.12
    force: float = 100.0
    speed: float = 0.8
    highest: float = 1.2

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = one_number(getattr(self, entry.name), f"Wrist limit '{entry.name}'")
            if not 0.0 < value < np.inf:
                raise InputError(
                    f"Wrist limit '{entry.name}' must be finite and above 0; found {value!r}."
                )
            object.__setattr__(self, entry.name, value)

    def needs(self, team: HeldTeam, ranges: MotionRanges) -> Iterator[Need]:
        """Yield what slices of a motion need of each limit."""
        at, phi, c = ranges.middle, team.phi, float(np.linalg.norm(team.centre))
        ends = (
            (ranges.q_lower, ranges.q_upper),
            (ranges.dq_lower, ranges.dq_upper),
            (ranges.ddq_lower, ranges.ddq_upper),
        )
        turn, shift = slice(0, 3), slice(3, 6)
        (e0, e1, e2), (f0, f1, f2) = (
            [np.linalg.norm((high - low)[:, part] / 2, axis=1) for low, high in ends]
            for part in (turn, shift)
        )
        (W0, W1, W2), (_, T1, T2) = (
            [np.linalg.norm(np.maximum(-low, high)[:, part], axis=1) for low, high in ends]
            for part in (turn, shift)
        )
        omega = e1 + W1 * e0 / 2
        alpha = e2 + W2 * e0 / 2 + W1 * e1 + W1**2 * e0 / 3
        turned = alpha + 2 * W1 * omega  # of alpha x and of omega x (omega x)
        proper = f2 + (T2 + GRAVITY) * e0 + c * turned
        h, inertia = (np.linalg.norm(x, 2) for x in (phi[1:4], inertia_matrix(phi)))
        wrench = np.stack([phi[0] * proper + h * turned, h * proper + inertia * turned])
        levers = np.linalg.norm(team.share().reshape(-1, 3, 2, 3), 2, axis=(1, 3))
        r = np.linalg.norm(team.arms, axis=1)[:, None]
        R = team.body(at)[0]
        away = at.q[:, shift] + np.einsum("kij,nj->nki", R - np.eye(3), team.arms)
        angle = np.linalg.norm(at.q[:, turn], axis=1)[:, None]
        yield Need.within("tilt", ("payload",), W0[:, None], np.array([self.tilt]), angle)
        for name, limit, middle, spread in (
            ("reach", self.reach, away, f0 + e0 * r),
            ("wrist speed", self.speed, team.velocities(at)[1], f1 + T1 * e0 + omega * r),
            ("force", self.force / MARGIN, team.forces(at), levers @ wrench),
        ):
            size = np.linalg.norm(middle, axis=2)
            most, least, every = (size + spread).T, (size - spread).T, np.full(len(r), limit)
            yield Need.within(name, team.names, most, every, least)

    def usage(self, team: HeldTeam, series: FourierSeries) -> dict[str, float]:
        """Return the largest part of each limit that a motion takes at instants `STEP` apart."""
        instants = MotionRanges.at_instants(series.at(even_edges(series, STEP)))
        return {need.constraint: float(need.used.max()) for need in self.needs(team, instants)}

    def proved(self, team: HeldTeam, series: FourierSeries) -> bool:
        """Tell whether a motion keeps all limits at every time."""
        bound = LimitBound(partial(self.needs, team), series)
        found = bound.margins(Slices.between(even_edges(series, STEP)))
        return not isinstance(found, Refusal)

    def within(self, team: HeldTeam, series: FourierSeries, part: float) -> FourierSeries | None:
        """Return a motion made as large as a part of the limits allows; None if nothing fits.

        Rotations are scaled to the tilt; translations to what is left of the reach; then all of it
        by forces and speed, until it is proved.
        """
        turning, moving = np.repeat([1.0, 0.0], 3), np.repeat([0.0, 1.0], 3)
        turned = self.usage(team, series.scaled(turning))
        s = part / max(turned["tilt"], turned["reach"], 1e-9)
        left = 1.0 - min(1.0, s * turned["reach"] / part)
        shifted = self.usage(team, series.scaled(moving))["reach"]
        series = series.scaled(s * turning + moving * part * left / max(shifted, 1e-9))
        for _ in range(ROUNDS):
            worst = max(self.usage(team, series).values()) / part
            if worst <= 1.0 + 1e-9 and self.proved(team, series):
                return series
            series = series.scaled(np.full(6, 0.97 * max(1.0 / max(worst, 1.0), 0.5)))
        return None
