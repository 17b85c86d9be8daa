"""What recordings of the bare arm tell of it, before a payload is identified (`--tare`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...core.identification.online import OnlineIdentifier
from ...core.identification.settings import Settings
from ...core.identification.status import Status
from ...core.identification.tare import Tare
from ...core.knowledge.knowledge import NOTHING
from .recording import Recording


def tared(
    bare: Sequence[Recording], robot: ArmModel, settings: Settings, known: Tare | None = None
) -> Tare:
    """Return what runs without payload tell of an arm, as the service `~/tare` would.

    Args:
        bare: The recordings, at least one.
        robot: The arm, without payload.
        settings: Of the run with payload; what they say of the payload does not count here.
        known: What is known from earlier tares.

    Raises:
        InputError: A recording is too short, is inconsistent, or shows a payload.
    """
    plain = replace(settings, estimator="lmi", intervals="hull", shape=None, knowledge=NOTHING)
    online = OnlineIdentifier(robot, plain)
    if known is not None:
        online.know(known)
    for recording in bare:
        online.add(recording)
        _require_bare(online.update(), recording.source)
        online.tare()
    return online.known_arm


def _require_bare(estimate: Estimate, source: str) -> None:
    """Raise unless data allow that nothing was carried.

    Raises:
        InputError: They do not; says why.
    """
    if estimate.status in (Status.NO_DATA, Status.INCONSISTENT, Status.SOLVER_FAILED):
        raise InputError(f"--tare {source} cannot tare: {estimate.message}")
    if not estimate.contains(np.zeros(10)).all():
        low, high = estimate.lower[0], estimate.upper[0]
        raise InputError(
            f"--tare {source} is not of the bare arm: it shows a payload, mass {low:.3g} to "
            f"{high:.3g} kg. Name a recording without payload, or state larger bounds."
        )
