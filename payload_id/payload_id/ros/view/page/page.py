"""One page in one browser: what it shows at once, and what it gets once the token is proved."""

from __future__ import annotations

import time
from typing import Any

from ..session.desk import VIEW, Desk
from ..session.guard import Operator
from ..session.handing import Handed
from .controls import Controls
from .preview import Preview
from .reading import Reading
from .scene import Scene
from .shown import Shown, dress

KEPT = "payload_id_view"  # where a browser keeps its session
PAUSE = 0.25  # [s] between two looks at words
ASKED = 3.0  # [s] that a browser may take to say who it is


class Page:
    """What one client sees; everything it asks for goes through the desk."""

    def __init__(self, client: Any, desk: Desk) -> None:
        """Build the page.

        Args:
            client: Of the web server (viser).
            desk: What all pages share.
        """
        self._client, self._desk = client, desk
        self._shown, self._due = Shown(), 0.0
        self._scene: Scene | None = None
        self._preview: Preview | None = None
        self._reading: Reading | None = None  # last of what every reader has
        self._controls: Controls | None = None
        self._closed = False
        dress(client.gui)
        if desk.open_to_readers:
            self._show_all()
        self._gate = self._ask_for_token()

    def come_back(self) -> None:
        """Let in a browser that has proved the token before; blocks until it has answered."""
        try:
            session = self._client.local_storage.get_item(KEPT, timeout=ASKED)
        except (RuntimeError, TimeoutError):  # it went away, or keeps nothing
            return
        known = isinstance(session, str) and session
        operator = self._desk.guard.known(session) if known else None
        if operator is not None:
            self._let_in(operator)

    def move(self, moving: Any, gravity: Any) -> None:
        """Put the arm where it is, and the ghost where the preview is: thirty times a second."""
        if self._reading is None or self._scene is None or self._preview is None:
            return
        with self._client.atomic():
            self._scene.place(moving, gravity)
            self._preview.step()

    def refresh(self) -> None:
        """Bring words and curves up to date, where that is due."""
        now = time.monotonic()
        if self._reading is None or now < self._due:
            return
        self._due = now + PAUSE
        self._refresh_scene()
        self._reading.refresh(self._desk.seen(None, ""))
        if self._controls is not None:
            self._controls.refresh()

    def close(self) -> None:
        """Note that the browser has gone."""
        self._closed = True
        self._desk.guard.leave(self._client.client_id)

    def _ask_for_token(self) -> Any:
        """Add what lets an operator in; return what is removed then."""
        gui = self._client.gui
        with gui.add_folder("Commands", order=-20) as folder:
            gui.add_markdown("The token is in the terminal where the view was started.")
            name = gui.add_text("your name", "", hint="others see who has control")
            token = gui.add_text("token", "")
            enter = gui.add_button("Enter", icon="key")
            said = gui.add_markdown(" ")

        @enter.on_click
        def _(_: Any) -> None:
            operator = self._desk.guard.admit(token.value, name.value, self._client.client_id)
            token.value = ""
            if operator is None:
                said.content = "*That is not the token, or the last try was a moment ago.*"
                return
            self._client.local_storage.set_item(KEPT, operator.session)
            self._let_in(operator)

        return folder

    def _let_in(self, operator: Operator) -> None:
        """Give an operator the controls."""
        if self._controls is not None:
            return
        self._gate.remove()
        self._desk.guard.arrive(operator, self._client.client_id)
        if self._closed:  # while the token was looked at
            self.close()
        if self._desk.guard.holder is None:
            self._desk.guard.take_control(operator)
        if self._reading is None:
            self._show_all()
        if self._preview is not None:
            self._controls = Controls(
                self._client.gui, self._desk, operator, self._preview, self._hand
            )

    def _hand(self, made: Handed) -> None:
        """Have the browser keep a file."""
        self._client.send_file_download(made.name, made.content, save_immediately=True)

    def _show_all(self) -> None:
        """Add the scene, and what there is to read."""
        desk = self._desk
        self._scene = Scene(self._client.scene, desk.frames, desk.shapes, desk.robot.payload_frame)
        self._preview = Preview(desk, self._scene)
        self._client.camera.position, self._client.camera.look_at = VIEW
        self._reading = Reading(self._client.gui, desk)

    def _refresh_scene(self) -> None:
        """Show payload and obstacles, where they are others than before."""
        heard = self._desk.heard
        if self._scene is None:
            return
        if self._shown.is_news("estimate", id(heard.estimate)):
            self._scene.show_payload(heard.estimate)
        if self._shown.is_news("obstacles", id(heard.obstacles)):
            self._scene.show_obstacles(heard.obstacles)
