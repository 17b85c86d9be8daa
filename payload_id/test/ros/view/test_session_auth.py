"""Whose pages are let in, and what proves the token."""

from payload_id.ros.view.session_auth import LOOPBACK, SessionAuth, is_own_page

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


def test_tokens_and_sessions_are_not_to_be_guessed_and_nothing_else_admits():
    every = [SessionAuth() for _ in range(100)]
    assert len({x.token for x in every}) == len({x.session for x in every}) == 100
    auth = every[0]
    assert len(auth.token) >= 12  # 72 bits
    assert auth.admits(f" {auth.token}\n") and auth.knows(auth.session)
    for wrong in ("", auth.session, every[1].token, "ü"):
        assert not auth.admits(wrong)
    for wrong in ("", auth.token, every[1].session, "ü"):
        assert not auth.knows(wrong)
