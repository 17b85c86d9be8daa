"""Serving a recording, which needs no running node."""

from __future__ import annotations

import signal
import threading
from functools import partial
from pathlib import Path

from ...core.errors import printable
from .page.recorded_page import RecordedPage
from .server import Server
from .session.bodies import link_triangles
from .session.film import Film


def serve_film(film: Film, urdf: str, folder: Path, host: str, port: int) -> int:
    """Serve a recording until interrupted; return the exit code.

    Args:
        film: The recording, and what was known when.
        urdf: Description of the arm, XML text.
        folder: Where relative file names of its meshes begin.
        host: Address to listen on.
        port: 0: any that is free.

    Raises:
        InputError: The port is taken.
    """
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    shapes = link_triangles(urdf, folder)
    server = Server(lambda: None, partial(RecordedPage, film=film, shapes=shapes), host, port)
    try:
        for note in film.notes:
            print(printable(note))
        print(f"Recording: http://{host}:{server.port}\nCtrl-C ends the view.", flush=True)
        server.run(ended)
    finally:
        server.close()
    return 0
