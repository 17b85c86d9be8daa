"""The ring buffer: nothing changed, nothing twice, nothing lost without being counted."""

import sys
import threading

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.samples.ring_buffer import RingBuffer, SampleRows

JOINTS = 3


def rows(start: int, count: int) -> SampleRows:
    """Return samples whose every number tells their index."""
    index = np.arange(start, start + count)
    values = index[:, None] * np.ones(JOINTS)
    return SampleRows(index, values, values + 0.25, values + 0.5)


def read(buffer: RingBuffer, *most: int) -> tuple[int, int, int]:
    """Return the first number of a block, how many it has and how many were lost before it."""
    block = buffer.read(*most)
    index = np.arange(block.first, block.first + len(block))
    assert np.array_equal(block.stamp_ns, index)
    for array, offset in ((block.q, 0.0), (block.dq, 0.25), (block.tau, 0.5)):
        assert np.array_equal(array, index[:, None] * np.ones(JOINTS) + offset)
    return block.first, len(block), block.lost


def test_any_sequence_of_writes_and_reads_accounts_for_every_sample():
    generator = np.random.default_rng(1)
    for capacity in (1, 2, 7, 64):
        buffer, written, accounted = RingBuffer(capacity, JOINTS), 0, 0
        for _ in range(300):
            count = int(generator.integers(0, 2 * capacity + 2))
            buffer.write(rows(written, count))
            written += count
            first, taken, lost = read(buffer, int(generator.integers(1, capacity + 3)))
            assert first == accounted + lost
            accounted = first + taken
        first, taken, lost = read(buffer, capacity)
        assert written == accounted + lost + taken and len(buffer) == 0


def test_two_threads_never_mix_samples():
    """The reader is slowed down at random, so that it is overtaken again and again."""
    for capacity in (16, 1000):
        buffer, total, done = RingBuffer(capacity, JOINTS), 20_000, threading.Event()

        def write(buffer=buffer, total=total, done=done) -> None:
            generator, start = np.random.default_rng(2), 0
            while start < total:
                count = min(int(generator.integers(1, 20)), total - start)
                buffer.write(rows(start, count))
                start += count
            done.set()

        interval, writer = sys.getswitchinterval(), threading.Thread(target=write)
        sys.setswitchinterval(1e-6)
        try:
            writer.start()
            accounted, generator = 0, np.random.default_rng(3)
            while not (done.is_set() and len(buffer) == 0):
                first, taken, lost = read(buffer, int(generator.integers(1, 40)))
                assert first == accounted + lost
                accounted = first + taken
            assert accounted == total
        finally:
            sys.setswitchinterval(interval)
            writer.join()


def test_what_was_lost_beyond_a_limit_is_lost_to_who_reads_on():
    buffer = RingBuffer(10, JOINTS)
    buffer.write(rows(0, 4))
    limit = buffer.written
    buffer.write(rows(4, 30))
    _, count, lost = read(buffer, 100, limit)
    assert (count, lost, buffer.taken) == (0, 4, limit)
    assert read(buffer, 100)[1:] == (10, 20)


def test_wrong_sizes_are_refused():
    for call in (lambda: RingBuffer(0, 3), lambda: RingBuffer(4, 2).write(rows(0, 1))):
        with pytest.raises(InputError, match="found"):
            call()
