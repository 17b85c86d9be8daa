"""The web server of the view: connections that are let in, and the loop that moves the pictures."""

from __future__ import annotations

import contextlib
import io
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import viser
from viser import _messages

from ...core.errors import InputError
from ..common.error_sentence import OUTLIVED
from .session.guard import LOOPBACK, is_own_page

RATE = 30.0  # of the 3D scene [Hz]
SOCKETS = "websockets.server"  # logger of the library below
LOGGERS = SOCKETS, "asyncio"  # the latter of what it does with messages
QUIET = 5.0  # [s] between two lines about connections that were ended


class Page(Protocol):
    """What one client sees."""

    def come_back(self) -> None:
        """Let in a browser that was let in before."""

    def move(self, moving: Any, gravity: Any) -> None:
        """Put what moves where it is."""

    def refresh(self) -> None:
        """Bring the rest up to date, where that is due."""

    def close(self) -> None:
        """Note that the client has gone."""


class BrokenConnections(logging.Filter):
    """Makes a line of tracebacks for what clients send that no page sends."""

    def __init__(self) -> None:
        """Know of none."""
        super().__init__()
        self._told, self._count = -QUIET, 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is to be shown; one with an error becomes a sentence."""
        if not record.exc_info:
            return True
        self._count += 1
        now = time.monotonic()
        if now - self._told < QUIET:
            return False
        error = record.exc_info[1]
        record.msg = "%d times a client sent what no page of the view sends: %s"
        record.args = (self._count, type(error).__name__)
        record.exc_info, record.exc_text = None, None
        self._told, self._count = now, 0
        return True


class Server:
    """Serves pages until it is closed.

    Attributes:
        port: Where it listens.
    """

    def __init__(
        self,
        look: Callable[[], tuple[Any, Any] | None],
        make_page: Callable[[Any], Page],
        host: str,
        port: int,
    ) -> None:
        """Listen.

        Args:
            look: Takes what has come; returns what all pages put where it is, or None.
            make_page: Makes the page of a client.
            host: Address to listen on.
            port: 0: any that is free.

        Raises:
            InputError: The port is taken, or the address is none of this machine.
        """
        self._look, self._make_page = look, make_page
        self._pages: dict[int, Page] = {}
        self._lock = threading.Lock()
        _check_free(host, port)
        with contextlib.redirect_stdout(io.StringIO()):  # the library's banner
            self._viser = viser.ViserServer(host, port, label="payload_id", verbose=False)
        self._filters = {logging.getLogger(name): BrokenConnections() for name in LOGGERS}
        self._earlier = [(logger, list(logger.filters)) for logger in self._filters]
        for logger, short in self._filters.items():
            logger.addFilter(short)
        self.port = self._viser.get_port()
        if port and self.port != port:
            self.close()
            raise _taken(host, port, "something else may be there")
        # Names under which a browser may ask for this server; any, where it serves a network.
        self._names = (*LOOPBACK, host) if host in LOOPBACK else ()
        web = self._viser._websock_server
        # A client of the library may ask for a public address for this server: not here.
        for kind in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
            web.unregister_handler(kind)
        web.on_client_connect(self._check_origin)
        self._viser.on_client_connect(self._open)
        self._viser.on_client_disconnect(self._close)

    def run(self, ended: threading.Event) -> None:
        """Move the pictures until told to end."""
        period = 1.0 / RATE
        due = time.monotonic()
        while not ended.is_set():
            self._step()
            due = max(due + period, time.monotonic())
            ended.wait(max(0.0, due - time.monotonic()) or 0.001)

    def close(self) -> None:
        """End all connections."""
        for logger, filters in self._earlier:  # the library adds one that it does not take back
            logger.filters[:] = filters
        with contextlib.redirect_stdout(io.StringIO()):
            self._viser.stop()

    def _step(self) -> None:
        """Take what has come, and show it on all pages."""
        moving = None
        with self._outlived():
            moving = self._look()
        with self._lock:
            pages = list(self._pages.values())
        for page in pages:
            with self._outlived():
                if moving is not None:
                    page.move(*moving)
            with self._outlived():
                page.refresh()

    @contextlib.contextmanager
    def _outlived(self) -> Iterator[None]:
        """Have the view, its other pages and their stop buttons go on, whatever goes wrong."""
        try:
            yield
        except Exception as error:
            OUTLIVED.note(error)

    def _check_origin(self, connection: Any) -> None:
        """Refuse a connection that comes from a page of somebody else."""
        web = self._viser._websock_server
        live = web._live_connections.get(connection.client_id)
        if live is None:
            return
        headers = live.request.headers
        if not is_own_page(headers.get("Origin", ""), headers.get("Host", ""), self._names):
            live.transport.abort()

    def _open(self, client: Any) -> None:
        """Make a page for a client."""
        try:
            page = self._make_page(client)
            with self._lock:
                self._pages[client.client_id] = page
            page.come_back()
        except Exception as error:
            OUTLIVED.note(error)

    def _close(self, client: Any) -> None:
        """Forget a client's page."""
        with self._lock:
            page = self._pages.pop(client.client_id, None)
        if page is not None:
            page.close()


def _check_free(host: str, port: int) -> None:
    """Raise unless an address can be listened on: the library would wait for ever.

    Raises:
        InputError: It cannot.
    """
    if not host or not 0 <= port < 65536:
        raise InputError(f"--host needs an address and --port a number from 0 to 65535; found "
                         f"{host!r} and {port}.")  # fmt: skip
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(place)
    except OSError as error:
        raise _taken(host, port, error.strerror or str(error)) from error


def _taken(host: str, port: int, why: str) -> InputError:
    """Return that an address cannot be listened on."""
    return InputError(
        f"Port {port} of {host} cannot be listened on: {why}. Give another one with --port, 0 for "
        "any, or another --host: one of this machine's."
    )
