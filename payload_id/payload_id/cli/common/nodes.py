"""What works only where ROS is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...core.errors import ConfigurationError


@contextmanager
def needing_ros(what: str, verb: str) -> Iterator[None]:
    """Say where ROS is to be had if an import does not find it.

    Args:
        what: What is done through it, to begin a sentence.
        verb: That does it.

    Raises:
        ConfigurationError: A module is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{what} through ROS 2, and {error.name} is not installed here. Run ./payload-id "
            f"{verb} in the repository, or source a ROS 2 workspace that holds it."
        ) from error
