"""A recording as a film: the arm as it was, what was known by then, and a slider of time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arm.centre_of_mass import gravity_in_payload_frame
from ...core.arrays import Array
from ...core.errors import printable
from ...core.identification.estimate import Estimate
from ...core.identification.width import mentioned
from ...files.robots.arm_frames import ArmFrames, LinkFrame
from ..common.main_loop import stop_signal
from .bodies import Triangles, link_triangles
from .charts import Intervals
from .history import History
from .page import add_tabs, dress
from .scene import Scene
from .view_model import SET, padded, verdict_html
from .web_server import ShownPage, WebServer, show_page

STEP = 0.01  # [s] of the slider
SPEEDS = ("0.25", "0.5", "1", "2", "5")  # of the time that it took


@dataclass(frozen=True, eq=False)
class Film:
    """What was recorded, and the estimates of a replay.

    Attributes:
        stamp: Times from the start, shape (N,) [s].
        q: Joint positions, shape (N, n) [rad or m].
        arm: The arm.
        frames: Its kinematics.
        history: Estimates in the order in which they were made, at least one.
        notes: What the user should know about how the recording was read.
    """

    stamp: Array
    q: Array
    arm: ArmModel
    frames: ArmFrames
    history: Sequence[Estimate]
    notes: Sequence[str] = ()

    @property
    def duration(self) -> float:
        """Length of the recording [s]."""
        return float(self.stamp[-1] - self.stamp[0])

    def at(self, time: float) -> tuple[list[LinkFrame], Array]:
        """Return the links that move, and gravity in the payload frame, at a time [s]."""
        k = int(np.searchsorted(self.stamp - self.stamp[0], time, side="right")) - 1
        q = self.q[max(k, 0)]
        positions = dict(zip(self.arm.joints, map(float, q), strict=True))
        return self.frames.moving(positions), gravity_in_payload_frame(self.arm, q)

    def known_at(self, time: float) -> Estimate | None:
        """Return the newest estimate made by a time [s]; None: there was none."""
        made = [estimate for estimate in self.history if estimate.seconds <= time + 1e-9]
        return made[-1] if made else None

    def intervals(self) -> History:
        """Return the ten intervals over time."""
        history = History(30)
        for estimate in self.history:
            history.add_estimate(estimate)
        return history


class RecordedPage(ShownPage):
    """What one client sees of a film."""

    def __init__(self, client: Any, film: Film, shapes: Mapping[str, Sequence[Triangles]]) -> None:
        """Build the page.

        Args:
            client: Of the web server (viser).
            film: The recording.
            shapes: Surfaces of the links.
        """
        self._client, self._film = client, film
        self._looked, self._shown = time.monotonic(), -1.0  # on the film [s]
        gui = client.gui
        dress(client, film.frames.reach())
        notes = SET.notes(film.notes)
        tabs = add_tabs(
            gui, Verdict=lambda: gui.add_html(padded(notes)), Intervals=partial(Intervals, gui)
        )
        tabs["Intervals"].show(film.intervals(), film.history[-1])
        self._notes, self._verdict = notes, tabs["Verdict"]
        self._time = gui.add_slider(
            "time [s]", min=0.0, max=max(film.duration, STEP), step=STEP, initial_value=0.0
        )
        self._playing = gui.add_checkbox("play", initial_value=True)
        self._speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        gui.add_button("to the end").on_click(lambda _: self._go_to_end())
        self._scene = Scene(client.scene, film.frames, shapes, film.arm.payload_frame)

    def draw(self) -> None:
        """Go on with the film, and show what was known by then."""
        now = time.monotonic()
        elapsed, self._looked = now - self._looked, now
        if self._playing.value:
            later = self._time.value + elapsed * float(self._speed.value)
            self._time.value = later if later <= self._film.duration else 0.0
        before, self._shown = self._shown, float(self._time.value)
        if self._shown == before:
            return
        estimate = self._film.known_at(self._shown)
        self._scene.show_payload(estimate)
        rests_on = () if estimate is None else [each.sentence() for each in estimate.rests_on]
        width = () if estimate is None else [str(share) for share in mentioned(estimate.width)]
        self._verdict.content = padded(self._notes + verdict_html(estimate, rests_on, width))
        with self._client.atomic():
            self._scene.place(*self._film.at(self._shown))

    def _go_to_end(self) -> None:
        """Show the final verdict."""
        self._playing.value = False
        self._time.value = self._film.duration


def serve_film(film: Film, urdf: str, folder: Path, host: str, port: int) -> int:
    """Serve a recording until interrupted; return the exit code.

    Args:
        film: The recording, and what was known when.
        urdf: Description of the arm, XML text.
        folder: Where relative file names of its meshes begin.
        host: Address to listen on.
        port: 0: any that is free.

    Raises:
        InputError: The port is taken.
    """
    ended = stop_signal()
    page = partial(RecordedPage, film=film, shapes=link_triangles(urdf, folder))
    with WebServer(lambda: None, page, host, port) as server:
        for note in film.notes:
            print(printable(note))
        print(f"Recording: {server.address}\nCtrl-C ends the view.", flush=True)
        show_page(server.address)
        ended.wait()
    return 0
