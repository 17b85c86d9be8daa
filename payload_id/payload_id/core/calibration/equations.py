"""Equations of a bare arm (or one with a known payload) in all its own parameters psi.

    |C psi - t| <= d  for every row,   psi = (links' inertial parameters, friction, sensors)

psi has the 15 n candidates of `rows.nuisance` and the ten errors of the tool's parameters, in
physical units, so that the same rows serve whatever box is stated later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ..inertial import PARAMETERS, Array
from ..rows.block import IntArray, RowBlock
from ..rows.momentum import ROUNDING, MomentumRows, WindowTerms
from ..rows.nuisance import Nuisance
from ..uncertainty import Uncertainty


@dataclass(frozen=True)
class ArmEquations:
    """Rows |C psi - t| <= d.

    Attributes:
        C: Coefficients of psi, shape (m, 15 n + 10).
        t: Integral of the torque less what a known payload needs, shape (m,) [N m s].
        d: Bound on what the rows leave out, shape (m,) [N m s], positive.
        joint: Joint of each row, shape (m,).
        start: Time at which each row's data begin, shape (m,) [s].
        end: Time at which they end, shape (m,) [s].
    """

    C: Array
    t: Array
    d: Array
    joint: IntArray
    start: Array
    end: Array

    def __len__(self) -> int:
        return len(self.t)

    @property
    def duration(self) -> Array:
        """Length of each row's window, shape (m,) [s]."""
        return self.end - self.start

    def take(self, rows: NDArray[np.bool_] | IntArray) -> ArmEquations:
        """Return some of the rows."""
        return ArmEquations(*(getattr(self, entry.name)[rows] for entry in fields(self)))

    @classmethod
    def stack(cls, parts: Sequence[ArmEquations]) -> ArmEquations:
        """Put equations of the same arm under each other; at least one."""
        return cls(*(np.concatenate([getattr(x, e.name) for x in parts]) for e in fields(cls)))

    @classmethod
    def of(cls, maker: MomentumRows, terms: WindowTerms, payload: Array) -> ArmEquations:
        """Return the equations of one window.

        Args:
            maker: Of the rows; its nuisance's box bounds what errors of the coefficients do.
            terms: Of the window.
            payload: The payload's inertial parameters, known; zeros for a bare arm, shape (10,).
        """
        rows = maker.rows(terms)
        known = np.abs(payload)
        return cls(
            C=np.hstack([terms.candidates, terms.payload]),
            t=terms.torque - terms.payload @ payload,
            d=rows.bound(known) + ROUNDING * (np.abs(terms.payload) @ known),
            joint=rows.joint,
            start=rows.start,
            end=rows.end,
        )

    def block(self, nuisance: Nuisance) -> RowBlock:
        """Return the equations as rows without payload, in the coordinates of a box of psi.

        Args:
            nuisance: The box, see `box_of`.
        """
        none = np.zeros((len(self), 10))
        rounding = ROUNDING * (np.abs(self.C) @ nuisance.largest + np.abs(self.t))
        return RowBlock(
            A=none,
            A_error=none,
            B=self.C[:, nuisance.uncertain] * nuisance.half_width[nuisance.uncertain],
            b=self.t - self.C @ nuisance.centre,
            d=self.d + rounding,
            joint=self.joint,
            start=self.start,
            end=self.end,
        )

    def residual(self, psi: Array) -> Array:
        """Return what psi leaves unexplained as mean torques over the windows, (m,) [N m]."""
        return np.asarray((self.t - self.C @ psi) / self.duration)

    def factors(self, n: int) -> Array:
        """Return the R factor of each joint's rows [C t], each row divided by its bound.

        Args:
            n: Number of joints.

        Returns:
            factors: shape (n, 15 n + 11, 15 n + 11); see `factor_of`.
        """
        weighted = np.column_stack([self.C, self.t]) / self.d[:, None]
        return np.array([factor_of(weighted[self.joint == joint]) for joint in range(n)])


def factor_of(matrix: Array) -> Array:
    """Return the square R factor of rows: all that least squares needs of them.

    Args:
        matrix: Shape (..., k); leading axes are put under each other.
    """
    tall = matrix.reshape(-1, matrix.shape[-1])
    k = tall.shape[1]
    factor = np.linalg.qr(tall, mode="r") if len(tall) else np.zeros((0, k))
    return np.vstack([factor, np.zeros((k - len(factor), k))])


def box_of(nuisance: Nuisance, uncertainty: Uncertainty) -> Nuisance:
    """Return the box of psi: that of the arm, and that of the tool's errors after it.

    Its uncertain parameters are those of `MomentumRows`, in the same order.
    """
    width = np.asarray(uncertainty.tool if uncertainty.tool else np.zeros(10))
    uncertain = width > 0
    names = [f"tool.{name}" for name, keep in zip(PARAMETERS, uncertain, strict=True) if keep]
    return Nuisance(
        (*nuisance.names, *names),
        np.append(nuisance.centre, np.zeros(10)),
        np.append(nuisance.half_width, width),
        np.append(nuisance.uncertain, uncertain),
    )
