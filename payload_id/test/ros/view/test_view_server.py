"""Connections to the view's server: whose stay, and what they can have done."""

import time
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import pytest
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from payload_id import RobotFile
from payload_id.files.robots.arm_frames import ArmFrames
from payload_id.ros.view.page.page import Page
from payload_id.ros.view.server import Server
from payload_id.ros.view.session import guard as guarding
from payload_id.ros.view.session.curves import History
from payload_id.ros.view.session.guard import Guard
from payload_id.ros.view.session.tasks import Progress
from payload_id.ros.view.session.workflow import NODES, NodeSeen, Seen
from raw_page import RawPage

STOP = "STOP THE ARM"
SETTLED = 0.5  # [s] in which what was asked for would have been done


class Desk:
    """What pages share, where no node runs: it notes what is asked for."""

    def __init__(self):
        self.robot = RobotFile.load("kinova_gen3")
        self.frames, self.shapes = ArmFrames(self.robot.urdf), {}
        self.guard, self.open_to_readers, self.asked = Guard(), False, []
        self.heard = SimpleNamespace(estimate=None, obstacles=(), plan=None)
        self.intervals, self.limits, self.limits_seen = History(30), History(3), 0
        self.torques, self.torques_seen = History(4 * self.robot.n), 0
        self.idle = self.may_move = False
        names = "stop", "plan", "identify", "follow", "solve", "save", "acknowledge", "say"
        note = {name: partial(self._note, name) for name in names}
        self.tasks = SimpleNamespace(progress=Progress(), outcome=None, **note)

    def seen(self, operator, previewed):
        return Seen(
            nodes={name: NodeSeen(True, "ok") for name in NODES},
            idle=self.idle, may_move=self.may_move,
            in_control=self.guard.has_control(operator), holder="somebody",
        )  # fmt: skip

    def _note(self, name, *_, **__):
        self.asked.append(name)


@pytest.fixture(scope="module")
def desk():
    return Desk()


@pytest.fixture(scope="module")
def server(desk):
    server = Server(lambda: None, partial(Page, desk=desk), "127.0.0.1", 0)
    yield server
    server.close()


@pytest.fixture
def page(server, desk):
    desk.guard.holder = None
    page = RawPage(server.port)
    page.wait(lambda: page.uuid("Enter"))
    yield page
    page.close()


def enter(page, token):
    """Type a token, and press Enter."""
    page.set(page.uuid("token"), value=token)
    page.click(page.uuid("Enter"))


def let_in(page, desk):
    time.sleep(guarding.WRONG)  # after a wrong token of another test
    enter(page, desk.guard.token)
    page.wait(lambda: page.uuid(STOP))


def stays_open(port, origin):
    """Tell whether a connection is left alone for a while."""
    try:
        with connect(
            f"ws://127.0.0.1:{port}", origin=origin, open_timeout=10.0,
            subprotocols=[f"viser-v{viser.__version__}"],
        ) as connection:  # fmt: skip
            end = time.monotonic() + SETTLED
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


def test_a_page_from_elsewhere_is_not(server):
    assert not stays_open(server.port, "http://evil.example")


def test_the_stop_is_at_hand_while_it_is_asked_whether_the_arm_may_move(page, desk, monkeypatch):
    let_in(page, desk)
    page.wait(lambda: "All of it in pieces" in page.heard)  # then the button is heard, too
    monkeypatch.setattr(desk, "may_move", True)
    monkeypatch.setattr(desk, "idle", True)
    desk.asked.clear()
    page.click(page.uuid("Identify in one go"))
    page.wait(lambda: page.uuid("MOVE THE ARM"))
    page.wait(lambda: len({m["uuid"] for m in page.messages if STOP in str(m)}) > 1)
    page.click(page.uuid(STOP))  # the newest one, in the question
    page.wait(lambda: desk.asked == ["stop"])


def test_before_the_token_there_are_no_controls_and_nothing_to_see(page, desk):
    enter(page, "wrong")
    page.wait(lambda: "not the token" in page.heard)
    assert STOP not in page.heard and "Verdict" not in page.heard
    assert desk.guard.token not in page.heard


def test_with_the_token_the_stop_works(page, desk):
    let_in(page, desk)
    desk.asked.clear()
    page.click(page.uuid(STOP))
    page.wait(lambda: desk.asked == ["stop"])
    assert desk.guard.token not in page.heard


def test_nobody_presses_the_buttons_of_another_page(page, server, desk):
    let_in(page, desk)
    desk.asked.clear()
    other = RawPage(server.port)
    other.wait(lambda: other.uuid("Enter"))
    for uuid in {message["uuid"] for message in page.messages if "uuid" in message}:
        other.click(uuid)
    time.sleep(SETTLED)
    other.close()
    assert desk.asked == []


def test_a_click_that_the_page_would_not_let_through_does_nothing(page, desk):
    let_in(page, desk)
    desk.idle, desk.asked[:] = True, []
    for label in ("Run", "Dry run", "Tare (without payload)", "Identify in one go"):
        page.set(page.uuid(label), disabled=False, visible=True)
        page.click(page.uuid(label))  # this view may not move the arm
    desk.guard.holder = None  # somebody took control away
    for label in ("Plan", "Save", "Solve for the verdict", "Acknowledge the fault"):
        page.click(page.uuid(label))
    time.sleep(SETTLED)
    assert desk.asked == [] and "MOVE THE ARM" not in page.heard


def test_the_server_makes_no_way_to_a_public_address(page):
    before = len(page.messages)
    page.send({"type": "ShareUrlRequest"})
    time.sleep(SETTLED)
    assert "ShareUrl" not in repr(page.messages[before:])


def test_garbage_ends_that_connection_and_no_other(page, server, desk):
    other = RawPage(server.port)
    with suppress(ConnectionClosed):  # the first may end it
        other.send({"type": "NoSuchMessage"})
        other.send({"type": "GuiUpdateMessage", "uuid": "x", "updates": {"no_such": 1}})
    time.sleep(SETTLED)
    let_in(page, desk)
    desk.asked.clear()
    page.click(page.uuid(STOP))
    page.wait(lambda: desk.asked == ["stop"])
