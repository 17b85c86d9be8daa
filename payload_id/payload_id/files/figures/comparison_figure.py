"""Figure of a comparison: what each method says of each parameter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...core.arrays import Array
from .interval_figure import BAND, LABELS, LINE, TRUTH
from .picture_file import save_picture

ZOOM = 3.0  # axes show this many times what the narrowest interval and the bulk of estimates span


def draw_comparison(
    path: Path,
    points: Mapping[str, Array],
    intervals: Mapping[str, tuple[Array, Array]],
    title: str,
    truth: Array | None = None,
) -> Path:
    """Draw estimates as dots and intervals as bars, one panel for each parameter.

    Args:
        path: PNG file to write.
        points: phi by estimator, shape (10,).
        intervals: Lower and upper ends by interval method, shape (10,) each.
        title: Headline.
        truth: True parameters, shape (10,), if known.

    Returns:
        path: The file.
    """
    figure = Figure(figsize=(16, 7.2), layout="constrained")
    axes = figure.subplots(2, 5, sharey=True)
    names = [*points, *intervals]
    for k, axis in enumerate(axes.ravel()):
        _panel(
            axis,
            np.array([phi[k] for phi in points.values()]),
            np.array([(low[k], high[k]) for low, high in intervals.values()]).reshape(-1, 2),
            None if truth is None else float(truth[k]),
        )
        axis.set_title(LABELS[k], fontsize=11)
    axes[0, 0].set_yticks(range(len(names)), names)
    axes[0, 0].invert_yaxis()
    figure.suptitle(f"{title}: estimates (dots), intervals (bars)", fontweight="bold")
    return save_picture(figure, path)


def _panel(axis: Axes, points: Array, ends: Array, truth: float | None) -> None:
    """Draw one parameter; what lies far outside is cut off."""
    rows = len(points) + np.arange(len(ends))
    axis.barh(rows, ends[:, 1] - ends[:, 0], left=ends[:, 0], color=BAND, height=0.6)
    axis.plot(points, np.arange(len(points)), "o", color=LINE, markersize=5)
    if truth is not None:
        axis.axvline(truth, color=TRUTH, linestyle="--", linewidth=1.4, label="truth")
        axis.legend(frameon=False, fontsize=8)
    low, high = _limits(points[np.isfinite(points)], ends, truth)
    if high > low:
        axis.set_xlim(low, high)
    axis.grid(alpha=0.25, axis="x")
    axis.tick_params(axis="x", labelsize=8)
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
