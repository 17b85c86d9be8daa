"""Files of figures: the path that is truly written, known before there is anything to draw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...core.errors import ConfigurationError
from ..configuration.atomic_write import check_place, saved_file

if TYPE_CHECKING:  # takes longer to import than most commands to run
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 110
FORMATS = ("png", "pdf", "svg", "jpg", "webp")


def literal(text: str) -> str:
    """Return what stands in a figure as a text does: between dollars Matplotlib sets formulas."""
    return text.replace("$", r"\$")


def tidy(axis: Axes, grid: Literal["both", "x", "y"] = "both", size: float | None = None) -> None:
    """Draw a light grid, no frame above and to the right, and letters of a size."""
    axis.grid(alpha=0.25, axis=grid)
    axis.spines[["top", "right"]].set_visible(False)
    if size is not None:
        axis.tick_params(labelsize=size)


def picture_place(path: Path) -> Path:
    """Return where a figure is written, before the work that it shows: `.png` where none is named.

    Raises:
        ConfigurationError: It cannot be written, or nothing of this name is a picture.
    """
    form = path.suffix[1:].lower()
    if not form:
        path = path.with_name(f"{path.name}.png") if path.name else path
    elif form not in FORMATS:
        raise ConfigurationError(
            f"A figure is written as {', '.join(FORMATS)}; found '{path.name}'. Let its name end "
            "in .png."
        )
    return check_place(path, "figure")


def save_picture(figure: Figure, path: Path) -> Path:
    """Write a figure; return its path.

    Raises:
        ConfigurationError: It cannot be written.
    """
    path = picture_place(path)
    with saved_file(path, "figure") as file:
        figure.savefig(file, dpi=DPI, format=path.suffix[1:].lower())
    return path
