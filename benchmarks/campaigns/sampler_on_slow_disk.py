"""A sampler as a program, whose disk takes its time while the file SLOW_DISK names exists.

Each write of a file of the bag then takes as many seconds as the file says.
"""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from typing import Any

from payload_id.ros.sampler.node import main

CONTROL = Path(os.environ["SLOW_DISK"])


class _SlowFile(io.FileIO):
    """A file on a slow disk."""

    def write(self, data: Any) -> int | None:
        """Write, when the disk is ready."""
        try:
            time.sleep(float(CONTROL.read_text()))
        except (FileNotFoundError, ValueError):  # it has just gone, or is just being written
            pass
        return super().write(data)


_open = Path.open


def _open_slowly(path: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
    """Open a new file of a bag on the slow disk, and others as ever."""
    if path.suffix == ".mcap" and mode == "xb":
        return io.BufferedWriter(_SlowFile(path, "xb"))
    return _open(path, mode, *arguments, **options)


if __name__ == "__main__":
    Path.open = _open_slowly  # type: ignore[assignment, method-assign]
    main()
