"""Whether physically constrained estimators are consistent in every trial, however poor the data.

    ./payload-id python benchmarks/consistency.py

Wrench data: 0, 1 and 5 samples and 9 windows; of a motion, at rest, and pure noise of three sizes;
without a shape and with five, one of them a ruler of 1 mm, one a metre away from the body; bounds
with and without noise of the motion. The suite runs a part of it, and the same on torque data.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "payload_id" / "test" / "support"))

from estimator_battery import (  # noqa: E402  # lies in the folder above
    LOWER,
    NEEDS_SHAPE,
    NOISY,
    SHAPES,
    UPPER,
    wrench_noise,
    wrench_statistics,
)
from payload_id.core.body.inertial import is_physical
from payload_id.core.errors import SolverError
from payload_id.core.estimators import ESTIMATORS
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.threads import one_thread
from wrench_motion import simulated  # noqa: E402  # likewise


def main() -> int:
    """Print the table; return 0 if every promise was kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--estimators", nargs="*", default=list(ESTIMATORS))
    names = parser.parse_args().estimators
    data = [simulated(1.0, 100.0), simulated(1.0, 100.0, speed=0.0)]
    data += [wrench_noise(size) for size in (1e-6, 1.0, 1e4)]
    cases = [
        wrench_statistics(samples, windows, uncertainty)
        for samples, windows, uncertainty in product(
            data, (0, 1, 5, -1), (WrenchUncertainty(), NOISY)
        )
    ]
    table = Table("estimator", "promised", "trials", "inconsistent", "failed", "slowest [ms]")
    broken = 0
    for name in names:
        method = ESTIMATORS[name]
        trials = bad = failed = 0
        slowest = 0.0
        for shape, statistics in product(SHAPES[name in NEEDS_SHAPE :], cases):
            started = time.process_time()
            trials += 1
            try:
                with one_thread():
                    phi = method(shape).estimate(statistics, LOWER, UPPER)
                bad += not (np.isfinite(phi).all() and is_physical(phi))
            except SolverError:
                failed += 1
            slowest = max(slowest, time.process_time() - started)
        broken += failed + bad * method.physical
        table.add_row(name, "yes" if method.physical else "no", str(trials), str(bad), str(failed),
                      f"{1e3 * slowest:.0f}")  # fmt: skip
    Console().print(table)
    return 0 if broken == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
