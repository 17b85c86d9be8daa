r"""Whether measured torques go with the arm as described, and which other reading would.

Rows of the momentum equation over windows, links as described:

    A phi + B u = b,   b = int tau dt - (what the described links take),

phi in the payload's prior, u (friction, offsets) in their boxes. What a least-squares fit leaves
of a joint's rows, against the size of both sides,

    rho_j = rms(A phi + B u - b) / (rms(int tau dt) + rms(links) + floor_j),

is 0 for a perfect description, about 1/2 where the two have nothing to do with each other, and 1
where they are opposite; the misfit is the root of the mean of rho_j^2. Another reading of the
samples (sign, unit, kind of efforts, order of columns, direction of gravity; `readings`) that
leaves far less is the likely one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.optimize import lsq_linear

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..diagnosis.causes.remade_rows import Hypothesis
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
class Reading:
    """A way to read the samples.

    Attributes:
        subject: What of them is another: effort sign, units, kind of efforts, order, gravity;
            empty: nothing.
        sentence: What they are then, without a full stop.
        freedoms: The smaller the simpler.
        hypothesis: What samples and arm are then; None: as they are.
        value: Its numbers.
        order: Beside it: whose efforts the columns are of, n numbers; empty: in their order.
        factor: Of the torques, n numbers or one.
    """

    subject: str = ""
    sentence: str = ""
    freedoms: int = 0
    hypothesis: Hypothesis | None = None
    value: tuple[float, ...] = ()
    order: tuple[int, ...] = ()
    factor: tuple[float, ...] = (1.0,)


AS_IT_IS = Reading()


@dataclass(frozen=True)
class Misfit:
    """What a fit leaves.

    Attributes:
        value: The root of the mean of rho_j^2 [-].
        joints: rho_j, shape (n,) [-].
        size: Largest mean torque over a window at each joint, shape (n,) [N m or N].
        links: What the described links take there at the most, shape (n,) [N m or N].
        phi: The payload's parameters in the fit, shape (10,).
    """

    value: float
    joints: Array
    size: Array
    links: Array
    phi: Array


@dataclass(frozen=True)
class Agreement:
    """Windows of a recording, and an arm to compare them with.

    Attributes:
        source: What makes rows: the arm, and the bounds of friction and offsets.
        windows: Samples of some windows.
        quick: Whether bounds are kept about, not exactly, where fits are compared.
    """

    source: MomentumRows
    windows: tuple[Samples, ...]
    quick: bool = False

    @classmethod
    def of(cls, samples: Samples, arm: ArmModel, uncertainty: Uncertainty) -> Agreement:
        """Choose windows, evenly over the recording; velocities are those of the positions."""
        followed = velocities(samples.stamp, samples.q)
        known = np.isfinite(followed).all(axis=1)
        chosen = samples.chosen(np.asarray(known))
        length = max(WINDOW, LEAST_SAMPLES * samples.step)
        windows = WindowCutter(length).add(replace(chosen, dq=followed[known]))
        which = np.unique(np.linspace(0, len(windows) - 1, MOST_WINDOWS).astype(int))
        stated = Uncertainty(**{name: getattr(uncertainty, name) for name in KEPT})
        source = MomentumRows.of(replace(arm, calibration=None, history=None), stated)
        return cls(source, tuple(windows[k] for k in which) if windows else ())

    def screened(self) -> Agreement:
        """Return the same with some of the windows and quick fits, to compare many readings."""
        return replace(self, windows=self.windows[::SCREENED], quick=True)

    @cached_property
    def rows(self) -> RowBlock:
        """The rows as the recording is read."""
        return self._rows(AS_IT_IS)

    @property
    def arm(self) -> ArmModel:
        """The arm."""
        return self.source.model

    def misfit(self, reading: Reading = AS_IT_IS) -> Misfit:
        """Return what a fit of payload, friction and offsets leaves where samples are so read."""
        n = self.arm.n
        rows = self.rows if reading.hypothesis is None else self._rows(reading)
        was = rows.reading.reshape(-1, n)
        links = was - rows.b.reshape(-1, n)
        torque = (was[:, list(reading.order)] if reading.order else was) * reading.factor
        seconds = rows.weight.reshape(-1, n)
        scale = _rms(torque) + _rms(links) + FLOOR * _rms(links).max() + 1e-9
        lower, upper = self.source.prior.box()
        size = np.maximum(np.abs(lower), upper)
        weight = np.tile(1.0 / scale, len(was))
        columns = weight[:, None] * np.hstack([rows.A * size, rows.B])
        right = weight * (torque - links).ravel()
        p = rows.B.shape[1]
        low, high = np.r_[lower / size, -np.ones(p)], np.ones(10 + p)
        x = _fit(columns, right, None if self.quick else (low, high))
        left = _rms((columns @ x - right).reshape(-1, n))
        return Misfit(
            value=float(np.sqrt(np.mean(left**2))),
            joints=left,
            size=np.abs(torque / seconds).max(axis=0),
            links=np.abs(links / seconds).max(axis=0),
            phi=x[:10] * size,
        )

    def _rows(self, reading: Reading) -> RowBlock:
        """Return the rows of all windows, a joint after the other in each."""
        source, windows, hypothesis = self.source, self.windows, reading.hypothesis
        if hypothesis is not None:
            value = np.array(reading.value)
            source = hypothesis.source(source, value)
            windows = tuple(hypothesis.samples(window, value) for window in windows)
        return RowBlock.stack([source.window(window) for window in windows])


def _fit(columns: Array, right: Array, box: tuple[Array, Array] | None) -> Array:
    """Return the x of least |columns x - right| in a box; without one, drawn towards zero."""
    if box is not None:
        return np.asarray(lsq_linear(columns, right, box, tol=1e-6).x)
    k = columns.shape[1]
    drawn = LOOSE**2 * len(right) * np.eye(k)
    return np.asarray(np.linalg.solve(columns.T @ columns + drawn, columns.T @ right))


def _rms(values: Array) -> Array:
    """Return the root of the mean square of each column."""
    return np.asarray(np.sqrt(np.mean(values**2, axis=0)))
