"""Trials of a campaign on this process, on all cores, or on a Dask cluster.

Workers of a cluster elsewhere need this repository, and `benchmarks` and `payload_id/test/support`
on their PYTHONPATH.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from payload_id.fleet import cluster_client, spread

Item = TypeVar("Item")


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Add where trials run."""
    parser.add_argument("--workers", type=int, help="processes here (default: this one alone)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a running Dask cluster")


def campaign(
    work: Callable[[Item], Any], items: Iterable[Item], options: argparse.Namespace
) -> Iterator[tuple[Item, Any]]:
    """Yield each item with what a trial of it gives, in the order in which they end.

    Args:
        work: A trial.
        items: Such as seeds.
        options: Of `add_cluster_arguments`.
    """
    if options.scheduler is None and options.workers in (None, 1):
        yield from ((item, work(item)) for item in items)
        return
    with cluster_client(options.scheduler, options.workers) as client:
        for item, answer in spread(client, work, items):
            yield item, answer.result()
