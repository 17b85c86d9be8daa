"""Columns of a table of comma-separated values, and what every description of them says.

Read here, not by NumPy: stamps are exact in decimal, and an error names the line and the column.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array, number_in
from ...core.errors import (
    RecordingError,
    UnknownNameError,
    in_words,
    shortened,
)
from ...core.identification.wrench.static import SHORTEST
from ...core.samples.sample_checks import Drop
from ...core.samples.stamp_faults import BAD_NANOSECONDS, WHOLE
from ..configuration.file_kind import instead, refuse_other_formats
from ..configuration.input_path import input_path, not_utf8

if TYPE_CHECKING:
    from .column_keys import StampKeys

TO_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1, "min": 60 * 10**9,
                  "h": 3600 * 10**9}  # fmt: skip
COMMENTS = ("%", "#")  # before the line of names
DELIMITERS = (",", ";", "\t", "|")  # that tables usually have; others have spaces
WRITINGS = (  # of numbers that are none here, and what to do
    (r"[+-]?\d*,\d+([eE][+-]?\d+)?", "write its comma as a point"),
    (r"[+-]?\d*\.?\d+[dD][+-]?\d+", "write its exponent with e"),
    (r"(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[T ]*)?(\d{1,2}:\d{2}(:.*)?)?", "write dates as seconds"),
)
MISSING = ("", "nan", "na", "n/a", "null", "none")  # values, in small letters
STAMP_RANGE = 2**62  # [ns], 146 years: what 64-bit arithmetic on stamps leaves room for
UNFINISHED = "unfinished_line"  # cause of a last row that is left out; see `read_columns`


def usual_delimiter(line: str) -> str:
    """Return the usual character that separates the cells of a line best."""
    best = max(DELIMITERS, key=line.count)
    return best if best in line else " "


def what_to_write(cell: str) -> str:
    """Return what makes a number of a cell that is written in another way, empty if unknown."""
    text = cell.strip()
    return next((do for form, do in WRITINGS if text and re.fullmatch(form, text)), "")


def read_columns(
    path: Path, stamp: StampKeys | None, columns: Sequence[str], delimiter: str = ","
) -> tuple[NDArray[np.int64], Array, dict[str, int]]:
    """Return stamps (N,) [ns], the cells of k columns (N, k), and what was left out, by cause.

    A last line without an end may have been cut within its last cell, which still is a number
    then, and a wrong one: that row is left out.

    Args:
        path: The file; its first line names the columns.
        stamp: The column of time; None: rows are numbered, as if they were 1 s apart.
        columns: Names of the columns wanted.
        delimiter: Character between cells.

    Raises:
        RecordingError: The file cannot be read; says line and column of a bad cell.
        UnknownNameError: A column does not exist.

    """
    stamps: list[int] = []
    rows: list[list[float]] = []
    dropped: Counter[str] = Counter()
    with opened_table(path, delimiter) as table:
        names = table.names
        times = {} if stamp is None else {stamp.column: TO_NANOSECONDS[stamp.unit]}
        if stamp is not None and stamp.nanoseconds:
            times[stamp.nanoseconds] = 1
        wanted = [*columns, *times]
        at = _places(names, path, wanted, delimiter)
        for line, cells in table.rows:
            if len(cells) != len(names):
                raise RecordingError(
                    f"{path}, line {line}: {len(cells)} cells where the first line has "
                    f"{len(names)}. The file may be cut off; remove the line to use the rest."
                )
            row = [_number(cells[k], path, line, names[k]) for k in at[: len(columns)]]
            units = zip(at[len(columns) :], times.values(), strict=True)
            read = [_stamp(cells[k], names[k], unit, path, line) for k, unit in units]
            known = [x for x in read if x is not None]
            if len(known) < len(read):
                dropped[Drop.NOT_FINITE.value] += 1
            elif any(not 0 <= x < WHOLE for x in known[1:]):
                dropped[BAD_NANOSECONDS] += 1
            else:
                stamps.append(sum(known) if times else len(stamps) * WHOLE)
                rows.append(row)
                taken = line
        if rows and not table.ended and taken == line:
            del stamps[-1], rows[-1]
            dropped[UNFINISHED] += 1
    if not rows:
        lost = ", ".join(f"{count} {cause}" for cause, count in dropped.items())
        why = f" that can be used (left out: {lost})" if lost else ""
        raise RecordingError(f"{path} has no rows below its first line{why}.")
    return np.array(stamps, dtype=np.int64), np.array(rows), dict(dropped)


def without_motion(path: Path, stamp_ns: NDArray[np.int64], timed: bool) -> str:
    """Say that rows tell no motion, as those of poses at rest; nothing where they may tell one.

    Args:
        path: The table.
        stamp_ns: Of its rows, or their numbers where they have no time, shape (N,) [ns].
        timed: Whether they have.
    """
    apart = 1e-9 * float(np.median(np.abs(np.diff(stamp_ns)))) if len(stamp_ns) > 1 else 0.0
    if timed and apart < SHORTEST:
        return ""
    how = f"are {apart:.3g} s apart" if timed else "have no time (no 'stamp' is named)"
    return (
        f"The rows of {path} {how}, which tells no motion. If each row is one pose at rest, check, "
        "replay and compare take them with --static (in Python static=True); if not, look at the "
        "column of time and its unit."
    )


class OpenTable(NamedTuple):
    """A table that is being read.

    Attributes:
        names: Of its columns.
        rows: Its rows with the numbers of their lines, without empty ones.
        units: What a line below the names says of each column; empty: there is none.
        delimiter: Character between their cells.
        ended: Whether the last line has an end.
    """

    names: list[str]
    rows: Iterator[tuple[int, list[str]]]
    units: list[str]
    delimiter: str
    ended: bool


@contextmanager
def opened_table(path: Path, delimiter: str = "") -> Iterator[OpenTable]:
    """Open a table.

    Names stand in the first line of text that has as many cells as the first row of numbers, or
    behind % or # in the last line before the numbers; where there are none, columns are called by
    their numbers, from "1". Lines before the names, a line of units below them, empty lines, lines
    behind % or #, and a delimiter at the end of each row are left out.

    Args:
        path: The file.
        delimiter: Character between cells; a blank stands for any blanks, nothing for the usual
            character that is found.

    Raises:
        RecordingError: It cannot be read as a table.
    """
    path = input_path(path, "table", RecordingError)
    refuse_other_formats(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            skipped, *head = _head(file)
            delimiter = delimiter or usual_delimiter(head[0])
            names, units = (_cells(line, delimiter) for line in head)
            if names and all(map(_is_number, names)):
                names = [str(k + 1) for k in range(len(names))]
            file.seek(0)
            rows = _rows(islice(file, skipped, None), skipped, delimiter, len(names))
            yield OpenTable(names, rows, units, delimiter, _is_ended(path))
    except OSError as error:
        raise RecordingError(f"Cannot read the table {path}: {in_words(error)}.") from error
    except UnicodeDecodeError as error:
        raise RecordingError(f"{path} {not_utf8(error)}{instead(path, 'table')}") from error
    except csv.Error as error:
        raise RecordingError(
            f"{path} is not a table of separated values: {error}. Look for a quotation mark that "
            "is not closed."
        ) from error


def _head(file: TextIO) -> tuple[int, str, str]:
    """Find the first row of numbers, and what stands before it.

    Returns:
        skipped: How many lines.
        names: The line of names, without its mark; where there are none, the first row itself.
        units: The line of units below it; empty: there is none.
    """
    texts, marked, row = list[tuple[int, str]](), list[tuple[int, str]](), (0, "")
    for number, line in enumerate(file):
        text = line.strip()
        cells = re.split(r"[\s,;|]+", text.strip(",;|"))
        if text.startswith(COMMENTS):
            marked.append((number + 1, text.lstrip("".join(COMMENTS)).strip()))
        elif text and 2 * sum(_is_number(x) or x.lower() in MISSING for x in cells) > len(cells):
            row = (number, text)
            break
        elif text:
            texts.append((number + 1, text))
    width = len(_separated(row[1]))
    fitting = [x for x in texts or marked if len(_separated(x[1])) in (width, width - 1)]
    names, *below = fitting or texts[:1] or marked[-1:] or [row]
    if below and not any(map(_may_be_number, _separated(below[0][1]))):
        return below[0][0], names[1], below[0][1]
    return *names, ""


def _separated(line: str) -> list[str]:
    """Return the cells of a line, apart by the usual character that separates them best."""
    return _cells(line, usual_delimiter(line))


def _cells(line: str, delimiter: str) -> list[str]:
    """Return the cells of one line, blanks at their ends left out."""
    line = " ".join(line.split()) if delimiter == " " else line
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]


def _is_ended(path: Path) -> bool:
    """Tell whether the last line of a file has an end."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - 1))
        return file.read() in (b"\n", b"\r", b"")


