"""Orders of the bridge, taken off its connection in a thread: half an order holds nobody up."""

from __future__ import annotations

import threading
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue

from .messages import Order


class OrderReader:
    """Receives orders; the loop takes those that have come as a whole.

    A connection sends a long order in pieces, and a bridge may be stopped between two of them.
    """

    def __init__(self, connection: Connection) -> None:
        """Begin to receive; nobody else does."""
        self._connection = connection
        self._whole: SimpleQueue[Order | None] = SimpleQueue()
        threading.Thread(target=self._receive, name="orders", daemon=True).start()

    def take(self) -> Order | None:
        """Return the oldest order that waits; None: there is none.

        Raises:
            EOFError: The bridge is gone, and so are its orders.
        """
        try:
            order = self._whole.get_nowait()
        except Empty:
            return None
        if order is None:
            raise EOFError("The bridge is gone.")
        return order

    def _receive(self) -> None:
        """Receive until the bridge is gone."""
        try:
            while True:
                self._whole.put(self._connection.recv())
        except (EOFError, OSError):
            self._whole.put(None)
