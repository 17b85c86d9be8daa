"""What the benchmarks share: arguments, trials on several processes, counts, tables.

Importing it puts what tests share (`payload_id/test/support`, the promises) onto the path.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from scipy.stats import beta

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "payload_id" / "test" / part) for part in ("support", "")]
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


def options(**defaults: Any) -> argparse.Namespace:
    """Return the arguments of a script, whose docstring is what --help shows.

    Args:
        defaults: By name; False is a switch, a tuple takes several of the kind of its first.
    """
    said = sys.modules["__main__"].__doc__
    parser = argparse.ArgumentParser(
        description=said, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in defaults.items():
        several = isinstance(default, tuple)
        how: dict[str, Any] = {"type": type(default[0] if several else default)}
        how |= {"nargs": "+"} if several else {}
        how = {"action": "store_true"} if default is False else how
        parser.add_argument(f"--{name.replace('_', '-')}", default=default, **how)
    return parser.parse_args()


def trials(work: Callable[[int], Any], given: argparse.Namespace) -> Iterator[Any]:
    """Yield what a trial gives for each of `--trials` seeds from `--seed` on, on `--workers`."""
    seeds = range(given.seed, given.seed + given.trials)
    if given.workers == 1:
        yield from map(work, seeds)
        return
    with ProcessPoolExecutor(given.workers, get_context("spawn")) as pool:
        yield from pool.map(work, seeds)


def counted(some: Iterable[bool]) -> str:
    """Return how many of how many are true, and how often that is at most, with 95 %."""
    every = list(some)
    k, n = sum(map(bool, every)), len(every)
    return f"{k} of {n}, at most {beta.ppf(0.95, k + 1, n - k) if k < n else 1:.2g}"


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any] | None]) -> None:
    """Print a table; None is a line between two rows."""
    table = Table(title=title)
    for k, column in enumerate(columns):
        table.add_column(column, justify="right" if k else "left")
    for row in rows:
        if row is None:
            table.add_section()
        else:
            table.add_row(*(f"{x:.3g}" if isinstance(x, float) else str(x) for x in row))
    tell(table)


def tell(*what: Any) -> None:
    """Print tables and sentences."""
    Console(width=160, highlight=False, markup=False).print(*what)
