"""Errors of the package: what was found, what is allowed, where, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PayloadIdError(Exception):
    """Base of every error that this package raises on purpose."""


class InputError(PayloadIdError, ValueError):
    """A value that the caller gave cannot be used."""


class UnknownNameError(InputError):
    """A name that does not exist; carries the names that do, nearest first.

    Attributes:
        kind: What the name should have named, such as "joint".
        name: The name that was not found.
        known: The names that exist.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        near = difflib.get_close_matches(name, self.known, n=1, cutoff=0.5)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        place = f" in {where}" if where else ""
        super().__init__(
            f"Unknown {kind} '{name}'{place}.{hint} Known: {', '.join(self.known) or 'none'}."
        )


class ModelError(InputError):
    """A robot description that cannot serve, such as one without inertias."""


class RecordingError(InputError):
    """A recording that cannot be read, or that holds nothing to work with."""


class ConfigurationError(InputError):
    """A configuration file with a missing, unknown or impossible entry."""


class SolverError(PayloadIdError, RuntimeError):
    """A numerical program ended without a usable answer.

    Attributes:
        program: Which program it was.
        status: What the solver said.
    """

    def __init__(self, program: str, status: str) -> None:
        self.program, self.status = program, status
        super().__init__(
            f"The {program} ended without a usable answer (solver status: {status}). "
            "The data may be badly scaled; please report it together with the recording."
        )
