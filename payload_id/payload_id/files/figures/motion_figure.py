"""Figure of a certified motion: how much of each limit it may use, and how near bodies come."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...core.arrays import Array
from ...core.safety.certificate.limit_use import LimitUse
from .picture_file import literal, save_picture, tidy

LIMIT = "black"
TITLES = {
    "position": "position",
    "velocity": "velocity",
    "acceleration": "acceleration",
    "torque": "torque, for every payload in its interval",
}


def draw_limit_use(path: Path, use: LimitUse, joints: Sequence[str], title: str) -> Path:
    """Draw parts of limits by joint, and clearances, over time.

    Args:
        path: Picture to write.
        use: What is drawn.
        joints: Names of the joints.
        title: Headline.

    Returns:
        path: The file.
    """
    shown = [name for name in TITLES if np.isfinite(use.joints[name]).any()]
    panels = [*shown, *(["clearance"] if use.clearance else [])]
    if len(panels) % 2:
        panels.append(panels[-1])  # the last one is as wide as two
    rows = [panels[k : k + 2] for k in range(0, len(panels), 2)]
    figure = Figure(figsize=(13, 1.2 + 3.0 * len(rows)), layout="constrained")
    axes: dict[str, Axes] = figure.subplot_mosaic(rows)
    for name in shown:
        _joints(axes[name], use.edges, 100 * use.joints[name], joints)
        axes[name].set_title(TITLES[name], fontsize=10)
    if use.clearance:
        _clearances(axes["clearance"], use)
    for name in set(rows[-1]):
        axes[name].set_xlabel("time [s]")
    handles, labels = axes[shown[0]].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle(literal(title), fontsize=13, fontweight="bold")
    return save_picture(figure, path)


def _joints(axis: Axes, edges: Array, used: Array, joints: Sequence[str]) -> None:
    """Draw a step line for each joint, shape (K, n) [%]."""
    colours = colormaps["tab10"](np.arange(len(joints)) % 10)
    for j, joint in enumerate(joints):
        if np.isfinite(used[:, j]).any():
            axis.stairs(
                used[:, j], edges, baseline=None, color=colours[j], label=literal(joint), lw=1.4
            )
        else:
            axis.plot([], [], color=colours[j], label=literal(joint), lw=1.4)
    axis.axhline(100.0, color=LIMIT, lw=1.5, ls="--", label="limit")
    axis.set_ylabel("used at most [%]")
    axis.set_ylim(0.0, 112.0)
    axis.margins(x=0)
    tidy(axis)


def _clearances(axis: Axes, use: LimitUse) -> None:
    """Draw the smallest distance of each group of bodies."""
    colours = dict(zip(use.clearance, ("#08519c", "#6baed6", "#74c476"), strict=False))
    for group, left in use.clearance.items():
        axis.plot(use.time, 1000 * left, color=colours[group], lw=1.6, label=literal(group))
    axis.axhline(0.0, color=LIMIT, lw=1.5, ls="--")
    axis.set_ylabel("left at least [mm]")
    axis.set_ylim(bottom=min(0.0, *(1000 * x.min() for x in use.clearance.values())) - 10.0)
    axis.set_title("distances beyond the required one, tracking errors included", fontsize=10)
    axis.legend(frameon=False, fontsize=8)
    axis.margins(x=0)
    tidy(axis)
