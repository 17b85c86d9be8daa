"""How much a motion would teach: one file for each criterion, chosen by name.

In: predicted rows of candidates, rows collected so far.
Out: one number for each candidate, the smaller the better, and its slope by the rows.
"""

from __future__ import annotations

from collections.abc import Callable

from ...arrays import Array
from ...errors import UnknownNameError
from .condition_number import ConditionNumber
from .criterion import Criterion
from .half_widths import HalfWidths
from .log_det import LogDet

DEFAULT = HalfWidths.name
CRITERIA: dict[str, Callable[[Array], Criterion]] = {
    HalfWidths.name: HalfWidths,
    LogDet.name: LogDet,
    ConditionNumber.name: lambda known: ConditionNumber(),
}


def criterion_named(name: str, known: Array) -> Criterion:
    """Return the criterion of a name.

    Args:
        name: Of `CRITERIA`.
        known: Half widths of what is known of phi before any row, shape (10,).

    Raises:
        UnknownNameError: There is no such criterion.
    """
    if name not in CRITERIA:
        raise UnknownNameError("criterion", name, list(CRITERIA))
    return CRITERIA[name](known)
