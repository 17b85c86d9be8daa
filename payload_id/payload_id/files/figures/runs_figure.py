"""Figure of several runs of one payload: the interval of each parameter, run by run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...core.arrays import Array
from ...core.number_format import UNIT_TEXTS
from .interval_figure import BAND, LABELS, LINE, UNKNOWN_LINE
from .picture_file import literal, tidy


def runs_figure(
    names: Sequence[str], phi: Array, lower: Array, upper: Array, size: tuple[float, float]
) -> Figure:
    """Return bars for each parameter, the first run on top; what they share lies between lines.

    Args:
        names: Of the R runs.
        phi: Point estimates, shape (R, 10).
        lower: Lower ends, shape (R, 10).
        upper: Upper ends, shape (R, 10).
        size: Width and height [inches].
    """
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(2, 5, sharey=True)
    rows = np.arange(len(names))
    for k, axis in enumerate(axes.ravel()):
        axis.use_sticky_edges = False  # room beside the bars
        known = np.isfinite(lower[:, k]) & np.isfinite(upper[:, k])
        low, high = lower[known, k], upper[known, k]
        axis.barh(rows[known], high - low, left=low, height=0.55, color=BAND)
        axis.plot(phi[:, k], rows, "o", color=LINE, ms=3.5)
        if known.sum() > 1 and low.max() <= high.min():
            for end in (low.max(), high.min()):
                axis.axvline(end, color=UNKNOWN_LINE, lw=0.8, ls="--")
        axis.set_title(f"{LABELS[k]} [{UNIT_TEXTS[k]}]", fontsize=8)
        axis.xaxis.set_major_locator(MaxNLocator(3))
        axis.ticklabel_format(axis="x", useOffset=False)
        tidy(axis, "x", 7)
    axes[0, 0].set_yticks(rows, list(map(literal, names)))
    axes[0, 0].invert_yaxis()
    return figure
