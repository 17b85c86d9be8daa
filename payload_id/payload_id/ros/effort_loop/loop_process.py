"""The process of the torque loop, as the bridge sees it: ordered, asked, and known to be alive."""

from __future__ import annotations

import multiprocessing
import time

from .loop import serve
from .messages import Ask, End, LoopSettings, LoopState, Order

SILENCE, STARTING = 0.5, 120.0  # [s] that an answer may take, and the first, on a slow machine
ASKING = 0.05  # [s] between two questions
END = 2.0  # [s] that it may take to end


class LoopProcess:
    """One process; when it has died it stays dead.

    Attributes:
        state: What it said last; None: nothing yet.
        death: How it died; empty: it lives.
    """

    def __init__(self, settings: LoopSettings) -> None:
        """Start it."""
        context = multiprocessing.get_context("spawn")  # no copies of ROS's threads and sockets
        self._connection, there = context.Pipe()
        # Not a daemon: it must outlive a bridge that ends while the arm moves.
        self._process = context.Process(target=serve, args=(there, settings), name="torque loop")
        self._process.start()
        there.close()  # so that the end of the process is the end of the connection
        self.state: LoopState | None = None
        self.death = ""
        self._asked, self._waits = time.monotonic(), False

    @property
    def pid(self) -> int:
        """Number of the process."""
        return int(self._process.pid or 0)

    def order(self, order: Order) -> None:
        """Have something done; a dead process does nothing."""
        if self.death:
            return
        try:
            self._connection.send(order)
        except OSError:
            self._die("has ended")

    def look(self) -> None:
        """Take in answers, ask again, and note whether it has died."""
        if self.death:
            return
        try:
            while self._connection.poll():
                self.state, self._waits = self._connection.recv(), False
        except (EOFError, OSError):
            return self._die("has ended")
        passed = time.monotonic() - self._asked
        if not self._waits and passed >= ASKING:
            self._asked, self._waits = time.monotonic(), True
            self.order(Ask())
        elif self._waits and passed > (STARTING if self.state is None else SILENCE):
            self._process.kill()  # whatever it waits for, it sends no torques
            self._die(f"did not answer for {passed:.1f} s")

    def _die(self, how: str) -> None:
        """Note how it died."""
        self._process.join(END)
        self.death = f"The process of the torque loop {how} (exit code {self._process.exitcode})"

    def close(self) -> None:
        """End it; while it sends torques it ends by itself, once the arm is given back."""
        if not self.death and not (self.state is not None and self.state.sends):
            self.order(End())
            self._process.join(END)
        self._connection.close()
