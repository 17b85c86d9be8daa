r"""One estimate of payload and grasp frames from all windows: forces say something of frames, too.

Unknown are phi, the steps (eps_i, dp_i) of every frame from where kinematics put it, and the biases
and gains that are stated. Minimised is the sum of squares of the Newton-Euler rows, each channel by
the noise that it shows and freed of what neighbouring windows' errors have in common, and of the
kinematics' own residuals, which near their minimum are |x - x_kin|^2 in the metric of their
information matrix. Rows are made anew about the frames found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from ..arrays import Array
from ..body.inertial import skew, skews
from ..rows.row_block import RowBlock
from ..rows.wrench.newton_euler import FEATURES_TO_REGRESSOR
from ..statistics.normal_form import NormalForm, normal_form
from ..statistics.triangular_factor import factor_of
from .closed_form.correlation import Correlation
from .grasp_frames import GraspFrames
from .rows import MOVING, UNIFORM, TeamRows
from .windows import Windows

ROUNDS = 6
CLOSE = 1e-10  # [rad, m] a step that ends the search
MOST_NOISE = 0.6  # of a direction's information that may be taken for noise
LEAST_NOISE = 1e-9  # [N, N m]
CHANNELS = 6  # of each window: force, moment


@dataclass(frozen=True)
class Joint:
    """Payload and frames from all data.

    Attributes:
        frames: With the covariance of rotation and position given all data.
        phi: Free fit, shape (10,); the estimators take up from the frames.
        noise: How large the rows' errors are and how they hang together.
        covariance: Of phi, shape (10, 10).
        form: The problem that is left for phi with these frames, in units of the noise.
    """

    frames: GraspFrames
    phi: Array
    noise: RowNoise
    covariance: Array
    form: NormalForm


@dataclass(frozen=True)
class RowNoise:
    """Errors of the rows of W windows.

    Attributes:
        size: Standard deviation of each channel of each window, shape (W, 6) [N, N m].
        correlation: From one window to the next.
    """

    size: Array
    correlation: Correlation

    def whitened(self, rows: Array) -> Array:
        """Return rows, shape (..., W, 6, k), with independent errors of unit size."""
        return self.correlation.freed(rows / self.size[..., None])

    def after(self, residual: Array) -> RowNoise:
        """Return the noise with the correlation that residuals show, shape (6 W,)."""
        seen = self.correlation.seen_in(residual.reshape(self.size.shape) / self.size)
        return replace(self, correlation=seen)


def joint_fit(rows: TeamRows, windows: Windows) -> Joint:
    """Return the joint fit, beginning at the kinematic estimate in `rows`."""
    kinematic = rows.frames
    fitted = np.flatnonzero(kinematic.known)[1:]
    half = np.concatenate([6 * (i - 1) + np.arange(6) for i in fitted] or [np.zeros(0, int)])
    information = kinematic.information[np.ix_(half, half)]
    values, axes = np.linalg.eigh(information)
    root = (axes * np.sqrt(np.maximum(values, 0.0))).T
    # at the frames of kinematics: moments vanish with the places
    first = rows.of_estimate(windows)
    noise = _noise(first, windows)
    for _ in range(ROUNDS):
        block = rows.of_estimate(windows)
        J = np.concatenate(
            [_by_frames(rows, windows, i) for i in fitted] or [np.zeros((len(block), 0))], axis=1
        )
        away = _away(rows.frames, kinematic, fitted)
        A = np.hstack([block.A, -J, block.B])
        p = block.B.shape[1]
        weighted = _whitened(np.hstack([A, block.b[:, None]]), noise)
        prior = np.zeros((len(root) + p, A.shape[1] + 1))
        prior[: len(root), 10 : 10 + len(half)] = root
        prior[: len(root), -1] = -root @ away
        prior[len(root) :, 10 + len(half) : -1] = UNIFORM * np.eye(p)
        stacked = np.vstack([weighted, prior])
        x, *_ = np.linalg.lstsq(stacked[:, :-1], stacked[:, -1], rcond=1e-13)
        residual = block.b - A @ x
        x = _unattenuated(stacked[:, :-1], x, residual, rows, windows, noise, fitted)
        step = x[10 : 10 + len(half)].reshape(-1, 6)
        rows = replace(rows, frames=_stepped(rows.frames, fitted, step))
        if np.abs(step).max(initial=0.0) < CLOSE:
            break
        noise = noise.after(block.b - A @ x)
    covariance = np.linalg.pinv(stacked[:, :-1].T @ stacked[:, :-1], rcond=1e-15, hermitian=True)
    own = covariance[10 : 10 + len(half), 10 : 10 + len(half)]
    return Joint(
        _with_own(rows.frames, fitted, own), x[:10], noise, covariance[:10, :10],
        form_of(rows, windows, noise),
    )  # fmt: skip


def form_of(rows: TeamRows, windows: Windows, noise: RowNoise) -> NormalForm:
    """Return the least-squares problem in phi with the frames in `rows`.

    Biases and gains are estimated along.
    """
    block = rows.of_estimate(windows)
    p = block.B.shape[1]
    weighted = _whitened(np.hstack([block.B, block.A, block.b[:, None]]), noise)
    prior = np.hstack([UNIFORM * np.eye(p), np.zeros((p, 11))])
    form = normal_form(factor_of(weighted, prior)[p:, p:], len(block))
    return without_feature_noise(form, feature_noise(rows, windows, noise))


def _whitened(rows: Array, noise: RowNoise) -> Array:
    """Return rows, shape (6 W, k), with independent errors of unit size."""
    return noise.whitened(rows.reshape(-1, CHANNELS, rows.shape[1])).reshape(rows.shape)


def _unattenuated(
    J: Array, x: Array, residual: Array, rows: TeamRows, windows: Windows, noise: RowNoise,
    fitted: Array,
) -> Array:  # fmt: skip
    """Return the fit without what noise of the coefficients draws it to zero by [Fuller1987].

    Noise adds to J'J: in the payload's part what the robots' features differ by, in the places'
    part what the forces' noise does, and there it correlates with the rows' own noise, too. Forces
    are as noisy along all axes; their noise is what the quietest one leaves.
    """
    H = J.T @ J
    added, pull = np.zeros_like(H), np.zeros(len(H))
    added[:10, :10] = feature_noise(rows, windows, noise)
    held = windows.present & windows.holding
    force = residual.reshape(-1, CHANNELS)[:, :3] / np.sqrt(held.sum(axis=0))[:, None]
    for n, i in enumerate(fitted):
        own = slice(10 + CHANNELS * n + 3, 10 + CHANNELS * n + 6)
        lever = np.repeat((force * held[i][:, None])[:, None], CHANNELS, axis=1)
        square = (noise.whitened(lever)[:, 3:] ** 2).sum(axis=0)  # (moment, force)
        ratio = 2.0 * float(square.mean(axis=0).min())
        added[own, own] += ratio * np.eye(3)
        pull[own] += ratio * rows.frames.position[i]
    largest = float(np.linalg.eigvals(np.linalg.lstsq(H, added, rcond=1e-13)[0]).real.max())
    part = min(1.0, MOST_NOISE / max(largest, 1e-12))
    # (H - added) y = H x + pull
    return np.asarray(
        x + np.linalg.lstsq(H - part * added, part * (added @ x + pull), rcond=1e-13)[0]
    )


def feature_noise(rows: TeamRows, windows: Windows, noise: RowNoise) -> Array:
    """Return what noise of the mean features adds to A'A of weighted rows, shape (10, 10).

    The robots see the same motion: by what they differ, the noise of their mean is known.
    """
    N = len(rows.bounds)
    here = windows.present & rows.frames.known[:, None]
    number = here.sum(axis=0)
    seen = [
        windows.as_seen_from(i, rows.frames.rotation[i], rows.frames.position[i])[0]
        for i in range(N)
    ]
    F = np.where(here[:, :, None], np.stack(seen), 0.0)
    mean = F.sum(axis=0) / np.maximum(number, 1)[:, None]
    away = np.where(here[:, :, None], F - mean, 0.0)
    away /= np.sqrt(np.maximum(number * (number - 1), 1))[:, None]
    A = np.einsum("rpk,nwk->nwrp", FEATURES_TO_REGRESSOR, away)
    A = noise.whitened(np.where(number[:, None, None] > 1, A, 0.0)).reshape(-1, 10)
    return np.asarray(A.T @ A)


def without_feature_noise(form: NormalForm, added: Array) -> NormalForm:
    """Return a problem in units of its noise without what noise of the features added to it.

    Args:
        form: The rows.
        added: What noise adds to R'R, shape (10, 10).
    """
    U, values, Vt = np.linalg.svd(form.R)
    seen = values > 1e-9 * max(float(values[0]), 1e-300)
    if not seen.any() or not added.any():
        return form
    half = Vt[seen].T / values[seen]
    share, axes = np.linalg.eigh(half.T @ added @ half)
    kept = np.sqrt(1.0 - np.clip(share, 0.0, MOST_NOISE))
    turned = U[:, seen] @ axes
    R = (turned * kept) @ turned.T @ form.R
    return NormalForm(R, (turned / kept) @ turned.T @ form.z, form.residual, form.rows)


def _noise(block: RowBlock, windows: Windows) -> RowNoise:
    """Return the noise that a fit shows, of each channel at rest and in motion.

    Biases and gains stay about their boxes: free gains of -1 would explain any forces by no payload
    at all, and leave no noise. Rows that the fit uses up count with the noise of the same axis in
    the other state: a fit to a few holds would show none at all.
    """
    number, channel = 2 * MOVING, block.joint
    A, p = np.hstack([block.A, block.B]), block.B.shape[1]
    boxes, size = np.hstack([np.zeros((p, 10)), UNIFORM * np.eye(p)]), np.ones(number)
    for _ in range(3):
        w = 1.0 / size[channel]
        weighted, right = np.vstack([A * w[:, None], boxes]), np.append(block.b * w, np.zeros(p))
        x, *_ = np.linalg.lstsq(weighted, right, rcond=1e-10)
        square = np.bincount(channel, (block.b - A @ x) ** 2, minlength=number)
        count = np.bincount(channel, minlength=number)
        used = max(int((count > 0).sum()), 1)
        used_up = np.minimum(A.shape[1] / used, 0.7 * count)
        other = np.where(np.roll(count, MOVING) > 0, np.roll(size, MOVING), size)
        whole = square + used_up * other**2
        size = np.sqrt(np.divide(whole, count, out=np.zeros(number), where=count > 0))
        size = np.maximum(size, LEAST_NOISE)
    alone = Correlation.none(windows.start, CHANNELS)
    return RowNoise(size[channel].reshape(-1, CHANNELS), alone)


def _by_frames(rows: TeamRows, windows: Windows, i: int) -> Array:
    """Return the derivative of the summed wrench by a step (eps_i, dp_i), shape (6 W, 6)."""
    X, p = rows.frames.rotation[i], rows.frames.position[i]
    held = (windows.present[i] & windows.holding[i]).astype(float)[:, None, None]
    late = rows.frames.clock[i] - windows.shift[i]
    wrench = windows.wrench[i] + late[:, None] * windows.wrench_rate[i]
    J = np.zeros((len(windows), 6, 6))
    turned = -X @ skews(wrench[:, :3])
    J[:, :3, :3] = turned
    J[:, 3:, :3] = skew(p) @ turned - X @ skews(wrench[:, 3:])
    J[:, 3:, 3:] = -skews(wrench[:, :3] @ X.T)
    return (held * J).reshape(-1, 6)


def _away(frames: GraspFrames, kinematic: GraspFrames, fitted: Array) -> Array:
    """Return the step from the kinematic estimate to the present one, shape (6 n,)."""
    if not len(fitted):
        return np.zeros(0)
    turned = kinematic.rotation[fitted].swapaxes(1, 2) @ frames.rotation[fitted]
    eps = Rotation.from_matrix(turned).as_rotvec()
    moved = frames.position[fitted] - kinematic.position[fitted]
    return np.hstack([eps, moved]).ravel()


def _stepped(frames: GraspFrames, fitted: Array, step: Array) -> GraspFrames:
    """Return frames after steps (eps, dp) of those fitted, shape (n, 6)."""
    full = np.zeros((len(frames.known), 13))
    if len(fitted):
        full[fitted, :3], full[fitted, 6:9] = step[:, :3], step[:, 3:]
    return frames.moved(full)


def _with_own(frames: GraspFrames, fitted: Array, covariance: Array) -> GraspFrames:
    """Return frames with the covariance of rotation and position given all data."""
    all_of = frames.covariance.copy()
    six = np.array([0, 1, 2, 6, 7, 8])
    for n, i in enumerate(fitted):
        all_of[i][np.ix_(six, six)] = covariance[6 * n : 6 * n + 6, 6 * n : 6 * n + 6]
    return replace(frames, covariance=all_of)
