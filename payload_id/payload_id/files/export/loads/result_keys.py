"""What of `identify --json` is exported, checked."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import ConfigDict, Field, model_validator
from typing_extensions import Self

from ....core.body.inertial import LARGEST, PARAMETERS
from ....core.identification.estimate import Estimate
from ....core.identification.status import Status
from ...configuration.model import Model, key

Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]
Ten = Annotated[tuple[Number | None, ...], Field(min_length=10, max_length=10)]
TenFlags = Annotated[tuple[bool, ...], Field(min_length=10, max_length=10)]


class ResultKeys(Model):
    """An estimate as JSON; what else it holds does not count here."""

    model_config = ConfigDict(extra="ignore")

    status: Annotated[Status, Field(strict=False)] = key("verdict")
    message: str = key("its sentence", default="")
    payload_frame: Annotated[str, Field(min_length=1)] = key("link whose frame it is in")
    parameters: tuple[str, ...] = key("their names", default=PARAMETERS)
    phi: Ten = key("estimate")
    lower: Ten = key("lower ends of the intervals")
    upper: Ten = key("upper ends")
    identifiable: TenFlags = key("which of them the data bound")
    uncertainty: dict[str, Any] = key("what was assumed", default={})
    robot_digest: str = key("of the arm", default="")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return a result of these parameters, whose intervals have two ends."""
        if self.parameters != tuple(PARAMETERS):
            raise ValueError(f"must have the 'parameters' {list(PARAMETERS)}.")
        found = self.estimate
        if not (found.lower <= found.upper).all():
            raise ValueError("has a 'lower' above its 'upper'.")
        return self

    @property
    def estimate(self) -> Estimate:
        """The same as an estimate of which nothing else is known."""
        phi, lower, upper = (
            np.array([unknown if x is None else x for x in values])
            for values, unknown in ((self.phi, np.nan), (self.lower, -np.inf), (self.upper, np.inf))
        )
        return Estimate(
            phi, lower, upper, np.array(self.identifiable), self.status, self.message, "", "",
            payload_frame=self.payload_frame,
        )  # fmt: skip
