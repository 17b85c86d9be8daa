"""Errors of the package: what was found, what is allowed, where, and what to do about it."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

KINDS: dict[type, str] = {str: "text", dict: "section"}  # as messages call them
LONGEST = 80  # letters of a value that messages show
HEAD, TAIL = 1500, 500  # letters of a message that are shown, whatever a file holds
SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = LONGEST
SHORT.maxlevel = 3


class PayloadIdError(Exception):
    """Base of every error that this package raises on purpose; its message is of bounded length."""

    def __str__(self) -> str:
        text = super().__str__()
        return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]} [...] {text[-TAIL:]}"


class InputError(PayloadIdError, ValueError):
    """A value that the caller gave cannot be used."""


class UnknownNameError(InputError):
    """A name that does not exist; carries the names that do, nearest first.

    Attributes:
        kind: What the name should have named, such as "joint".
        name: The name that was not found.
        known: The names that exist.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str], where: str = "") -> None:
        self.kind, self.known = kind, tuple(map(str, known))
        self.name = name if isinstance(name, str) else brief(name)
        near = difflib.get_close_matches(self.name[:LONGEST], self.known, n=1, cutoff=0.5)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        place = f" in {where}" if where else ""
        super().__init__(
            f"Unknown {kind} '{shortened(self.name)}'{place}.{hint} Known: "
            f"{', '.join(self.known) or 'none'}."
        )


def in_words(error: BaseException) -> str:
    """Return what an error of Python or of the system says, without its number and paths."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not a text in UTF-8"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    if isinstance(error, KeyError) and error.args:
        return f"{brief(str(error.args[0]))} is missing in it"
    if isinstance(error, TypeError | AttributeError | IndexError):
        return "an entry in it is of another kind than it should be"
    return str(error) or type(error).__name__


def require_type(value: object, kinds: Any, name: str, example: str) -> None:
    """Raise unless a value is of one of some types.

    Args:
        value: What was given.
        kinds: Which type it may be of, or a tuple of them.
        name: What it is, for the message.
        example: What to give instead.

    Raises:
        InputError: It is of another type.
    """
    if not isinstance(value, kinds):
        raise InputError(f"{name} must be {example}; found {brief(value)}.")


def known_entries(entries: object, kind: type, where: str) -> dict[str, Any]:
    """Return the entries of a mapping, which are attributes of a dataclass.

    Raises:
        InputError: It is no mapping, or has an entry that is unknown.
    """
    if not isinstance(entries, Mapping):
        raise InputError(f"{where} must be entries ('name: value'); found {brief(entries)}.")
    known = [entry.name for entry in fields(kind) if entry.init]
    for name in entries:
        if name not in known:
            raise UnknownNameError("entry", str(name), known, where)
    return dict(entries)


def shortened(text: str) -> str:
    """Return a text as messages show it."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def printable(text: str) -> str:
    """Return a text without characters that steer a terminal, as files and messages may hold."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def comment(lines: Iterable[str]) -> str:
    """Return lines as comments of a file: one line each, whatever names of files hold."""
    return "".join(f"# {printable(line)}".replace("\n", "\\n") + "\n" for line in lines)


def brief(value: object) -> str:
    """Return a value as messages show it: cut short, and without control characters."""
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, int | float):  # as the number that it is, whatever class was made of it
        return (int.__repr__(value) if isinstance(value, int) else float.__repr__(value))[:60]
    text = ""
    if isinstance(value, str | bytes | list | tuple | dict):
        try:
            text = SHORT.repr(value)
        except Exception:  # of an object in it, which may raise anything
            text = "that does not say what it holds"
    return f"the {KINDS.get(type(value), type(value).__name__)} {text}".rstrip()


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
            "The data may be badly scaled, as those in other units are: look at the recording with "
            "payload-id check. If that finds nothing, please report it together with the recording."
        )
