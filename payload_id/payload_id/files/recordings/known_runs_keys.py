"""The keys of a list of recordings with known payloads."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator
from typing_extensions import Self

from ..configuration.model import Model, Number, key


class RunKeys(Model):
    """What is known of one recording."""

    mass: float | None = key(
        "mass of the payload, all that is known of it", "kg", None, ge=0.0, le=1e6
    )
    payload: Annotated[tuple[Number, ...], Field(min_length=10, max_length=10)] | None = key(
        "all ten parameters of the payload, exactly, inertia about the payload frame's origin",
        "SI units", None,
    )  # fmt: skip

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return what is known, said once."""
        if self.mass is not None and self.payload is not None:
            raise ValueError("has both 'mass' and 'payload'; give one of them.")
        return self


class KnownRunsKeys(Model):
    """A list of runs."""

    runs: Annotated[dict[str, RunKeys], Field(min_length=1)] = key(
        "recordings, relative to this file, in the order in which they were made; with neither "
        "'mass' nor 'payload': of the bare arm"
    )
