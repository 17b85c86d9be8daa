"""A picture of a team: grasp frames, the payload as an ellipsoid, forces, intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS
from ...core.number_format import UNIT_TEXTS, digits, number
from .payload_figure import ellipsoid, outline
from .picture_file import literal, save_picture

AXES_COLOURS = ("#d62728", "#2ca02c", "#1f77b4")  # x, y, z
BODY, TRUTH, FORCE, LINE = "#9ecae1", "#d94801", "#e6a700", "#08519c"
ARM = 0.2  # length of drawn axes [m]
NEWTON = 0.009  # length of a drawn force for each newton [m/N]


@dataclass(frozen=True)
class TeamPicture:
    """What is drawn, in the reference robot's grasp frame.

    Attributes:
        frames: R_si (3, 3) and p_si (3,) [m] by robot.
        forces: Force on the payload at each grasp, in the reference frame, shape (3,) [N].
        phi: Point estimate, shape (10,).
        lower: Lower ends of the intervals, shape (10,).
        upper: Upper ends, shape (10,).
        truth: True parameters, shape (10,); None: not known.
        true_positions: True p_si by robot; empty: not known.
    """

    frames: Mapping[str, tuple[Array, Array]]
    forces: Mapping[str, Array]
    phi: Array
    lower: Array
    upper: Array
    truth: Array | None
    true_positions: Mapping[str, Array]


def team_figure(path: Path, picture: TeamPicture, title: str) -> Path:
    """Draw a team from the side and from above, and the ten intervals.

    Args:
        path: File to write.
        picture: What is drawn.
        title: Headline.

    Returns:
        path: The file.
    """
    figure = Figure(figsize=(15, 8.2), layout="constrained")
    grid = figure.add_gridspec(2, 5, height_ratios=(2.3, 1.0), width_ratios=(1, 1, 1, 1, 1))
    scene = figure.add_subplot(grid[0, :3], projection="3d")
    above = figure.add_subplot(grid[0, 3:])
    _scene(scene, picture)
    _above(above, picture)
    bars = grid[1, :].subgridspec(1, 10, wspace=0.15)
    for k in range(10):
        _interval(figure.add_subplot(bars[0, k]), k, picture)
    figure.suptitle(literal(title), fontsize=13, fontweight="bold")
    return save_picture(figure, path)


def _scene(axis: Any, picture: TeamPicture) -> None:
    """Draw everything in space."""
    _draw_ellipsoid(axis, picture.phi, BODY, 0.22)
    for name, (rotation, position) in picture.frames.items():
        for k, colour in enumerate(AXES_COLOURS):
            _line(axis, position, position + ARM * rotation[:, k], colour, 2.5)
        axis.text(*(position + [0.0, 0.0, -0.12]), literal(name), fontsize=10, ha="center")
        if name in picture.forces:
            _arrow(axis, position, NEWTON * picture.forces[name])
    _frame_lines(axis, [p for _, p in picture.frames.values()])
    low, high = _extent(picture)
    for set_limits, a, b in zip(
        (axis.set_xlim, axis.set_ylim, axis.set_zlim), low, high, strict=True
    ):
        set_limits(a, b)
    axis.set_box_aspect(high - low, zoom=1.2)
    axis.view_init(elev=24, azim=-62)
    axis.set_xlabel("x [m]")
    axis.set_ylabel("y [m]")
    axis.set_zlabel("z [m]")
    axis.set_title("grasp frames, equivalent ellipsoid of the payload, forces", fontsize=10)


def _extent(picture: TeamPicture) -> tuple[Array, Array]:
    """Return corners of the box around grasps, forces and ellipsoid, each of shape (3,) [m]."""
    points = [np.full(3, -ARM), np.full(3, ARM)]
    for name, (_, position) in picture.frames.items():
        points += [position - ARM, position + ARM]
        points.append(position + NEWTON * picture.forces.get(name, np.zeros(3)))
    if (found := ellipsoid(picture.phi)) is not None:
        centre, axes, half = found
        reach = np.linalg.norm(axes * half, axis=1)  # of the ellipsoid along x, y, z
        points += [centre - reach, centre + reach]
    return np.min(points, axis=0), np.max(points, axis=0)


def _above(axis: Axes, picture: TeamPicture) -> None:
    """Draw places from above, with the truth where it is known."""
    found = ellipsoid(picture.phi)
    if found is not None:
        shadow = outline(*found)
        axis.fill(shadow[:, 0], shadow[:, 1], color=BODY, alpha=0.4, label="payload")
        axis.plot(*found[0][:2], "o", color=LINE, label="centre of mass", zorder=4)
    _com_box(axis, picture)
    for name, (rotation, position) in picture.frames.items():
        for k, colour in enumerate(AXES_COLOURS[:2]):
            end = position + ARM * rotation[:, k]
            axis.plot([position[0], end[0]], [position[1], end[1]], color=colour, linewidth=2.5)
        axis.annotate(
            literal(name),
            (position[0], position[1]),
            (6, -14),
            textcoords="offset points",
            fontsize=10,
        )
    label = "truth"
    for place in picture.true_positions.values():
        axis.plot(*place[:2], "x", color=TRUTH, markersize=9, label=label, zorder=5)
        label = ""
    if picture.truth is not None:
        com = picture.truth[1:4] / picture.truth[0]
        axis.plot(*com[:2], "x", color=TRUTH, markersize=9, zorder=5)
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_xlabel("x [m]")
    axis.set_ylabel("y [m]")
    axis.grid(alpha=0.25)
    axis.margins(0.12)
    if axis.get_legend_handles_labels()[0]:
        axis.legend(loc="upper left", fontsize=9, frameon=False)
    axis.set_title("from above", fontsize=10)


def _interval(axis: Axes, k: int, picture: TeamPicture) -> None:
    """Draw one interval, the estimate in it, and the truth."""
    low, high, value = (float(x[k]) for x in (picture.lower, picture.upper, picture.phi))
    bounded = np.isfinite([low, high]).all()
    if bounded:
        axis.axhspan(low, high, color=BODY, alpha=0.8, label="interval")
        axis.set_ylim(low - 0.6 * (high - low + 1e-9), high + 0.6 * (high - low + 1e-9))
    axis.axhline(value, color=LINE, linewidth=2, label="estimate")
    if picture.truth is not None:
        axis.axhline(float(picture.truth[k]), color=TRUTH, linestyle="--", label="truth")
    places = digits((high - low) / 2) if bounded else 3
    text = f"{PARAMETERS[k]} = {number(value, places)}\n"
    farther = number(max(high - value, value - low), places)
    text += f"± {farther} {UNIT_TEXTS[k]}" if bounded else "no interval"
    axis.set_title(text, fontsize=9)
    axis.set_xticks([])
    axis.tick_params(labelsize=7)
    for side in ("top", "right", "bottom"):
        axis.spines[side].set_visible(False)


def _com_box(axis: Axes, picture: TeamPicture) -> None:
    """Draw the bounds of the centre of mass, where there are any."""
    low, high = picture.lower, picture.upper
    if not (low[0] > 0 and np.isfinite([low[:3], high[:3]]).all()):
        return
    corners = np.outer([1 / low[0], 1 / high[0]], np.concatenate([low[1:3], high[1:3]]))
    ends = corners.reshape(4, 2)
    (x0, y0), (x1, y1) = ends.min(axis=0), ends.max(axis=0)
    axis.plot([x0, x1, x1, x0, x0], [y0, y0, y1, y1, y0], color=LINE, linewidth=1.0)


def _draw_ellipsoid(axis: Any, phi: Array, colour: str, opacity: float) -> None:
    """Draw a payload's equivalent ellipsoid."""
    if (found := ellipsoid(phi)) is None:
        return
    centre, axes, half = found
    u, v = np.mgrid[0 : 2 * np.pi : 40j, 0 : np.pi : 20j]
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])
    x, y, z = np.einsum("ij,jab->iab", axes * half, ball) + centre[:, None, None]
    axis.plot_surface(x, y, z, color=colour, alpha=opacity, linewidth=0, shade=False)
    axis.plot_wireframe(x, y, z, color=LINE, alpha=0.12, linewidth=0.6, rstride=5, cstride=4)
    axis.scatter(*centre, color=LINE, s=30, depthshade=False)


def _frame_lines(axis: Any, places: Sequence[Array]) -> None:
    """Join the grasps, so that the eye finds their plane."""
    closed = np.array([*places, *places[:1]]).reshape(-1, 3)
    axis.plot(*closed.T, color="#888888", linewidth=1.0, linestyle=":")


def _line(axis: Any, start: Array, end: Array, colour: str, width: float) -> None:
    axis.plot(*np.stack([start, end]).T, color=colour, linewidth=width)


def _arrow(axis: Any, start: Array, along: Array) -> None:
    axis.quiver(*start, *along, color=FORCE, linewidth=2.5, arrow_length_ratio=0.2)
