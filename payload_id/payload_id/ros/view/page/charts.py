"""Curves over time on a page: intervals, torques with their band, limits, what is unexplained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....core.arrays import Array
from ....core.body.inertial import PARAMETERS
from ....core.identification.estimate import Estimate
from ....files.figures.interval_figure import BAND, LINE
from ....files.figures.number_format import UNIT_TEXTS, digits, number
from ..session.curves import History

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
HEIGHT = 150  # [px] of one chart
KINDS = ("position", "velocity", "torque")


class Chart:
    """One chart: values over time, some of them as the ends of a band."""

    def __init__(
        self,
        gui: Any,
        title: str,
        names: Sequence[str],
        unit: str,
        colours: Sequence[str],
        band: tuple[int, int] | None = None,
    ) -> None:
        """Add the chart.

        Args:
            gui: Of a page.
            title: Above it.
            names: Of the values.
            unit: On the axis.
            colours: Of the values.
            band: Upper and lower end of a band among the values, from 0.
        """
        series: list[dict[str, Any]] = [{"label": "t [s]"}]
        for k, (name, colour) in enumerate(zip(names, colours, strict=True)):
            edge = band is not None and k in band
            series.append(
                {"label": name, "stroke": colour, "width": 1 if edge else 2, "spanGaps": False,
                 "points": {"show": False}}
            )  # fmt: skip
        bands = None
        if band is not None:
            bands = ({"series": [band[0] + 1, band[1] + 1], "fill": f"{BAND}99"},)
        self._handle = gui.add_uplot(
            tuple(np.zeros(1) for _ in series),
            tuple(series),
            title=title,
            bands=bands,
            scales={"x": {"time": False}},
            axes=({"size": 30}, {"label": f"[{unit}]", "size": 60, "labelSize": 18}),
            legend={"show": len(names) > 3},
            height=HEIGHT,
        )

    def show(self, time: Array, values: Sequence[Array], title: str | None = None) -> None:
        """Show values over time, each of shape (N,)."""
        if len(time):
            self._handle.data = (time, *values)
        if title is not None and title != self._handle.title:
            self._handle.title = title


class Intervals:
    """The ten parameters with their intervals over time."""

    def __init__(self, gui: Any) -> None:
        """Add ten charts."""
        names = ("upper end", "estimate", "lower end")
        self._charts = [
            Chart(gui, name, names, unit, (BAND, LINE, BAND), (0, 2))
            for name, unit in zip(PARAMETERS, UNIT_TEXTS, strict=True)
        ]

    def show(self, history: History, estimate: Estimate) -> None:
        """Show the history, with the newest numbers in the titles."""
        time = history.time
        for k, chart in enumerate(self._charts):
            columns = [history.column(3 * k + j) for j in range(3)]
            chart.show(time, columns, parameter_text(estimate, k))


class Limits:
    """How much of each kind of limit the joint that is nearest to it uses."""

    def __init__(self, gui: Any) -> None:
        """Add a chart."""
        self._chart = Chart(gui, "use of limits, nearest joint", KINDS, "%", PALETTE[: len(KINDS)])

    def show(self, history: History) -> None:
        """Show the history."""
        self._chart.show(history.time, [100.0 * history.column(k) for k in range(len(KINDS))])


class Torques:
    """Measured torque of one joint against what arm and payload explain; what is left of all."""

    def __init__(self, gui: Any, joints: Sequence[str]) -> None:
        """Add a choice of joint and two charts."""
        self._joints = tuple(joints)
        self.choice = gui.add_dropdown("joint", self._joints, initial_value=self._joints[0])
        names = ("upper end", "measured", "lower end")
        self._one = Chart(gui, "torque", names, "N m", (BAND, PALETTE[1], BAND), (0, 2))
        colours = [PALETTE[k % len(PALETTE)] for k in range(len(self._joints))]
        self._all = Chart(gui, "unexplained torque", self._joints, "N m", colours)

    def show(self, history: History) -> None:
        """Show the history, whose rows are measured, lower, upper, unexplained of all joints."""
        n, time = len(self._joints), history.time
        k = self._joints.index(self.choice.value)
        measured, lower, upper = (history.column(j * n + k) for j in range(3))
        title = f"{self._joints[k]}: measured in the band that arm and payload explain"
        self._one.show(time, [upper, measured, lower], title)
        self._all.show(time, [history.column(3 * n + j) for j in range(n)])


def parameter_text(estimate: Estimate, k: int) -> str:
    """Return a parameter with its interval, to the digits that its interval warrants."""
    name, unit = PARAMETERS[k], UNIT_TEXTS[k]
    half = float(estimate.half_width[k])
    if not np.isfinite(half):
        return f"{name}: no interval"
    places = digits(half)
    ends = (
        f"[{number(float(estimate.lower[k]), places)}, {number(float(estimate.upper[k]), places)}]"
    )
    if not estimate.identifiable[k]:
        return f"{name} not identified, in {ends} {unit}"
    return f"{name} = {number(float(estimate.phi[k]), places)}, in {ends} {unit}"
