"""What a calibration is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arm.calibration import Calibration
from ..arrays import Array
from ..rows.nuisance import Nuisance
from .fit import LinkPrior
from .identifiability import Identifiability

HELD_OUT = 0.2  # last part of every recording, on which the fit of the rest is judged
NARROWED = 0.9  # part of its stated width below which a parameter counts as narrowed


@dataclass(frozen=True)
class Options:
    """How an arm is calibrated.

    Attributes:
        window: Length of a window [s].
        ellipsoids: Q of each link's bounding ellipsoid in its joint's frame, shape (4, 4); None
            where not known.
        prior: How the point estimate is drawn to the description.
        scales: Further lengths of windows, whose rows narrow the box as well [s].
    """

    window: float = 0.1
    ellipsoids: Sequence[Array | None] = ()
    prior: LinkPrior = LinkPrior.QUADRATIC
    scales: Sequence[float] = ()


@dataclass(frozen=True)
class ArmValidation:
    """Mean torques over windows that models leave unexplained, each shape (n,) [N m, rms].

    Attributes:
        nominal: The description alone, without friction and offsets.
        nominal_links: The description's links with friction and sensor parameters fitted.
        calibrated: Everything fitted.
        rows: Number of rows that were held out.
    """

    nominal: Array
    nominal_links: Array
    calibrated: Array
    rows: int


@dataclass(frozen=True)
class CalibrationResult:
    """A calibration and how good it is.

    Attributes:
        calibration: For later runs; only meaningful if consistent.
        stated: The box of psi before.
        validation: Of a fit to the first part of the data on the rest.
        identifiability: Which combinations the motion determines.
        noise_factor: Smallest factor on the bounds with which the data are consistent; NaN if
            they are.
        blame: How much each joint asks for that factor.
        windows: Number of windows.
        samples: Number of samples.
        notes: What the user should know.
    """

    calibration: Calibration
    stated: Nuisance
    validation: ArmValidation
    identifiability: Identifiability
    noise_factor: float
    blame: tuple[tuple[int, float], ...]
    windows: int
    samples: int
    notes: tuple[str, ...] = ()

    @property
    def consistent(self) -> bool:
        """Whether some psi within the stated bounds explains every row."""
        return bool(np.isnan(self.noise_factor))

    def link_phi(self) -> Array:
        """Return the estimated inertial parameters of the links, shape (n, 10)."""
        n = self.calibration.n
        return self.calibration.estimate[: 10 * n].reshape(n, 10)

    def width_ratio(self) -> Array:
        """Return each candidate's width as part of the stated one, (15 n + 10,); NaN if known."""
        width = (self.calibration.upper - self.calibration.lower) / 2
        uncertain = self.stated.uncertain
        ratio = np.full(len(width), np.nan)
        ratio[uncertain] = width[uncertain] / self.stated.half_width[uncertain]
        return ratio

    def narrowed_links(self) -> tuple[int, ...]:
        """Return of how many parameters of each link the interval has become narrower."""
        n = self.calibration.n
        ratio = self.width_ratio()[: 10 * n].reshape(n, 10)
        return tuple(int(count) for count in (ratio < NARROWED).sum(axis=1))
