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
        H, g, lower, upper = (x.copy() for x in (self.H, self.g, self.z_lower, self.z_upper))
        alone = ~self.F.any(axis=1) & (np.count_nonzero(H, axis=1) == 1)
        alone[: self.zero] = alone[self.zero + self.nonnegative :] = False
        rows, columns = np.nonzero(H * alone[:, None])  # h z + g >= 0
        h, end = H[rows, columns], -g[rows] / H[rows, columns]
        np.maximum.at(lower, columns[h > 0.0], end[h > 0.0])
        np.minimum.at(upper, columns[h < 0.0], end[h < 0.0])
        if (lower > upper).any():
            raise InputError(f"'{self.name}' can never hold: a variable of it has no value left.")
        H[alone] = g[alone] = 0.0
        keep, kept = np.ones(len(g), dtype=bool), []
        slip = ROUNDING * max(1.0, float(np.abs(g).max(initial=0.0)))
        for kind, cone in self.cones(one_by_one=True):
            if self.F[cone].any() or H[cone].any():
                kept.append((kind, cone.stop - cone.start))
            elif outside(kind, g[cone]) > slip:
                raise InputError(
                    f"'{self.name}' can never hold: a part of it has no variable, and is false by "
                    f"{outside(kind, g[cone]):.2g}. Check its numbers and units."
                )
            else:
                keep[cone] = False
        sizes = {kind: tuple(size for each, size in kept if each == kind) for kind in CONES}
        return replace(
            self, F=self.F[keep], g=g[keep], H=H[keep], z_lower=lower, z_upper=upper,
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
