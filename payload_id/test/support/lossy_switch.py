"""Hosts of their own on one machine: network namespaces joined by a switch with loss and delay.

The links are TAP devices, whose frames this process passes on: late, and not all of them. That
needs no kernel module but /dev/net/tun, where `tc netem` would.
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import subprocess
import threading
import time
from collections.abc import Sequence

TUNSETIFF = 0x400454CA  # linux/if_tun.h
TAP, NO_HEADER = 0x0002, 0x1000  # IFF_TAP, IFF_NO_PI
CLONE_NEWNET = 0x40000000  # sched.h
LONGEST = 65536  # of a frame [bytes]
LIBC = ctypes.CDLL(None, use_errno=True)


def obstacle() -> str:
    """Return why there can be no such hosts here; empty if there can."""
    if os.geteuid() != 0:
        return "network namespaces and TAP devices need root"
    if not os.access("/dev/net/tun", os.W_OK):
        return "there is no /dev/net/tun"
    name = f"payload_id_try_{os.getpid()}"
    tried = subprocess.run(["ip", "netns", "add", name], capture_output=True)
    if tried.returncode:
        return f"ip netns: {tried.stderr.decode().strip()}"
    subprocess.run(["ip", "netns", "del", name], check=False)
    return ""


class LossySwitch:
    """Namespaces `<prefix>0`, `<prefix>1`, ... with the addresses 10.92.0.1, ..., as a context.

    Attributes:
        names: Of the namespaces.
        passed: Frames passed on.
        lost: Frames lost.
    """

    def __init__(self, prefix: str, hosts: int, loss: float, delay: float) -> None:
        """Note what to make.

        Args:
            prefix: Of the namespaces' names.
            hosts: How many.
            loss: Part of the frames that are lost on each link.
            delay: By which each frame is late [s].
        """
        self.names = [f"{prefix}{k}" for k in range(hosts)]
        self.loss, self.delay = loss, delay
        self.passed = self.lost = 0
        self._taps: list[int] = []
        self._random = random.Random(92)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._switch, daemon=True)

    def __enter__(self) -> LossySwitch:
        """Make namespaces and links, and begin to pass frames on."""
        try:
            for k, name in enumerate(self.names):
                _run("ip", "netns", "add", name)
                self._taps.append(_tap_in(name))
                for command in (
                    ("link", "set", "lo", "up"),
                    ("address", "add", f"10.92.0.{k + 1}/24", "dev", "link"),
                    ("link", "set", "dev", "link", "up", "multicast", "on"),
                    ("route", "add", "224.0.0.0/4", "dev", "link"),
                ):
                    _run("ip", "-n", name, *command)
        except BaseException:
            self._remove()
            raise
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End all of it."""
        self._ending.set()
        self._thread.join(5.0)
        self._remove()

    def command(self, host: int, *command: str) -> list[str]:
        """Return what runs a command on a host."""
        return ["ip", "netns", "exec", self.names[host], *command]

    def _remove(self) -> None:
        for tap in self._taps:
            os.close(tap)
        self._taps.clear()
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    def _switch(self) -> None:
        """Pass frames on to all other hosts until the end."""
        late: list[tuple[float, int, int, bytes]] = []
        order = itertools.count()
        while not self._ending.is_set():
            wait = min(0.05, max(0.0, late[0][0] - time.monotonic())) if late else 0.05
            for tap in select.select(self._taps, [], [], wait)[0]:
                self._take(tap, late, order)
            while late and late[0][0] <= time.monotonic():
                _, _, tap, frame = heapq.heappop(late)
                self._pass_on(tap, frame)

    def _take(self, tap: int, late: list, order: itertools.count) -> None:
        """Read all frames that a host has sent."""
        while True:
            try:
                frame = os.read(tap, LONGEST)
            except (BlockingIOError, OSError):
                return
            due = time.monotonic() + self.delay
            for other in self._taps:
                if other == tap:
                    continue
                if self._random.random() < self.loss:
                    self.lost += 1
                else:
                    heapq.heappush(late, (due, next(order), other, frame))

    def _pass_on(self, tap: int, frame: bytes) -> None:
        try:
            os.write(tap, frame)
            self.passed += 1
        except OSError:  # the host's queue is full
            self.lost += 1


def _tap_in(name: str) -> int:
    """Make the TAP device `link` in a namespace; return its file.

    A thread of its own enters the namespace: the device belongs to where it was made, its file to
    the process.
    """
    made: list[int | OSError] = []

    def make() -> None:
        try:
            with open(f"/run/netns/{name}", "rb") as space:
                if LIBC.setns(space.fileno(), CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
            file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", b"link", TAP | NO_HEADER))
            made.append(file)
        except OSError as error:
            made.append(error)

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    if isinstance(made[0], OSError):
        raise made[0]
    return made[0]


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")


def ended(processes: Sequence[subprocess.Popen]) -> None:
    """End processes, and wait for them.

    Raises:
        AssertionError: One had to be killed.
    """
    killed = []
    for process in processes:
        if process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(20.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            killed.append(process.args)
    assert not killed, killed
