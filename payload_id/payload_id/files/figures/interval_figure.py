"""Figures of a run: intervals over time, against the truth where it is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS
from ...core.identification.estimate import Estimate
from ...core.identification.status import Status
from .number_format import UNIT_TEXTS, digits, number
from .picture_file import save_picture

BAND, LINE, TRUTH = "#9ecae1", "#08519c", "#d94801"
LABELS = tuple(
    name if name == "m" else f"{name[0]}$_{{{name[1:]}}}$" for name in PARAMETERS
)  # hx -> h with index x
ZOOM = 4.0  # axes show this many final half-widths to each side
GOOD = (Status.GOOD, Status.USABLE, Status.SMALL_LOAD)


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
    figure = Figure(figsize=(15, 6.4), layout="constrained")
    axes = figure.subplots(2, 5, sharex=True)
    time = np.array([estimate.seconds for estimate in history])
    for k, axis in enumerate(axes.ravel()):
        _panel(axis, k, time, history, None if truth is None else float(truth[k]))
    for axis in axes[1]:
        axis.set_xlabel("data [s]")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle(title, fontsize=13, fontweight="bold")
    return save_picture(figure, path)


def _panel(
    axis: Axes, k: int, time: Array, history: Sequence[Estimate], truth: float | None
) -> None:
    """Draw one parameter."""
    lower = np.array([estimate.lower[k] for estimate in history])
    upper = np.array([estimate.upper[k] for estimate in history])
    phi = np.array([estimate.phi[k] for estimate in history])
    last = history[-1]
    axis.fill_between(time, lower, upper, color=BAND, label="interval", linewidth=0)
    axis.plot(time, lower, color=LINE, linewidth=0.8)
    axis.plot(time, upper, color=LINE, linewidth=0.8)
    axis.plot(time, phi, color=LINE, linewidth=1.8, label="estimate")
    if truth is not None:
        axis.axhline(truth, color=TRUTH, linewidth=1.5, linestyle="--", label="truth")
    width = float(last.half_width[k])
    if last.status in GOOD and np.isfinite(width):
        middle = float(last.lower[k] + last.upper[k]) / 2
        axis.set_ylim(middle - ZOOM * width, middle + ZOOM * width)
    value = number(float(last.phi[k]), digits(width))
    spread = f" ± {number(width, digits(width))}" if np.isfinite(width) else ""
    axis.set_title(f"{LABELS[k]} = {value}{spread} {UNIT_TEXTS[k]}", fontsize=10)
    axis.ticklabel_format(useOffset=False)
    axis.grid(alpha=0.25)
    axis.margins(x=0)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
