"""Where the work is done: the cores of this machine, or a cluster that runs somewhere."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

import dask
from distributed import Client, LocalCluster

from ..core.errors import InputError, in_words, shortened
from ..core.version import VERSION

MEMORY = "950MB"  # of a local worker; one that needs more is started anew
CONNECTED = 20.0  # [s] to find a scheduler
HERE = "127.0.0.1"  # nothing listens elsewhere
ANY_PORT = f"{HERE}:0"  # any that is free: several clusters do not meet
SETTINGS: dict[str, object] = {
    # A recording that kills a worker is given up after this number of workers, one by one.
    "distributed.scheduler.allowed-failures": 1,
    "distributed.scheduler.worker-saturation": 1.0,
    # Results are small and memory is the recordings': nothing is written to disk.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.98,
    # By default workers give memory back at once, only to ask for it anew with every larger array,
    # and look a hundred times a second at what they are doing: a seventh of a recording's time.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.low-level-log-length": 10,  # messages that are remembered, with their data
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.admin.log-format": "%(message)s",
    "distributed.logging.distributed": "critical",
}


@contextmanager
def cluster_client(scheduler: str | None = None, workers: int | None = None) -> Iterator[Client]:
    """Give a client of a running cluster, or of one on this machine that ends with the block.

    Args:
        scheduler: Address, such as tcp://10.0.0.1:8786; None: on this machine, nobody else's.
        workers: On this machine, one thread each; None: one for each core.

    Raises:
        InputError: There is no such scheduler, or its workers run another version.
    """
    with dask.config.set(SETTINGS):
        if scheduler is None:
            with _local_cluster(workers or len(os.sched_getaffinity(0))) as client:
                yield client
            return
        if workers is not None:
            raise InputError("--workers is for this machine; a running cluster has its own.")
        try:
            client = Client(scheduler, timeout=CONNECTED, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError(
                f"No scheduler answers at {scheduler}: {shortened(in_words(error))}. Start one "
                "with dask scheduler, and workers with dask worker, where payload_id is installed."
            ) from error
        with client:
            _check_versions(client)
            yield client


@contextmanager
def _local_cluster(workers: int) -> Iterator[Client]:
    """Give a client of a cluster on this machine, which is ended with the block.

    An interrupt counts once the cluster is there to be ended: one that is half started, or half
    ended, cannot be closed.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])  # it inherits that
    resource_tracker.ensure_running()  # started later, it unblocks signals where it was asked for
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    with _held_interrupts():
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=MEMORY,
            host=HERE,
            dashboard_address=ANY_PORT,
            worker_dashboard_address=ANY_PORT,
            security=True,  # encrypted, with keys of this run: others cannot join
            silence_logs="CRITICAL",
        )
        client = Client(cluster)
    try:
        yield client
    finally:
        with _held_interrupts():
            client.close()
            cluster.close()


@contextmanager
def _held_interrupts() -> Iterator[None]:
    """Have signals that end the process wait for the end of the block.

    SIGINT and SIGHUP are blocked, which threads and processes that are begun meanwhile inherit: a
    terminal sends them to workers, too, which this process ends.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda found, frame: came.append(found))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGHUP])
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    if came:
        signal.raise_signal(signal.SIGTERM)


def _check_versions(client: Client) -> None:
    """Raise if a worker runs another version of this software.

    Raises:
        InputError: One does, or has none.
    """
    try:
        found = client.run(version)
    except Exception as error:  # whatever a worker without this software raises
        raise InputError(
            f"A worker cannot import payload_id: {shortened(in_words(error))}. Install it there."
        ) from error
    others = {worker: each for worker, each in found.items() if each != VERSION}
    if others:
        worker, each = next(iter(others.items()))
        raise InputError(
            f"{len(others)} of {len(found)} workers run another version: {worker} has {each}, "
            f"here is {VERSION}. Install this one there."
        )


def version() -> str:
    """Return the version of this software, where it is called."""
    return VERSION
