r"""Half widths that a motion is predicted to leave, of the payload and of all grasp frames at once.

The rows are those that the estimator itself would make of noise-free samples of the motion
(`team.source`, `team.closed_form.pair_equations`), with their bounds. With x = (psi, phi), psi the
frames' errors, clocks, biases and gains in the unit box of what is known, w_i = [B A]_i / d_i,

    |x^ - x|_k <= sum_i |e_k' N^-1 w_i| + sum_j |e_k' N^-1 e_j| / S_j,   N = S^-2 + sum_i w_i w_i'

is the image of the bounds under weighted least squares (`criteria.half_widths`), here of every
unknown. Rows are certain to hold within it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...body.payload_prior import PayloadPrior
from ...motion.fourier import FourierSeries
from ...team.blocks import SPACING, Blocks
from ...team.closed_form.pair_equations import Pairs
from ...team.frame_bounds import motion_of
from ...team.source import TeamSource
from ...team.windows import windows_of
from ..criteria.posterior import information
from ..prediction.candidate_rows import CandidateRows, Collected
from .held_team import HeldTeam

STEP = 0.02  # [s] of the predicted samples
WINDOW = 1.0  # [s] of the estimator's windows
KINEMATIC = 7  # of a robot's nuisance parameters: a, dp, clock
# Mass, first moment, inertia and frames count alike; here the places of the first three in phi.
GROUPS = (slice(0, 1), slice(1, 4), slice(4, 10))


@dataclass(frozen=True)
class Widths:
    """Half widths.

    Attributes:
        phi: Of the payload in {1}, shape (10,).
        frames: Of (a, dp) of robots 2..N, shape (N - 1, 6) [rad, m].
    """

    phi: Array
    frames: Array

    def against(self, before: Widths) -> float:
        """Return the mean logarithm of the ratio to those before, all groups alike."""
        payload = np.log(self.phi / before.phi)
        groups = [payload[group].mean() for group in GROUPS]
        return float(np.mean([*groups, np.log(self.frames / before.frames).mean()]))


class WidthPredictor:
    """Predicts for one team what motions would leave open.

    Attributes:
        before: Half widths that are known already.
    """

    def __init__(self, team: HeldTeam) -> None:
        """Prepare."""
        self._team = team
        self._rows = TeamSource(
            team.frames, team.bounds, team.frame_bounds, team.names, PayloadPrior()
        )
        box = self._rows.half_width
        self._box, self._used = box.ravel(), box.ravel() > 0
        self._known = np.maximum(team.half_width, 1e-9)
        self.before = Widths(self._known, np.maximum(box[1:, :6], 1e-9))

    def nothing(self) -> Collected:
        """Return what is collected before any motion."""
        return Collected.nothing(int(self._used.sum()))

    def rows(self, series: FourierSeries) -> CandidateRows:
        """Return the rows that a motion would give."""
        team = self._team
        time = np.arange(round(series.duration / STEP) + 1) * STEP
        samples = team.samples(series, time)
        N, shift = len(samples), np.zeros(len(samples))
        start = np.arange(0.0, series.duration - WINDOW + 1e-9, WINDOW / 2)
        holding = np.ones((N, len(start)), bool)
        windows = windows_of([*samples], team.bounds, start, WINDOW, shift, STEP, holding)
        block = self._rows.of_bounds(windows)
        d = block.bound(np.abs(team.phi) + self._known)
        parts = [(block.A, block.B, d)]
        middle = np.arange(SPACING, series.duration - SPACING, SPACING)
        blocks = Blocks.of([*samples], middle, shift, STEP)
        for i in range(1, N):
            parts.append(self._kinematic(blocks, i))
        A, B, d = (np.concatenate(column) for column in zip(*parts, strict=True))
        return CandidateRows(A[None], B[None], d[None])

    def _kinematic(self, blocks: Blocks, i: int) -> tuple[Array, Array, Array]:
        """Return the rows of one robot's frame."""
        team, every = self._team, np.arange(len(blocks))
        one, two = (motion_of(blocks, k, every, team.bounds[k]) for k in (0, i))
        pairs = Pairs(one, two, 0.0, team.bounds[0].tilt + team.bounds[i].tilt)
        X, p = team.frames.rotation[i], team.frames.position[i]
        G, _, d = pairs.rows(X, p, team.frame_bounds[i])
        B = np.zeros((len(G), len(self._box)))
        first = i * (len(self._box) // len(team.names))
        B[:, first : first + KINEMATIC] = G * self._box[first : first + KINEMATIC]
        return np.zeros((len(G), 10)), B[:, self._used], d

    def left(self, rows: CandidateRows, collected: Collected) -> Widths:
        """Return the half widths after rows and those collected before; none is larger than now."""
        inverse = np.linalg.inv(information(rows, collected, self._known)[0])
        every = np.vstack([rows.scaled[0], collected.kept])
        S = np.append(np.ones(int(self._used.sum())), self._known)
        image = np.abs(every @ inverse).sum(axis=0) + np.abs(inverse) @ (1.0 / S)
        image = (image**-2.0 + S**-2.0) ** -0.5
        whole = np.zeros(len(self._box))
        whole[self._used] = image[:-10] * self._box[self._used]
        frames = whole.reshape(len(self._team.names), -1)[1:, :6]
        return Widths(image[-10:], np.maximum(frames, 1e-9))
