"""Figure of what was measured against what the payload explains, joint by joint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...core.identification.bound_use import BoundUse
from .interval_figure import BAND, LINE
from .picture_file import literal, tidy

COLUMNS = 4
MOST = 250  # points in a panel


def torque_figure(
    use: BoundUse, names: Sequence[str], units: Sequence[str], size: tuple[float, float]
) -> Figure:
    """Return a panel for each joint: means over windows, and the band that the bounds allow.

    Args:
        use: What was measured and explained.
        names: Of the joints or channels.
        units: Of their torques or forces.
        size: Width and height [inches].
    """
    figure = Figure(figsize=size, layout="constrained")
    rows = -(-len(names) // COLUMNS)
    axes = np.ravel(figure.subplots(rows, COLUMNS, sharex=True, squeeze=False))
    for j, axis in enumerate(axes):
        if j >= len(names):
            axis.set_axis_off()
            continue
        _panel(axis, use, j)
        axis.set_title(f"{literal(names[j])} [{units[j]}]", fontsize=8)
        if j >= (rows - 1) * COLUMNS:
            axis.set_xlabel("time [s]", fontsize=8)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=7.5)
    return figure


def _panel(axis: Axes, use: BoundUse, j: int) -> None:
    """Draw one joint."""
    own = np.flatnonzero(use.joint == j)
    own = own[np.argsort(use.time[own], kind="stable")]
    own = own[:: max(1, -(-len(own) // MOST))]
    time, explained, bound = use.time[own], use.explained[own], use.bound[own]
    axis.fill_between(time, explained - bound, explained + bound, color=BAND, lw=0, alpha=0.8,
                      label="payload as it fits best, ± what the stated bounds allow")  # fmt: skip
    axis.plot(time, explained, color=LINE, lw=0.9)
    label = "measured, less what is not the payload"
    axis.plot(time, use.measured[own], "o", color="black", ms=1.6, label=label)
    axis.yaxis.set_major_locator(MaxNLocator(4))
    axis.margins(x=0)
    tidy(axis, size=7)
