"""What a command writes besides its result, such as a figure: without risk to what it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...core.errors import PayloadIdError
from ...files.figures.picture_file import picture_place


@dataclass(frozen=True)
class Drawn:
    """What became of a file.

    Attributes:
        path: The file; None if none was asked for, or written.
        failure: Why it was not written; None if it was, or if none was asked for.
    """

    path: Path | None = None
    failure: PayloadIdError | None = None

    def settle(self) -> None:
        """Raise the reason why a file that was asked for is missing, the result being shown."""
        if self.failure is not None:
            raise self.failure


def figure_place(figure: Path | None) -> Path | None:
    """Return where a figure is to be drawn, None if none is asked for; call before computing.

    Raises:
        ConfigurationError: Nothing can be written there.
    """
    return None if figure is None else picture_place(figure).resolve()


def drawn(place: Path | None, draw: Callable[[Path], Path]) -> Drawn:
    """Write a file if one is asked for; a failure is kept until the result has been shown."""
    if place is None:
        return Drawn()
    try:
        return Drawn(draw(place))
    except PayloadIdError as error:
        return Drawn(failure=error)
