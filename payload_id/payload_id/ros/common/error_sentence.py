"""Errors that a thread or process must outlive: what is said of them, and how many there were."""

from __future__ import annotations

import math
import threading
import time
import traceback
from pathlib import Path

from rclpy.exceptions import (
    InvalidParameterValueException,
    NameValidationException,
    ParameterException,
)
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.logging import get_logger

from ...core.errors import PayloadIdError
from .timeouts import LOG


class CannotGoOnError(PayloadIdError):
    """What a node is for has ended; the process ends with this sentence."""


class OutlivedErrors:
    """Errors that reached the top of a callback or thread: counted, and logged once in a while.

    Attributes:
        count: How many there were in this process.
        newest: The newest one as a sentence; empty: there was none.
        at: When that was, by `time.monotonic` [s].
    """

    def __init__(self) -> None:
        """Know of none."""
        self.count, self.newest, self.at = 0, "", -math.inf
        self._logged: dict[str, float] = {}
        self._lock = threading.Lock()

    def note(self, error: Exception) -> None:
        """Count an error, and log it with its traceback if that was not done a moment ago."""
        sentence, now = error_sentence(error), time.monotonic()
        place = "".join(traceback.format_tb(error.__traceback__))
        with self._lock:
            self.count, self.newest, self.at = self.count + 1, sentence, now
            due = now - self._logged.get(place, -math.inf) >= LOG
            if due:
                self._logged[place] = now
        if due:
            get_logger("payload_id").error(f"{sentence} The node goes on.\n{place}")


OUTLIVED = OutlivedErrors()  # of this process


def refusal_sentence(error: Exception) -> str:
    """Return why a node cannot be brought up, as one sentence: parameters, names, files."""
    if isinstance(error, (ParameterException, InvalidParameterValueException)):
        return str(error)
    if isinstance(error, NameValidationException):
        what, name, *_ = str(error).splitlines()
        return (
            f"{what} {name.strip()}. Change the parameter, the remapping or the namespace that "
            "says so."
        )
    if isinstance(error, rclpy_implementation.RCLError):
        said = str(error).split(", at ")[0]
        return (
            f"{said}. Check that each name stands for a topic of one type, after all parameters "
            "and remappings, and that the policy of its enclave allows it."
        )
    return error_sentence(error)


def error_sentence(error: Exception, report: str = "Please report it.") -> str:
    """Return an error as one sentence; an unexpected one with its place and what to do."""
    if isinstance(error, PayloadIdError):
        return str(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    return f"Unexpected {type(error).__name__} in {place}: {error}. {report}"
