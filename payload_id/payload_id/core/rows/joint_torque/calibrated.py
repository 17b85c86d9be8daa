"""What an arm's calibration means for later rows: a smaller box of psi, and rows without payload.

Both contain the truth whenever the bounds stated for the calibration held and psi has not changed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.calibration import ArmEquations, Calibration
from ...errors import InputError
from ..nuisance import Nuisance
from ..quadrature import ROUNDING
from ..row_block import RowBlock
from .blocks import NOT_LEARNT, Stated
from .nuisance import NOT_NEGATIVE, group_slice, nuisance_of
from .uncertainty import Uncertainty


def known_of(model: ArmModel, uncertainty: Uncertainty) -> tuple[Nuisance, Uncertainty]:
    """Return the box of psi and the uncertainty, tightened by the arm's calibration if any.

    Raises:
        InputError: The stated bounds are wider than those of the calibration, or contradict it.
    """
    stated, known = nuisance_of(model, uncertainty), model.calibration
    if known is None:
        return stated, uncertainty
    return calibrated_nuisance(known, model, uncertainty, stated), tightened(known, uncertainty)


def calibrated_nuisance(
    calibration: Calibration, model: ArmModel, uncertainty: Uncertainty, stated: Nuisance
) -> Nuisance:
    """Return the box of psi: what is stated and what the calibration leaves, both true.

    Raises:
        InputError: The stated bounds are wider than those of the calibration, or contradict it.
    """
    _check_stated(calibration, model, uncertainty, stated)
    low, high = stated.centre - stated.half_width, stated.centre + stated.half_width
    lower, upper = np.maximum(low, calibration.lower), np.minimum(high, calibration.upper)
    slip = ROUNDING * (np.abs(lower) + np.abs(upper))
    if (lower > upper + slip)[stated.uncertain].any():
        name = stated.every[int(np.argmax((lower - upper) * stated.uncertain))]
        raise InputError(
            f"The stated bounds exclude what the calibration found for {name}. State the "
            "bounds that the calibration was made with, or calibrate again."
        )
    half_width = np.maximum(upper - lower, 0.0) / 2 + slip
    return Nuisance(
        stated.every,
        np.where(stated.uncertain, (lower + upper) / 2, stated.centre),
        np.where(stated.uncertain, half_width, 0.0),
    )


def _check_stated(
    calibration: Calibration, model: ArmModel, uncertainty: Uncertainty, stated: Nuisance
) -> None:
    """Raise where bounds are stated that are wider than the calibration's own."""
    before = Uncertainty.from_dict(dict(calibration.uncertainty))
    assumed = nuisance_of(model, before)
    edge = ROUNDING * (np.abs(assumed.centre) + assumed.half_width)
    below = stated.centre - stated.half_width < assumed.centre - assumed.half_width - edge
    above = stated.centre + stated.half_width > assumed.centre + assumed.half_width + edge
    now, then = (_not_learnt(model, bounds) for bounds in (uncertainty, before))
    wider = {name: half > then.get(name, 0.0) * (1 + ROUNDING) for name, half in now.items()}
    wider |= dict(zip(stated.every, np.isfinite(calibration.lower) & (below | above), strict=True))
    if any(wider.values()):
        name = next(name for name in wider if wider[name])
        raise InputError(
            f"The bounds stated for {name} are wider than those that the calibration was made "
            "with, so that its result need not hold. Calibrate again with the wider bounds, or "
            "state the calibration's."
        )


def _not_learnt(model: ArmModel, bounds: Uncertainty) -> dict[str, float]:
    """Return half the width of the box of each parameter of the arm that is not learnt."""
    blocks = [kind.of(Stated(model, bounds)) for kind in NOT_LEARNT]
    return {
        name: float(half)
        for block in blocks
        for name, half in zip(block.names, block.half_width, strict=True)
    }


def tightened(calibration: Calibration, uncertainty: Uncertainty) -> Uncertainty:
    """Return the uncertainty with what the calibration leaves of friction and tool errors."""
    changes: dict[str, Any] = {}
    for name in NOT_NEGATIVE:
        upper = calibration.upper[group_slice(name, calibration.n)] * (1 + ROUNDING)
        bound = np.minimum(uncertainty.per_joint(name, calibration.n), np.maximum(upper, 0.0))
        changes[name] = tuple(float(x) for x in bound)
    if uncertainty.tool:
        largest = np.maximum(np.abs(calibration.lower), np.abs(calibration.upper))
        tool = np.minimum(uncertainty.tool, largest[15 * calibration.n :] * (1 + ROUNDING))
        changes["tool"] = tuple(float(x) for x in tool)
    return replace(uncertainty, **changes)


def arm_rows(equations: ArmEquations, nuisance: Nuisance) -> RowBlock:
    """Return the equations as rows without payload, in the coordinates of a box of psi.

    Args:
        equations: Of the arm.
        nuisance: The box.
    """
    none = np.zeros((len(equations), 10))
    rounding = ROUNDING * (np.abs(equations.C) @ nuisance.largest + np.abs(equations.t))
    return RowBlock(
        A=none,
        A_error=none,
        B=nuisance.scaled(equations.C),
        b=equations.t - equations.C @ nuisance.centre,
        d=equations.d + rounding,
        joint=equations.joint,
        start=equations.start,
        end=equations.end,
    )
