"""Figure of a comparison: what each method says of each parameter."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...core.arrays import Array, BoolArray
from ...core.number_format import UNIT_TEXTS
from .interval_figure import (
    BAND,
    CUT,
    LABELS,
    LINE,
    NOT_IDENTIFIED,
    TICKS,
    TRUTH,
    UNKNOWN,
    UNKNOWN_LINE,
    legend,
)
from .picture_file import literal, save_picture

ZOOM = 3.0  # axes show this many times what the narrowest interval and the bulk of estimates span


def draw_comparison(
    path: Path,
    points: Mapping[str, Array],
    intervals: Mapping[str, tuple[Array, Array]],
    title: str,
    truth: Array | None = None,
    identified: BoolArray | None = None,
    guesses: Collection[str] = (),
) -> Path:
    """Draw estimates as dots and intervals as bars, one panel for each parameter.

    Args:
        path: Picture to write.
        points: phi by estimator, shape (10,).
        intervals: Lower and upper ends by interval method, shape (10,) each; NaN where the data
            contradict the bounds.
        title: Headline.
        truth: True parameters, shape (10,), if known.
        identified: Which parameters the data tell, shape (10,); None: not looked at.
        guesses: Interval methods without a guarantee.

    Returns:
        path: The file.
    """
    figure = Figure(figsize=(16, 2.2 + 0.46 * (len(points) + len(intervals))), layout="constrained")
    axes = figure.subplots(2, 5, sharey=True)
    found = {name: bool(np.isfinite(ends).all()) for name, ends in intervals.items()}
    names = [*points, *(name if found[name] else f"{name}: contradiction" for name in found)]
    unsure = [name in guesses for name in intervals]
    for k, axis in enumerate(axes.ravel()):
        told = identified is None or bool(identified[k])
        _panel(
            axis,
            np.array([phi[k] for phi in points.values()]),
            np.array([(low[k], high[k]) for low, high in intervals.values()]).reshape(-1, 2),
            None if truth is None else float(truth[k]),
            told,
            unsure,
        )
        words = f"{LABELS[k]} [{UNIT_TEXTS[k]}]"
        axis.set_title(words if told else f"{words}, not identified", fontsize=11,
                       color="black" if told else UNKNOWN_LINE)  # fmt: skip
    axes[0, 0].set_yticks(range(len(names)), list(map(literal, names)))
    axes[0, 0].invert_yaxis()
    legend(figure, axes)
    figure.suptitle(f"{literal(title)}: estimates and intervals by method", fontweight="bold")
    return save_picture(figure, path)


def _panel(
    axis: Axes, points: Array, ends: Array, truth: float | None, told: bool, unsure: list[bool]
) -> None:
    """Draw one parameter; what lies far outside is cut off, with an arrow."""
    for row, ((left, right), guess) in enumerate(zip(ends, unsure, strict=True), len(points)):
        if not (np.isfinite(left) and np.isfinite(right)):
            continue
        style: dict[str, Any] = {"color": BAND} if told else UNKNOWN
        label = "interval" if told else NOT_IDENTIFIED
        if guess:
            style = {"facecolor": "none", "edgecolor": LINE if told else UNKNOWN_LINE, "ls": "--"}
            label = "interval without guarantee"
        axis.barh(row, right - left, left=left, height=0.6, label=label, **style)
    rows = np.arange(len(points))
    axis.plot(points, rows, "o", color=LINE, markersize=5, label="estimate")
    if truth is not None:
        axis.axvline(truth, color=TRUTH, linestyle="--", linewidth=1.4, label="truth")
    low, high = _limits(points[np.isfinite(points)], ends[np.isfinite(ends).all(axis=1)], truth)
    if high > low:
        axis.set_xlim(low, high)
        both = np.concatenate([np.repeat(points[:, None], 2, axis=1), ends])
        for row, (left, right) in enumerate(both):
            for cut, edge, marker in ((left < low, low, "<"), (right > high, high, ">")):
                if cut:
                    axis.plot(edge, row, marker, color=LINE if told else UNKNOWN_LINE,
                              markersize=6, clip_on=False, zorder=5, label=CUT)  # fmt: skip
        axis.set_xlim(low, high)
    axis.xaxis.set_major_locator(MaxNLocator(4, steps=TICKS))
    axis.ticklabel_format(axis="x", useOffset=False)
    axis.grid(alpha=0.25, axis="x")
    axis.tick_params(axis="x", labelsize=9)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def _limits(points: Array, ends: Array, truth: float | None) -> tuple[float, float]:
    """Return what an axis shows: the narrowest interval, most of the estimates, the truth."""
    shown = [] if truth is None else [truth]
    if len(ends):
        shown += list(ends[np.argmin(ends[:, 1] - ends[:, 0])])
    if len(points):
        shown += list(np.quantile(points, [0.2, 0.8]))
    if not shown:
        return 0.0, 0.0
    middle, half = (min(shown) + max(shown)) / 2, (max(shown) - min(shown)) / 2
    return middle - ZOOM * half / 2, middle + ZOOM * half / 2
