"""How results look in the terminal."""

from __future__ import annotations

import math
import re

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

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


def console(stderr: bool = False) -> Console:
    """Return the terminal, wide enough for the tables when there is none."""
    terminal = Terminal(stderr=stderr, highlight=False)
    return (
        terminal if terminal.is_terminal else Terminal(stderr=stderr, highlight=False, width=WIDTH)
    )


def plain_table() -> Table:
    """Return an empty table in the style of all."""
    return Table(box=None, header_style="bold", padding=(0, 1), pad_edge=False)


def estimate_table(estimate: Estimate, truth: Array | None = None, width: int = WIDTH) -> Table:
    """Return the ten parameters with their intervals, against the truth if it is known.

    Args:
        estimate: What is shown.
        truth: True parameters, shape (10,), if known.
        width: Characters of a line; narrow ones leave the pictures out.
    """
    table = plain_table()
    table.add_column("")
    for name in ("estimate", "from", "to"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    wide = width >= NARROW
    table.add_column("identifiable" if wide else "identi-\nfiable", justify="center")
    if estimate.confidence is not None:
        table.add_column(f"confidence {estimate.confidence.level:.0%},\nno proof")
    if estimate.calibrated is not None:
        table.add_column(f"by history\n({estimate.calibrated.level:.0%})")
    if truth is not None:
        table.add_column("truth", justify="right", no_wrap=True)
        table.add_column("contained" if wide else "in", justify="center")
        if wide:
            table.add_column("truth in interval", justify="center", no_wrap=True)
    for k in range(10):
        table.add_row(*_cells(estimate, k, truth)[: len(table.columns)])
    return table


def _cells(estimate: Estimate, k: int, truth: Array | None) -> list[RenderableType]:
    """Return the cells of one parameter, the picture last."""
    lower, upper = estimate.lower[k], estimate.upper[k]
    decimals = digits(estimate.half_width[k])
    cells: list[RenderableType] = [
        PARAMETERS[k],
        Text(number(estimate.phi[k], decimals), style="bold"),
        number(lower, decimals),
        number(upper, decimals),
        UNIT_TEXTS[k],
        Text("yes", style="green") if estimate.identifiable[k] else Text("no", style="yellow"),
    ]
    if estimate.confidence is not None:
        cells.append(_ends(estimate.confidence.lower[k], estimate.confidence.upper[k]))
    if estimate.calibrated is not None:
        cells.append(_history(estimate.calibrated, k))
    if truth is not None:
        inside = bool(estimate.contains(truth)[k])
        cells += [
            number(truth[k], decimals),
            Text("yes", style="green") if inside else Text("NO", style="bold red"),
            _bar(truth[k], lower, upper),
        ]
    return cells


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
    return f"[{number(lower, decimals)}, {number(upper, decimals)}]"


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
