"""The table of results: a Parquet dataset by robot and day, a file for each recording's content.

    FOLDER/rows/robot=ARM/day=YYYY-MM-DD/KEY.parquet    each content once

A file is there whole or not at all, so that a run that is interrupted leaves what it had done.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

from ...core.errors import ConfigurationError, brief, in_words, shortened
from ..configuration.atomic_write import atomic_write
from ..configuration.input_path import input_path
from .row import EVERYTHING, LABELS, PARTITION, SCHEMA

ROWS = "rows"
SUFFIX = ".parquet"
UNDATED = "undated"  # day of stamps that are no dates, such as those of a simulation
LOST = "lost-"  # begins the name of a result that says only that a worker was lost
ANEW = "run ./payload-id identify again: it makes that anew."
Row = Mapping[str, Any]


@dataclass(frozen=True)
class FleetTable:
    """Results in a folder.

    Attributes:
        folder: Of all.
    """

    folder: Path

    @classmethod
    def at(cls, folder: Path | str) -> FleetTable:
        """Open, or make, the folder of results.

        Raises:
            ConfigurationError: It cannot be made.
        """
        folder = input_path(folder, "folder of results")
        try:
            (folder / ROWS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(
                f"The folder of results {folder} cannot be made: {in_words(error)}."
            ) from error
        return cls(folder)

    @classmethod
    def existing(cls, folder: Path | str) -> FleetTable:
        """Open a folder of results that is there.

        Raises:
            ConfigurationError: It is none.
        """
        folder = input_path(folder, "folder of results")
        if not (folder / ROWS).is_dir():
            raise ConfigurationError(
                f"{folder} holds no results of a fleet ({ROWS}/); make them with "
                "./payload-id identify SOURCE... --robot FILE --out FOLDER."
            )
        return cls(folder)

    def places(self) -> dict[str, Path]:
        """Return the file of each key.

        Raises:
            ConfigurationError: Something that is no file has the name of one.
        """
        found = {path.stem: path for path in (self.folder / ROWS).glob(f"robot=*/day=*/*{SUFFIX}")}
        for path in found.values():
            if not path.is_file():
                raise ConfigurationError(
                    f"{path} is no file, or a link that leads to none, where the result of a "
                    "recording is kept: remove it, and run ./payload-id identify again."
                )
        return found

    def said(self) -> dict[str, tuple[Row, str]]:
        """Return what each result says of its recording, by the names of `LABELS`, and its arm.

        Raises:
            ConfigurationError: A file is damaged.
        """
        rows = self.rows([*LABELS, "key", "robot"]) if self.places() else []
        return {row["key"]: ({x: row[x] for x in LABELS}, row["robot"]) for row in rows}

    def write(self, key: str, robot: str, day: str, rows: Sequence[Row]) -> Path:
        """Write the rows of one recording; an older result of it is replaced.

        Raises:
            OSError: The disk does not take them.
        """
        arm = f"robot={quote(robot, safe='')}"
        path = self.folder / ROWS / arm / f"day={day}" / (key + SUFFIX)
        path.parent.mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pylist([dict(row) for row in rows], schema=SCHEMA)
        with atomic_write(path) as file:
            write_rows(table, file)
        return path

    def relabel(self, path: Path, labels: Row, robot: str) -> Path:
        """Let a result say something else of its recording; return its file.

        Args:
            path: Of the result.
            labels: By the names of `LABELS`.
            robot: Name of the arm.

        Raises:
            ConfigurationError: The file is damaged.
        """
        rows = [{**row, **labels} for row in _read(path).to_pylist()]
        place = self.write(path.stem, robot, path.parent.name.removeprefix("day="), rows)
        if place != path:
            path.unlink()
        return place

    def read(self, columns: Sequence[str] | None = None, payload: str | None = None) -> pa.Table:
        """Return all rows, in order of their recordings and stretches.

        Args:
            columns: Names; None: all but the evidence.
            payload: Only rows of this one; None: all.

        Raises:
            ConfigurationError: A file is damaged.
        """
        names = [x for x in EVERYTHING.names if x != "evidence"] if columns is None else columns
        whole = pa.dataset.dataset(
            [str(path) for path in self.places().values()],
            schema=EVERYTHING,
            format=pa.dataset.ParquetFileFormat(
                default_fragment_scan_options=pa.dataset.ParquetFragmentScanOptions(
                    page_checksum_verification=True
                )
            ),
            partitioning=pa.dataset.partitioning(PARTITION, flavor="hive"),
        )
        only = None if payload is None else pa.dataset.field("payload") == payload
        wanted = list(dict.fromkeys([*names, "bag", "segment"]))
        try:
            for fragment in whole.get_fragments():
                _check_columns(fragment.physical_schema, Path(fragment.path))
            table = whole.to_table(columns=wanted, filter=only)
        except (pa.ArrowException, OSError, UnicodeError) as error:
            bad = ", ".join(str(path) for path in self.damaged()) or brief(str(error))
            raise ConfigurationError(
                f"The results in {self.folder} cannot be read: damaged is {bad}. Run "
                "./payload-id identify again: it makes that anew."
            ) from error
        return table.sort_by([("bag", "ascending"), ("segment", "ascending")]).select(list(names))

    def rows(self, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return all rows as plain values, in order of their recordings and stretches.

        Args:
            columns: Names, "bag" and "key" among them; None: all but the evidence.

        Raises:
            ConfigurationError: A file is damaged.
        """
        try:
            return list(self.read(columns).to_pylist())
        except (ValueError, OverflowError) as error:  # such as a date before the year 1
            raise ConfigurationError(
                f"A result in {self.folder} holds a value that cannot be: {in_words(error)}. "
                f"Remove what was changed in it, and {ANEW}"
            ) from error

    def damaged(self) -> list[Path]:
        """Return the files of results that cannot be read."""
        return [path for path in self.places().values() if not _whole(path)]

    def evidence(self, payload: str, verdicts: Sequence[str]) -> list[bytes]:
        """Return what the runs of a payload keep for each other, in order of `read`.

        Args:
            payload: Its name.
            verdicts: Only of runs with one of these.

        Raises:
            ConfigurationError: A file is damaged.
        """
        names = ["payload", "verdict", "evidence"]
        return [
            row["evidence"]
            for row in self.read(names, payload).to_pylist()
            if row["verdict"] in verdicts and row["evidence"] is not None
        ]

    def clear_parts(self) -> None:
        """Remove what a killed process left unfinished, and what is damaged."""
        for part in [*self.folder.rglob("*.part"), *self.damaged()]:
            part.unlink(missing_ok=True)
        for day in (self.folder / ROWS).glob("*/*"):
            if day.is_dir() and not any(day.iterdir()):
                shutil.rmtree(day, ignore_errors=True)


