"""Parts of a payload whose mass lies in a region."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...arrays import Array
from .region import Region


@dataclass(frozen=True)
class Part:
    """phi of a part as a function of the payload's: T phi + t + S z.

    Attributes:
        T: Shape (10, 10).
        t: Shape (10,).
        S: Shape (10, q).
    """

    T: Array
    t: Array
    S: Array = field(default_factory=lambda: np.zeros((10, 0)))


@dataclass(frozen=True)
class Inside:
    """That a part is a body with no mass outside a region.

    Attributes:
        rows: Rows [c f e] that are not negative, shape (K, 11 + q).
        matrices: J of the part, by coefficients of phi, 1 and z, shape (11 + q, 4, 4).
    """

    rows: Array
    matrices: Array


def part_inside(region: Region, part: Part) -> Inside:
    """Return the constraints that a part is a body inside a region."""
    whole = np.hstack([part.T, part.t[:, None], part.S])  # (10, 11 + q)
    rows = region.rows()
    size = np.linalg.norm(rows, axis=1, keepdims=True)
    return Inside((rows / size) @ whole, np.tensordot(whole.T, region.cone_basis(), axes=1))
