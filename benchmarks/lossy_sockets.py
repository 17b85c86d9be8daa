"""Loss of datagrams at a running process, without tools and rights: filters of its own sockets.

A socket filter (classic BPF, SO_ATTACH_FILTER, socket(7)) that draws a random number for each
datagram is attached to copies of the process's UDP sockets (pidfd_getfd(2)), which share their
filter with the originals. The process must be a child and use UDP only (`UDP_ONLY`).
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PIDFD_GETFD = 438  # number of the system call, on all architectures
SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
# Instructions of linux/bpf_common.h: code, jumps if true and false, constant.
LOAD_WORD, JUMP_IF_LESS, RETURN = 0x20, 0x35, 0x06
RANDOM = 0x100000000 - 0x1000 + 56  # SKF_AD_OFF + SKF_AD_RANDOM, linux/filter.h
# With the range LOCALHOST rmw_fastrtps takes shared memory whatever transports are asked for.
UDP_ONLY = {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4", "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}


@contextmanager
def loss(pid: int, share: float) -> Iterator[int]:
    """Have a process lose a share of the datagrams that come to it.

    Args:
        pid: The process.
        share: 1: nothing comes through.

    Yields:
        count: Number of its sockets.
    """
    sockets = list(_udp_sockets(pid))
    code = _program(share)
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HP", len(code) // 8, ctypes.addressof(buffer))
    try:
        for each in sockets:
            each.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
        yield len(sockets)
    finally:
        for each in sockets:
            each.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)
            each.close()


def _program(share: float) -> bytes:
    """Return a filter that drops a share of what comes."""
    threshold = min(round(share * 2**32), 2**32 - 1)
    instructions = [
        (LOAD_WORD, 0, 0, RANDOM),
        (JUMP_IF_LESS, 1, 0, threshold),  # at least the threshold: over the next instruction
        (RETURN, 0, 0, 0),  # drop
        (RETURN, 0, 0, 2**32 - 1),  # keep all of it
    ]
    return b"".join(struct.pack("HBBI", *x) for x in instructions)


def _udp_sockets(pid: int) -> Iterator[socket.socket]:
    """Yield copies of a process's UDP sockets."""
    library = ctypes.CDLL(None, use_errno=True)
    handle = os.pidfd_open(pid)
    try:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            if not _target(link).startswith("socket:"):
                continue
            copy = library.syscall(PIDFD_GETFD, handle, int(link.name), 0)
            if copy < 0:
                raise OSError(ctypes.get_errno(), f"socket {link.name} of process {pid}")
            found = socket.socket(fileno=copy)
            if found.family == socket.AF_INET and found.type == socket.SOCK_DGRAM:
                yield found
            else:
                found.close()
    finally:
        os.close(handle)


def _target(link: Path) -> str:
    """Return what a file handle is; empty if it has been closed meanwhile."""
    try:
        return str(link.readlink())
    except FileNotFoundError:
        return ""