def write_rows(table: pa.Table, file: BinaryIO) -> None:
    """Write the few rows of one recording: checksums in, statistics for searches left out."""
    pa.parquet.write_table(
        table, file, compression="zstd", use_dictionary=False, write_statistics=False,
        write_page_checksum=True,
    )  # fmt: skip


def _check_columns(schema: pa.Schema, path: Path) -> None:
    """Raise unless a file has every column of the table, of its type.

    Raises:
        ConfigurationError: Says which it has not.
    """
    missing = [
        field.name
        for field in SCHEMA
        if field.name not in schema.names or not schema.field(field.name).type.equals(field.type)
    ]
    if missing:
        raise ConfigurationError(
            f"The result {path} has no {', '.join(missing)} as results have it: it is damaged, or "
            "of another version. "
            f"Remove it, and {ANEW}"
        )


def _whole(path: Path) -> bool:
    """Tell whether a file of results can be read."""
    try:
        _read(path)
    except ConfigurationError:
        return False
    return True


def _read(path: Path) -> pa.Table:
    """Return the rows of one file.

    Raises:
        ConfigurationError: It is damaged.
    """
    try:
        file = pa.parquet.ParquetFile(path, page_checksum_verification=True)
        _check_columns(file.schema_arrow, path)
        return file.read()
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise ConfigurationError(
            f"The result {path} cannot be read: {shortened(in_words(error))}. Remove it, "
            "and run again."
        ) from error
