"""Figures of a run: intervals over time, against the truth where it is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS
from ...core.identification.estimate import Estimate
from ...core.identification.status import USABLE
from ...core.number_format import UNIT_TEXTS, digits, number
from .picture_file import literal, save_picture, tidy

BAND, LINE, TRUTH = "#9ecae1", "#08519c", "#d94801"
# Of parameters that the data do not tell: grey, hatched, and said so.
UNKNOWN = {"facecolor": "#e6e6e6", "edgecolor": "#a6a6a6", "hatch": "////", "linewidth": 0.0}
UNKNOWN_LINE = "#6b6b6b"
NOT_IDENTIFIED = "not identified: little narrower than the prior"
LABELS = tuple(
    name if name == "m" else f"{name[0]}$_{{{name[1:]}}}$" for name in PARAMETERS
)  # hx -> h with index x
ZOOM = 4.0  # axes show this many final half-widths to each side
CUT = "goes on"
TICKS = [1, 2, 2.5, 5, 10]


def intervals_over_time(
    path: Path, history: Sequence[Estimate], title: str, truth: Array | None = None
) -> Path:
    """Draw how the ten intervals shrank over a run.

    Args:
        path: PNG file to write.
        history: Estimates in the order in which they were made, at least one.
        title: Headline.
        truth: True parameters, shape (10,), if known.

    Returns:
        path: The file.
    """
    time = np.array([estimate.seconds for estimate in history])
    bounds = np.array([estimate.bounds for estimate in history])
    figure = intervals_figure(time, bounds, history[-1], truth)
    figure.suptitle(literal(title), fontsize=13, fontweight="bold")
    return save_picture(figure, path)


def intervals_figure(
    time: Array,
    bounds: Array,
    last: Estimate,
    truth: Array | None = None,
    size: tuple[float, float] = (15, 6.4),
) -> Figure:
    """Return the figure of `intervals_over_time`, without a headline.

    Args:
        time: Of the K updates, shape (K,) [s].
        bounds: Estimate, lower and upper ends after each, shape (K, 3, 10).
        last: The last estimate.
        truth: True parameters, shape (10,), if known.
        size: Width and height [inches].
    """
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(2, 5, sharex=True)
    for k, axis in enumerate(axes.ravel()):
        _panel(axis, k, time, bounds[:, :, k], last, None if truth is None else float(truth[k]))
    for axis in axes[1]:
        axis.set_xlabel("data [s]")
    legend(figure, axes)
    return figure


def legend(figure: Figure, axes: Any) -> None:
    """Put one legend below all panels; what several show stands in it once."""
    shown: dict[str, Any] = {}
    for axis in axes.ravel():
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            shown.setdefault(label, handle)
    order = ["estimate", "interval", "truth"]
    names = sorted(shown, key=lambda name: order.index(name) if name in order else len(order))
    handles = [shown[name] for name in names]
    figure.legend(
        handles, names, loc="outside lower center", ncols=max(len(names), 1), frameon=False
    )


def _panel(
    axis: Axes, k: int, time: Array, bounds: Array, last: Estimate, truth: float | None
) -> None:
    """Draw one parameter, of which `bounds` has shape (K, 3)."""
    phi, lower, upper = bounds.T
    told = bool(last.identifiable[k])
    colour = LINE if told else UNKNOWN_LINE
    band: dict[str, Any] = {"color": BAND, "linewidth": 0} if told else UNKNOWN
    name = "interval" if told else NOT_IDENTIFIED
    bounded = np.isfinite(lower) & np.isfinite(upper)
    lower, upper = np.where(bounded, lower, np.nan), np.where(bounded, upper, np.nan)
    if bounded.any():
        axis.fill_between(time, lower, upper, label=name, **band)
    axis.plot(time, lower, color=colour, linewidth=0.8)
    axis.plot(time, upper, color=colour, linewidth=0.8)
    axis.plot(time, phi, color=LINE, linewidth=1.8, label="estimate", ls="-" if told else ":")
    if truth is not None:
        axis.axhline(truth, color=TRUTH, linewidth=1.5, linestyle="--", label="truth")
    width = float(last.half_width[k])
    if last.status in USABLE and np.isfinite(width):
        middle = float(last.lower[k] + last.upper[k]) / 2
        axis.set_ylim(middle - ZOOM * width, middle + ZOOM * width)
    elif truth is not None and not bounded.any():
        axis.set_ylim(truth - 1.0, truth + 1.0)
    _mark_what_is_cut(axis, time, lower, upper, colour)
    title = _title(last, k, told).replace("-", "\N{MINUS SIGN}")
    axis.set_title(title, fontsize=10, pad=9, color="black" if told else UNKNOWN_LINE)
    axis.ticklabel_format(useOffset=False)
    axis.yaxis.set_major_locator(MaxNLocator(5, steps=TICKS))
    axis.margins(x=0)
    tidy(axis)


def _title(last: Estimate, k: int, told: bool) -> str:
    """Return what a panel says of its parameter: a number with its interval, or that none is."""
    width, unit = float(last.half_width[k]), UNIT_TEXTS[k]
    if not np.isfinite(width):
        return f"{LABELS[k]}: no interval [{unit}]"
    value, low, high = (
        number(float(x[k]), digits(width)) for x in (last.phi, last.lower, last.upper)
    )
    if not told:
        return f"{LABELS[k]} not identified,\nin [{low}, {high}] {unit}"
    return f"{LABELS[k]} = {value} {unit}\n({low} to {high})"


def _mark_what_is_cut(axis: Axes, time: Array, lower: Array, upper: Array, colour: str) -> None:
    """Put an arrow where a band goes on beyond the panel, for each stretch of time."""
    low, high = axis.get_ylim()
    for cut, edge, marker in ((upper > high, high, "^"), (lower < low, low, "v")):
        if not cut.any():
            continue
        starts = np.flatnonzero(np.diff(np.concatenate([[0], cut.astype(int), [0]])))
        for first, end in starts.reshape(-1, 2):
            middle = (time[first] + time[end - 1]) / 2
            axis.plot(
                middle, edge, marker, color=colour, markersize=7, clip_on=False, zorder=5, label=CUT
            )
    axis.set_ylim(low, high)
