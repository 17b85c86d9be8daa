r"""Grasp frames of a team by weighted least squares on SE(3), over all pairs and loops at once.

Of each robot i > 1: R_1i, p_1i, the pose (C_i, c_i) of {i0} in {10} and the clock's offset. Every
robot says where the body is (attitude B_i = C_i R_i0i R_1i', place of the origin of {1}, and twist
of {1}), a_i with an error of its own. With weights s_i, minimising over the body's true motion
leaves

    sum_i s_i |a_i - mean a|^2 = sum_{i<j} s_i s_j |a_i - a_j|^2 / sum s,

all pairs. Since every T_ij comes from T_1i and T_1j, loops close [ZLEFL, Sec. III-B, refinement].
Weights of the four kinds of equation are the inverse of the variances that their residuals show.
Frames {i0} are level: C_i is a turn about z but for the stated tilt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import least_squares

from ..arrays import Array, BoolArray
from .blocks import Blocks
from .bounds import RobotBounds
from .closed_form.pairwise import grasp_position, kabsch_umeyama
from .equations import Equations
from .grasp_frames import KINDS, ROUNDING, START, UNUSED, FrameWeights, GraspFrames

ALIKE = 0.5  # correlation of angular velocities from which on a robot is on the same body
CANDIDATES = 11  # clock offsets that are tried
CLEARLY = 2.0  # times less noise against its signal: what twists need to be taken before poses
LEVEL = 0.05  # [rad] of tilt, up to which the vertical counts as a common vector
ROUNDS = 3  # of variances from residuals


def refined(
    blocks: Blocks, frames: GraspFrames, bounds: Sequence[RobotBounds], weights: FrameWeights
) -> GraspFrames:
    """Return the frames of all robots that the blocks tell, beginning at those known."""
    for i in np.flatnonzero(~frames.known).tolist():
        level = bounds[0].tilt + bounds[i].tilt < LEVEL
        frames = begun(blocks, frames, i, bounds[i].clock, level)
    stated = np.array([bound.clock for bound in bounds])
    return refine(blocks, frames, weights).without_poor(weights.reach, stated)


def refine(blocks: Blocks, frames: GraspFrames, weights: FrameWeights) -> GraspFrames:
    """Return the frames that fit best, beginning at some, with covariance.

    Robots that are not `known` stay as they are and do not count.
    """
    fitted = np.flatnonzero(frames.known)[1:]
    if not len(fitted) or not len(blocks):
        return frames
    deviation = np.where(frames.deviation < UNUSED, frames.deviation, START)
    deviation[2:] = UNUSED  # poses first
    for _ in range(ROUNDS):
        problem = Equations(blocks, frames, weights, deviation)
        found = least_squares(  # not "lm", whose last bits depend on what else is in memory
            problem.residual, np.zeros(problem.size), problem.jacobian, method="dogbox",
            x_scale="jac", xtol=1e-11, ftol=1e-11, gtol=1e-15, max_nfev=20,
        )  # fmt: skip
        frames = frames.moved(problem.step(found.x + problem.pulled(found.x)))
        shown = np.maximum(Equations(blocks, frames, weights, np.ones(KINDS)).spread(), ROUNDING)
        used = _used(blocks, frames, shown)
        close = np.allclose(shown[used], deviation[used], rtol=0.1, atol=0.0)
        deviation = np.where(used, shown, UNUSED)
        if close:
            break
    return _with_covariance(blocks, frames, weights, deviation)


def _used(blocks: Blocks, frames: GraspFrames, shown: Array) -> BoolArray:
    """Return which kinds of equation count: poses, or twists if they are much less noisy.

    Angles and angular velocities multiply the positions sought, and least squares draws those to
    zero by the square of noise over signal; so what is noisier does not enter at all.
    """
    members = np.flatnonzero(frames.known)
    here = blocks.present[members]
    R, omega = blocks.rotation[members], blocks.twist[members][..., :3]
    turned, speed = [], []
    for attitude, w, now in zip(R, omega, here, strict=True):
        if now.any():
            mean = attitude[now].mean(axis=0)
            turned.append(np.sqrt(((attitude[now] - mean) ** 2).sum(axis=(1, 2)).mean() / 2.0))
            speed.append(np.sqrt((w[now] ** 2).sum(axis=1).mean()))
    angle, rate = max(turned, default=0.0), max(speed, default=0.0)
    twists = shown[2] * angle * CLEARLY < shown[0] * rate
    return np.array([not twists, not twists, twists, twists])


def _with_covariance(
    blocks: Blocks, frames: GraspFrames, weights: FrameWeights, deviation: Array
) -> GraspFrames:
    """Return the frames with their covariance."""
    problem = Equations(blocks, frames, weights, deviation)
    J = problem.jacobian(np.zeros(problem.size))
    whole = np.linalg.pinv(J.T @ J, rcond=1e-16, hermitian=True)
    covariance, width = np.zeros((len(frames.known), 13, 13)), problem.width
    for n, i in enumerate(problem.fitted):
        own = slice(n * width, n * width + width)
        covariance[i][:width, :width] = whole[own, own]
    return replace(frames, covariance=covariance, deviation=deviation)


def pose_misfit(blocks: Blocks, frames: GraspFrames, i: int) -> tuple[Array, Array]:
    """Return how far robot i is from where its frame and the first robot's poses put it.

    Returns:
        turned: Of each block, shape (B,) [rad].
        moved: Shape (B,) [m].
    """
    R1, Ri, C = blocks.rotation[0], blocks.rotation[i], frames.base_rotation[i]
    X = R1.swapaxes(1, 2) @ C @ Ri
    turned = np.linalg.norm(X - frames.rotation[i], axis=(1, 2)) / np.sqrt(2.0)
    place = np.einsum(
        "bji,bj->bi",
        R1,
        frames.base_position[i] + blocks.position[i] @ C.T - blocks.position[0],
    )
    return turned, np.linalg.norm(place - frames.position[i], axis=1)


def pair_fit(
    blocks: Blocks, i: int, j: int, clocks: tuple[float, float], level: bool
) -> tuple[Array, Array, float, float]:
    """Return R_ij (3, 3), p_ij (3,) [m], j's clock [s], and how angular velocities correlate then.

    Args:
        blocks: Means of pose and twist, three or more of both.
        i: Number of one robot.
        j: Number of the other.
        clocks: Least and largest offset of j's clock, beyond what was taken out of its blocks,
            that are looked for [s].
        level: Whether the frames {i0}, {j0} are level, so that the vertical is a common vector.
    """
    both = blocks.present[i] & blocks.present[j]
    one, two, rate = blocks.twist[i][both], blocks.twist[j][both], blocks.rate[j][both]
    size = float(np.sqrt((one[:, :3] ** 2).sum(axis=1).mean())) if level else 0.0
    up_i, up_j = (size * blocks.rotation[k][both][:, 2] for k in (i, j))
    found = []
    for late in np.linspace(*clocks, CANDIDATES if clocks[0] < clocks[1] else 1):
        b = two[:, :3] + late * rate[:, :3]
        R, _ = kabsch_umeyama(np.vstack([one[:, :3], up_i]), np.vstack([b, up_j]))
        found.append((float(((one[:, :3] - b @ R.T) ** 2).sum()), late, R))
    _, late, R = min(found, key=lambda entry: entry[0])
    moved = two + late * rate
    turned = moved[:, :3] @ R.T
    norms = float(np.linalg.norm(one[:, :3]) * np.linalg.norm(turned))
    alike = float((one[:, :3] * turned).sum()) / norms if norms > 0 else 0.0
    return R, grasp_position(one[:, :3], one[:, 3:], moved[:, 3:], R), float(late), alike


def begun(blocks: Blocks, frames: GraspFrames, i: int, clock: float, level: bool) -> GraspFrames:
    """Return frames with a first one of robot i, from the known robot it shares most blocks with.

    It becomes known if its angular velocities go with that robot's.

    Args:
        blocks: Means of pose and twist.
        frames: Of the robots that are known.
        i: Number of the new one.
        clock: Largest offset of its clock that is looked for [s]; 0 for none.
        level: Whether {i0} are level but for small tilts.
    """
    members = np.flatnonzero(frames.known)
    common = [int((blocks.present[j] & blocks.present[i]).sum()) for j in members]
    j = int(members[int(np.argmax(common))])
    both = blocks.present[i] & blocks.present[j]
    if np.count_nonzero(both) < 3:
        return frames
    shift = float(blocks.shift[i][both].mean())
    looked_for = min(-clock - shift, 0.0), max(clock - shift, 0.0)
    R, place, late, alike = pair_fit(blocks, j, i, looked_for, level)
    X, p = frames.rotation[j] @ R, frames.position[j] + frames.rotation[j] @ place
    C, c = frames.base_rotation[j], frames.base_position[j]
    body = C @ blocks.rotation[j][both] @ frames.rotation[j].T
    U, _, Vt = np.linalg.svd((body @ X @ blocks.rotation[i][both].swapaxes(1, 2)).mean(axis=0))
    base = (U * [1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    lever = frames.rotation[j].T @ frames.position[j]
    place = c + (blocks.position[j][both] - blocks.mean_rotation[j][both] @ lever) @ C.T
    own = blocks.position[i][both] - blocks.mean_rotation[i][both] @ (X.T @ p)
    rotation, position = frames.rotation.copy(), frames.position.copy()
    base_rotation, base_position = frames.base_rotation.copy(), frames.base_position.copy()
    rotation[i], position[i] = X, p
    base_rotation[i], base_position[i] = base, (place - own @ base.T).mean(axis=0)
    clocks, known = frames.clock.copy(), frames.known.copy()
    clocks[i], known[i] = late + shift, alike >= ALIKE
    return replace(
        frames, rotation=rotation, position=position, base_rotation=base_rotation,
        base_position=base_position, clock=clocks, known=known,
    )  # fmt: skip
