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


def check(block: SampleRows) -> None:
    """Check that every array of a block belongs to the indices that it claims."""
    index = np.arange(block.first, block.first + len(block))
    assert np.array_equal(block.stamp_ns, index)
    for array, offset in ((block.q, 0.0), (block.dq, 0.25), (block.tau, 0.5)):
        assert np.array_equal(array, index[:, None] * np.ones(JOINTS) + offset)


def test_any_sequence_of_writes_and_reads_accounts_for_every_sample():
    generator = np.random.default_rng(1)
    for capacity in (1, 2, 7, 64):
        buffer, written, read, lost = RingBuffer(capacity, JOINTS), 0, 0, 0
        for _ in range(300):
            count = int(generator.integers(0, 2 * capacity + 2))
            buffer.write(rows(written, count))
            written += count
            block = buffer.read(int(generator.integers(1, capacity + 3)))
            check(block)
            assert block.first == read + lost + block.lost
            read, lost = read + len(block), lost + block.lost
        rest = buffer.read(capacity)
        check(rest)
        assert written == read + lost + len(rest) + rest.lost
        assert len(buffer) == 0


def test_a_reader_that_keeps_up_loses_nothing():
    buffer = RingBuffer(10, JOINTS)
    for start in range(0, 1000, 10):
        buffer.write(rows(start, 10))
        assert len(buffer) == 10
        block = buffer.read(10)
        check(block)
        assert block.lost == 0
        assert block.first == start


def test_a_block_above_the_capacity_leaves_its_newest_samples():
    buffer = RingBuffer(4, JOINTS)
    buffer.write(rows(0, 11))
    block = buffer.read(100)
    check(block)
    assert (block.first, len(block), block.lost) == (7, 4, 7)


@pytest.mark.parametrize("capacity", [16, 1000])
def test_two_threads_never_mix_samples(capacity):
    """The reader is slowed down at random, so that it is overtaken again and again."""
    buffer, total, done = RingBuffer(capacity, JOINTS), 60_000, threading.Event()

    def write() -> None:
        generator, start = np.random.default_rng(2), 0
        while start < total:
            count = min(int(generator.integers(1, 20)), total - start)
            buffer.write(rows(start, count))
            start += count
        done.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    writer = threading.Thread(target=write)
    try:
        writer.start()
        accounted, generator = 0, np.random.default_rng(3)
        while not (done.is_set() and len(buffer) == 0):
            block = buffer.read(int(generator.integers(1, 40)))
            check(block)
            assert block.first == accounted + block.lost
            accounted = block.first + len(block)
        assert accounted == total
    finally:
        sys.setswitchinterval(interval)
        writer.join()


def test_clear_skips_what_waits():
    buffer = RingBuffer(8, JOINTS)
    buffer.write(rows(0, 5))
    buffer.clear()
    buffer.write(rows(5, 2))
    block = buffer.read(8)
    check(block)
    assert (block.first, len(block), block.lost) == (5, 2, 0)


def test_memory_is_reserved_once():
    buffer = RingBuffer(8, JOINTS)
    before = buffer._values.ctypes.data
    for start in range(0, 80, 8):
        buffer.write(rows(start, 8))
    assert buffer._values.ctypes.data == before


def test_wrong_sizes_are_refused():
    with pytest.raises(InputError, match="at least 1; found 0 and 3"):
        RingBuffer(0, 3)
    with pytest.raises(InputError, match=r"of 2 joints.*found \(1, 3\)"):
        RingBuffer(4, 2).write(rows(0, 1))


def test_what_was_lost_beyond_a_limit_is_lost_to_who_reads_on():
    buffer = RingBuffer(10, 1)
    buffer.write(rows_of(4))
    limit = buffer.written
    buffer.write(rows_of(30))
    before = buffer.read(100, limit)
    assert (len(before), before.lost, buffer.taken) == (0, 4, limit)
    after = buffer.read(100)
    assert (len(after), after.lost) == (10, 20)


def rows_of(count):
    """Return so many samples of one joint."""
    zero = np.zeros((count, 1))
    return SampleRows(np.arange(count, dtype=np.int64), zero, zero, zero, 0, 0)
