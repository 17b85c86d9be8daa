"""An interrupt while a program of this package imports its modules ends it in silence.

Imports take a second or two, in which Python would answer ctrl-C with a traceback. Afterwards the
programs' own handlers count. A program that uses this package as a library keeps its handlers.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

PACKAGE, COMMAND = "payload_id", "payload-id"


def end_at_interrupts() -> None:
    """Have an interrupt end the process at once, if that is one of this package's programs."""
    if _is_program() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _is_program() -> bool:
    """Tell whether this is `python -m payload_id...`, `payload-id`, or a program of `ros2 run`."""
    first = Path(sys.argv[0] if sys.argv else "")
    if first.name == "-m":  # so named until the module is found
        return any(x.removeprefix("-m").split(".")[0] == PACKAGE for x in sys.orig_argv)
    return first.name == COMMAND or first.parent.parts[-2:] == ("lib", PACKAGE)


end_at_interrupts()