def _rows(
    lines: Iterable[str], skipped: int, delimiter: str, count: int
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of so many columns with their line numbers, without empty ones.

    Blanks between cells count once, and those at the ends not at all; lines of comment are blank.
    """
    plain = ("\n" if line.lstrip().startswith(COMMENTS) else line for line in lines)
    if delimiter == " ":
        plain = (" ".join(line.split()) + "\n" for line in plain)
    reader = csv.reader(plain, delimiter=delimiter, strict=True)
    for cells in reader:
        if len(cells) == count + 1 and not cells[-1].strip():
            cells = cells[:-1]
        if cells:
            yield skipped + reader.line_num, cells


def _is_number(cell: str) -> bool:
    return not np.isnan(number_in(cell.strip()))


def _may_be_number(cell: str) -> bool:
    """Tell whether a cell is a number, however it is written, or the word for none."""
    text = cell.strip().lower()
    return _is_number(cell) or bool(text and text in MISSING) or bool(what_to_write(cell))


def _places(names: list[str], path: Path, wanted: Sequence[str], delimiter: str) -> list[int]:
    """Return where the wanted columns are."""
    if not names:
        raise RecordingError(f"The table {path} is empty.")
    if any("\0" in name for name in names):
        raise RecordingError(
            f"{path} has zero bytes in its first line, as UTF-16 has and UTF-8 has not: save it as "
            "UTF-8."
        )
    other = usual_delimiter(names[0])
    if len(names) == 1 and other != delimiter and names[0].count(other) >= len(wanted) - 1:
        raise RecordingError(
            f"{path} has no '{delimiter}' in its first line, and {names[0].count(other)} times "
            f"{other!r}: write 'delimiter: {json.dumps(other)}' in the description of its columns."
        )
    at = []
    for name in wanted:
        if name not in names:
            raise UnknownNameError("column", name, names, str(path))
        if names.count(name) > 1:
            raise RecordingError(f"{path} has {names.count(name)} columns named '{name}'.")
        at.append(names.index(name))
    return at


def _number(cell: str, path: Path, line: int, column: str) -> float:
    """Return a cell's number; an empty cell or NA is a missing value (NaN)."""
    text = cell.strip()
    value = number_in(text)
    if np.isnan(value) and text.lower().lstrip("+-") not in MISSING:
        raise _not_a_number(cell, path, line, column)
    return value


def _stamp(cell: str, column: str, unit: int, path: Path, line: int) -> int | None:
    """Return a stamp in nanoseconds, exact in decimal; None if it is missing; `unit` is in [ns]."""
    try:
        text = "nan" if cell.strip().lower() in MISSING else cell.strip()
        value = Decimal(text if text.isascii() and "_" not in text else "?") * unit
    except ArithmeticError:  # of Decimal: no number, or one beyond all exponents
        raise _not_a_number(cell, path, line, column) from None
    if not value.is_finite():
        return None
    if abs(value) > STAMP_RANGE:
        raise RecordingError(
            f"{path}, line {line}, column '{column}': the stamp {shortened(cell)} is out of "
            "range (146 years). Check the unit."
        )
    return round(value)


def _not_a_number(cell: str, path: Path, line: int, column: str) -> RecordingError:
    do = what_to_write(cell)
    return RecordingError(
        f"{path}, line {line}, column '{column}': '{shortened(cell)}' is not a number"
        f"{f': {do}' if do else ''}."
    )
