"""A folder in which nothing can be made for a while, for the superuser neither."""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

GET_FLAGS, SET_FLAGS, IMMUTABLE = 0x80086601, 0x40086602, 0x10  # linux/fs.h


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Make a folder read-only: by its mode, for the superuser by the flag of chattr(1).

    Raises:
        OSError: The file system has no such flag, or this process may not set it.
    """
    if os.geteuid():
        mode = folder.stat().st_mode
        folder.chmod(0o555)
        try:
            yield
        finally:
            folder.chmod(mode)
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        flags = struct.unpack("l", fcntl.ioctl(handle, GET_FLAGS, struct.pack("l", 0)))[0]
        fcntl.ioctl(handle, SET_FLAGS, struct.pack("l", flags | IMMUTABLE))
        try:
            yield
        finally:
            fcntl.ioctl(handle, SET_FLAGS, struct.pack("l", flags))
    finally:
        os.close(handle)


def can_be_read_only(folder: Path) -> bool:
    """Tell whether `read_only` works for a folder here."""
    try:
        with read_only(folder):
            return True
    except OSError:
        return False
