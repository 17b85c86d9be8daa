"""What an update of a team's estimate costs, for two to eight robots at 100 Hz.

A run is fed second by second, as robots give it, with an update each second; the processor time of
samples and update is measured: below one second is real time on one core.

    ./payload-id python benchmarks/team_cost.py --seconds 40
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "payload_id" / "test" / "support"))
from payload_id.core.body.payload_prior import PayloadPrior  # noqa: E402
from payload_id.core.team.bounds import RobotBounds, TeamBounds  # noqa: E402
from payload_id.core.team.online import TeamEstimator  # noqa: E402
from team_motion import Path as Way  # noqa: E402
from team_motion import Team, disturbed  # noqa: E402

BOUNDS = RobotBounds(
    orientation=1e-3, position=5e-4, angular_velocity=0.02, linear_velocity=0.01,
    force_absolute=0.2, moment_absolute=0.02, clock=0.05,
)  # fmt: skip
MEASURED = 5  # last seconds that count


def cost(N: int, seconds: float) -> tuple[float, float, float, float]:
    """Return processor seconds for a second of data: samples, and with an update.

    The latter at the end of the run, over its whole, and the largest.
    """
    rng = np.random.default_rng(N)
    late = np.append(0.0, rng.uniform(-0.05, 0.05, N - 1))
    team = Team.drawn(rng, N, clock=late, moments=N == 2)
    way = Way.drawn(rng, length=seconds, holds=2)
    robots = [disturbed(r, BOUNDS, rng) for r in team.samples(way, rng)]
    estimator = TeamEstimator(team.names, TeamBounds(BOUNDS), PayloadPrior(30.0, 2.0))
    adding, updating = [], []
    for second in range(int(way.duration)):
        begin = time.process_time()
        for robot in robots:
            estimator.add(robot.between(second, second + 0.999))
        middle = time.process_time()
        estimator.update()
        adding.append(middle - begin)
        updating.append(time.process_time() - begin)
    last = np.mean(adding[-MEASURED:]), np.mean(updating[-MEASURED:])
    return float(last[0]), float(last[1]), float(np.mean(updating)), max(updating)


def main() -> None:
    """Print the cost for teams of several sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=40.0)
    options = parser.parse_args()
    table = Table("robots", "samples [ms/s]", "with an update a second [ms/s]", "of N^2",
                  "over the whole run [ms/s]", "largest [ms]")  # fmt: skip
    first = None
    for N in (2, 3, 5, 8):
        adding, updating, whole, largest = cost(N, options.seconds)
        first = first or updating
        table.add_row(
            str(N), f"{1e3 * adding:.1f}", f"{1e3 * updating:.0f}",
            f"{updating / first / (N / 2) ** 2:.2f}", f"{1e3 * whole:.0f}", f"{1e3 * largest:.0f}",
        )  # fmt: skip
    Console().print(table)


if __name__ == "__main__":
    main()
