"""The figures of a report as SVG, to stand in a page."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import matplotlib
import numpy as np

from ..figures.interval_figure import intervals_figure
from ..figures.payload_figure import payload_figure
from ..figures.runs_figure import runs_figure
from ..figures.torque_figure import torque_figure
from .comparison import ENDS
from .quantities import AXES, quantity
from .report import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Width and height of each [inches]; a page takes them at the width that there is.
PAYLOAD, INTERVALS, TORQUES, RUNS = (8.6, 2.95), (13.4, 4.5), (10.0, 3.1), (10.0, 2.1)
LOWER = (10.0, 2.4)  # of the torques, where runs are compared on the same sheet


def pictures(report: Report) -> dict[str, str]:
    """Return the figures that the run has, by name, each an `svg` element."""
    run, found = report.run, {}
    estimate = run.estimate
    if np.isfinite(estimate.phi).all():
        ends = [quantity(report.groups, f"c_{axis}") for axis in AXES]
        low, high = (np.array([getattr(q, end) / 1e3 for q in ends]) for end in ("lower", "upper"))
        figure = payload_figure(estimate.phi, low, high, estimate.payload_frame, PAYLOAD)
        found["payload"] = svg(figure, "payload")
    bounds = run.file.bounds
    if bounds is not None and len(bounds) > 1:
        time = run.file.settings.window * np.array(run.file.updates)
        figure = intervals_figure(time, bounds, estimate, None, INTERVALS)
        found["intervals"] = svg(figure, "intervals")
    use = run.file.use
    if use is not None and use.factor <= 1.0 and report.channels:
        names, units = [c.name for c in report.channels], [c.unit for c in report.channels]
        size = TORQUES if len(report.runs) == 1 else LOWER
        found["torques"] = svg(torque_figure(use, names, units, size), "torques")
    if len(report.runs) > 1:
        phi, lower, upper = (
            np.array([getattr(each.estimate, name) for each in report.runs]) for name in ENDS
        )
        names = [each.name for each in report.runs]
        found["runs"] = svg(runs_figure(names, phi, lower, upper, RUNS), "runs")
    return found


def svg(figure: Figure, name: str) -> str:
    """Return a figure as an `svg` element, the same at every call.

    Letters are drawn as outlines, so that it looks the same wherever it is opened.

    Args:
        figure: The figure.
        name: By which its parts are told from those of other figures of the page.
    """
    text = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "path"}):
        figure.savefig(text, format="svg", metadata=nothing)
    element = text.getvalue()
    # The page gives the width; the height follows from the viewBox.
    return re.sub(r' (?:width|height)="[^"]*pt"', "", element[element.index("<svg") :], count=2)
