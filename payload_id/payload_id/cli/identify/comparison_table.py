"""How comparisons look in the terminal."""

from __future__ import annotations

import math

import numpy as np
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ...core.body.inertial import PARAMETERS, mass_com_inertia
from ...core.number_format import UNIT_TEXTS, digits, number
from ..common.presentation import plain_table
from .comparison import Comparison, Point, Spread


def estimator_table(comparison: Comparison, residual_unit: str) -> Table:
    """Return one line for each estimator.

    Args:
        comparison: The results.
        residual_unit: Of the residual.
    """
    table = plain_table()
    table.add_column("estimator", no_wrap=True)
    for name in ("mass\n[kg]", "centre of mass\n[mm]", "Ixx Iyy Izz\nabout it [g m²]"):
        table.add_column(escape(name), justify="right", no_wrap=True)
    table.add_column(escape(f"residual\n[{residual_unit}]"), justify="right", no_wrap=True)
    table.add_column("physi-\ncal", justify="center", no_wrap=True)
    table.add_column(escape("time\n[ms]"), justify="right", no_wrap=True)
    if comparison.truth is not None:
        for name in ("Δ mass", "Δ CoM", "Δ I"):
            table.add_column(escape(f"{name}\n[%]"), justify="right", no_wrap=True)
    for point in comparison.points:
        table.add_row(*_point_cells(comparison, point))
    return table


def _point_cells(comparison: Comparison, point: Point) -> list[str | Text]:
    """Return the cells of one estimator."""
    if point.failure:
        return [point.name, Text("failed", style="bold red")]
    mass, com, inertia = mass_com_inertia(point.phi)
    width = comparison.narrowest
    mass_width, place, moments = width[0], "–", "–"
    if mass > 0:
        decimals = [digits(1e3 * x / mass) for x in width[1:4]]
        place = "  ".join(number(1e3 * c, d) for c, d in zip(com, decimals, strict=True))
        decimals = [digits(1e3 * x) for x in width[[4, 7, 9]]]
        both = zip(1e3 * np.diag(inertia), decimals, strict=True)
        moments = "  ".join(number(x, d) for x, d in both)
    cells: list[str | Text] = [
        point.name,
        number(mass, digits(mass_width)),
        place,
        moments,
        f"{point.residual:.3g}",
        Text("yes", style="green") if point.consistent else Text("NO", style="bold red"),
        f"{1e3 * point.seconds:.1f}",
    ]
    found = comparison.errors(point)
    if found is not None:
        cells += [_per_cent(value) for value in (found.mass, found.com, found.inertia)]
    return cells


def _per_cent(value: float) -> str:
    """Return an error with three digits."""
    if not math.isfinite(value):
        return "–"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def interval_table(comparison: Comparison) -> Table:
    """Return half-widths, one line for each parameter, one pair of columns for each method."""
    table = plain_table()
    table.add_column("half-width")
    table.add_column("unit", no_wrap=True)
    compared = comparison.reference is not None
    for spread in comparison.spreads:
        table.add_column(spread.name.replace("_", "_\n"), justify="right", no_wrap=True)
        if compared and spread.name != "hull":
            table.add_column("× hull", justify="right", style="dim")
    for k in range(10):
        cells: list[str | Text] = [PARAMETERS[k], UNIT_TEXTS[k]]
        for spread in comparison.spreads:
            cells.append(_short(spread.half_width[k]))
            if compared and spread.name != "hull":
                cells.append(_short(float(comparison.ratio(spread)[k])))
        table.add_row(*cells)
    for title, cell in _FOOTER.items():
        if title == "truth inside" and comparison.truth is None:
            continue
        row: list[str | Text] = [title, ""]
        for spread in comparison.spreads:
            row.append(cell(comparison, spread))
            if compared and spread.name != "hull":
                row.append("")
        table.add_row(*row)
    return table


def _short(value: float) -> str:
    """Return a number with three digits, a dash if it is not known."""
    return f"{value:.3g}" if math.isfinite(value) else "–"


def _consistent(comparison: Comparison, spread: Spread) -> Text:
    """Tell whether the rows were consistent."""
    if spread.bounds.consistent:
        return Text("yes", style="green")
    factor = spread.bounds.noise_factor
    return Text(f"NO (x{factor:.3g})" if math.isfinite(factor) else "NO", style="bold red")


def _inside(comparison: Comparison, spread: Spread) -> Text:
    """Tell how many true parameters lie in their intervals."""
    truth = comparison.truth
    if truth is None or not spread.bounds.consistent:
        return Text("–")
    count = int(spread.contains(truth).sum())
    return Text(f"{count} of 10", style="green" if count == 10 else "bold red")


_FOOTER = {
    "hull / this, mean": lambda comparison, spread: Text(_short(comparison.hull_over(spread))),
    "data consistent": _consistent,
    "truth inside": _inside,
    "guaranteed": lambda _, spread: Text("yes" if spread.guaranteed else "no"),
    "time, ms": lambda _, spread: Text(f"{1e3 * spread.seconds:.1f}"),
}
