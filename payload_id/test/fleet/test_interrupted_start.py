"""An interrupt while a local cluster starts counts once it is there, and is then ended in order."""

from __future__ import annotations

import signal

import pytest

from payload_id.fleet import cluster


def test_signals_wait_for_the_end_of_the_block():
    before = signal.getsignal(signal.SIGINT)
    done = []
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), cluster._held_interrupts():
            signal.raise_signal(signal.SIGINT)
            done.append("started")
        assert done == ["started"]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
