"""The web server of the view: connections that are let in, and the loop that draws the pages."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import threading
import time
import webbrowser
from collections.abc import Callable, Collection, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import viser
import websockets.asyncio.server

from ...core.errors import InputError
from ..common.error_sentence import OUTLIVED
from .session_auth import LOOPBACK, is_own_page

WITHOUT_WEBGL = Path(__file__).with_name("without_webgl.js")
RATE = 30.0  # of the 3D scene [Hz]
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")  # set where there is one


class ShownPage:
    """What one client sees."""

    def come_back(self) -> None:
        """Let in a browser that was let in before, where anybody is; may wait for it."""

    def draw(self) -> None:
        """Bring it up to date: thirty times a second."""


class LocalServer(viser.ViserServer):
    """Serves this machine and network: a client may ask for a public address, and gets none."""

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Ask for no public address."""
        return None


class WebServer:
    """Serves pages; a context manager, which draws them meanwhile.

    Attributes:
        port: Where it listens.
        address: Of its pages.
    """

    def __init__(
        self, poll: Callable[[], None], make_page: Callable[[Any], ShownPage], host: str, port: int
    ) -> None:
        """Listen.

        Args:
            poll: Takes what has come, before pages are drawn.
            make_page: Makes the page of a client.
            host: Address to listen on.
            port: 0: any that is free.

        Raises:
            InputError: The port is taken, or the address is none of this machine.
        """
        self._poll, self._make_page = poll, make_page
        self._pages: dict[int, ShownPage] = {}
        self._ended, self._thread = threading.Event(), threading.Thread(target=self._run)
        _check_free(host, port)
        # Names under which a browser may ask for this server; any, where it serves a network.
        names = (*LOOPBACK, host) if host in LOOPBACK else ()
        with _own_pages_alone(names), contextlib.redirect_stdout(io.StringIO()):  # its banner
            self._viser = LocalServer(host, port, label="payload_id", verbose=False)
        shown = f"[{host}]" if ":" in host else host
        self.port = self._viser.get_port()
        self.address = f"http://{shown}:{self.port}"
        self._viser.on_client_connect(self._open)
        self._viser.on_client_disconnect(lambda client: self._pages.pop(client.client_id, None))

    def __enter__(self) -> WebServer:
        """Begin to draw the pages."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End that, and all connections."""
        self._ended.set()
        self._thread.join()
        with contextlib.redirect_stdout(io.StringIO()):
            self._viser.stop()

    def _run(self) -> None:
        """Draw the pages until told to end."""
        due = time.monotonic()
        while not self._ended.wait(max(due - time.monotonic(), 0.001)):
            due = max(due, time.monotonic()) + 1.0 / RATE
            with _outlived():
                self._poll()
            for page in list(self._pages.values()):
                with _outlived():
                    page.draw()

    def _open(self, client: Any) -> None:
        """Make a page for a client."""
        with _outlived():
            page = self._pages[client.client_id] = self._make_page(client)
            if client.client_id not in self._viser.get_clients():
                self._pages.pop(client.client_id, None)  # it went away meanwhile
            page.come_back()


def show_page(address: str) -> None:
    """Open a page in a browser, where this computer has a screen."""
    if any(os.environ.get(name) for name in SCREENS):
        webbrowser.open(address)


@contextlib.contextmanager
def _outlived() -> Iterator[None]:
    """Have the view, its other pages and their stop buttons go on, whatever goes wrong."""
    try:
        yield
    except Exception as error:
        OUTLIVED.note(error)


@contextlib.contextmanager
def _own_pages_alone(names: Collection[str]) -> Iterator[None]:
    """Have a server that is made meanwhile refuse every connection but those of its own pages.

    viser hands its handshakes to `websockets.asyncio.server.serve`, and has no option for them. Nor
    has it one for what a browser without WebGL needs, which these pages get on the way.

    Args:
        names: See `is_own_page`.

    Raises:
        RuntimeError: It does so no more: everybody would be let in.
    """
    serve, guarded = websockets.asyncio.server.serve, []

    def serve_own(*args: Any, process_request: Callable[..., Any], **options: Any) -> Any:
        def check(connection: Any, request: Any) -> Any:
            headers = request.headers
            if is_own_page(headers.get("Origin", ""), headers.get("Host", ""), names):
                if "Accept-Encoding" in headers:
                    del headers["Accept-Encoding"]  # so that the page comes as it is
                return _for_any_browser(process_request(connection, request))
            return connection.respond(HTTPStatus.FORBIDDEN, "No page of this server asks.\n")

        guarded.append(check)
        return serve(*args, process_request=check, **options)

    websockets.asyncio.server.serve = serve_own  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        websockets.asyncio.server.serve = serve  # type: ignore[misc]
    if not guarded:
        raise RuntimeError("viser no longer asks websockets to serve: pages cannot be checked.")


def _for_any_browser(response: Any) -> Any:
    """Have a page work in a browser without WebGL; None: it is no page."""
    if response is not None and response.headers.get("Content-Type", "").startswith("text/html"):
        script = f"<head><script>{WITHOUT_WEBGL.read_text()}</script>".encode()
        response.body = response.body.replace(b"<head>", script, 1)
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = str(len(response.body))
    return response


def _check_free(host: str, port: int) -> None:
    """Raise unless a port can be listened on: the library would try one after the other.

    Raises:
        InputError: It cannot be.
    """
    try:
        if not host:
            raise OSError("it is no address")
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind((place[0], port, *place[2:]))  # `place` has the port modulo 65536
    except (OSError, OverflowError) as error:
        raise InputError(
            f"Port {port} of {host!r} cannot be listened on: {error}. Give another one with "
            "--port, 0 for any, up to 65535, or another --host: one of this machine's."
        ) from error
