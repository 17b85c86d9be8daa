"""Work is handed out for the workers that there are now, which may come late."""

from __future__ import annotations

import threading

import pytest
from distributed import Client, LocalCluster

from payload_id.fleet import spread

LATE = 6  # workers that come once the work has begun
ALL = threading.Barrier(LATE + 1)  # passed when so many tasks run at once


def together(number: int) -> int:
    """Wait until as many tasks run as there are workers, but for the first one."""
    if number:
        ALL.wait(30.0)
    return number


@pytest.mark.slow
def test_workers_that_come_later_are_all_used():
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):  # fmt: skip
        answers = spread(client, together, range(LATE + 2))
        item, future = next(answers)
        assert item == future.result() == 0
        cluster.scale(LATE + 1)
        client.wait_for_workers(LATE + 1, timeout=30.0)
        found = [(item, future.result()) for item, future in answers]
    assert sorted(found) == [(k, k) for k in range(1, LATE + 2)]
