r"""A team as a row source: what the wrenches of all robots together say of the payload in {1}.

    Y(F_1) phi = sum_i [Ad]' (f_i, m_i) = sum_i (R_1i f_i, p_1i x R_1i f_i + R_1i m_i).

With R_1i = X (1 + [a] + S), p_1i = p + dp, a clock that is late by dt, a bias and a gain, the right
side is linear in (a, dp, dt, bias, gain) but for products of two small ones, which are in d.
Bounds take the features of the first robot, whose frame is exact, while it is there, and what is
proved of frames. Estimates take the mean of all robots' features, and the frames' own deviations;
friction acts against the motion in them.

Frames and clocks come first (`refine`, `pair`): a source holds them as they are known now, and what
is left open of them is nuisance. When more is known of them, a new source makes the rows of all
windows anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..body.inertial import skew, skews
from ..body.payload_prior import PayloadPrior
from ..errors import RecordingError
from ..rows.gate import Gate
from ..rows.row_block import RowBlock
from ..rows.wrench.newton_euler import FEATURES_TO_REGRESSOR
from ..statistics.nuisance_fit import PRIOR
from .bounds import RobotBounds
from .closed_form.correlation import freed
from .closed_form.pair_equations import FrameBounds
from .grasp_frames import GraspFrames
from .window_features import cross_size
from .window_series import GRAVITY
from .windows import Windows

_MAGNITUDE = np.abs(FEATURES_TO_REGRESSOR)
CHANNELS = ("fx", "fy", "fz", "tx", "ty", "tz", "lift")
MOVING = len(CHANNELS)  # channels of windows in motion follow those at rest
NUISANCES = (
    *(f"{name}_{axis}" for name in ("rotation", "position") for axis in "xyz"), "clock",
    *(f"force_bias_{axis}" for axis in "xyz"), "force_gain", "moment_gain",
    *(f"friction_{axis}" for axis in "xyz"),
)  # fmt: skip


@dataclass(frozen=True)
class TeamSource:
    """Makes rows of windows, whose errors are bounded.

    Attributes:
        frames: Estimates of the grasp frames.
        bounds: What is assumed about each robot, N of them.
        frame_bounds: Bounds about the estimates, N of them.
        robots: Names of the robots, the reference first.
        prior: Box that holds the payload, about the first robot's grasp frame.
    """

    frames: GraspFrames
    bounds: list[RobotBounds]
    frame_bounds: list[FrameBounds]
    robots: tuple[str, ...]
    prior: PayloadPrior

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return int(np.count_nonzero(self.half_width))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nuisance parameters, such as "omnid2.clock"."""
        robots, kinds = np.nonzero(self.half_width)
        return tuple(f"{self.robots[i]}.{NUISANCES[k]}" for i, k in zip(robots, kinds, strict=True))

    @property
    def growth(self) -> Array:
        """How the error of each channel's rows grows: it does not, shape (C, p)."""
        return np.zeros((len(self.channels), self.p))

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of what is measured, at rest and in motion."""
        return (*CHANNELS, *(f"{name} in motion" for name in CHANNELS))

    @property
    def frame(self) -> str:
        """Frame in which phi is expressed."""
        return self.robots[0]

    def gate(self, pause: float) -> Gate:
        """Return what lets all windows through: samples were judged before."""
        return _EveryWindow()

    def fitted(self, samples: Any) -> Windows:
        """Return the windows.

        Raises:
            RecordingError: They are something else.
        """
        if not isinstance(samples, Windows):
            raise RecordingError(
                f"Rows of a team need its Windows; found {type(samples).__name__}."
            )
        return samples

    @property
    def half_width(self) -> Array:
        """Half-width of every nuisance parameter's box, shape (N, 15).

        Frames that are not bounded have none: no row is made of what such a robot exerts. Drag has
        none either: bounds take friction of either sign at every sample, in d.
        """
        rows = []
        for bound, frame in zip(self.bounds, self.frame_bounds, strict=True):
            gain = bound.force_gain / (1.0 - bound.force_gain)  # of what the sensor shows
            tail = [frame.clock, *[bound.force_bias] * 3, gain, gain]
            rows.append(np.concatenate([frame.a, frame.position, tail, np.zeros(3)]))
        widths = np.array(rows)
        return np.where(np.isfinite(widths), widths, 0.0)

    def of_estimate(self, windows: Windows) -> RowBlock:
        """Return rows for a point estimate, with independent errors."""
        return freed(self.as_measured(windows), windows.start, self.prior.typical)

    def as_measured(self, windows: Windows) -> RowBlock:
        """Return six rows for each window, as they are; frames are off as their deviations say."""
        N = len(self.bounds)
        features = np.zeros((len(windows), 12))
        total = np.zeros(len(windows))
        errors = np.zeros((len(windows), 12))
        for i in range(N):
            X, p = self.frames.rotation[i], self.frames.position[i]
            F, error = windows.as_seen_from(i, X, p)
            weight = (windows.present[i] & self.frames.known[i]) / (
                1e-9 + windows.feature_error[i][:, :6].mean(axis=1)
            ) ** 2
            features += weight[:, None] * F
            errors += weight[:, None] * error
            total += weight
        features, errors = features / total[:, None], errors / total[:, None]
        columns = self.half_width
        spread = self.frames.spread
        columns[:, :7] = PRIOR * np.hstack([spread[:, :3], spread[:, 6:9], spread[:, 12:]])
        columns[:, 12:] = np.array([[bound.friction] * 3 for bound in self.bounds])
        return self._block(windows, features, errors, columns, exact=True)

    def window(self, samples: Windows) -> RowBlock:
        """Return the rows of one or more windows: Newton-Euler, and forces that hold at rest."""
        bounded = np.array([frame.known for frame in self.frame_bounds])
        sure = samples.take(np.flatnonzero((bounded[:, None] | ~samples.holding).all(axis=0)))
        block = RowBlock.stack([self.of_bounds(sure), self.lifts(samples)])
        return block.take(np.isfinite(block.d) & np.isfinite(block.A_error).all(axis=1))

    def of_bounds(self, windows: Windows) -> RowBlock:
        """Return rows for intervals: everything that is not known is a nuisance or in d."""
        features, errors = self._carried(windows)
        return self._block(windows, features, errors, self.half_width, exact=False)

    def _carried(self, windows: Windows) -> tuple[Array, Array]:
        """Return features in {1} and their bounds, of the robot for which they are smallest."""
        best = np.full(len(windows), np.inf)
        features, errors = np.zeros((len(windows), 12)), np.zeros((len(windows), 12))
        for i, frame in enumerate(self.frame_bounds):
            if not frame.known:
                continue
            X, p = self.frames.rotation[i], self.frames.position[i]
            F, error = windows.as_seen_from(i, X, p)
            own, own_error = windows.features[i], windows.feature_error[i]
            if i:
                error = error + _frame_part(np.abs(own) + own_error, X, p, frame)
            size = np.where(windows.present[i], error[:, :6].sum(axis=1), np.inf)
            better = size < best
            best = np.where(better, size, best)
            features[better], errors[better] = F[better], error[better]
        return features, errors

    def _block(
        self, windows: Windows, features: Array, errors: Array, half_width: Array, exact: bool
    ) -> RowBlock:
        """Return six rows for each window, in the order of windows, then channels."""
        W = len(windows)
        A = np.einsum("rpk,wk->wrp", FEATURES_TO_REGRESSOR, features)
        A_error = np.einsum("rpk,wk->wrp", _MAGNITUDE, errors)
        b, d = np.zeros((W, 6)), np.full((W, 6), 1e-9)
        B = np.zeros((W, 6, *half_width.shape))
        for i in range(len(self.bounds)):
            held = windows.present[i] & windows.holding[i]
            if not held.any():
                continue
            self._add_robot(windows, i, held, b, d, B, half_width, exact)
        used = half_width.ravel() > 0
        still = windows.still()
        channel = np.arange(6)[None, :] + np.where(still, 0, MOVING)[:, None]
        return RowBlock(
            A.reshape(-1, 10), A_error.reshape(-1, 10), B.reshape(6 * W, used.size)[:, used],
            b.ravel(), d.ravel(), channel.ravel(), np.repeat(windows.start, 6),
            np.repeat(windows.end, 6),
        )  # fmt: skip

    def _add_robot(
        self, windows: Windows, i: int, held: Array, b: Array, d: Array, B: Array,
        half_width: Array, exact: bool,
    ) -> None:  # fmt: skip
        """Add what robot i exerts to b, d and the nuisance's columns."""
        X, p = self.frames.rotation[i], self.frames.position[i]
        P = skew(p)
        Ad = np.block([[X, np.zeros((3, 3))], [P @ X, X]])
        f, m = windows.wrench[i][:, :3], windows.wrench[i][:, 3:]
        late = self.frames.clock[i] - windows.shift[i]
        wrench = windows.wrench[i] + late[:, None] * windows.wrench_rate[i]
        here = held[:, None].astype(float)
        b += here * (wrench @ Ad.T)
        d += here * (windows.wrench_error[i] @ np.abs(Ad).T)
        turned, turned_moment, rate = f @ X.T, m @ X.T, windows.wrench_rate[i] @ Ad.T
        columns = np.zeros((len(windows), 6, len(NUISANCES)))
        by_a = -X @ skews(f)  # X [a] f
        columns[:, :3, :3] = by_a
        columns[:, 3:, :3] = P @ by_a - X @ skews(m)
        columns[:, 3:, 3:6] = -skews(turned)
        columns[:, :, 6] = rate
        if not exact:
            d += np.where(held[:, None], self._second_order(windows, i, late), 0.0)
        columns[:, :, 7:10] = Ad[:, :3]
        columns[:, :, 10] = np.hstack([turned, np.cross(p, turned)])
        columns[:, 3:, 11] = turned_moment
        columns[:, :, 12:] = np.einsum("rk,wkj->wrj", Ad[:, :3], windows.drag[i])
        B[:, :, i] -= here[..., None] * columns * half_width[i]

    def _second_order(self, windows: Windows, i: int, late: Array) -> Array:
        """Return the bound on products of small things, shape (W, 6)."""
        frame, bound = self.frame_bounds[i], self.bounds[i]
        if not frame.known:
            return np.full((len(windows), 6), np.inf)
        p = self.frames.position[i]
        error = windows.wrench_error[i]
        f = np.linalg.norm(windows.wrench[i][:, :3], axis=1)
        m = np.linalg.norm(windows.wrench[i][:, 3:], axis=1)
        f_rate = np.linalg.norm(windows.wrench_rate[i][:, :3], axis=1)
        f_bend = np.linalg.norm(windows.wrench_bend[i][:, :3], axis=1)
        clock = frame.clock + np.abs(late)
        a, dp = float(np.linalg.norm(frame.a)), float(np.linalg.norm(frame.position))
        # what acts through a turn: curvature on the force itself, a on what else is uncertain of it
        loose = np.linalg.norm(error[:, :3], axis=1) + f_rate * clock
        loose += np.sqrt(3.0) * bound.force_bias + bound.force_gain * f
        force = frame.curvature * f + (a + frame.curvature) * loose
        force += 0.65 * clock**2 * f_bend + bound.force_gain * f_rate * clock
        moment = frame.curvature * m + (a + frame.curvature) * np.linalg.norm(error[:, 3:], axis=1)
        moment += (
            (a + frame.curvature) * clock * np.linalg.norm(windows.wrench_rate[i][:, 3:], axis=1)
        )
        moment += 0.65 * clock**2 * np.linalg.norm(windows.wrench_bend[i][:, 3:], axis=1)
        m_rate = np.linalg.norm(windows.wrench_rate[i][:, 3:], axis=1)
        moment += bound.force_gain * ((a + frame.curvature) * m + clock * m_rate)
        lever = float(np.linalg.norm(p)) + dp
        moment = moment + lever * force + dp * loose
        # dp x X (a x f), of which a payload's weight knows the direction
        turned = cross_size(frame.a, np.abs(windows.wrench[i][:, :3]))
        across = cross_size(frame.position, turned @ np.abs(self.frames.rotation[i]).T)
        return np.hstack([np.stack([force] * 3, axis=1), moment[:, None] + across])

    def lifts(self, windows: Windows) -> RowBlock:
        """Return the rows of holds that need no frames: m g = sum of forces along the vertical."""
        chosen = windows.take(windows.still())
        W = len(chosen)
        held = chosen.holding & chosen.present
        A = np.zeros((W, 10))
        A[:, 0] = GRAVITY
        lift = (chosen.lift * held).sum(axis=0)
        d = (chosen.lift_error * held).sum(axis=0) + 1e-9
        for i, frame in enumerate(self.frame_bounds):
            late = frame.clock + np.abs(self.frames.clock[i] - chosen.shift[i])
            rate = np.linalg.norm(chosen.wrench_rate[i][:, :3], axis=1)
            bend = np.linalg.norm(chosen.wrench_bend[i][:, :3], axis=1)
            d += held[i] * (1.2 * late * rate + 0.65 * late**2 * bend)
        used = int(np.count_nonzero(self.half_width > 0))
        turning = _turning(chosen)
        A_error = np.zeros((W, 10))
        A_error[:, 0] = self._rising(chosen, turning) + max(b.gravity for b in self.bounds)
        A_error[:, 1:4] = turning[:, None]
        return RowBlock(
            A, A_error, np.zeros((W, used)), lift, d, np.full(W, 6), chosen.start,
            chosen.end,
        )  # fmt: skip

    def _rising(self, windows: Windows, turning: Array) -> Array:
        """Return how far the proper acceleration at {1} may be from g, shape (W,) [m/s2].

        Each robot tells that of its own grasp, and at {1} it is another one as far as the body
        turns. Of a robot whose place is not known that is left out, where no other one tells.

        Args:
            windows: The holds.
            turning: Largest acceleration per metre that turning makes, shape (W,) [1/s2].
        """
        size = np.linalg.norm(windows.features[..., :3], axis=2)
        off = np.abs(size - GRAVITY) + windows.feature_error[..., :3].sum(axis=2)
        off = np.where(windows.present, off, np.inf)
        lever = np.array(
            [
                np.linalg.norm(p) + np.linalg.norm(frame.position) if i and frame.known else 0.0
                for i, (p, frame) in enumerate(
                    zip(self.frames.position, self.frame_bounds, strict=True)
                )
            ]
        )
        placed = np.array([not i or frame.known for i, frame in enumerate(self.frame_bounds)])
        there = off + lever[:, None] * turning
        best = np.where(placed[:, None], there, np.inf).min(axis=0)
        return np.asarray(np.where(np.isfinite(best), best, there.min(axis=0)))


