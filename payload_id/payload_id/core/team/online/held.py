"""The payload as each robot holds it: in its own grasp frame, and what of it the robot carries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arm.centre_of_mass import com_interval
from ...arrays import Array
from ...body.inertial import change_of_frame
from ...bounds import Interval
from ..closed_form.pair_equations import FrameBounds
from ..estimate import GraspedPayload
from ..grasp_frames import GraspFrames
from ..windows import Windows


def payloads_of(
    names: Sequence[str], phi: Array, interval: Interval, frames: GraspFrames,
    frame_bounds: list[FrameBounds], windows: Windows,
) -> dict[str, GraspedPayload]:  # fmt: skip
    """Return the payload in every grasp frame."""
    shares, low, high = _shares(phi, interval, frames, frame_bounds, windows)
    payloads = {}
    for i, name in enumerate(names):
        nothing = np.full(10, np.nan), np.full(10, -np.inf), np.full(10, np.inf)
        own, lower, upper = nothing
        if frames.known[i]:
            own, lower, upper = _seen_from(phi, interval, frames, i, frame_bounds[i])
        payloads[name] = GraspedPayload(name, own, lower, upper, shares[i], low[i], high[i])
    return payloads


def _seen_from(
    phi: Array, interval: Interval, frames: GraspFrames, i: int, bounds: FrameBounds
) -> tuple[Array, Array, Array]:
    """Return phi and its interval in {i}.

    J_i = X J X' with X the true pose of {1} in {i}; errors of that pose enter to first and second
    order by the sizes of the moments inside the interval.
    """
    X, p = frames.rotation[i], frames.position[i]
    T = change_of_frame(X.T, -X.T @ p)
    middle, half = (interval.lower + interval.upper) / 2, interval.half_width
    centre, spread = T @ middle, np.abs(T) @ half
    if i:
        spread = spread + _pose_part(interval, p, bounds)
    lower, upper = centre - spread, centre + spread
    lower[[0]], upper[[0]] = interval.lower[[0]], interval.upper[[0]]
    diagonal = [0, 4, 7, 9]
    lower[diagonal] = np.maximum(lower[diagonal], 0.0)
    return T @ phi, lower, upper


def _pose_part(interval: Interval, p: Array, bounds: FrameBounds) -> Array:
    """Return how far phi in {i} may be off for the error of the frame, shape (10,)."""
    if not bounds.known:
        return np.full(10, np.inf)
    size = interval.magnitude
    angle = float(np.linalg.norm(bounds.rotation_vector))
    dp = float(np.linalg.norm(bounds.position))
    m, h = float(size[0]), float(np.linalg.norm(size[1:4]))
    inertia = 2.0 * float(np.linalg.norm(size[4:]))
    lever = float(np.linalg.norm(p)) + dp
    moved_h = h + m * lever
    moved = inertia + 4.0 * lever * h + 2.0 * m * lever**2
    first = angle * moved_h + m * dp
    second = (2.0 * angle + angle**2) * moved + 2.0 * dp * (2.0 * h + 2.0 * m * lever)
    return np.concatenate([[0.0], np.full(3, first), np.full(6, second)])


def _shares(
    phi: Array, interval: Interval, frames: GraspFrames, frame_bounds: list[FrameBounds],
    windows: Windows,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return the part of the mass that each robot carries, and its interval, (N,) each.

    Smallest forces along the vertical that hold the payload in the middle attitude of the data:
    sum of shares 1, sum of shares p_i = c across the vertical. Linear in c.
    """
    N = len(frames.known)
    empty = np.full(N, np.nan), np.full(N, -np.inf), np.full(N, np.inf)
    holds = frames.known & (windows.holding[:, -1] if len(windows) else True)
    if not np.isfinite(phi).all() or not len(windows) or holds.sum() < 1:
        return empty
    up = np.where(windows.present[0][:, None], windows.features[0][:, :3], 0.0).sum(axis=0)
    if not up.any():
        return empty
    up = up / np.linalg.norm(up)
    across = np.linalg.svd(up[None])[2][1:]  # two axes across the vertical
    A = np.vstack([np.ones(int(holds.sum())), across @ frames.position[holds].T])
    inverse = np.linalg.pinv(A, rcond=1e-3)
    com = phi[1:4] / phi[0]
    share = inverse @ np.concatenate([[1.0], across @ com])
    box = com_interval(interval.lower, interval.upper)
    if box is None:
        return _spread_out(N, holds, share, np.full(len(share), np.inf))
    half = np.maximum(box[1] - com, com - box[0])
    loose = np.abs(inverse[:, 1:] @ across) @ half
    moved = [
        float(np.linalg.norm(b.position)) for b, h in zip(frame_bounds, holds, strict=True) if h
    ]
    # a share changes by at most |inverse| times what errors of places add to the balance
    loose = loose + np.linalg.norm(inverse, axis=1) * float(np.abs(share) @ np.array(moved)) * 1.5
    return _spread_out(N, holds, share, loose)


def _spread_out(N: int, holds: Array, share: Array, loose: Array) -> tuple[Array, Array, Array]:
    """Return shares and their intervals for all robots; those that do not hold carry nothing."""
    out = np.zeros(N), np.zeros(N), np.zeros(N)
    out[0][holds], out[1][holds], out[2][holds] = share, share - loose, share + loose
    return out
