r"""One statement about a payload as a convex set of phi in conic form.

    { phi : F phi + H z + g in K  for some z, z_lower <= z <= z_upper },

K a product of zeros, nonnegative numbers, second-order cones {(t, w): t >= |w|} and cones of
positive semidefinite matrices (as vectors, see `conic`), in this order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
        numbers, ends = (self.F, self.g, self.H), (self.z_lower, self.z_upper)
        q = self.H.shape[-1:]
        shapes = [x.shape for x in (*numbers, *ends)]
        fits = shapes == [(rows, 10), (rows,), (rows, *q), q, q] and (ends[0] <= ends[1]).all()
        if not fits or not all(np.isfinite(x).all() for x in numbers):
            raise InputError(
                f"What is stated of the payload by '{self.name}' needs {rows} rows of finite "
                f"numbers, and bounds of its own variables in order; found {shapes}. Check its "
                "numbers."
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
        """Return the statement without what has no variable.

        Raises:
            InputError: A row or cone without a variable does not hold.
        """
        used = np.asarray(np.column_stack([self.F, self.H]).any(axis=1))
        keep, kept = np.ones(len(used), dtype=bool), []
        slip = ROUNDING * max(1.0, float(np.abs(self.g).max(initial=0.0)))
        for kind, cone in self.cones(one_by_one=True):
            if used[cone].any():
                kept.append((kind, cone.stop - cone.start))
            elif outside(kind, self.g[cone]) > slip:
                raise InputError(
                    f"'{self.name}' can never hold: a part of it has no variable, and is false by "
                    f"{outside(kind, self.g[cone]):.2g}. Check its numbers and units."
                )
            else:
                keep[cone] = False
        sizes = {kind: tuple(size for each, size in kept if each == kind) for kind in CONES}
        return replace(
            self, F=self.F[keep], g=self.g[keep], H=self.H[keep],
            zero=len(sizes["zero"]), nonnegative=len(sizes["nonnegative"]),
            second_order=sizes["second_order"],
            semidefinite=tuple(order(size) for size in sizes["semidefinite"]),
        )  # fmt: skip


def outside(kind: str, s: Array) -> float:
    """Return by how much s is outside of a cone; 0 or less inside."""
    if kind == "zero":
        return float(np.abs(s).max())
    if kind == "nonnegative":
        return float(-s.min())
    if kind == "second_order":
        return float(np.linalg.norm(s[1:]) - s[0])
    return float(-np.linalg.eigvalsh(matrix(s))[0])
