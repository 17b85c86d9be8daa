"""How an arm was on the day of a run: offset, gain and friction of each joint, from the run alone.

The boxes that are stated for these parameters are opened wide, so that the data speak and not what
was assumed of them; the payload is estimated along. One run says little of some of them, such as
gains: their deviation stays near that of the open box, which `known` tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array, BoolArray
from ..history.known_run import KnownLoad, KnownRun
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.uncertainty import Uncertainty
from ..samples.joint_samples import Samples
from ..statistics.posterior import Posterior
from ..statistics.variance_components import UNIFORM_VARIANCE
from ..threads import one_thread

KINDS = ("torque_offset", "torque_gain", "friction_coulomb", "friction_viscous")
OPEN_GAIN = 0.2  # half-width of an opened gain's box [-]
OPEN_TORQUE = 0.25  # of an opened offset's or friction's, as part of the largest torque seen
KNOWN = 0.5  # a deviation below this part of the open box's is the data's
OF_BOX = float(np.sqrt(UNIFORM_VARIANCE))  # deviation of a parameter in its unit box


@dataclass(frozen=True)
class ArmHealth:
    """What one run says of an arm's joints.

    Attributes:
        value: By kind, shape (n,) [N m or N; - for gains; N m s/rad or N s/m for viscous friction].
        deviation: Standard deviation of each if rows erred independently, shape (n,).
        known: Whether the data say it, rather than the box, shape (n,).
        noise: Standard deviation of each joint's rows in units of their stated bounds, shape (n,).
    """

    value: Mapping[str, Array]
    deviation: Mapping[str, Array]
    known: Mapping[str, BoolArray]
    noise: Array

    @classmethod
    def of(
        cls,
        samples: Samples,
        model: ArmModel,
        uncertainty: Uncertainty,
        window: float,
        bare: bool = False,
    ) -> ArmHealth:
        """Return what samples say.

        Args:
            samples: The run.
            model: The arm, without payload.
            uncertainty: What is stated of it.
            window: Length of the windows [s].
            bare: Whether it is known that the arm carried nothing.

        Raises:
            RecordingError: The samples do not fit the arm, hold no torques, or fill no window.
        """
        rows = MomentumRows.of(model, opened(uncertainty, samples.tau))
        found = KnownRun.of("a run", samples, KnownLoad.none(), rows, window).statistics
        with one_thread():
            fit = Posterior.of(found.of_nuisance_only() if bare else found)
            deviation = fit.nuisance_deviation()
        return cls(*_by_kind(rows, fit.u, deviation), fit.noise(len(rows.channels)))


def opened(uncertainty: Uncertainty, tau: Array) -> Uncertainty:
    """Return bounds with wide boxes for what is watched; boxes that are wider stay.

    Args:
        uncertainty: As stated.
        tau: Torques of the run, shape (N, n) [N m or N].
    """
    n = tau.shape[1]
    largest = np.abs(tau).max(axis=0, initial=0.0)
    torque = OPEN_TORQUE * np.maximum(largest, largest.max(initial=0.0) / 10.0)
    least: dict[str, Any] = dict.fromkeys(KINDS, torque) | {"torque_gain": OPEN_GAIN}
    wide: dict[str, Any] = {
        kind: tuple(np.maximum(uncertainty.per_joint(kind, n), least[kind]).tolist())
        for kind in KINDS
    }
    return replace(uncertainty, **wide)


def _by_kind(
    rows: MomentumRows, u: Array, deviation: Array
) -> tuple[dict[str, Array], dict[str, Array], dict[str, BoolArray]]:
    """Return values, deviations and which are known, by kind, each shape (n,)."""
    nuisance = rows.nuisance
    values, half = (x[nuisance.uncertain] for x in (nuisance.at(u), nuisance.half_width))
    number = {name: k for k, name in enumerate(nuisance.names)}
    value, spread, known = {}, {}, {}
    for kind in KINDS:
        columns = np.array([number[f"{joint}.{kind}"] for joint in rows.model.joints])
        value[kind] = values[columns]
        spread[kind] = half[columns] * deviation[columns]
        known[kind] = deviation[columns] < KNOWN * OF_BOX
    return value, spread, known
