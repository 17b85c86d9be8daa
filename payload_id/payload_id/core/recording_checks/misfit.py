r"""How well torques go with the arm as described, as they are read or in another reading.

Rows of the momentum equation over windows, links as described:

    A phi + B u = b,   b = int tau dt - (what the described links take),

phi in the payload's prior, u (friction, offsets) in their boxes. What a least-squares fit leaves
of a joint's rows, against the size of both sides,

    rho_j = rms(A phi + B u - b) / (rms(int tau dt) + rms(links) + floor_j),

is 0 for a perfect description, about 1/2 where the two have nothing to do with each other, and 1
where they are opposite; the misfit is the root of the mean of rho_j^2. It needs no bounds on the
errors, as the verdict on a run does, so that it serves before any are known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import lsq_linear

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..diagnosis.hypothesis import AS_READ, Reading, Recorded
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.uncertainty import Uncertainty
from ..rows.row_block import RowBlock
from ..rows.windows import WindowCutter
from ..samples.differentiation import velocities
from ..samples.joint_samples import Samples

MOST_WINDOWS = 50
SCREENED = 3  # every third window is looked at where many readings are compared
WINDOW = 0.1  # [s]
LEAST_SAMPLES = 8  # in a window
LOOSE = 0.02  # of a row, by which a unit-box parameter at its bound counts in a quick fit
FLOOR = 0.03  # of the largest joint's torque that counts as no torque at any joint
KEPT = (
    "friction_coulomb", "friction_viscous", "torque_offset", "stiction_velocity", "prior",
)  # fmt: skip


@dataclass(frozen=True)
class Misfit:
    """What a fit leaves.

    Attributes:
        value: The root of the mean of rho_j^2 [-].
        joints: rho_j, shape (n,) [-].
        phi: The payload's parameters in the fit, shape (10,).
    """

    value: float
    joints: Array
    phi: Array


def chosen_windows(samples: Samples, arm: ArmModel, uncertainty: Uncertainty) -> Recorded:
    """Return windows evenly over a recording; velocities are those of the positions."""
    followed = velocities(samples.stamp, samples.q)
    known = np.isfinite(followed).all(axis=1)
    moved = replace(samples.where(np.asarray(known)), dq=followed[known])
    length = max(WINDOW, LEAST_SAMPLES * samples.step)
    windows = WindowCutter(length).add(moved)
    which = np.unique(np.linspace(0, len(windows) - 1, MOST_WINDOWS).astype(int))
    stated = Uncertainty(**{name: getattr(uncertainty, name) for name in KEPT})
    source = MomentumRows.of(replace(arm, calibration=None, history=None), stated)
    return Recorded(source, [windows[k] for k in which] if windows else [], length)


def some_of(recorded: Recorded) -> Recorded:
    """Return some of the windows, on which many readings are compared."""
    return recorded._replace(stretches=recorded.stretches[::SCREENED])


def rows_of(recorded: Recorded, reading: Reading = AS_READ) -> RowBlock:
    """Return the rows of all windows as a reading has them, a joint after the other in each."""
    source = reading.of_source(recorded.source, reading.value)
    windows = (reading.of_samples(window, reading.value) for window in recorded.stretches)
    return RowBlock.stack([source.window(window) for window in windows])


def reread(recorded: Recorded, reading: Reading, rows: RowBlock) -> RowBlock:
    """Return the same from the rows as read, without making any anew where torques alone differ."""
    factors = torque_map(reading, recorded.source.model.n)
    if factors is None:
        return rows_of(recorded, reading)
    torque = (rows.reading.reshape(-1, len(factors)) @ factors).ravel()
    return replace(rows, reading=torque, b=rows.b + torque - rows.reading)


def torque_map(reading: Reading, n: int) -> Array | None:
    """Return M, true torques = efforts @ M, shape (n, n); None if a reading is no such map."""
    one = np.ones((n, n))
    made, none = (
        reading.of_samples(Samples(np.arange(float(n)), one, one, tau), reading.value)
        for tau in (np.eye(n), 0.0 * one)
    )
    other = reading.source is not None or none.tau.any()
    moved = (made.q != one).any() or (made.dq != one).any()
    return None if other or moved else made.tau


def misfit(
    source: MomentumRows, rows: RowBlock, sign: Array | float = 1.0, quick: bool = False
) -> Misfit:
    """Return what a fit of payload, friction and offsets leaves.

    Args:
        source: Made the rows.
        rows: Of n joints each window.
        sign: Of the efforts, one or n of them.
        quick: Whether bounds are kept about, not exactly.
    """
    n = source.model.n
    was = rows.reading.reshape(-1, n)
    links, torque = was - rows.b.reshape(-1, n), was * sign
    scale = _rms(torque) + _rms(links) + FLOOR * _rms(links).max() + 1e-9
    lower, upper = source.prior.box()
    size = np.maximum(np.abs(lower), upper)
    weight = np.tile(1.0 / scale, len(was))
    columns = weight[:, None] * np.hstack([rows.A * size, rows.B])
    right = weight * (torque - links).ravel()
    k = columns.shape[1]
    if quick:
        drawn = LOOSE**2 * len(right) * np.eye(k)
        x = np.linalg.solve(columns.T @ columns + drawn, columns.T @ right)
    else:
        low = np.r_[lower / size, -np.ones(k - 10)]
        x = lsq_linear(columns, right, (low, np.ones(k)), tol=1e-6).x
    left = _rms((columns @ x - right).reshape(-1, n))
    return Misfit(float(np.sqrt(np.mean(left**2))), left, x[:10] * size)


def _rms(values: Array) -> Array:
    """Return the root of the mean square of each column."""
    return np.asarray(np.sqrt(np.mean(values**2, axis=0)))
