"""What makes rows of one kind of measurement."""

from __future__ import annotations

from typing import Any, Protocol

from ..arrays import Array
from ..body.payload_prior import PayloadPrior
from .gate import Gate
from .row_block import RowBlock


class RowSource(Protocol):
    """Turns windows of samples into rows."""

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nuisance parameters, such as "joint_2.friction_coulomb", p of them."""
        ...

    @property
    def growth(self) -> Array:
        """How the error of each channel's rows grows: 1 + growth u times the sensor's, (C, p)."""
        ...

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of what is measured (joints, axes of a wrench); rows name them by number."""
        ...

    @property
    def frame(self) -> str:
        """Frame in which phi is expressed."""
        ...

    @property
    def prior(self) -> PayloadPrior:
        """Box that holds the payload before any data."""
        ...

    def gate(self, pause: float) -> Gate:
        """Return what judges the samples of a run; rows integrate over steps up to a pause [s]."""
        ...

    def fitted(self, samples: Any) -> Any:
        """Return samples as rows are made of them, joints in the arm's order.

        Raises:
            RecordingError: They are of another kind, or of other joints.
        """
        ...

    def window(self, samples: Any) -> RowBlock:
        """Return the rows of one window of samples."""
        ...
