"""How results look in the terminal."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ...core import codec
from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS
from ...core.errors import printable
from ...core.history import CalibratedInterval
from ...core.identification.estimate import Estimate
from ...core.identification.status import NO_NUMBER, Status
from ...core.number_format import UNIT_TEXTS, digits, number

STYLES = {
    Status.GOOD: "bold green",
    Status.TOO_WIDE: "bold yellow",
    Status.SMALL_LOAD: "bold yellow",
    Status.NOT_IDENTIFIABLE: "bold yellow",
    Status.INCONSISTENT: "bold red",
    Status.SOLVER_FAILED: "bold red",
    Status.NO_DATA: "bold red",
    Status.WAITING: "bold cyan",
}
BAR = 15  # characters of an interval's picture
WIDTH = 110  # characters of a line where there is no terminal
SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")  # between two of a message
NARROW = 100  # characters below which there is no room for the pictures


class Terminal(Console):
    """A console that leaves to the command what happens when nobody reads what it prints."""

    def on_broken_pipe(self) -> None:
        """Raise the error again; Rich would end the process with exit code 1."""
        raise  # noqa: PLE0704  # called while it is handled


def console() -> Console:
    """Return the terminal, wide enough for the tables when there is none."""
    terminal = Terminal(highlight=False)
    return terminal if terminal.is_terminal else Terminal(highlight=False, width=WIDTH)


def told(as_json: bool, found: Callable[[], Any], show: Callable[[], object]) -> None:
    """Print a result: as one JSON object, None for numbers that are not finite, or for a person.

    Args:
        as_json: Whether JSON is asked for.
        found: Returns the result in values that the codec knows.
        show: Prints it for a person.
    """
    if as_json:
        print(json.dumps(codec.as_json(found())))
    else:
        show()


def table_of(columns: Mapping[str, Iterable[RenderableType]], left: int = 1) -> Table:
    """Return a table.

    Args:
        columns: Cells by the titles of their columns, as many in each.
        left: How many columns are of texts, which begin on the left; the others end on the right.
    """
    table = Table(box=None, header_style="bold", padding=(0, 1), pad_edge=False)
    for place, (title, cells) in enumerate(columns.items()):
        whole = not any(" " in str(cell) for cell in cells)
        side: Literal["left", "right"] = "left" if place < left else "right"
        table.add_column(Text(title.strip("_")), justify=side, no_wrap=whole)
    for row in zip(*columns.values(), strict=True):
        table.add_row(*row)
    return table


def estimate_table(estimate: Estimate, truth: Array | None = None, width: int = WIDTH) -> Table:
    """Return the ten parameters with their intervals, against the truth if it is known.

    Args:
        estimate: What is shown.
        truth: True parameters, shape (10,), if known.
        width: Characters of a line; narrow ones leave the pictures out.
    """
    wide, every = width >= NARROW, range(10)
    decimals = [digits(half) for half in estimate.half_width]
    columns: dict[str, Iterable[RenderableType]] = {
        "": PARAMETERS,
        "estimate": [Text(number(estimate.phi[k], decimals[k]), style="bold") for k in every],
        "from": [number(estimate.lower[k], decimals[k]) for k in every],
        "to": [number(estimate.upper[k], decimals[k]) for k in every],
        "unit": UNIT_TEXTS,
        "identifiable" if wide else "identi-\nfiable": [
            "[green]yes[/]" if known else "[yellow]no[/]" for known in estimate.identifiable
        ],
    }
    if (confidence := estimate.confidence) is not None:
        ends = zip(confidence.lower, confidence.upper, strict=True)
        columns[f"confidence {confidence.level:.0%},\nno proof"] = [_ends(*each) for each in ends]
    if (calibrated := estimate.calibrated) is not None:
        columns[f"by history\n({calibrated.level:.0%})"] = [_history(calibrated, k) for k in every]
    if truth is not None:
        inside = estimate.contains(truth)
        columns["truth"] = [number(truth[k], decimals[k]) for k in every]
        columns["contained" if wide else "in"] = [
            "[green]yes[/]" if each else "[bold red]NO[/]" for each in inside
        ]
    if truth is not None and wide:
        columns["truth in interval"] = [
            _bar(truth[k], estimate.lower[k], estimate.upper[k]) for k in every
        ]
    return table_of(columns)


def _history(calibrated: CalibratedInterval, k: int) -> str:
    """Return the interval of one parameter by the arm's history."""
    half = (calibrated.upper[k] - calibrated.lower[k]) / 2
    if not math.isfinite(half):
        return f"{int(calibrated.runs[k])} runs: too few"
    ends = _ends(calibrated.lower[k], calibrated.upper[k])
    return f"{number(calibrated.phi[k], digits(half))} {ends}"


def _ends(lower: float, upper: float) -> str:
    """Return both ends of an interval with as many digits as its width deserves."""
    decimals = digits((upper - lower) / 2)
    return f"\\[{number(lower, decimals)}, {number(upper, decimals)}]"


def _bar(truth: float, lower: float, upper: float) -> Text:
    """Return a picture of where the truth lies between the bounds."""
    if not (math.isfinite(lower) and math.isfinite(upper) and upper > lower):
        return Text("–")
    place = round((truth - lower) / (upper - lower) * (BAR - 1))
    line = ["─"] * BAR
    line[BAR // 2] = "┼"
    line[min(max(place, 0), BAR - 1)] = "●"
    return Text("├" + "".join(line) + "┤", style="cyan")


def verdict(estimate: Estimate) -> Panel:
    """Return the verdict: the answer first, then a list of what is to be said of it."""
    style = STYLES[estimate.status]
    answer, why = Table.grid(padding=(0, 2)), Table.grid(padding=(0, 1))
    if estimate.headline is not None and estimate.status not in NO_NUMBER:
        frame = f", in {estimate.payload_frame}" if estimate.payload_frame else ""
        mass, com = estimate.headline.lines
        answer.add_row("mass", Text(mass, "bold"))
        answer.add_row("centre of mass", Text(f"{com}{frame}", "bold"))
    for sentence in SENTENCES.split(printable(estimate.message)):
        why.add_row("-", Text(sentence))
    if estimate.samples:  # else there are no figures
        why.add_row("-", Text(summary(estimate), "dim"))
    lines = Group(Text(estimate.status.words, style=style), answer, why)
    return Panel(lines, title="verdict", title_align="left", border_style=style)


def summary(estimate: Estimate) -> str:
    """Return one line on what the result rests on."""
    parts = [
        f"{estimate.samples} samples, {estimate.windows} windows, {estimate.seconds:.1f} s",
        f"estimator {estimate.estimator}, intervals {estimate.intervals}",
        f"residual {_known(estimate.residual_rms)} N m (rms)",
        f"condition number {_short(estimate.condition_number)}",
        f"physically consistent: {'yes' if estimate.physically_consistent else 'no'}",
    ]
    if estimate.confidence is not None and math.isfinite(estimate.confidence.held_out):
        parts.insert(3, f"{_known(estimate.confidence.held_out)} N m in a third held out")
    return "; ".join(parts)


def _known(number: float) -> str:
    """Return three digits of a number, a dash where it is unknown."""
    return f"{number:.3g}" if math.isfinite(number) else "-"


def _short(number: float) -> str:
    """Return a number from 1 on, of which nobody reads more than three digits; a dash: unknown."""
    return f"{number:.0f}" if number < 1e4 else _known(float(f"{number:.2g}"))
