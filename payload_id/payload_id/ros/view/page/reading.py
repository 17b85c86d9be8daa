"""What there is to read on a page: verdict, plan, curves, and how the nodes are."""

from __future__ import annotations

import time
from typing import Any

from ..session.desk import Desk
from ..session.workflow import Seen
from . import words
from .charts import Intervals, Limits, Torques
from .shown import Shown

WIDTH = 430.0  # [px]
PAUSE = 1.0  # [s] between two looks at curves


class Reading:
    """A panel with one tab for each kind."""

    def __init__(self, gui: Any, desk: Desk) -> None:
        """Add the panel.

        Args:
            gui: Of a page.
            desk: What all pages share.
        """
        self._desk, self._shown, self._due = desk, Shown(), 0.0
        panel = gui.add_panel()
        with panel.add_tab("Verdict", "clipboard-check"):
            self._verdict = gui.add_markdown("No estimate yet.")
        with panel.add_tab("Plan", "route"):
            self._plan = gui.add_markdown("No plan yet.")
        with panel.add_tab("Intervals", "chart-line"):
            self._intervals = Intervals(gui)
        with panel.add_tab("Torques", "engine"):
            self._torques = Torques(gui, desk.robot.joints)
        with panel.add_tab("Limits", "gauge"):
            self._limits = Limits(gui)
        with panel.add_tab("Nodes", "heartbeat"):
            self._nodes = gui.add_markdown(" ")
        panel.dock_left()
        panel.set_width(WIDTH)

    def refresh(self, seen: Seen) -> None:
        """Bring it up to date."""
        self._shown.write(self._nodes, words.nodes_text(seen))
        before = words.of_before(seen)
        self._shown.write(self._verdict, before + words.verdict_text(seen.estimate))
        self._shown.write(self._plan, words.plan_text(self._desk.heard.plan))
        now = time.monotonic()
        if now >= self._due:
            self._due = now + PAUSE
            self._refresh_curves()

    def _refresh_curves(self) -> None:
        """Bring the curves up to date."""
        desk = self._desk
        estimate = desk.heard.estimate
        if estimate is not None and self._shown.is_news("intervals", id(estimate)):
            self._intervals.show(desk.intervals, estimate)
        if self._shown.is_news("limits", desk.limits_seen):
            self._limits.show(desk.limits)
        if self._shown.is_news("torques", (desk.torques_seen, self._torques.choice.value)):
            self._torques.show(desk.torques)
