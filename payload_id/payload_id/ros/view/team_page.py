"""A team in the browser: verdict, robots and grasps as its node tells them; it commands nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import rclpy
from payload_id_msgs.msg import GraspFrame, GravityShare, TeamEstimate, TeamMember
from visualization_msgs.msg import Marker, MarkerArray

from ...core.body.inertial import PARAMETERS
from ...core.identification.status import Status
from ...core.number_format import UNIT_TEXTS, number, rounded
from ..client.team_client import TeamClient
from ..client.waiting import impossible_names_told
from ..common.colours import VERDICT
from ..common.main_loop import start_ros, stop_signal
from ..common.topics import LATCHED
from .page import add_tabs, dress
from .scene import wxyz
from .view_model import LOOKS, folded, html_list, plain, table
from .web_server import ShownPage, WebServer, show_page

REACH = 2.5  # [m] that the camera keeps in sight about the first robot's grasp
STATUS = {int(getattr(TeamEstimate, each.name)): each for each in Status
          if hasattr(TeamEstimate, each.name)}  # fmt: skip


class TeamPage(ShownPage):
    """What one client sees of a team."""

    def __init__(
        self, client: Any, estimates: list[TeamEstimate], drawn: list[MarkerArray]
    ) -> None:
        """Build the page.

        Args:
            client: Of the web server (viser).
            estimates: Of the team node, the newest last.
            drawn: Its markers, likewise.
        """
        self._scene, self._estimates, self._drawn = client.scene, estimates, drawn
        self._shown: tuple[Any, Any] = None, None
        self._handles: list[Any] = []
        dress(client, REACH)
        client.camera.look_at = np.zeros(3)
        self._scene.set_up_direction("+z")
        add = partial(client.gui.add_html, "No estimate yet.")
        self._verdict = add_tabs(client.gui, Verdict=add)["Verdict"]

    def draw(self) -> None:
        """Show what has come since the last time."""
        estimate = self._estimates[-1] if self._estimates else None
        drawn = self._drawn[-1] if self._drawn else None
        before, self._shown = self._shown, (estimate, drawn)
        if estimate is not None and estimate is not before[0]:
            self._verdict.content = team_html(estimate)
        if drawn is None or drawn is before[1]:
            return
        for handle in self._handles:
            handle.remove()
        added = (_added(self._scene, f"/team/{k}", each) for k, each in enumerate(drawn.markers))
        self._handles = [handle for handle in added if handle is not None]


def team_html(message: TeamEstimate) -> str:
    """Return verdict, payload, grasps and what is wrong or not given."""
    status, known = STATUS[message.status], bool(np.isfinite(message.phi[0]))
    found = [
        f'<div style="border-left:10px solid rgb{VERDICT[status].value};padding-left:10px">'
        f'<b style="font-size:1.5em">{LOOKS[status].sign} {status.words}</b></div>'
    ]
    if known:
        ends = (message.phi, message.lower, message.upper)
        numbers = [rounded(*map(float, each)) for each in zip(*ends, strict=True)]
        rows = list(zip(PARAMETERS, numbers, UNIT_TEXTS, strict=True))
        at = message.centre.position
        com = ", ".join(f"{1e3 * x:.0f}" for x in (at.x, at.y, at.z))
        found.append(
            f'<p style="font-size:1.3em"><b>{plain(numbers[0])} kg</b><br>'
            f"centre of mass {com} mm</p>"
        )
        found.append(table((f"at {message.reference}", "estimate [interval]", ""), rows))
    robots = zip(message.members, message.frames or [None] * len(message.members),
                 message.shares, strict=True)  # fmt: skip
    titles = ("robot", "grasp [m]", "carries", "doing")
    found.append(table(titles, [_robot(*each) for each in robots]))
    wrong = [finding.sentence for finding in message.findings]
    found.append(folded("What is wrong or missing", html_list(wrong), True))
    found.append(folded("What cannot be given", html_list(message.cannot)))
    found.append(folded("Why", plain(message.message), not known))
    return f'<div style="padding:0 0.7em">{"".join(found)}</div>'


def _robot(
    member: TeamMember, frame: GraspFrame | None, share: GravityShare
) -> tuple[str, str, str, str]:
    """Return name, place of the grasp, part of the weight and state of a robot."""
    place = "not known"
    if frame is not None and frame.known:
        at = frame.transform.translation
        place = ", ".join(number(x, 3) for x in (at.x, at.y, at.z))
    doing = "guided" if member.guided else "holds" if member.holds else "has let go"
    if not member.age < np.inf:
        doing = "not heard"
    return member.robot, place, f"{share.share:.0%}" if share.valid else "-", doing


def _added(scene: Any, name: str, marker: Marker) -> Any:
    """Show a marker; return its handle, None if there is nothing to be shown."""
    colour = tuple(round(255 * x) for x in (marker.color.r, marker.color.g, marker.color.b))
    p, o = marker.pose.position, marker.pose.orientation
    at, turn = (p.x, p.y, p.z), wxyz(np.array([o.x, o.y, o.z, o.w]))
    size = np.array([marker.scale.x, marker.scale.y, marker.scale.z])
    if marker.type == Marker.ARROW and marker.points:
        ends = np.array([[[x.x, x.y, x.z] for x in marker.points]], dtype=np.float32)
        return scene.add_arrows(
            name, ends, colour, shaft_radius=size[0] / 2, head_radius=size[1] / 2,
            head_length=size[2],
        )  # fmt: skip
    if marker.type == Marker.SPHERE:
        return scene.add_icosphere(
            name, 0.5, colour, opacity=marker.color.a, scale=tuple(size), wxyz=turn, position=at,
            subdivisions=4,
        )  # fmt: skip
    if marker.type == Marker.TEXT_VIEW_FACING:
        return scene.add_label(name, marker.text, position=at)
    return None


@contextmanager
def team_page(client: TeamClient, team: str, host: str, port: int) -> Iterator[str]:
    """Serve the page meanwhile; yield its address.

    Args:
        client: Of the team node.
        team: Name of that node.
        host: Address to listen on.
        port: 0: any that is free.

    Raises:
        InputError: The port is taken.
    """
    drawn: list[MarkerArray] = []
    client.node.create_subscription(MarkerArray, f"{team}/markers", drawn.append, LATCHED)
    page = partial(TeamPage, estimates=client.messages, drawn=drawn)
    with WebServer(lambda: None, page, host, port) as server:
        show_page(server.address)
        yield server.address


def serve_team(team: str, host: str, port: int) -> int:
    """Serve the page of a running team node until interrupted; return the exit code."""
    ended = stop_signal()
    start_ros()
    try:
        with impossible_names_told(), TeamClient(team) as client:
            with team_page(client, team, host, port) as address:
                print(f"Live view: {address}\nCtrl-C ends the view.", flush=True)
                ended.wait()
    finally:
        rclpy.try_shutdown()
    return 0
