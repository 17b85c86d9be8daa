"""What waits between threads: nothing changed or twice, nothing lost that is not counted."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from payload_id.ros.runs.part_queue import PartQueue


@pytest.mark.parametrize("capacity", [1, 2, 7, 64])
def test_any_sequence_of_puts_and_takes_accounts_for_every_number(capacity):
    rng, queue, put, accounted = np.random.default_rng(1), PartQueue(capacity), 0, 0
    for _ in range(300):
        part = range(put, put + int(rng.integers(1, 2 * capacity + 2)))
        queue.put(part)
        put += len(part)
        assert queue.size <= max(capacity, len(part))
        if rng.random() < 0.4:
            parts, lost = queue.take()
            accounted += lost
            for taken in parts:
                assert taken.start == accounted
                accounted = taken.stop
            assert accounted == put


def test_what_was_handed_over_after_a_moment_goes_on_waiting():
    queue = PartQueue(100)
    queue.put("ab", lost=3)
    moment = queue.written
    queue.put("cde", lost=4)
    assert queue.take(moment) == (["ab"], 3)
    assert queue.take(moment) == ([], 0) and queue.size == 3
    assert queue.take() == (["cde"], 4)


def test_two_threads_lose_nothing_that_is_not_counted():
    queue, done, interval = PartQueue(50), threading.Event(), sys.getswitchinterval()

    def write() -> None:
        for k in range(20_000):
            queue.put([k])
        done.set()

    sys.setswitchinterval(1e-6)
    try:
        threading.Thread(target=write).start()
        found, lost, ended = [], 0, False
        while not ended:
            ended = done.is_set()
            parts, more = queue.take()
            found += parts
            lost += more
        assert found == sorted(found) and len(found) + lost == 20_000
    finally:
        sys.setswitchinterval(interval)
