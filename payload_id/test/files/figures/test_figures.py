"""Figures say what they show: units, what is not identified, what is cut off; and can be read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from payload_id.core.body.inertial import UNITS, from_mass_com_inertia
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.status import Status
from payload_id.core.number_format import number, rounded
from payload_id.files.figures import interval_figure

PHI = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
WIDTH = 0.05 * np.array([1.0, *[0.1] * 3, *[0.01] * 6])
EVERY = np.ones(10, dtype=bool)
SOME = ~np.isin(np.arange(10), [0, 5])  # what is identified


def estimate(factor: float, identified=EVERY) -> Estimate:
    """Return an estimate whose half-widths are a factor times `WIDTH`."""
    return Estimate(
        status=Status.GOOD, message="", phi=PHI, lower=PHI - factor * WIDTH,
        upper=PHI + factor * WIDTH, identifiable=identified, payload_frame="tool",
        estimator="lmi", intervals="hull", samples=100, windows=int(100 / factor),
        seconds=10.0 / factor, residual_rms=0.1, condition_number=10.0, noise_factor=1.0,
    )  # fmt: skip


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Return what is drawn, in place of writing it."""
    figures: list[Figure] = []
    monkeypatch.setattr(interval_figure, "save_picture", lambda drawn, path: figures.append(drawn))
    return figures


def panels(figure: Figure) -> list[Axes]:
    """Return the panel of each parameter, whose title has its unit where there are numbers."""
    assert len(figure.axes) == 10 and len(figure.legends) == 1
    for axis, unit in zip(figure.axes, UNITS, strict=True):
        title = axis.get_title()
        assert unit.replace("m2", "m²") in title or "no interval" in title
    return list(figure.axes)


def arrows(axis: Axes, markers: str) -> int:
    return sum(line.get_marker() in markers for line in axis.lines)


def words(figure: Figure) -> set[str]:
    return {text.get_text() for text in figure.legends[0].get_texts()}


def test_parameters_that_are_not_identified_look_different(drawn):
    history = [estimate(factor, SOME) for factor in (3.0, 2.0, 1.0)]
    interval_figure.intervals_over_time(Path("x"), history, "title", PHI)
    for axis, known in zip(panels(drawn[0]), SOME, strict=True):
        hatched = any(part.get_hatch() for part in (*axis.collections, *axis.patches))
        assert hatched == ("not identified" in axis.get_title()) == (not known)


def test_bands_that_leave_the_panel_have_arrows_and_without_intervals_there_is_none(drawn):
    endless = replace(estimate(1.0), lower=np.full(10, -np.inf), upper=np.full(10, np.inf))
    for first, last, cut in ((2.0, None, 0), (30.0, None, 1), (1.0, endless, 0)):
        history = [estimate(first) if last is None else last, last or estimate(1.0)]
        interval_figure.intervals_over_time(Path("x"), history, "title")
        for axis in panels(drawn[-1]):
            assert arrows(axis, "^") == arrows(axis, "v") == cut
            assert (last is not None) == ("no interval" in axis.get_title())
        assert (interval_figure.CUT in words(drawn[-1])) == bool(cut)


def test_numbers_are_rounded_by_their_interval():
    for size in (1e-4, 3e-3, 0.2, 7.0):
        low, high = 1.23456789 - size, 1.23456789 + size
        value, ends = rounded(1.23456789, low, high).split(" ", 1)
        decimals = len(value.partition(".")[2])
        step = 10.0**-decimals
        assert abs(float(value) - 1.23456789) <= step / 2 + 1e-12
        assert size / 101 < step <= size / 5  # two digits of the half-width
        assert ends == f"[{number(low, decimals)}, {number(high, decimals)}]"
