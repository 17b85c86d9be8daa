"""Kinova Gen3: its driver has no service for a load (ros2_kortex issue 229)."""

from __future__ import annotations

from ...core.errors import ConfigurationError


class NoServiceError(ConfigurationError):
    """A driver that cannot be told of a load."""


def kinova_refusal(result: str) -> NoServiceError:
    """Return why nothing can be written, and what can be done with a result."""
    return NoServiceError(
        "ros2_kortex has no service for the load. Take the fields from './payload-id load export "
        f"{result} --as kinova', and enter them in the Web App (Configurations > Robot > Arm > "
        "Tool), or by SetPayloadInformation of the vendor's API."
    )
