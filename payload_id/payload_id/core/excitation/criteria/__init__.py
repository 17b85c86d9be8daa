"""How much a motion would teach: one file for each criterion, chosen by name.

In: predicted rows of candidates, rows collected so far.
Out: one number for each candidate, the smaller the better, and its slope by the rows.
"""

from __future__ import annotations

from collections.abc import Callable

from ...arrays import Array
from ...errors import UnknownNameError
from ..prediction.predictor import Predictor
from .calibrated_widths import CalibratedWidths
from .condition_number import ConditionNumber
from .criterion import Criterion
from .half_widths import HalfWidths
from .log_det import LogDet

DEFAULT = HalfWidths.name
CRITERIA: dict[str, Callable[[Array, Predictor | None], Criterion]] = {
    HalfWidths.name: lambda known, _: HalfWidths(known),
    LogDet.name: lambda known, _: LogDet(known),
    ConditionNumber.name: lambda known, _: ConditionNumber(),
    CalibratedWidths.name: CalibratedWidths.of,
}


def criterion_named(name: str, known: Array, predictor: Predictor | None = None) -> Criterion:
    """Return the criterion of a name.

    Args:
        name: Of `CRITERIA`.
        known: Half widths of what is known of phi before any row, shape (10,).
        predictor: Makes the rows that it judges; only `CalibratedWidths` asks for it.

    Raises:
        UnknownNameError: There is no such criterion.
        InputError: It rests on the arm's history, and there is none, or one of other rows.
    """
    if name not in CRITERIA:
        raise UnknownNameError("criterion", name, list(CRITERIA))
    return CRITERIA[name](known, predictor)
