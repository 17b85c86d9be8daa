"""Rest-to-rest motions of a team's wrists after which the joint intervals are narrowest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, one_number
from ...errors import InputError
from ...motion.fourier import FourierSeries
from ..prediction.candidate_rows import CandidateRows, Collected
from .held_team import HeldTeam
from .predicted_widths import WidthPredictor, Widths
from .wrist_limits import WristLimits

PIECE = 6.0  # [s] of one rest-to-rest series; longer motions are several of them
PART = 0.95  # of the limits that a plan takes
SPREAD, SHRINK = 0.5, 0.97  # of random steps about the best motion, and what a failure makes of it


@dataclass(frozen=True)
class WristPlan:
    """A motion of the payload, in pieces that begin and end where it is held now.

    Attributes:
        pieces: Series of (rotation vector, translation of the middle of the grasps) of {1}.
        before: Half widths known before.
        predicted: Half widths predicted after each piece.
        usage: Largest part of each limit.
    """

    pieces: tuple[FourierSeries, ...]
    before: Widths
    predicted: tuple[Widths, ...]
    usage: dict[str, float]

    @property
    def duration(self) -> float:
        """Of all pieces [s]."""
        return sum(piece.duration for piece in self.pieces)

    def poses(self, team: HeldTeam, step: float) -> tuple[Array, Array, Array]:
        """Return times (k,) [s], R_i0i (N, k, 3, 3) and p_i0i (N, k, 3) [m] of all pieces.

        Args:
            team: As it was planned for.
            step: Between two poses [s].
        """
        time = np.arange(round(self.duration / step) + 1) * step
        ends = np.cumsum([piece.duration for piece in self.pieces])
        which = np.minimum(np.searchsorted(ends, time - 1e-9), len(ends) - 1)
        parts = [
            team.poses(piece.at(np.minimum(time[which == k] - (ends[k] - piece.duration),
                                           piece.duration)))
            for k, piece in enumerate(self.pieces)
        ]  # fmt: skip
        rotation, position = (np.concatenate(x, axis=1) for x in zip(*parts, strict=True))
        return time, rotation, position


def plan_wrists(
    team: HeldTeam,
    limits: WristLimits | None = None,
    duration: float = 18.0,
    candidates: int = 12,
    steps: int = 24,
    seed: int = 0,
) -> WristPlan:
    """Plan piece by piece, each after what those before it are predicted to tell.

    Of random Fourier series the best is improved by random steps of its coefficients. It rests on
    the grasp frames and intervals of `team`; each piece is proved to keep the limits at all times.

    Args:
        team: Who holds what.
        limits: What the motion may not exceed.
        duration: Of the whole motion [s].
        candidates: Random series looked at for each piece.
        steps: Random steps from the best of them.
        seed: Of all that is random.

    Raises:
        InputError: Nothing that moves keeps the limits, or there are too few harmonics.
    """
    limits = WristLimits() if limits is None else limits
    seconds = one_number(duration, "duration")
    count = max(1, round(seconds / PIECE))
    harmonics = int(limits.highest * seconds / count)
    if seconds <= 0.0 or harmonics < 2:
        raise InputError(
            f"A motion of {seconds:g} s in {count} pieces needs two harmonics up to the highest "
            f"frequency {limits.highest:g} Hz; make it longer."
        )
    rng, predictor = np.random.default_rng(seed), WidthPredictor(team)
    search = _Search(team, limits, predictor, (6, 2, harmonics - 1), seconds / count, rng)
    collected, pieces, predicted = predictor.nothing(), [], []
    for _ in range(count):
        series, rows = search.best(collected, candidates, steps)
        pieces.append(series)
        predicted.append(predictor.left(rows, collected))
        collected = collected.plus(rows)
    usage = [limits.usage(team, piece) for piece in pieces]
    most = {name: max(used[name] for used in usage) for name in usage[0]}
    return WristPlan(tuple(pieces), predictor.before, tuple(predicted), most)


@dataclass(frozen=True)
class _Search:
    """Looks for one piece.

    Attributes:
        team: Who holds what.
        limits: What it may not exceed.
        predictor: Says what it leaves open.
        shape: Of a series' free coefficients.
        duration: Of the piece [s].
        rng: Source of randomness.
    """

    team: HeldTeam
    limits: WristLimits
    predictor: WidthPredictor
    shape: tuple[int, int, int]
    duration: float
    rng: np.random.Generator

    def best(
        self, collected: Collected, candidates: int, steps: int
    ) -> tuple[FourierSeries, CandidateRows]:
        """Return the best motion found, with its rows."""
        drawn = [self._drawn() for _ in range(candidates)]
        found = [(free, self._judged(free, collected)) for free in drawn]
        known = [(free, it) for free, it in found if it is not None]
        if not known:
            raise InputError(
                "No wrist motion keeps the limits: holding the payload alone takes forces near the "
                f"{self.limits.force:g} N that are allowed."
            )
        free, best = min(known, key=lambda entry: entry[1][0])
        spread = SPREAD
        for _ in range(steps):
            tried = free + spread * np.std(free) * self.rng.normal(size=self.shape)
            it = self._judged(tried, collected)
            if it is not None and it[0] < best[0]:
                free, best = tried, it
            else:
                spread *= SHRINK
        return best[1], best[2]

    def _drawn(self) -> Array:
        """Return free coefficients of a random series: quick ones tell inertia, slow ones frames.

        Amplitudes fall off with frequency by a power between 0 and 2.
        """
        fall = np.arange(2.0, self.shape[2] + 2.0) ** -self.rng.uniform(0.0, 2.0)
        return np.asarray(self.rng.normal(size=self.shape) * fall)

    def _judged(
        self, free: Array, collected: Collected
    ) -> tuple[float, FourierSeries, CandidateRows] | None:
        """Return criterion, motion within the limits, and its rows; None if none is."""
        series = FourierSeries.from_free(np.zeros(6), free, self.duration)
        within = self.limits.within(self.team, series, PART)
        if within is None:
            return None
        rows = self.predictor.rows(within)
        value = self.predictor.left(rows, collected).against(self.predictor.before)
        return value, within, rows
