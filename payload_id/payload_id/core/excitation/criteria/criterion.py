"""What the members of the family offer: how little a candidate's rows would teach."""

from __future__ import annotations

from typing import Protocol

from ...arrays import Array
from ..prediction.candidate_rows import CandidateRows, Collected


class Criterion(Protocol):
    """A number for each candidate, the smaller the better.

    Attributes:
        name: How it is chosen and reported.
        needs_nuisance: Whether the rows' B is used.
    """

    name: str
    needs_nuisance: bool

    def value(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return the criterion for the candidates' rows after those collected, shape (C,).

        It is a logarithm, so that its gradient does not depend on units.
        """
        ...

    def slope(self, rows: CandidateRows, collected: Collected) -> CandidateRows:
        """Return the derivatives of the value by the rows' A, B and d, for one candidate."""
        ...
