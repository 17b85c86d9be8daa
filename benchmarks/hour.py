"""An hour at 1 kHz: does an update cost more, or the memory grow? `benchmarks/hour.py`.

A minute of simulated Gen3 is fed again and again with fresh torque noise and later stamps; an
update is made every few seconds of data. Prints, for every ten minutes, the median time of an
update, the processor time of taking in a sample, and the resident memory.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

import numpy as np
from timing import UNCERTAINTY, recording, with_noise

from payload_id import OnlineIdentifier, Settings
from payload_id.core.samples.joint_samples import Samples

MINUTE = 60.0  # [s] of the recording that is repeated
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> float:
    """Return the resident memory [MB]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--update", type=float, default=5.0, help="seconds of data between updates")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    model, minute, payload = recording(MINUTE, seed=4, noisy=False)
    online = OnlineIdentifier(model, Settings(UNCERTAINTY))
    size = round(arguments.update * 1000)
    updates, feeding = [], []
    print("minute  update (median)  taking in a sample  memory   mass half-width")
    for number in range(1, arguments.minutes + 1):
        stamp = minute.stamp + (number - 1) * (MINUTE + 1.0)  # a pause: the motions do not join
        again = with_noise(Samples(stamp, minute.q, minute.dq, minute.tau), rng)
        for start in range(0, len(again), size):
            begin = time.process_time()
            online.add(again.part(start, start + size))
            fed = time.process_time()
            estimate = online.update()
            feeding.append((fed - begin) / size)
            updates.append(time.process_time() - fed)
        if number % max(1, arguments.minutes // 6) == 0:
            print(
                f"{number:6d}  {1e3 * statistics.median(updates):12.0f} ms  "
                f"{1e6 * statistics.median(feeding):15.0f} us  {resident():5.0f} MB  "
                f"{estimate.half_width[0]:.4f} kg  {estimate.status.value}",
                flush=True,
            )
            updates, feeding = [], []
    print(f"truth inside: {bool(estimate.contains(payload).all())}")


if __name__ == "__main__":
    main()