def _turning(windows: Windows) -> Array:
    """Return the largest acceleration per metre that turning makes, shape (W,) [1/s2]."""
    F, e = windows.features, windows.feature_error
    alpha = np.linalg.norm(np.abs(F[..., 3:6]) + e[..., 3:6], axis=2)
    square = np.linalg.norm(np.abs(F[..., 6:]) + e[..., 6:], axis=2) * 2.0
    return np.asarray(np.where(windows.present, alpha + square, np.inf).min(axis=0))


def _frame_part(size: Array, X: Array, p: Array, frame: FrameBounds) -> Array:
    """Return how far features seen from {1} may be off for the frame's error, shape (W, 12)."""
    a = float(np.linalg.norm(frame.a)) + frame.curvature
    dp = float(np.linalg.norm(frame.position))
    lever = float(np.linalg.norm(p))
    proper = np.linalg.norm(size[:, :3], axis=1)
    alpha = np.linalg.norm(size[:, 3:6], axis=1)
    square = 2.0 * np.linalg.norm(size[:, 6:], axis=1)
    turning = alpha + square
    linear = a * proper + turning * (dp + 2.0 * a * (lever + dp))
    return np.stack([linear] * 3 + [a * alpha] * 3 + [2.0 * a * square] * 6, axis=1)


class _EveryWindow:
    """Lets everything through."""

    def __init__(self) -> None:
        self.dropped: Mapping[str, int] = {}

    def let_through(self, samples: Any) -> Any:
        """Return the samples."""
        return samples
