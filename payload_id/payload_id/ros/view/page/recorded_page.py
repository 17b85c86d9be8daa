"""One page that shows a recording: the arm as it was, with a slider of time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from ..session.bodies import Triangles
from ..session.desk import VIEW
from ..session.film import Film
from . import words
from .charts import Intervals
from .reading import WIDTH
from .scene import Scene
from .shown import Shown, dress

STEP = 0.01  # [s] of the slider
SPEEDS = ("0.25", "0.5", "1", "2", "5")  # of the time that it took


class RecordedPage:
    """What one client sees of a film."""

    def __init__(self, client: Any, film: Film, shapes: Mapping[str, Sequence[Triangles]]) -> None:
        """Build the page.

        Args:
            client: Of the web server (viser).
            film: The recording.
            shapes: Surfaces of the links.
        """
        self._client, self._film, self._shown = client, film, Shown()
        self._looked = time.monotonic()
        gui = client.gui
        dress(gui)
        panel = gui.add_panel()
        with panel.add_tab("Verdict", "clipboard-check"):
            for note in film.notes:
                gui.add_markdown(f"**{words.plain(note)}**")
            self._verdict = gui.add_markdown(" ")
        with panel.add_tab("Intervals", "chart-line"):
            Intervals(gui).show(film.intervals(), film.history[-1])
        panel.dock_left()
        panel.set_width(WIDTH)
        self._time = gui.add_slider(
            "time [s]", min=0.0, max=max(film.duration, STEP), step=STEP, initial_value=0.0
        )
        self._playing = gui.add_checkbox("play", initial_value=True)
        self._speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        gui.add_button("to the end").on_click(lambda _: self._go_to_end())
        client.camera.position, client.camera.look_at = VIEW
        self._scene = Scene(client.scene, film.frames, shapes, film.arm.payload_frame)

    def come_back(self) -> None:
        """Do nothing: there is nobody to be let in."""

    def move(self, moving: Any, gravity: Any) -> None:
        """Do nothing: nothing is live."""

    def close(self) -> None:
        """Nothing is kept of it."""

    def refresh(self) -> None:
        """Go on with the film, and show what was known by then."""
        now = time.monotonic()
        elapsed, self._looked = now - self._looked, now
        if self._playing.value:
            later = self._time.value + elapsed * float(self._speed.value)
            self._time.value = later if later <= self._film.duration else 0.0
        shown = float(self._time.value)
        if not self._shown.is_news("time", shown):
            return
        estimate = self._film.known_at(shown)
        if self._shown.is_news("estimate", id(estimate)):
            self._scene.show_payload(estimate)
            self._shown.write(self._verdict, words.verdict_text(estimate))
        with self._client.atomic():
            self._scene.place(*self._film.at(shown))

    def _go_to_end(self) -> None:
        """Show the final verdict."""
        self._playing.value = False
        self._time.value = self._film.duration
