"""Arrays with one row for each of N increasing instants: what samples of every kind are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, ClassVar, cast

import numpy as np
from typing_extensions import Self

from ..arrays import Array, BoolArray, IntArray, one_number
from ..errors import InputError, require_type
from .sample_checks import rows_to_keep


class TimedArrays:
    """Base of frozen dataclasses whose arrays have one row for each instant.

    Attributes:
        COLUMNS: Names of those arrays, that of the times [s] first; one that is None is left out.
        dropped: Number of rows left out, by cause.
    """

    COLUMNS: ClassVar[tuple[str, ...]]
    dropped: Mapping[str, int]
    _kept: ClassVar[Array | None] = None  # what `kept` was given, row by row

    def _take_in(self, arrays: Mapping[str, Array], *values: Array) -> None:
        """Keep the usable rows of arrays, row by row in memory: sums depend on that.

        Args:
            arrays: By name of the column, real numbers of the right shapes.
            values: By which rows are judged beside the times, each of shape (N, n).
        """
        keep, dropped = rows_to_keep(arrays[self.COLUMNS[0]], *values)
        require_type(self.dropped, Mapping, "dropped", "numbers of samples by cause")
        self._count(dropped, self.dropped)
        for name, array in arrays.items():
            rows = array if keep.all() else array[keep]
            object.__setattr__(self, name, np.array(rows, order="C"))

    def _count(self, *dropped: Mapping[str, int]) -> None:
        """Have the counts of some mappings together."""
        causes = dict.fromkeys(cause for counts in dropped for cause in counts)
        total = {cause: sum(counts.get(cause, 0) for counts in dropped) for cause in causes}
        object.__setattr__(self, "dropped", total)

    def __len__(self) -> int:
        return len(self._time)

    @property
    def _time(self) -> Array:
        time: Array = getattr(self, self.COLUMNS[0])
        return time

    @property
    def step(self) -> float:
        """Typical time between samples (median) [s]; NaN with fewer than two."""
        return float(np.median(np.diff(self._time))) if len(self) > 1 else float("nan")

    def part(self, start: int, stop: int) -> Self:
        """Return samples number start to stop - 1."""
        for name, value in (("start", start), ("stop", stop)):
            require_type(value, (int, np.integer), name, "the number of a sample")
        return self.where(slice(start, stop))

    def between(self, start: float, end: float) -> Self:
        """Return the samples with start <= time <= end [s]."""
        start, end = one_number(start, "start"), one_number(end, "end")
        first, last = np.searchsorted(self._time, [start, np.nextafter(end, np.inf)])
        return self.where(slice(int(first), int(last)))

    def where(self, rows: slice | BoolArray | IntArray) -> Self:
        """Return some of the samples, in order: a slice, a truth value for each, or their numbers.

        Raises:
            InputError: It is nothing of the kind.
        """
        if not isinstance(rows, slice):
            require_type(rows, np.ndarray, "rows", "an array of truth values")
            truth = rows.dtype == np.bool_ and rows.shape == (len(self),)
            if not (truth or (rows.dtype.kind == "i" and rows.ndim == 1)):
                raise InputError(
                    f"rows must be one truth value for each of {len(self)} samples, or numbers of "
                    f"samples; found {rows.dtype.name} of shape {rows.shape}."
                )
        arrays = {name: np.array(x[rows], order="C") for name, x in self._columns().items()}
        return self._with(arrays, None if self._kept is None else self._kept[rows])

    def joined(self, newer: Self) -> Self:
        """Return both; what is not newer than these is dropped and counted."""
        require_type(newer, TimedArrays, "newer", "samples")
        return self.stacked([self, newer])

    @classmethod
    def stacked(cls, parts: Sequence[Self]) -> Self:
        """Return samples one after the other; at least one part, all else as in the first.

        What is not newer than what came before is dropped and counted.
        """
        names = parts[0]._columns()
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        kept = None
        if all(part._kept is not None for part in parts):
            kept = np.concatenate([cast(Array, part._kept) for part in parts])
        whole = parts[0]._with(arrays, kept)
        usable, dropped = rows_to_keep(whole._time)
        whole = whole if usable.all() else whole.where(usable)
        whole._count(dropped, parts[-1].dropped)
        return whole

    def kept(self, make: Callable[[Self], Array]) -> Array:
        """Return what a function makes of every sample, shape (N, k), made once for each sample.

        Args:
            make: Always the same function; its rows depend on their own sample only.
        """
        if self._kept is None:
            object.__setattr__(self, "_kept", make(self))
        return cast(Array, self._kept)

    def _columns(self) -> dict[str, Array]:
        """Return the arrays that there are, by name."""
        arrays = ((name, getattr(self, name)) for name in self.COLUMNS)
        return {name: array for name, array in arrays if array is not None}

    def _with(self, arrays: Mapping[str, Array], kept: Array | None = None) -> Self:
        """Return samples of rows that were checked before, with nothing dropped."""
        kind: Any = type(self)
        made: Self = object.__new__(kind)
        made.__dict__.update({name: getattr(self, name) for name in _names(kind)})
        made.__dict__.update(arrays, dropped={})
        if kept is not None:
            made.__dict__["_kept"] = kept
        return made


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of a dataclass's fields."""
    return tuple(entry.name for entry in fields(kind))
