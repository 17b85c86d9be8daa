"""Blocks of rows A phi + B u = b + w, |w| <= d: all that estimators and bounds ever see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, IntArray

ROUNDING = 1e-14  # of A phi, relative to the sum of its terms' magnitudes


@dataclass(frozen=True)
class RowBlock:
    """Rows A phi + B u = b + w with |w| <= d + A_error |phi|, and every |u| <= 1.

    Attributes:
        A: Coefficients of the payload's parameters, shape (m, 10).
        A_error: Bound on the error of A, element by element, shape (m, 10).
        B: Coefficients of the nuisance parameters, scaled to the unit box, shape (m, p).
        b: Right-hand side, shape (m,).
        d: Bound on what the linear model leaves out, shape (m,), positive.
        joint: Joint (or channel) of each row, shape (m,).
        start: Time at which each row's data begin, shape (m,) [s].
        end: Time at which they end, shape (m,) [s].
        A_static: A as it would be without motion, gravity only, shape (m, 10); A if not given.
        full_share: Share of A in estimates that mix it with A_static, w of eq. 9 of [NGK], shape
            (m,); 1 if not given: A_static does not count.
        reading: Integral of what the channel's sensor showed, shape (m,); zeros if not given, and
            then nothing can be said of the sensor's gain.
        likely: What is to be added to B, and taken off b, for an error of mean zero where the
            sensors' is, shape (m, p + 1); estimates count it, bounds do not. Shape (m, 0) for
            nothing, if it is not given.
        scale: Length that was asked for of the row's window where it repeats data of other rows:
            bounds use it, statistics do not, shape (m,) [s]; zeros, for rows of which each has
            data of its own, if not given.
    """

    A: Array
    A_error: Array
    B: Array
    b: Array
    d: Array
    joint: IntArray
    start: Array
    end: Array
    A_static: Array = None  # type: ignore[assignment]  # __post_init__ gives it a value
    full_share: Array = None  # type: ignore[assignment]  # likewise
    reading: Array = None  # type: ignore[assignment]  # likewise
    likely: Array = None  # type: ignore[assignment]  # likewise
    scale: Array = None  # type: ignore[assignment]  # likewise

    def __post_init__(self) -> None:
        for name, default in DEFAULTS.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, default(self))

    def __len__(self) -> int:
        return len(self.b)

    @property
    def duration(self) -> Array:
        """Time that each row's data take, shape (m,) [s]."""
        return self.end - self.start

    def unbiased(self) -> tuple[Array, Array]:
        """Return B and b for estimates: their errors have mean zero if the sensors' have.

        Shapes (m, p) and (m,).
        """
        if not self.likely.shape[1]:
            return self.B, self.b
        return self.B + self.likely[:, :-1], self.b - self.likely[:, -1]

    def take(self, rows: NDArray[np.bool_] | IntArray | slice) -> RowBlock:
        """Return some of the rows."""
        return RowBlock(*(getattr(self, entry.name)[rows] for entry in fields(self)))

    def split(self, count: int) -> list[RowBlock]:
        """Return as many blocks with as many rows each."""
        size = len(self) // count
        return [self.take(slice(k * size, (k + 1) * size)) for k in range(count)]

    def of_own_data(self) -> RowBlock:
        """Return the rows without those that repeat data of others."""
        return self.take(self.scale == 0.0) if self.scale.any() else self

    def since(self, time: float) -> RowBlock:
        """Return the rows whose data begin at a time [s] or later."""
        before = self.start < time
        return self.take(~before) if before.any() else self

    def with_wider_bounds(self, factor: Array) -> RowBlock:
        """Return the rows with bounds as many times as large, for each channel, shape (C,)."""
        each = factor[self.joint]
        return replace(self, d=each * self.d, A_error=each[:, None] * self.A_error)

    def bound(self, phi_max: Array) -> Array:
        """Return the bound on w when |phi| <= phi_max, shape (m,)."""
        return self.d + self.A_error @ phi_max

    def with_payload(self, phi: Array) -> RowBlock:
        """Return the rows as they are when phi is known, NaN where it is not, shape (10,)."""
        unknown = np.isnan(phi)
        phi = np.where(unknown, 0.0, phi)
        return replace(
            self,
            A=self.A * unknown,
            A_error=self.A_error * unknown,
            A_static=self.A_static * unknown,
            b=self.b - self.A @ phi,
            d=self.bound(np.abs(phi)) + ROUNDING * (np.abs(self.A) @ np.abs(phi)),
        )

    @classmethod
    def stack(cls, blocks: Sequence[RowBlock]) -> RowBlock:
        """Put blocks with the same nuisance parameters under each other; at least one."""
        if len(blocks) == 1:
            return blocks[0]
        if (width := max(block.likely.shape[1] for block in blocks)) > 0:
            blocks = [
                x if x.likely.shape[1] else replace(x, likely=np.zeros((len(x), width)))
                for x in blocks
            ]
        columns = (np.concatenate([getattr(x, e.name) for x in blocks]) for e in fields(cls))
        return cls(*columns)

    @classmethod
    def empty(cls, p: int) -> RowBlock:
        """Return no rows, for p nuisance parameters."""
        none, wide, channel = np.zeros(0), np.zeros((0, 10)), np.zeros(0, dtype=np.int64)
        return cls(wide, wide, np.zeros((0, p)), none, none, channel, none, none)


def _zeros(rows: RowBlock) -> Array:
    return np.zeros(len(rows))


DEFAULTS: dict[str, Callable[[RowBlock], Array | IntArray]] = {
    "A_static": lambda rows: rows.A,
    "full_share": lambda rows: np.ones(len(rows)),
    "reading": _zeros,
    "likely": lambda rows: np.zeros((len(rows), 0)),
    "scale": _zeros,
}
