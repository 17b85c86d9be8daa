"""Whose forces have the wrong sign, where no payload explains the forces as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...body.payload_prior import PayloadPrior
from ..estimate import Fault, Finding
from ..faults.findings import MISSING
from ..rows import TeamRows
from ..windows import Windows
from .interval_rows import is_explained

LEAST_WINDOWS = 8
FORCE, WRENCH = slice(0, 3), slice(0, 6)


def inverted(
    names: Sequence[str], rows: TeamRows, used: Windows, windows: Windows, prior: PayloadPrior
) -> Finding | None:
    """Return the only robot, or all, with whose sign turned round some payload explains all forces.

    Of two robots' forces, both with the wrong sign of one of them turned have the same sum but for
    its sign; a payload's mass is not negative. Where some payload explains the forces of another if
    they count nothing, or some times as much, the false ones may be that one's.

    Args:
        names: Of the robots.
        rows: Frames and bounds.
        used: Windows whose forces act at places that are known.
        windows: All of them.
        prior: What the payload may be.
    """
    if len(used) < LEAST_WINDOWS:
        return _everybody(names) if _all_pull_down(windows) else None
    guilty = [
        i
        for i in range(len(names))
        if any(
            is_explained(rows, *both, prior)
            for both in zip(_turned(used, i), _turned(windows, i), strict=False)
        )
    ]
    if not guilty and _is_explained_by_all(rows, used, windows, prior):
        return _everybody(names)
    others = [j for j in range(len(names)) if [j] != guilty]
    if len(guilty) != 1 or any(
        is_explained(rows, _scaled(used, j, FORCE, c), _scaled(windows, j, FORCE, c), prior)
        for j in others
        for c in (0.0, _best_factor(rows, used, j))
    ):
        return None
    name = names[guilty[0]]
    return Finding(
        Fault.FORCE_INVERTED, (name,),
        f"The forces of {name} fit with the opposite sign, and no payload explains them as they "
        "are: its sensor is inverted. Samples hold the force on the payload.",
    )  # fmt: skip


def _everybody(names: Sequence[str]) -> Finding:
    """Return that the forces of all robots have the wrong sign."""
    return Finding(
        Fault.FORCE_INVERTED, tuple(names),
        "The forces of all robots together pull the payload down, and fit with the opposite sign. "
        "Samples hold the force on the payload, not the one on the robot.",
    )  # fmt: skip


def _all_pull_down(windows: Windows) -> bool:
    """Tell whether every robot says that it pulls the payload down, by more than its error."""
    held = windows.holding & windows.present
    if np.count_nonzero(held.all(axis=0)) < LEAST_WINDOWS:
        return False
    pull = np.where(held, windows.lift + windows.lift_error, 0.0)
    return bool((pull.sum(axis=1) < 0.0).all())


def _is_explained_by_all(
    rows: TeamRows, used: Windows, windows: Windows, prior: PayloadPrior
) -> bool:
    """Tell whether some payload explains the forces of all with the opposite sign."""
    for part in (FORCE, WRENCH):
        chosen, every = used, windows
        for i in range(len(rows.bounds)):
            chosen, every = (_scaled(x, i, part, -1.0) for x in (chosen, every))
        if is_explained(rows, chosen, every, prior):
            return True
    return False


def _best_factor(rows: TeamRows, used: Windows, j: int) -> float:
    """Return the factor on robot j's forces with which they fit best; 0 if that is below 0."""
    block, own = rows.of_estimate(used), rows.wrench_of(used, j).ravel()
    weight = 1.0 / np.maximum(block.d, 0.05 * np.median(block.d))
    A = np.hstack([block.A, -own[:, None]]) * weight[:, None]
    x, *_ = np.linalg.lstsq(A, (block.b - own) * weight, rcond=1e-10)
    return max(float(x[-1]), 0.0)


def _turned(windows: Windows, i: int) -> Iterator[Windows]:
    """Yield windows with the sign of robot i's forces turned, and with that of moments, too."""
    for part in (FORCE, WRENCH) if windows.wrench[i][:, 3:].any() else (FORCE,):
        yield _scaled(windows, i, part, -1.0)


def _scaled(windows: Windows, i: int, part: slice, factor: float) -> Windows:
    """Return windows with a part of robot i's wrenches times a factor."""
    wrench, rate, lift = windows.wrench.copy(), windows.wrench_rate.copy(), windows.lift.copy()
    wrench[i][:, part] *= factor
    rate[i][:, part] *= factor
    lift[i] *= factor
    return replace(windows, wrench=wrench, wrench_rate=rate, lift=lift)


def may_be_inverted(findings: Sequence[Finding]) -> bool:
    """Tell whether nothing was found that tells of motions, or of forces better."""
    mild = (Fault.FORCE_FALSE, *MISSING)
    return all(finding.fault in mild or not finding.robots for finding in findings)
