"""Connections to the view's server: those of its own pages stay, others are ended."""

import time
from functools import partial
from types import SimpleNamespace

import pytest
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from payload_id.core.errors import InputError
from payload_id.ros.view.page.page import Page
from payload_id.ros.view.server import Server
from payload_id.ros.view.session.guard import Guard

CLOSED = SimpleNamespace(open_to_readers=False, guard=Guard())  # nothing before the token
page = partial(Page, desk=CLOSED)


@pytest.fixture(scope="module")
def server():
    server = Server(lambda: None, page, "127.0.0.1", 0)
    yield server
    server.close()


def stays_open(port, origin, host=None):
    """Tell whether a connection is left alone for a while."""
    headers = {} if host is None else {"Host": host}
    try:
        with connect(
            f"ws://127.0.0.1:{port}", origin=origin, additional_headers=headers,
            subprotocols=[f"viser-v{viser.__version__}"], open_timeout=10.0,
        ) as connection:  # fmt: skip
            end = time.monotonic() + 0.5
            while time.monotonic() < end:
                try:
                    connection.recv(timeout=0.1)
                except TimeoutError:
                    continue
            return True
    except (ConnectionClosed, ConnectionError, EOFError):
        return False


def test_a_page_of_its_own_is_served(server):
    assert stays_open(server.port, f"http://127.0.0.1:{server.port}")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_a_page_from_elsewhere_is_not(server, origin):
    assert not stays_open(server.port, origin)


def test_a_port_that_is_taken_is_said(server):
    with pytest.raises(InputError, match=f"Port {server.port}"):
        Server(lambda: None, page, "127.0.0.1", server.port)
