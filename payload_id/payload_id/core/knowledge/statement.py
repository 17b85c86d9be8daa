r"""One statement about a payload as a convex set of phi in conic form.

    { phi : F phi + H z + g in K  for some z, z_lower <= z <= z_upper },

K a product of zeros, nonnegative numbers, second-order cones {(t, w): t >= |w|} and cones of
positive semidefinite matrices, in this order. A matrix is written as its upper triangle by
columns, elements off the diagonal times the square root of 2, so that the inner product of two
such vectors is that of the matrices.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import clarabel
import numpy as np

from ..arrays import Array
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

    @classmethod
    def of_parts(
        cls,
        name: str,
        zero: tuple[Array, ...] = (),
        nonnegative: tuple[Array, ...] = (),
        second_order: tuple[Array, ...] = (),
        semidefinite: tuple[Array, ...] = (),
        reach: Array | None = None,
    ) -> Statement:
        """Return a statement from blocks of coefficients.

        Args:
            name: As the attribute.
            zero: Blocks of rows [F g] or [F g H], each (k, 11) or (k, 11 + q).
            nonnegative: Likewise.
            second_order: Likewise, one block for each cone.
            semidefinite: Matrices, each (11 or 11 + q, n, n): those of phi, that of 1, of z.
            reach: |z| <= reach, shape (q,); None without z.
        """
        reach = np.zeros(0) if reach is None else reach
        blocks = [*zero, *nonnegative, *second_order, *map(triangles, semidefinite)]
        width = 11 + len(reach)
        wide = [np.hstack([block, np.zeros((len(block), width - block.shape[1]))])
                for block in blocks]  # fmt: skip
        rows = np.vstack([np.zeros((0, width)), *wide])
        return cls(
            name, rows[:, :10], rows[:, 10], rows[:, 11:], -reach, reach,
            sum(map(len, zero)), sum(map(len, nonnegative)), tuple(map(len, second_order)),
            tuple(len(block[0]) for block in semidefinite),
        )  # fmt: skip

    def cones(self) -> list[tuple[str, slice]]:
        """Return kind and rows of every cone: "zero" and "nonnegative" are rows one by one."""
        kinds = [("zero", self.zero), ("nonnegative", self.nonnegative)]
        kinds += [("second_order", size) for size in self.second_order]
        kinds += [("semidefinite", n * (n + 1) // 2) for n in self.semidefinite]
        found, first = [], 0
        for kind, size in kinds:
            if size:
                found.append((kind, slice(first, first + size)))
            first += size
        return found

    def without_constants(self) -> Statement:
        """Return the statement without the rows and cones in which there is no variable.

        Raises:
            InputError: One of them does not hold.
        """
        keep = np.ones(len(self.g), dtype=bool)
        sizes: dict[str, list[int]] = {kind: [] for kind in CONES}
        slip = ROUNDING * max(1.0, float(np.abs(self.g).max(initial=0.0)))
        for kind, cone in self.cones():
            one_by_one = kind in ("zero", "nonnegative")
            for first in range(cone.start, cone.stop) if one_by_one else (cone.start,):
                rows = slice(first, first + 1) if one_by_one else cone
                if self.F[rows].any() or self.H[rows].any():
                    sizes[kind].append(rows.stop - rows.start)
                elif outside(kind, self.g[rows]) > slip:
                    raise InputError(
                        f"'{self.name}' can never hold: a part of it has no variable, and is "
                        f"false by {outside(kind, self.g[rows]):.2g}. Check its numbers and units."
                    )
                else:
                    keep[rows] = False
        return replace(
            self, F=self.F[keep], g=self.g[keep], H=self.H[keep],
            zero=len(sizes["zero"]), nonnegative=len(sizes["nonnegative"]),
            second_order=tuple(sizes["second_order"]),
            semidefinite=tuple(order(size) for size in sizes["semidefinite"]),
        )  # fmt: skip

    def same(self, other: Statement) -> bool:
        """Tell whether every number is the same, bit for bit."""
        return all(
            np.array_equal(getattr(self, entry.name), getattr(other, entry.name))
            for entry in fields(self)
        )


def triangle(matrices: Array) -> Array:
    """Return symmetric matrices (..., n, n) as vectors (..., n (n + 1) / 2)."""
    row, column = np.tril_indices(matrices.shape[-1])[::-1]
    return np.asarray(matrices[..., row, column] * np.where(row == column, 1.0, np.sqrt(2.0)))


def triangles(matrices: Array) -> Array:
    """Return the rows of a cone of matrices, given those of each coefficient (k, n, n)."""
    return triangle(matrices).T


def order(length: int) -> int:
    """Return n of the n x n matrices that `triangle` writes as vectors of some length."""
    return int((np.sqrt(8 * length + 1) - 1) / 2 + 0.5)


def matrix(vector: Array) -> Array:
    """Return the symmetric matrix that `triangle` wrote as a vector, shape (n, n)."""
    n = order(len(vector))
    row, column = np.tril_indices(n)[::-1]
    found = np.zeros((n, n))
    found[row, column] = vector / np.where(row == column, 1.0, np.sqrt(2.0))
    found[column, row] = found[row, column]
    return found


def outside(kind: str, s: Array) -> float:
    """Return by how much s is outside of a cone; 0 or less inside."""
    if kind == "zero":
        return float(np.abs(s).max())
    if kind == "nonnegative":
        return float(-s.min())
    if kind == "second_order":
        return float(np.linalg.norm(s[1:]) - s[0])
    return float(-np.linalg.eigvalsh(matrix(s))[0])


def cone_of(kind: str, rows: int) -> object:
    """Return a cone of some rows as Clarabel takes it."""
    if kind == "semidefinite":
        return clarabel.PSDTriangleConeT(order(rows))
    kinds = {
        "zero": clarabel.ZeroConeT,
        "nonnegative": clarabel.NonnegativeConeT,
        "second_order": clarabel.SecondOrderConeT,
    }
    return kinds[kind](rows)
