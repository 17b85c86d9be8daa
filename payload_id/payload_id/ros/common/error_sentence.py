"""What is said of an error that a thread or process must outlive."""

from __future__ import annotations

import traceback
from pathlib import Path

from ...core.errors import PayloadIdError


def error_sentence(error: Exception, report: str = "Please report it.") -> str:
    """Return an error as one sentence; an unexpected one with its place and what to do."""
    if isinstance(error, PayloadIdError):
        return str(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    return f"Unexpected {type(error).__name__} in {place}: {error}. {report}"
