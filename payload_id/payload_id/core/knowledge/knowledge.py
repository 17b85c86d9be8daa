"""All that is stated of a payload: statements with names, stacked as one set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from ..arrays import Array
from ..codec import Identified
from ..errors import InputError
from .statement import Statement

MOST = 200  # statements: each costs time and memory in every update


@dataclass(frozen=True, eq=False)
class Knowledge(Identified):
    """The intersection of the sets of several statements; all of phi without any.

    Attributes:
        statements: Their names are all different.
    """

    statements: tuple[Statement, ...] = ()

    def __post_init__(self) -> None:
        names = self.names
        if len(names) > MOST:
            raise InputError(
                f"There are {len(names)} statements about the payload; at most {MOST} are taken. "
                "Each costs time and memory in every update: leave out those that say the same."
            )
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise InputError(
                f"Two statements about the payload are named '{twice}': give one of them another "
                "name, so that messages can tell them apart."
            )

    def __bool__(self) -> bool:
        return bool(self.statements)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the statements."""
        return tuple(statement.name for statement in self.statements)

    @property
    def q(self) -> int:
        """Number of auxiliary variables."""
        return sum(statement.H.shape[1] for statement in self.statements)

    def only(self, names: Iterable[str]) -> Knowledge:
        """Return the statements of some names."""
        wanted = set(names)
        return Knowledge(tuple(s for s in self.statements if s.name in wanted))

    def with_more(self, other: Knowledge) -> Knowledge:
        """Return these statements and others."""
        return Knowledge((*self.statements, *other.statements))

    def without(self, name: str) -> Knowledge:
        """Return all statements but one."""
        return Knowledge(tuple(s for s in self.statements if s.name != name))

    @cached_property
    def stacked(self) -> Stacked:
        """All statements as one system.

        Raises:
            InputError: An auxiliary variable has no bounds yet; see `auxiliary`.
        """
        return Stacked.of(self.statements)


NOTHING = Knowledge()


@dataclass(frozen=True, eq=False)
class Stacked:
    """F phi + H zeta + g in a product of cones for some zeta, |zeta| <= 1.

    Attributes:
        F: Shape (N, 10).
        H: Shape (N, q).
        g: Shape (N,).
        cones: Kind and rows of each cone.
    """

    F: Array
    H: Array
    g: Array
    cones: tuple[tuple[str, slice], ...]

    def followed_by(self, *more: tuple[str, Array]) -> Stacked:
        """Return the system with F phi in further cones, of a kind and rows (k, 10) each."""
        cones, first = list(self.cones), len(self.g)
        for kind, rows in more:
            cones += [(kind, slice(first, first + len(rows)))] if len(rows) else []
            first += len(rows)
        none = np.zeros((first - len(self.g), self.H.shape[1]))
        return Stacked(
            np.vstack([self.F, *(rows for _, rows in more)]), np.vstack([self.H, none]),
            np.append(self.g, none.sum(axis=1)), tuple(cones),
        )  # fmt: skip

    @classmethod
    def of(cls, statements: tuple[Statement, ...]) -> Stacked:
        """Stack statements, z scaled to the unit box."""
        blocks, offsets, cones, first = [], [np.zeros(0)], [], 0
        for statement in statements:
            half = (statement.z_upper - statement.z_lower) / 2
            if not np.isfinite(half).all():
                raise InputError(f"'{statement.name}' has auxiliary variables without bounds.")
            blocks.append(statement.H * half)
            offsets.append(
                statement.g + statement.H @ ((statement.z_upper + statement.z_lower) / 2)
            )
            for kind, rows in statement.cones():
                cones.append((kind, slice(rows.start + first, rows.stop + first)))
            first += len(statement.g)
        F = np.vstack([np.zeros((0, 10)), *(statement.F for statement in statements)])
        H = scipy.linalg.block_diag(*blocks) if blocks else np.zeros((0, 0))
        return cls(F, H, np.concatenate(offsets), tuple(cones))
