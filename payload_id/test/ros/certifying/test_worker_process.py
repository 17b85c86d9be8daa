"""Work in a process of its own: answers, errors, and work that never ends."""

from __future__ import annotations

import time

import pytest

from payload_id.core.errors import InputError
from payload_id.ros.certifying.worker_process import WorkerProcess

LONGEST = 1.0  # [s]


def make_sleeper():
    """Return a worker that sleeps for as long as it is told [s], and says so."""

    def sleep(seconds):
        time.sleep(seconds)
        return f"slept {seconds:g} s"

    return sleep


@pytest.mark.slow
def test_a_request_that_never_ends_is_given_up_and_the_next_one_answered():
    process = WorkerProcess("proof", make_sleeper, longest=LONGEST)
    try:
        assert process.request(0.0).result(60.0) == "slept 0 s"  # however long its start takes
        begin = time.monotonic()
        endless, after = process.request(1e6), process.request(0.0)
        with pytest.raises(InputError, match=f"The proof was given up.*{LONGEST:g} s"):
            endless.result(60.0)
        assert LONGEST <= time.monotonic() - begin < LONGEST + 10.0
        assert after.result(60.0) == "slept 0 s" and process.alive
    finally:
        process.close()
