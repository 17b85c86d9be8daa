"""What a motion of a team's wrists may not exceed, and how much of it one takes."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ...arrays import Array, one_number
from ...errors import InputError
from ...motion.fourier import FourierSeries
from .held_team import HeldTeam

CHECK_STEP = 0.02  # [s] at which limits are looked at; not a proof for all times between
MARGIN = 1.3  # for what robots pull at each other, and for the estimate's errors
ROUNDS = 8  # of shrinking a motion whose forces are too large


@dataclass(frozen=True)
class WristLimits:
    """Limits of a motion, about where the payload is held when it begins.

    Attributes:
        tilt: Largest angle that the payload turns by, about whatever axis [rad].
        reach: Largest distance of a wrist from where it was [m].
        force: Largest force of a robot [N]; motions are planned for forces `MARGIN` times as large
            as those that the estimated payload takes. What the intervals leave open is not in it:
            after a few holds they still contain bodies that no team could move.
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

    def usage(self, team: HeldTeam, series: FourierSeries) -> dict[str, float]:
        """Return the largest part of each limit that a motion takes.

        Forces are `MARGIN` times the least ones that move the estimated payload.
        """
        time = check_times(series)
        q = series.at(time).q
        place = team.poses(series, time)[1]
        away = np.linalg.norm(place - team.place[:, None], axis=2)
        speed = np.linalg.norm(np.gradient(place, time[1], axis=1), axis=2)
        return {
            "tilt": float(np.linalg.norm(q[:, :3], axis=1).max()) / self.tilt,
            "reach": float(away.max()) / self.reach,
            "force": float(largest_force(team, series)) / self.force,
            "speed": float(speed.max()) / self.speed,
        }

    def within(self, team: HeldTeam, series: FourierSeries, part: float) -> FourierSeries | None:
        """Return a motion made as large as a part of the limits allows; None if nothing fits.

        Rotations are scaled to the tilt; translations to what is left of the reach; then all of it
        by forces and speed.
        """
        turning, moving = np.repeat([1.0, 0.0], 3), np.repeat([0.0, 1.0], 3)
        turned = self.usage(team, series.scaled(turning))
        s = part / max(turned["tilt"], turned["reach"], 1e-9)
        left = 1.0 - min(1.0, s * turned["reach"] / part)
        shifted = self.usage(team, series.scaled(moving))["reach"]
        series = series.scaled(s * turning + moving * part * left / max(shifted, 1e-9))
        for _ in range(ROUNDS):
            used = self.usage(team, series)
            worst = max(used["reach"] / part, used["speed"] / part, used["force"])
            if worst <= 1.0:
                return series
            series = series.scaled(np.full(6, 0.97 * max(1.0 / worst, 0.5)))
        return None


def check_times(series: FourierSeries) -> Array:
    """Return the times at which limits are looked at, shape (k,) [s]."""
    return np.linspace(0.0, series.duration, round(series.duration / CHECK_STEP) + 1)


def largest_force(team: HeldTeam, series: FourierSeries) -> float:
    """Return the largest force of a robot over a motion, with the margin [N]."""
    wrench = team.wrench_regressor(series, check_times(series)) @ team.phi
    force = np.einsum("nij,kj->nki", team.share(), wrench)
    return MARGIN * float(np.linalg.norm(force, axis=2).max())
