"""A thread that does something again and again, at once when it is woken."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..common.error_sentence import OUTLIVED

PAUSE = 0.1  # [s] between two steps at most, if nobody wakes it and nothing else is asked for
PATIENCE = 1.0  # [s] that a step which is going on is waited for at the end


class LoopingThread:
    """Calls a step whenever it is woken, and after every pause without; outlives what it raises."""

    def __init__(self, name: str, step: Callable[[], None], pause: float = PAUSE) -> None:
        """Begin.

        Args:
            name: Of the thread.
            step: What it does.
            pause: Between two steps at most [s].
        """
        self._step, self._pause = step, pause
        self._wake, self._closing = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Have a step made at once."""
        self._wake.set()

    def close(self) -> None:
        """End the thread once it has finished what it is doing, or with the process.

        What takes long, such as the search for a cause, does not keep a process from ending.
        """
        self._closing.set()
        self._wake.set()
        self._thread.join(PATIENCE)

    def _loop(self) -> None:
        while not self._closing.is_set():
            self._wake.wait(self._pause)
            self._wake.clear()
            try:
                self._step()
            except Exception as error:
                OUTLIVED.note(error)
