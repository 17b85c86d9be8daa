"""Who may watch, who may command: pages of one origin, a token, one operator in control.

A page elsewhere in the same browser can open a connection to this machine as well: browsers say
where a page comes from (Origin, RFC 6454), and every page proves the token before it gets controls.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")
WRONG = 1.0  # [s] after a wrong token in which its connection is not heard: guesses are slow
MOST_SESSIONS = 100  # browsers that are remembered; the oldest is forgotten


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches an address."""
    return host in LOOPBACK


def is_own_page(origin: str, host: str, names: Collection[str]) -> bool:
    """Tell whether a connection comes from a page that this server has sent.

    Args:
        origin: What the browser says of the page; empty: it is no browser's.
        host: The address that the browser asked for, with its port.
        names: Names under which this server may be asked for; empty: any.
    """
    asked = urlsplit(f"//{host}")
    try:
        named = asked.hostname or ""
        own = (asked.hostname, asked.port)
        page = urlsplit(origin)
        theirs = (page.hostname, page.port)
    except ValueError:  # a port that is none
        return False
    if names and named not in names:
        return False  # a foreign name that was made to point here (DNS rebinding)
    return not origin or (page.scheme in ("http", "https") and theirs == own)


@dataclass(frozen=True)
class Operator:
    """Somebody who has proved the token.

    Attributes:
        session: Secret by which the browser is known again after a reload.
        name: As others see it.
    """

    session: str
    name: str


@dataclass
class Guard:
    """Token, sessions, and who has control.

    Attributes:
        token: What an operator types in.
        holder: Who has control; None: nobody.
        since: When it was taken, by `time.monotonic` [s].
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    holder: Operator | None = None
    since: float = 0.0
    _sessions: dict[str, Operator] = field(default_factory=dict)
    _closed: dict[int, float] = field(default_factory=dict)  # until when, by connection
    _pages: dict[int, Operator] = field(default_factory=dict)  # who sits there, by connection
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def admit(self, token: str, name: str, connection: int = 0) -> Operator | None:
        """Return the operator who proves the token; None: the token is wrong, or too soon.

        Args:
            token: What was typed.
            name: As others shall see it; empty: any that is free.
            connection: From which it comes: guesses of one keep nobody else out.
        """
        with self._lock:
            now = time.monotonic()
            right = hmac.compare_digest(token.strip().encode(), self.token.encode())
            self._closed = {one: end for one, end in self._closed.items() if end > now}
            if connection in self._closed:
                return None
            if not right:
                self._closed[connection] = now + WRONG
                return None
            operator = Operator(secrets.token_urlsafe(24), name.strip()[:40] or self._free_name())
            self._sessions[operator.session] = operator
            while len(self._sessions) > MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            return operator

    def known(self, session: str) -> Operator | None:
        """Return the operator of a session; None: there is none."""
        given = session.encode()
        with self._lock:
            found = [
                operator
                for own, operator in self._sessions.items()
                if hmac.compare_digest(own.encode(), given)
            ]
        return found[0] if found else None

    def take_control(self, operator: Operator) -> None:
        """Give control to an operator, whoever had it."""
        with self._lock:
            if self.holder != operator:
                self.holder, self.since = operator, time.monotonic()

    def arrive(self, operator: Operator, connection: int) -> None:
        """Note that an operator has a page open."""
        with self._lock:
            self._pages[connection] = operator

    def leave(self, connection: int) -> None:
        """Note that a page was closed, whoever sat there."""
        with self._lock:
            self._pages.pop(connection, None)

    def holder_is_here(self) -> bool:
        """Tell whether who has control has a page open."""
        with self._lock:
            return self.holder in self._pages.values()

    def has_control(self, operator: Operator | None) -> bool:
        """Tell whether an operator has control."""
        return operator is not None and operator == self.holder

    def _free_name(self) -> str:
        """Return a name that nobody has."""
        taken = {operator.name for operator in self._sessions.values()}
        return next(f"operator {k}" for k in range(1, 2 * MOST_SESSIONS + 2)
                    if f"operator {k}" not in taken)  # fmt: skip
