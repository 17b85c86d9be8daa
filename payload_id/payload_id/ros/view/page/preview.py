"""The motion to come, played by a ghost of the arm again and again."""

from __future__ import annotations

import time

from ..session.desk import Desk
from .scene import TIGHT, Scene
from .words import tight_links

RESTING = 1.0  # [s] that the ghost rests at the end


class Preview:
    """Plays one plan on one page.

    Attributes:
        plan: Name of the plan that is played; empty: none.
    """

    def __init__(self, desk: Desk, scene: Scene) -> None:
        """Play nothing."""
        self.plan = ""
        self._desk, self._scene = desk, scene
        self._began = 0.0  # by `time.monotonic` [s]

    def begin(self) -> None:
        """Play the newest plan, with the links coloured that limit it.

        Raises:
            PayloadIdError: Its motion cannot be read here.
        """
        plan = self._desk.heard.plan
        if plan is None:
            return
        self._desk.read_plan(plan)
        self.plan, self._began = plan.plan_id, time.monotonic()
        links = tight_links(plan, self._desk.joint_links)
        self._scene.colour_ghost(dict.fromkeys(links, TIGHT))
        self._scene.show_swept(self._desk.swept)

    def step(self) -> None:
        """Put the ghost where it is now; away, once there is a newer plan."""
        if not self.plan:
            return
        newest = self._desk.heard.plan
        if newest is None or newest.plan_id != self.plan:
            self.plan = ""
            self._scene.place_ghost(None)
            self._scene.show_swept(None)
            return
        length = self._desk.motion_length
        elapsed = (time.monotonic() - self._began) % (length + RESTING)
        self._scene.place_ghost(self._desk.motion_at(min(elapsed, length)))
