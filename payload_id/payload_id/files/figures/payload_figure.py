"""Figure of a payload at the flange: the ellipsoid that it is equivalent to, drawn to scale."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ...core.arrays import Array
from ...core.body.equivalent_ellipsoid import equivalent_ellipsoid
from ...core.body.inertial import mass_com_inertia
from .interval_figure import BAND, LINE, UNKNOWN_LINE
from .picture_file import literal

VIEWS = (
    (0, 2, "from the side, along y"),
    (1, 2, "from the side, along x"),
    (0, 1, "from the front, along z"),
)
NAMES = "xyz"
FLANGE = 0.03  # half the width of the drawn flange [m]
ROOM = 1.15  # axes reach this many times as far as what is drawn


def ellipsoid(phi: Array) -> tuple[Array, Array, Array] | None:
    """Return centre (3,) [m], axes as columns (3, 3) and semi-axes (3,) [m]; None: no body."""
    mass, com, inertia = mass_com_inertia(phi)
    if not (mass > 0.0 and np.isfinite(inertia).all()):
        return None
    moments, axes = np.linalg.eigh(inertia)
    return com, axes, equivalent_ellipsoid(mass, moments)


def outline(centre: Array, axes: Array, half: Array, plane: tuple[int, int]) -> Array:
    """Return the outline of an ellipsoid seen along the axis that `plane` lacks, shape (k, 2) [m].

    The shadow of x' S^-1 x = 1, S = A diag(a^2) A', is the ellipse of S's block of that plane.
    """
    spread = ((axes * half**2) @ axes.T)[np.ix_(plane, plane)]
    root = np.linalg.cholesky(spread + 1e-12 * np.eye(2))
    turn = np.linspace(0.0, 2 * np.pi, 100)
    return np.asarray(centre[list(plane)] + np.stack([np.cos(turn), np.sin(turn)], axis=1) @ root.T)


def payload_figure(
    phi: Array, low: Array, high: Array, frame: str, size: tuple[float, float]
) -> Figure:
    """Return three views of a payload in the axes of its frame, in millimetres, to one scale.

    Args:
        phi: Point estimate, shape (10,).
        low: Lower ends of the centre of mass, shape (3,) [m]; -inf where there are none.
        high: Upper ends, shape (3,) [m].
        frame: Name of the frame.
        size: Width and height [inches].
    """
    figure = Figure(figsize=size, layout="constrained")
    found = ellipsoid(phi)
    middle, half = _extent(found, low, high)
    for axis, (k, m, title) in zip(figure.subplots(1, 3), VIEWS, strict=True):
        _flange(axis, m, frame)
        if found is not None:
            shadow = 1e3 * outline(*found, (k, m))
            axis.fill(shadow[:, 0], shadow[:, 1], color=BAND, alpha=0.55, lw=0,
                      label="body of the same mass and inertia")  # fmt: skip
            axis.plot(*shadow.T, color=LINE, lw=0.8)
            centre = 1e3 * found[0]
            axis.plot(centre[k], centre[m], "o", color=LINE, ms=4, label="centre of mass")
        _box(axis, (k, m), 1e3 * low, 1e3 * high)
        axis.set_xlim(middle[k] - half, middle[k] + half)
        axis.set_ylim(middle[m] - half, middle[m] + half)
        axis.set_aspect("equal")
        axis.set_xlabel(f"{NAMES[k]} [mm]", fontsize=8)
        axis.set_ylabel(f"{NAMES[m]} [mm]", fontsize=8)
        axis.set_title(title, fontsize=8)
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.25)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=7.5)
    return figure


def _extent(
    found: tuple[Array, Array, Array] | None, low: Array, high: Array
) -> tuple[Array, float]:
    """Return the middle of what is drawn, shape (3,), and how far axes reach from it [mm]."""
    points = [np.full(3, -FLANGE), np.full(3, FLANGE)]
    if found is not None:
        centre, axes, half = found
        extent = np.linalg.norm(axes * half, axis=1)  # of the ellipsoid along x, y, z
        points += [centre - extent, centre + extent]
    if np.isfinite([low, high]).all():
        points += [low, high]
    lowest, highest = np.min(points, axis=0), np.max(points, axis=0)
    reach = ROOM * float((highest - lowest).max()) / 2
    return 1e3 * (lowest + highest) / 2, 1e3 * reach


def _flange(axis: Axes, vertical: int, frame: str) -> None:
    """Draw the flange at the origin: a disc from ahead, its edge from the side."""
    width = 1e3 * FLANGE
    if vertical == 2:
        axis.add_patch(Rectangle((-width, -0.3 * width), 2 * width, 0.3 * width, color=UNKNOWN_LINE,
                                 lw=0, label=f"origin of {literal(frame)}"))  # fmt: skip
    else:
        turn = np.linspace(0.0, 2 * np.pi, 60)
        axis.plot(width * np.cos(turn), width * np.sin(turn), color=UNKNOWN_LINE, lw=1.2)
    axis.plot(0, 0, "+", color="black", ms=6)


def _box(axis: Axes, plane: tuple[int, int], low: Array, high: Array) -> None:
    """Draw where the centre of mass may be, if that is bounded."""
    k, m = plane
    if not np.isfinite([low[k], low[m], high[k], high[m]]).all():
        return
    axis.add_patch(
        Rectangle(
            (low[k], low[m]), high[k] - low[k], high[m] - low[m], fill=False, ec=LINE, lw=1.0,
            ls="--", label="where the centre of mass may be",
        )
    )  # fmt: skip
