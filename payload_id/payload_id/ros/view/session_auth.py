"""Who may watch and command: pages of this server, and of them those that have proved its token.

A page elsewhere in the same browser can open a connection to this machine as well: browsers say
where a page comes from (Origin, RFC 6454), and every page proves the token before it gets controls.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")  # addresses that only this machine reaches


@dataclass(frozen=True)
class SessionAuth:
    """Secrets of one server, drawn anew at every start; there is one operator: who has the token.

    Attributes:
        token: What the operator types in, 72 random bits.
        session: By which a browser that has proved the token is known again after a reload.
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def admits(self, token: str) -> bool:
        """Tell whether what was typed is the token, in constant time."""
        return hmac.compare_digest(token.strip().encode(), self.token.encode())

    def knows(self, session: str) -> bool:
        """Tell whether a browser has proved the token before."""
        return hmac.compare_digest(session.encode(), self.session.encode())


def is_own_page(origin: str, host: str, names: Collection[str]) -> bool:
    """Tell whether a connection comes from a page that this server has sent.

    Args:
        origin: What the browser says of the page; empty: it is no browser's.
        host: The address that the browser asked for, with its port.
        names: Names under which this server may be asked for; empty: any.
    """
    try:
        asked, page = urlsplit(f"//{host}"), urlsplit(origin)
        own, theirs = (asked.hostname, asked.port), (page.hostname, page.port)
    except ValueError:  # a port or an address that is none
        return False
    if names and asked.hostname not in names:
        return False  # a foreign name that was made to point here (DNS rebinding)
    return not origin or (page.scheme in ("http", "https") and theirs == own)
