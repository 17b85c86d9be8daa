"""Standard streams as shells leave them: closed, full, unread, of few letters."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress


def take_every_letter() -> None:
    """Have letters that the streams' encoding lacks replaced, not end the command.

    Such an encoding comes from the locale; what is typed, or a name of a file, may hold bytes that
    are no letter. An input that a calling program has begun to read is left as it is.
    """
    for stream, errors in (
        (sys.stdin, "replace"), (sys.stdout, "replace"), (sys.stderr, "backslashreplace")
    ):  # fmt: skip
        if isinstance(stream, io.TextIOWrapper):
            with suppress(io.UnsupportedOperation):
                stream.reconfigure(errors=errors)


def flush_output() -> None:
    """Have all that was printed arrive.

    Raises:
        OSError: It cannot; BrokenPipeError: nobody reads it.
    """
    if sys.stdout is not None:
        sys.stdout.flush()


def give_output_up() -> None:
    """Have what could not be written forgotten: at the end Python would try again, and complain."""
    try:
        flush_output()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def complain(sentence: str) -> None:
    """Print a sentence on standard error, if there is one."""
    with suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)
