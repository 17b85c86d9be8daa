"""Connections to the view's server: whose stay, and what they can have done."""

import time
import urllib.request
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
import viser
from payload_id_msgs.msg import BridgeState
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from payload_id import RobotFile
from payload_id.core.errors import InputError
from payload_id.files.robots.arm_frames import ArmFrames
from payload_id.ros.view.history import History
from payload_id.ros.view.page import Page
from payload_id.ros.view.session_auth import SessionAuth
from payload_id.ros.view.web_server import WebServer
from payload_id.ros.view.workflow import NODES, NodeHeard, Snapshot, TaskState
from raw_page import RawPage

STOP = "STOP THE ARM"
SETTLED = 0.5  # [s] in which what was asked for would have been done
WELL = {name: NodeHeard(True, "ok") for name in NODES}


class Arm:
    """What pages share, where no node runs: it notes what is asked for."""

    def __init__(self):
        self.robot = RobotFile.load("kinova_gen3")
        self.frames, self.shapes = ArmFrames(self.robot.urdf), {}
        self.auth, self.open_to_readers, self.asked = SessionAuth(), False, []
        self.topics = SimpleNamespace(
            joints=None, estimate=None, obstacles=(), plan=None, intervals=History(30),
            torques=History(4 * self.robot.n),
        )  # fmt: skip
        self.seen = Snapshot(nodes=WELL, bridge=BridgeState(state=BridgeState.IDLE))
        note = {name: partial(self._note, name) for name in ("begin", "stop", "say")}
        works = ("plan", "dry_run", "run", "identify", "solve", "save", "report", "export",
                 "acknowledge")  # fmt: skip
        self.tasks = SimpleNamespace(state=TaskState(), **note, **dict.fromkeys(works, str))

    def snapshot(self, motion):
        return self.seen

    def _note(self, name, *given):
        self.asked.append(name if name == "stop" else f"{name} {given[0]}")


@pytest.fixture(scope="module")
def arm():
    return Arm()


@pytest.fixture(scope="module")
def server(arm):
    with WebServer(lambda: None, partial(Page, arm=arm), "127.0.0.1", 0) as server:
        yield server


@pytest.fixture
def page(server, arm):
    arm.asked.clear()
    page = RawPage(server.port)
    page.wait(lambda: page.uuid("Enter"))
    yield page
    page.close()


def test_a_page_works_in_a_browser_without_webgl(server):
    with urllib.request.urlopen(server.address) as answer:
        page = answer.read().decode()
        assert len(page.encode()) == int(answer.headers["Content-Length"])
    assert page.index("this browser has no WebGL") < page.index("Viser client")
    assert page.rstrip().endswith("</html>")


def enter(page, token):
    """Type a token, and press Enter."""
    page.set(page.uuid("token"), value=token)
    page.click(page.uuid("Enter"))


def let_in(page, arm):
    enter(page, arm.auth.token)
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
    except (ConnectionClosed, ConnectionError, EOFError, InvalidStatus):
        return False


def test_a_page_of_its_own_is_served(server):
    assert stays_open(server.port, f"http://127.0.0.1:{server.port}")


def test_a_page_from_elsewhere_is_not(server):
    assert not stays_open(server.port, "http://evil.example")


def test_the_stop_is_at_hand_while_it_is_asked_whether_the_arm_may_move(page, arm, monkeypatch):
    let_in(page, arm)
    page.wait(lambda: "In pieces, each" in page.heard)  # then the button is heard, too
    monkeypatch.setattr(arm, "seen", replace(arm.seen, may_move=True))
    page.click(page.uuid("Identify in one go"))
    page.wait(lambda: page.uuid("MOVE THE ARM"))
    page.wait(lambda: len({m["uuid"] for m in page.messages if STOP in str(m)}) > 1)
    page.click(page.uuid(STOP))  # the newest one, in the question
    page.wait(lambda: arm.asked == ["stop"])


def test_a_fault_is_told_once_and_acknowledged_with_what_was_found(page, arm, monkeypatch):
    let_in(page, arm)
    stopped = BridgeState(state=BridgeState.FAULT, fault="The tube was <left>.")
    monkeypatch.setattr(arm, "seen", replace(arm.seen, bridge=stopped))
    page.wait(lambda: "The tube was &lt;left&gt;." in page.heard)
    page.click(page.uuid("Acknowledge the fault"))
    page.wait(lambda: arm.asked == ["say acknowledging"])  # nothing was found
    page.set(page.uuid("what was found and done"), value="a loose cable, fastened")
    page.click(page.uuid("Acknowledge the fault"))
    page.wait(lambda: arm.asked[-1] == "begin acknowledging")
    assert page.heard.count("The tube was") == 1 and "<left>" not in page.heard


def test_before_the_token_there_are_no_controls_and_nothing_to_see(page, arm):
    enter(page, "wrong")
    page.wait(lambda: "not the token" in page.heard)
    assert STOP not in page.heard and "Verdict" not in page.heard
    assert arm.auth.token not in page.heard


def test_with_the_token_the_stop_works(page, arm):
    let_in(page, arm)
    arm.asked.clear()
    page.click(page.uuid(STOP))
    page.wait(lambda: arm.asked == ["stop"])
    assert arm.auth.token not in page.heard


def test_nobody_presses_the_buttons_of_another_page(page, server, arm):
    let_in(page, arm)
    arm.asked.clear()
    other = RawPage(server.port)
    other.wait(lambda: other.uuid("Enter"))
    for uuid in {message["uuid"] for message in page.messages if "uuid" in message}:
        other.click(uuid)
    time.sleep(SETTLED)
    other.close()
    assert arm.asked == []


def test_a_click_that_the_page_would_not_let_through_does_nothing(page, arm, monkeypatch):
    let_in(page, arm)
    for label in ("Run", "Dry run", "Tare (without payload)", "Identify in one go"):
        page.set(page.uuid(label), disabled=False, visible=True)
        page.click(page.uuid(label))  # this view may not move the arm
    monkeypatch.setattr(arm, "seen", replace(arm.seen, nodes={}))  # there is nobody to be asked
    for label in ("Plan", "Save", "Solve for the verdict"):
        page.click(page.uuid(label))
    time.sleep(SETTLED)
    assert arm.asked == [] and "MOVE THE ARM" not in page.heard


def test_the_server_makes_no_way_to_a_public_address(page):
    before = len(page.messages)
    page.send({"type": "ShareUrlRequest"})
    time.sleep(SETTLED)
    assert "ShareUrl" not in repr(page.messages[before:])


def test_garbage_ends_that_connection_and_no_other(page, server, arm):
    other = RawPage(server.port)
    with suppress(ConnectionClosed):  # the first may end it
        other.send({"type": "NoSuchMessage"})
        other.send({"type": "GuiUpdateMessage", "uuid": "x", "updates": {"no_such": 1}})
    time.sleep(SETTLED)
    let_in(page, arm)
    arm.asked.clear()
    page.click(page.uuid(STOP))
    page.wait(lambda: arm.asked == ["stop"])


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 99_999), ("", 0), ("192.0.2.1", 0)])
def test_an_address_that_cannot_be_is_refused(host, port):
    with pytest.raises(InputError, match="cannot be listened on"):
        WebServer(lambda: None, lambda client: None, host, port)


def test_a_port_that_is_taken_is_refused(server):
    with pytest.raises(InputError, match="cannot be listened on"):
        WebServer(lambda: None, lambda client: None, "127.0.0.1", server.port)
