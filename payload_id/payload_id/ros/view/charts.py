"""Curves over time on a page: intervals, torques with their band, what is unexplained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.body.inertial import PARAMETERS
from ...core.identification.estimate import Estimate
from ...core.number_format import UNIT_TEXTS
from ...files.figures.interval_figure import BAND, LINE
from .history import History
from .view_model import parameter_text

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
HEIGHT = 150  # [px] of one chart


class Chart:
    """One chart: values over time, the first and last of them as the ends of a band if asked."""

    def __init__(
        self, gui: Any, title: str, names: Sequence[str], unit: str, colours: Sequence[str],
        banded: bool = False,
    ) -> None:  # fmt: skip
        """Add the chart.

        Args:
            gui: Of a page.
            title: Above it.
            names: Of the values.
            unit: On the axis.
            colours: Of the values.
            banded: Whether the first and the last value are the ends of a band.
        """
        edges = (0, len(names) - 1) if banded else ()
        lines = [
            {"label": name, "stroke": colours[k % len(colours)], "width": 1 if k in edges else 2,
             "spanGaps": False, "points": {"show": False}}
            for k, name in enumerate(names)
        ]  # fmt: skip
        bands = ({"series": [edges[0] + 1, edges[1] + 1], "fill": f"{BAND}99"},) if edges else None
        self._shown: tuple[str, float] | None = None  # title, and time of the newest value
        self._handle = gui.add_uplot(
            tuple(np.zeros(1) for _ in range(len(names) + 1)),
            ({"label": "t [s]"}, *lines),
            title=title,
            bands=bands,
            scales={"x": {"time": False}},
            axes=({"size": 30}, {"label": f"[{unit}]", "size": 60, "labelSize": 18}),
            legend={"show": len(names) > 3},
            height=HEIGHT,
        )

    def show(self, history: History, columns: Sequence[int], title: str) -> None:
        """Show columns of a history, if there is anything new."""
        time = history.time
        newest = (title, float(time[-1]) if len(time) else np.nan)
        if newest == self._shown or not len(time):
            return
        self._shown, self._handle.title = newest, title
        self._handle.data = (time, *(history.column(k) for k in columns))


class Intervals:
    """The ten parameters with their intervals over time."""

    def __init__(self, gui: Any) -> None:
        """Add ten charts."""
        names = ("upper end", "estimate", "lower end")
        self._charts = [
            Chart(gui, name, names, unit, (BAND, LINE, BAND), banded=True)
            for name, unit in zip(PARAMETERS, UNIT_TEXTS, strict=True)
        ]

    def show(self, history: History, estimate: Estimate) -> None:
        """Show the history, with the newest numbers in the titles."""
        for k, chart in enumerate(self._charts):
            chart.show(history, range(3 * k, 3 * k + 3), parameter_text(estimate, k))


class Torques:
    """Measured torque of one joint against what arm and payload explain; what is left of all."""

    def __init__(self, gui: Any, joints: Sequence[str]) -> None:
        """Add a choice of joint and two charts."""
        self._joints = tuple(joints)
        self._choice = gui.add_dropdown("joint", self._joints, initial_value=self._joints[0])
        names = ("upper end", "measured", "lower end")
        self._one = Chart(gui, "torque", names, "N m", (BAND, PALETTE[1], BAND), banded=True)
        self._all = Chart(gui, "unexplained torque", self._joints, "N m", PALETTE)

    def show(self, history: History) -> None:
        """Show the history, whose rows are measured, lower, upper, unexplained of all joints."""
        n, k = len(self._joints), self._joints.index(self._choice.value)
        title = f"{self._joints[k]}: measured in the band that arm and payload explain"
        self._one.show(history, (2 * n + k, k, n + k), title)
        self._all.show(history, range(3 * n, 4 * n), "unexplained torque")
