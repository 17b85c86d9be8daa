r"""One statement about a payload as a convex set of phi in conic form.

    { phi : F phi + H z + g in K  for some z, z_lower <= z <= z_upper },

K a product of zeros, nonnegative numbers, second-order cones {(t, w): t >= |w|} and cones of
positive semidefinite matrices (as vectors, see `conic`), in this order.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ..arrays import Array
from ..conic import matrix, order
from ..errors import InputError

LARGEST = 1e15  # of all numbers, in SI units; solvers take what is much larger for infinite
CONES = ("zero", "nonnegative", "second_order", "semidefinite")
ROUNDING = 1e-12  # of constants that a user's formulas leave


@dataclass(frozen=True, eq=False)
class Statement:
    """A convex set of phi.

    Attributes:
        name: What it is called in messages.
        F: Shape (N, 10).
        g: Shape (N,).
        H: Of auxiliary variables z, shape (N, q).
        z_lower: Bounds of z, shape (q,); -inf where nothing is known.
        z_upper: Likewise from above.
        zero: Number of rows that are zero.
        nonnegative: Number of rows that are not negative.
        second_order: Sizes of the second-order cones.
        semidefinite: Sizes n of the cones of n x n matrices.
    """

    name: str
    F: Array
    g: Array
    H: Array
    z_lower: Array
    z_upper: Array
    zero: int = 0
    nonnegative: int = 0
    second_order: tuple[int, ...] = ()
    semidefinite: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        rows = self.zero + self.nonnegative + sum(self.second_order)
        rows += sum(n * (n + 1) // 2 for n in self.semidefinite)
        numbers = (self.F, self.g, self.H)
        if self.F.shape != (rows, 10) or not all(np.isfinite(x).all() for x in numbers):
            raise InputError(
                f"What is stated of the payload by '{self.name}' needs {rows} rows of ten finite "
                f"coefficients; found {self.F.shape}. Check its numbers."
            )
        q = (self.H.shape[1],) if self.H.ndim == 2 else ()
        fits = self.g.shape == (rows,) and self.H.shape == (rows, *q) and len(q) == 1
        fits = fits and self.z_lower.shape == self.z_upper.shape == q
        if not fits or not (self.z_lower <= self.z_upper).all():  # NaN neither
            raise InputError(
                f"What is stated of the payload by '{self.name}' needs {rows} constants, and as "
                f"many rows of H as bounds z_lower <= z_upper allow; found {self.g.shape}, "
                f"{self.H.shape}, {self.z_lower.shape} and {self.z_upper.shape}."
            )
        largest = max(float(np.abs(x).max(initial=0.0)) for x in numbers)
        if largest > LARGEST:
            raise InputError(
                f"What is stated of the payload by '{self.name}' has numbers up to {largest:.0e}; "
                f"nothing that an arm carries needs any above {LARGEST:.0e} in SI units. Check its "
                "numbers and units, or leave out a bound that excludes nothing."
            )

    def cones(self, one_by_one: bool = False) -> list[tuple[str, slice]]:
        """Return kind and rows of every cone; those of rows together, or each row by itself."""
        rows = [("zero", self.zero), ("nonnegative", self.nonnegative)]
        if one_by_one:
            rows = [(kind, 1) for kind, count in rows for _ in range(count)]
        kinds = rows + [("second_order", size) for size in self.second_order]
        kinds += [("semidefinite", n * (n + 1) // 2) for n in self.semidefinite]
        ends = np.cumsum([size for _, size in kinds], dtype=int).tolist()
        return [
            (kind, slice(end - size, end))
            for (kind, size), end in zip(kinds, ends, strict=True)
            if size
        ]

    def reduced(self) -> Statement:
        """Return the statement without what has no variable or bounds one auxiliary variable alone.

        Raises:
            InputError: A row or cone without a variable does not hold.
        """
        keep = np.ones(len(self.g), dtype=bool)
        kept: list[tuple[str, int]] = []
        slip = ROUNDING * max(1.0, float(np.abs(self.g).max(initial=0.0)))
        lower, upper = self.z_lower.copy(), self.z_upper.copy()
        for kind, cone in self.cones(one_by_one=True):
            alone = np.flatnonzero(self.H[cone].any(axis=0))
            if self.F[cone].any() or len(alone) > 1 or (len(alone) and kind != "nonnegative"):
                kept.append((kind, cone.stop - cone.start))
                continue
            keep[cone] = False
            if not len(alone) and outside(kind, self.g[cone]) > slip:
                raise InputError(
                    f"'{self.name}' can never hold: a part of it has no variable, and is false by "
                    f"{outside(kind, self.g[cone]):.2g}. Check its numbers and units."
                )
            for k in alone:  # h z + g >= 0
                h, g = self.H[cone.start, k], self.g[cone.start]
                lower[k] = max(lower[k], -g / h) if h > 0.0 else lower[k]
                upper[k] = min(upper[k], -g / h) if h < 0.0 else upper[k]
        if (lower > upper).any():
            raise InputError(f"'{self.name}' can never hold: a variable of it has no value left.")
        sizes = {kind: tuple(size for each, size in kept if each == kind) for kind in CONES}
        return replace(
            self, F=self.F[keep], g=self.g[keep], H=self.H[keep], z_lower=lower, z_upper=upper,
            zero=len(sizes["zero"]), nonnegative=len(sizes["nonnegative"]),
            second_order=sizes["second_order"],
            semidefinite=tuple(order(size) for size in sizes["semidefinite"]),
        )  # fmt: skip

    def same(self, other: Statement) -> bool:
        """Tell whether every number is the same, bit for bit."""
        return all(
            np.array_equal(getattr(self, entry.name), getattr(other, entry.name))
            for entry in fields(self)
        )


def outside(kind: str, s: Array) -> float:
    """Return by how much s is outside of a cone; 0 or less inside."""
    if kind == "zero":
        return float(np.abs(s).max())
    if kind == "nonnegative":
        return float(-s.min())
    if kind == "second_order":
        return float(np.linalg.norm(s[1:]) - s[0])
    return float(-np.linalg.eigvalsh(matrix(s))[0])
