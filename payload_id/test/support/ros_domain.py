"""ROS domains for tests: no two that run at once have the same, and none has ports of others.

Beyond domain 101 the ports of DDS lie among those that Linux hands out to whoever asks.
"""

from __future__ import annotations

import itertools
import os
import zlib

DOMAINS = 100  # 1..100

_count = itertools.count()


def next_domain() -> int:
    """Return a domain that this process has not used yet, nor any other worker of this run.

    A run begins anywhere, so that two runs on one machine rarely meet.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    share = DOMAINS // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    own = worker * share + next(_count) % share
    return 1 + (zlib.crc32(run.encode()) + own) % DOMAINS
