"""Whose pages are let in, and who may command."""

import time

from payload_id.ros.view.session import guard as guarding
from payload_id.ros.view.session.guard import LOOPBACK, Guard, is_own_page

PORT = "127.0.0.1:8080"


def test_only_a_page_of_this_server_is_its_own():
    own = ("http://127.0.0.1:8080", PORT), ("http://[::1]:8080", "[::1]:8080"), ("", PORT)
    assert all(is_own_page(*pair, LOOPBACK) for pair in own)
    foreign = (
        ("http://evil.example", PORT),
        ("http://127.0.0.1:9000", PORT),  # another server of this machine
        ("http://localhost:8080", PORT),
        ("https://evil.example:8080", "evil.example:8080"),  # rebound name
        ("null", PORT),
        ("http://127.0.0.1:8080@evil.example", PORT),
    )
    assert not any(is_own_page(*pair, LOOPBACK) for pair in foreign)
    assert is_own_page("http://robot.lan:8080", "robot.lan:8080", ())
    assert not is_own_page("http://evil.example", "robot.lan:8080", ())


def test_the_token_admits_and_nothing_else_does():
    guard = Guard()
    assert guard.admit("", "") is None
    assert guard.admit(guard.token, "") is None  # too soon after a wrong one
    time.sleep(guarding.WRONG + 0.1)
    operator = guard.admit(f" {guard.token}\n", "Ada")
    assert operator is not None and operator.name == "Ada"
    assert guard.known(operator.session) == operator
    assert guard.known("") is None and guard.known(guard.token) is None


def test_whoever_guesses_keeps_nobody_else_out(monkeypatch):
    monkeypatch.setattr(guarding, "WRONG", 60.0)
    guard = Guard()
    for connection in range(50):
        assert guard.admit("wrong", "", connection) is None
    assert guard.admit(guard.token, "", 50) is not None
    assert guard.admit(guard.token, "", 7) is None


def test_tokens_and_sessions_are_not_to_be_guessed():
    tokens = {Guard().token for _ in range(100)}
    assert len(tokens) == 100 and all(len(token) >= 12 for token in tokens)  # 72 bits
    guard = Guard()
    sessions = {guard.admit(guard.token, "").session for _ in range(20)}
    assert len(sessions) == 20 and guard.token not in sessions
