"""Figures of a fleet: what drifts in an arm, and the mass of a payload run by run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..figures.interval_figure import BAND, LINE, TRUTH, UNKNOWN_LINE
from ..figures.picture_file import tidy
from .arms import UNITS, Arm, Series
from .payloads import Payload

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ARM_WIDTH, ROW_HEIGHT, PER_ROW = 10.0, 1.35, 4  # [inches], [inches], joints
MASS_WIDTH, MASS_HEIGHT = 10.0, 1.7  # [inches]
OFFSET = "torque_offset"  # what is drawn of each joint
SHOWN = 400  # points of a figure; of more runs every so many is drawn


def offsets_figure(arm: Arm) -> Figure | None:
    """Return the torque offset of each joint over time; None without two dated runs."""
    series = [s for s in arm.series if s.kind == OFFSET and _dated(s).sum() > 1]
    if not series:
        return None
    lines = -(-len(series) // PER_ROW)
    figure = Figure(figsize=(ARM_WIDTH, ROW_HEIGHT * lines + 0.25), layout="constrained")
    axes = np.atleast_1d(figure.subplots(lines, PER_ROW, squeeze=False).ravel())
    first = min(np.nanmin(s.when[_dated(s)]) for s in series)
    for axis, each in zip(axes, series, strict=False):
        _draw(axis, each, first)
    for axis in axes[len(series) :]:
        axis.set_visible(False)
    figure.supxlabel("time since the first run [days]", fontsize=8)
    figure.supylabel(f"torque offset [{UNITS[OFFSET]}]", fontsize=8)
    return figure


def _dated(series: Series) -> np.ndarray:
    """Return which runs have a time and a value, shape (N,)."""
    return np.isfinite(series.when) & np.isfinite(series.value)


def _draw(axis: Axes, series: Series, first: float) -> None:
    """Draw one joint."""
    seen = np.flatnonzero(_dated(series))
    seen = seen[:: max(1, len(seen) // SHOWN)]
    when, value = series.when[seen] - first, series.value[seen]
    drifts = "time" in series.drifts
    colour = TRUTH if drifts else LINE
    axis.errorbar(when, value, series.deviation[seen], fmt="o", ms=2.2, lw=0.6, color=colour,
                  ecolor=BAND, zorder=2)  # fmt: skip
    title = f"{series.joint}: drifts" if drifts else series.joint
    axis.set_title(title, fontsize=8, color=TRUTH if drifts else "black")
    axis.xaxis.set_major_locator(MaxNLocator(4))
    axis.yaxis.set_major_locator(MaxNLocator(3))
    tidy(axis, size=7)


def mass_figure(payload: Payload) -> Figure | None:
    """Return the interval of the mass of each run; None without a run that has one."""
    rows: Sequence = [row for row in payload.rows if row["m_lower"] is not None]
    if not rows:
        return None
    rows = rows[:: max(1, len(rows) // SHOWN)]
    figure = Figure(figsize=(MASS_WIDTH, MASS_HEIGHT), layout="constrained")
    axis = figure.subplots()
    number = np.arange(1, len(rows) + 1)
    lower, upper, mass = (
        np.array([row[name] for row in rows], dtype=float) for name in ("m_lower", "m_upper", "m")
    )
    apart = {(row["bag"], row["segment"]) for row in payload.apart}
    colours = [TRUTH if (row["bag"], row["segment"]) in apart else BAND for row in rows]
    axis.bar(number, upper - lower, bottom=lower, width=0.7, color=colours, zorder=2)
    axis.plot(number, mass, "o", ms=2.6, color=LINE, zorder=3)
    common = payload.common
    if common is not None and np.isfinite(common.interval.lower[0]):
        for end in (common.interval.lower[0], common.interval.upper[0]):
            axis.axhline(end, color=UNKNOWN_LINE, lw=0.8, ls="--", zorder=4)
    axis.set_ylabel("mass [kg]", fontsize=8)
    axis.set_xlabel("run", fontsize=8)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    tidy(axis, "y", 7)
    return figure
