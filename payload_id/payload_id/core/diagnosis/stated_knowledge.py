"""Whether data contradict what is stated of the payload, and which statement of it.

Every statement is left out in turn, and the smallest noise factor is found anew.
"""

from __future__ import annotations

from ..arrays import Array
from ..bounds import Interval
from ..bounds.conic_cuts import widened
from ..bounds.feasibility import smallest_noise_factor
from ..bounds.hull import BORDERLINE
from ..bounds.least_squares_image import image
from ..bounds.scaled_rows import ScaledRows
from ..knowledge.knowledge import NOTHING, Knowledge
from ..rows.row_block import RowBlock
from .diagnose import Diagnosis
from .hypothesis import Finding

NAME = "stated knowledge"


def contradicted(
    rows: RowBlock, prior: Interval, shape: Array, stated: Knowledge
) -> Diagnosis | None:
    """Return the finding that only statements contradict the data; None if that is not so.

    Args:
        rows: Inconsistent with what is stated.
        prior: Bounds on phi before any data and statements.
        shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).
        stated: At least one statement.
    """
    alone = _factor(rows, prior, shape, NOTHING)
    # Where neither is inconsistent it is with rows that are no longer kept, whose cause is lost.
    if alone > BORDERLINE or _factor(rows, prior, shape, stated) <= BORDERLINE:
        return None
    factors = {name: alone if len(stated.names) == 1
               else _factor(rows, prior, shape, stated.without(name))
               for name in stated.names}  # fmt: skip
    single = [name for name, factor in factors.items() if factor <= BORDERLINE]
    finding = Finding(NAME, alone, len(single or factors), _sentence(single, tuple(factors)))
    return Diagnosis(finding, (finding,))


def _sentence(single: list[str], names: tuple[str, ...]) -> str:
    """Say which statements the data contradict, and what to do."""
    remedy = (
        "Check numbers, units and frame of what is stated, and that it is this payload that the "
        "arm holds; or, if that is true, state larger uncertainties."
    )
    if not single:
        each = ", ".join(f"'{name}'" for name in names)
        return (
            "the data by themselves are consistent; they contradict what is stated of the payload, "
            f"and leaving out any single one of {each} does not help. {remedy}"
        )
    each = " or ".join(f"'{name}'" for name in single)
    return (
        "the data by themselves are consistent; they contradict what is stated of the payload, and "
        f"without {each} they would not. {remedy}"
    )


def _factor(rows: RowBlock, prior: Interval, shape: Array, stated: Knowledge) -> float:
    """Return the smallest noise factor with some statements."""
    rows = widened(rows, stated)
    inside = image(rows, prior).intersect(prior)
    if (inside.lower > inside.upper).any():
        inside = prior
    scaled = ScaledRows.of(rows, prior, rows.bound(inside.magnitude), narrow=False)
    return smallest_noise_factor(scaled, shape, stated).factor
