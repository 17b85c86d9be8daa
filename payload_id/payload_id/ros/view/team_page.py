"""A team in the browser: verdict, robots and grasps as its node tells them; it commands nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from payload_id_msgs.msg import GraspFrame, GravityShare, TeamEstimate, TeamMember
from visualization_msgs.msg import Marker, MarkerArray

from ...core.arm.centre_of_mass import com_interval
from ...core.body.inertial import PARAMETERS
from ...core.number_format import UNIT_TEXTS, number, rounded, with_ends
from ..client.team_client import TeamClient
from ..client.waiting import impossible_names_told
from ..common.conversions import STATUSES
from ..common.main_loop import ros_running, stop_signal
from ..common.topics import LATCHED
from .page import add_tabs, dress
from .scene import Changing
from .view_model import SET, padded
from .web_server import ShownPage, WebServer, show_page

REACH = 2.5  # [m] that the camera keeps in sight about the first robot's grasp


class TeamPage(ShownPage):
    """What one client sees of a team."""

    def __init__(
        self, client: Any, estimates: Sequence[TeamEstimate], drawn: Sequence[MarkerArray]
    ) -> None:
        """Build the page.

        Args:
            client: Of the web server (viser).
            estimates: Of the team node, the newest last.
            drawn: Its markers, likewise.
        """
        self._scene, self._estimates, self._drawn = client.scene, estimates, drawn
        self._shown = Changing()
        dress(client, REACH)
        client.gui.main_panel.minimize()  # nothing is controlled here
        client.camera.look_at = np.zeros(3)
        self._scene.set_up_direction("+z")
        add = partial(client.gui.add_html, "No estimate yet.")
        self._verdict = add_tabs(client.gui, Verdict=add)["Verdict"]

    def draw(self) -> None:
        """Show what has come since the last time."""
        if self._estimates:
            self._verdict.content = team_html(self._estimates[-1])
        for newest in self._drawn[-1:]:
            self._shown.show(newest, _added(self._scene, newest.markers))


def team_html(message: TeamEstimate) -> str:
    """Return verdict, payload, grasps and what is wrong or not given."""
    ends = zip(message.phi, message.lower, message.upper, strict=True)
    numbers = [rounded(*map(float, each)) for each in ends]
    rows, at = [*zip(PARAMETERS, numbers, UNIT_TEXTS, strict=True)], message.centre.position
    bounds = com_interval(message.lower, message.upper) or (np.full(3, -np.inf), np.full(3, np.inf))
    com = [
        f"{axis} {with_ends(*(1e3 * float(x) for x in ends))} mm"
        for axis, *ends in zip("xyz", (at.x, at.y, at.z), *bounds, strict=True)
    ]
    robots = zip(message.members, message.frames or [None] * len(message.members),
                 message.shares, strict=True)  # fmt: skip
    doing, wrong = [_robot(*each) for each in robots], [x.sentence for x in message.findings]
    status, known = STATUSES[message.status], bool(np.isfinite(message.phi[0]))
    return padded(SET.team(message, status, known, rows, com, doing, wrong))


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


def _added(scene: Any, markers: Iterable[Marker]) -> Iterator[Any]:
    """Add markers to a scene."""
    for k, marker in enumerate(markers):
        name, p, o = f"/team/{k}", marker.pose.position, marker.pose.orientation
        colour = tuple(round(255 * x) for x in (marker.color.r, marker.color.g, marker.color.b))
        at, size = (p.x, p.y, p.z), (marker.scale.x, marker.scale.y, marker.scale.z)
        if marker.type == Marker.ARROW and marker.points:
            ends = np.array([[[x.x, x.y, x.z] for x in marker.points]], dtype=np.float32)
            yield scene.add_arrows(
                name, ends, colour, shaft_radius=size[0] / 2, head_radius=size[1] / 2,
                head_length=size[2],
            )  # fmt: skip
        elif marker.type == Marker.SPHERE:
            yield scene.add_icosphere(
                name, 0.5, colour, opacity=marker.color.a, scale=size, position=at, subdivisions=4,
                wxyz=(o.w, o.x, o.y, o.z),
            )  # fmt: skip
        elif marker.type == Marker.TEXT_VIEW_FACING:
            yield scene.add_label(name, marker.text, position=at)


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
    with ros_running(), impossible_names_told(), TeamClient(team) as client:
        with team_page(client, team, host, port) as address:
            print(f"Live view: {address}\nCtrl-C ends the view.", flush=True)
            ended.wait()
    return 0
