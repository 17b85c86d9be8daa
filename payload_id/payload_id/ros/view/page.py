"""One page in one browser: what it shows at once, and what it gets once the token is proved."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ...core.arm.centre_of_mass import gravity_in_payload_frame
from ...core.arrays import Array
from .charts import Intervals, Torques
from .controls import Controls
from .handing import Handed
from .live_arm import LiveArm
from .planned_motion import PlannedMotion
from .scene import Scene
from .view_model import texts
from .web_server import ShownPage
from .workflow import Snapshot

KEPT = "payload_id_view"  # where a browser keeps its session
PAUSE = 0.25  # [s] between two looks at words
ASKED = 3.0  # [s] that a browser may take to say who it is
LEFT, RIGHT = 430.0, 380.0  # [px] widths of the panels
ICONS = {
    "Verdict": "clipboard-check", "Plan": "route", "Intervals": "chart-line", "Torques": "engine",
    "Nodes": "heartbeat",
}  # fmt: skip
# The camera's place and what it looks at, for an arm of 1 m.
VIEW = (np.array([1.0, -0.9, 0.7]), np.array([0.0, 0.0, 0.4]))


class Page(ShownPage):
    """What one client sees.

    Attributes:
        motion: The one that was looked at here; None: none was.
    """

    def __init__(self, client: Any, arm: LiveArm) -> None:
        """Build the page.

        Args:
            client: Of the web server (viser).
            arm: What all pages share.
        """
        self._client, self._arm = client, arm
        self.motion: PlannedMotion | None = None
        self._due = 0.0  # by the monotonic clock [s]
        self._ghost: PlannedMotion | None = None  # in the scene
        self._watched: Watched | None = None
        self._controls: Controls | None = None
        self._entering = threading.Lock()
        dress(client, arm.frames.reach())
        if arm.open_to_readers:
            self._watched = Watched(client, arm)
        self._gate = self._ask_for_token()

    def come_back(self) -> None:
        """Let in a browser that has proved the token before; blocks until it has answered."""
        try:
            session = self._client.local_storage.get_item(KEPT, timeout=ASKED)
        except (RuntimeError, TimeoutError):  # it went away, or keeps nothing
            return
        if isinstance(session, str) and self._arm.auth.knows(session):
            self._let_in()

    def draw(self) -> None:
        """Move arm and ghost; now and then bring words and curves up to date."""
        watched, now = self._watched, time.monotonic()
        if watched is None:
            return
        if now >= self._due:
            self._due = now + PAUSE
            seen = self.snapshot()
            said = texts(seen)
            self._ghost = self.motion if seen.looked and not seen.followed else None
            watched.draw(seen, said, self._ghost is not None)
            if self._controls is not None:
                self._controls.draw(seen, said)
        with self._client.atomic():
            watched.move(None if self._ghost is None else self._ghost.at(now))

    def snapshot(self) -> Snapshot:
        """Return what the page depends on."""
        return self._arm.snapshot(self.motion)

    def preview(self) -> None:
        """Play the newest plan.

        Raises:
            PayloadIdError: Its motion cannot be read here.
        """
        plan = self._arm.topics.plan
        if plan is not None:
            self.motion = PlannedMotion.read(plan, time.monotonic())

    def hand(self, made: Handed) -> None:
        """Have the browser keep a file."""
        self._client.send_file_download(made.name, made.content, save_immediately=True)

    def _ask_for_token(self) -> Any:
        """Add what lets the operator in; return what is removed then."""
        gui = self._client.gui
        with gui.add_folder("Commands", order=-20) as folder:
            gui.add_markdown("The token is in the terminal where the view was started.")
            token = gui.add_text("token", "")
            enter = gui.add_button("Enter", icon="key")
            said = gui.add_markdown(" ")

        @enter.on_click
        def _(_: Any) -> None:
            typed, token.value = token.value, ""
            if self._arm.auth.admits(typed):
                self._client.local_storage.set_item(KEPT, self._arm.auth.session)
                self._let_in()
            else:
                said.content = "*That is not the token.*"

        return folder

    def _let_in(self) -> None:
        """Give the operator the controls."""
        with self._entering:
            if self._controls is not None:
                return
            self._gate.remove()
            if self._watched is None:
                self._watched = Watched(self._client, self._arm)
            self._controls = Controls(self._client.gui, self._arm, self)


class Watched:
    """What there is to see and to read: the scene, and a panel with one tab for each kind."""

    def __init__(self, client: Any, arm: LiveArm) -> None:
        """Add them."""
        self._arm = arm
        self._scene = Scene(client.scene, arm.frames, arm.shapes, arm.robot.payload_frame)
        text = partial(client.gui.add_html, "")
        self._tabs = add_tabs(
            client.gui,
            Verdict=text,
            Plan=text,
            Intervals=partial(Intervals, client.gui),
            Torques=partial(Torques, client.gui, arm.robot.joints),
            Nodes=text,
        )

    def draw(self, seen: Snapshot, said: Mapping[str, str], swept: bool) -> None:
        """Bring it up to date; `swept` tells whether the newest plan's swept volume is shown."""
        topics, tabs = self._arm.topics, self._tabs
        self._scene.show_payload(topics.estimate)
        self._scene.show_obstacles(topics.obstacles)
        self._scene.show_swept(topics.message("swept") if swept else None)
        for name in ("Verdict", "Plan", "Nodes"):
            tabs[name].content = said[name]
        if seen.estimate is not None:
            tabs["Intervals"].show(topics.intervals, seen.estimate)
        tabs["Torques"].show(topics.torques)

    def move(self, ghost: Array | None) -> None:
        """Put the arm where it is, and its ghost where a motion has it, shape (n,) [rad or m]."""
        arm, scene, joints = self._arm, self._scene, self._arm.topics.joints
        if joints is not None:
            gravity = gravity_in_payload_frame(arm.model, joints.q)
            scene.place(arm.frames.moving(joints.positions), gravity)
        scene.ghost.root.visible = ghost is not None
        if ghost is not None:
            scene.ghost.place(arm.moving(ghost))


def add_tabs(gui: Any, **contents: Callable[[], Any]) -> dict[str, Any]:
    """Add a panel on the left with one tab for each content; return what these add, by name."""
    panel, added = gui.add_panel(), {}
    for name, add in contents.items():
        with panel.add_tab(name, ICONS[name]):
            added[name] = add()
    panel.dock_left()
    panel.set_width(LEFT)
    return added


def dress(client: Any, reach: float) -> None:
    """Give a page its colour, the place of its controls, and a look at an arm of some reach [m]."""
    gui = client.gui
    gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(0, 114, 178))
    gui.main_panel.dock_right()
    gui.main_panel.set_width(RIGHT)
    client.camera.position, client.camera.look_at = (reach * place for place in VIEW)
