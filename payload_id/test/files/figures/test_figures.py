"""Figures say what they show: units, what is not identified, what is cut off; and can be read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from payload_id.cli.common.presentation import centre_of_mass
from payload_id.core.body.inertial import PARAMETERS, UNITS, from_mass_com_inertia
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.status import Status, times_as_large
from payload_id.files.figures import comparison_figure, interval_figure
from payload_id.files.figures.number_format import number, rounded

PHI = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
WIDTH = 0.05 * np.array([1.0, *[0.1] * 3, *[0.01] * 6])
KNOWN = np.ones(10, dtype=bool)


def estimate(factor: float, identified=KNOWN, status: Status = Status.GOOD) -> Estimate:
    """Return an estimate whose half-widths are a factor times `WIDTH`."""
    return Estimate(
        status=status, message="", phi=PHI, lower=PHI - factor * WIDTH, upper=PHI + factor * WIDTH,
        identifiable=identified, payload_frame="tool",
        estimator="lmi", intervals="hull", samples=100, windows=int(100 / factor),
        seconds=10.0 / factor, residual_rms=0.1, condition_number=10.0, noise_factor=1.0,
    )  # fmt: skip


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Return what is drawn, in place of writing it."""
    figures: list[Figure] = []
    for module in (interval_figure, comparison_figure):
        monkeypatch.setattr(module, "save_picture", lambda figure, path: figures.append(figure))
    return figures


def panels(figure: Figure) -> list[Axes]:
    assert len(figure.axes) == 10
    assert len(figure.legends) == 1 and not any(axis.get_legend() for axis in figure.axes)
    return list(figure.axes)


def hatched(axis: Axes) -> bool:
    """Return whether a panel has a hatched grey band, rather than a plain one."""
    parts = [x for x in axis.collections if isinstance(x, PolyCollection)] + list(axis.patches)
    (found,) = {bool(part.get_hatch()) for part in parts}
    return found


def arrows(axis: Axes, markers: str) -> int:
    return sum(line.get_marker() in markers for line in axis.lines)


def test_parameters_that_are_not_identified_look_different(drawn):
    some = KNOWN.copy()
    some[[0, 5]] = False
    history = [estimate(f, some, Status.USABLE) for f in (3.0, 2.0, 1.0)]
    interval_figure.intervals_over_time(Path("x"), history, "title", PHI)
    for k, axis in enumerate(panels(drawn[0])):
        assert hatched(axis) == (not some[k])
        assert ("not identified" in axis.get_title()) == (not some[k])
        assert UNITS[k].replace("m2", "m²") in axis.get_title()


@pytest.mark.parametrize(("widest", "cut"), [(2.0, 0), (30.0, 1)])
def test_bands_that_leave_the_panel_have_arrows(drawn, widest, cut):
    interval_figure.intervals_over_time(Path("x"), [estimate(f) for f in (widest, 1.0)], "title")
    for axis in panels(drawn[0]):
        assert arrows(axis, "^") == arrows(axis, "v") == cut
    assert (interval_figure.CUT in words(drawn[0])) == bool(cut)


def test_data_without_intervals_draw_no_band(drawn):
    nothing = replace(
        estimate(1.0, ~KNOWN, Status.INCONSISTENT),
        lower=np.full(10, -np.inf), upper=np.full(10, np.inf),
    )  # fmt: skip
    interval_figure.intervals_over_time(Path("x"), [nothing, nothing], "title", PHI)
    for axis in panels(drawn[0]):
        assert not axis.collections and not arrows(axis, "^v")
        assert "no interval" in axis.get_title()


def words(figure: Figure) -> list[str]:
    """Return the legend's entries; each of them stands there once."""
    (legend,) = figure.legends
    found = [text.get_text() for text in legend.get_texts()]
    assert len(found) == len(set(found))
    return found


def test_a_comparison_has_units_legible_ticks_and_arrows(drawn):
    some = KNOWN.copy()
    some[4] = False
    missing = np.full(10, np.nan)
    comparison_figure.draw_comparison(
        Path("x"),
        {**dict.fromkeys("abcde", PHI), "wls": PHI + 0.3 * WIDTH, "ols": PHI + 40 * WIDTH},
        {"hull": (PHI - WIDTH, PHI + WIDTH), "wide": (PHI - 9 * WIDTH, PHI + 9 * WIDTH),
         "guess": (PHI - 2 * WIDTH, PHI + 2 * WIDTH), "wrong": (missing, missing)},
        "title", PHI, some, ["guess"],
    )  # fmt: skip
    figure = drawn[0]
    FigureCanvasAgg(figure).draw()
    for k, axis in enumerate(panels(figure)):
        assert f"[{UNITS[k].replace('m2', 'm²')}]" in axis.get_title()
        assert PARAMETERS[k][0] in axis.get_title()
        assert arrows(axis, "<") >= 1 and arrows(axis, ">") >= 2  # "wide" both ways, and "ols"
        low, high = axis.get_xlim()
        ticks = axis.get_xticklabels()
        shown = [x for x in ticks if x.get_text() and low <= x.get_position()[0] <= high]
        boxes = sorted((x.get_window_extent() for x in shown), key=lambda box: box.x0)
        assert 2 <= len(boxes) <= 6
        assert all(a.x1 < b.x0 for a, b in zip(boxes, boxes[1:], strict=False))
        assert any(patch.get_hatch() for patch in axis.patches) == (not some[k])
    names = [x.get_text() for x in figure.axes[0].get_yticklabels()]
    assert names == [*"abcde", "wls", "ols", "hull", "wide", "guess", "wrong: contradiction"]
    assert {"truth", "estimate", "interval without guarantee"} <= set(words(figure))


@pytest.mark.parametrize("factor", [1.0, 1.0 + 1e-12, 1.0001, 1.004, 1.0499, 1.05, 2.5, 1e8])
def test_nothing_is_ever_said_to_be_once_as_large(factor):
    said = times_as_large(factor)
    assert not said.startswith("1 times") and ("larger" in said or "times as large" in said)
    if factor >= 1.05:
        assert float(said.split()[0]) == pytest.approx(factor, rel=5e-3)


@pytest.mark.parametrize("size", [1e-4, 3e-3, 0.2, 7.0])
def test_numbers_are_rounded_by_their_interval(size):
    low, high = 1.23456789 - size, 1.23456789 + size
    value, ends = rounded(1.23456789, low, high).split(" ", 1)
    decimals = len(value.partition(".")[2])
    step = 10.0**-decimals
    assert abs(float(value) - 1.23456789) <= step / 2 + 1e-12
    assert size / 101 < step <= size / 5  # two digits of the half-width
    assert ends == f"[{number(low, decimals)}, {number(high, decimals)}]"


def test_a_centre_of_mass_without_bounds_says_why():
    tight, wide = centre_of_mass(estimate(0.1)), centre_of_mass(estimate(20.0))
    assert "[" in tight.partition(": ")[2] and "no bounds" not in tight
    vague = estimate(1.0)
    vague = replace(vague, lower=np.concatenate([[0.1], vague.lower[1:] - 1.0]))
    said = centre_of_mass(vague)
    assert "–" not in said and "no bounds on x, y, z narrower than 500 mm" in said
    assert "–" not in wide
