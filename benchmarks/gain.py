"""How a mass estimate behaves as data grow, for every estimator, arm and stated torque gain.

    ./payload-id python benchmarks/gain.py --seeds 6 --first 100

Shipped arms with their shipped bounds, the gain's replaced; links, friction, rotors, offsets, gains
and noise are drawn within the bounds, anew for each seed, and so is the payload. Prints, for 10, 30
and 60 s, the median error of the mass; by how much the error of a run falls (below 0) or grows from
the first to the last of these times, mean of the runs; and the mean of the signed error (the bias);
both as parts of the hull's half-width, each with its standard error. Fails if an error grows or a
bias reaches `BIAS`, by more than two of them; `ols` is exempt: it takes links, friction and
offsets for what the description says, and its error tends to what they cause, from either side.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from payload_id import OnlineIdentifier, RobotFile, RobotModel, Settings
from payload_id.core.estimators import ESTIMATORS
from payload_id.core.identification.point_estimate import point_estimate
from payload_id.core.threads import one_thread
from stated_arm import SHAPE, measured_run  # noqa: E402  # lies in the folder above

ARMS = ("kinova_gen3", "xarm7")
GAINS = (0.0, 0.025, 0.05, 0.1)
SECONDS = (10.0, 30.0, 60.0)
BIAS = 0.1  # of a half-width


def trial(arm: str, gain: float, seed: int, seconds: tuple[float, ...]) -> dict:
    """Return errors and half-widths of the mass: {(estimator, seconds): (error, half-width)}."""
    robot = RobotFile.load(arm)
    model = RobotModel.from_robot_file(robot)
    uncertainty = replace(robot.uncertainty, torque_gain=gain)
    samples, phi = measured_run(model, uncertainty, seed, max(seconds))
    found = {}
    for length in seconds:
        online = OnlineIdentifier(model, Settings(uncertainty))
        online.add(samples.part(0, int(np.searchsorted(samples.stamp, length + 1e-6)) + 1))
        with one_thread():
            problem = online.problem()
            bounds = problem.bounds()
            for name in ESTIMATORS:
                shape = SHAPE if name == "point_masses" else None
                settings = Settings(uncertainty, name, shape=shape)
                problem = replace(problem, settings=settings)
                estimate = point_estimate(
                    problem.rows, problem.statistics, bounds, problem.prior, settings, problem.shape
                )
                found[name, length] = (estimate[0] - phi[0], bounds.interval.half_width[0])
    return found


def mean_of(values: np.ndarray) -> tuple[float, float]:
    """Return the mean and its standard error."""
    if len(values) < 2:
        return float(values.mean()), float("inf")
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def main() -> int:
    """Print the table; return 0 if nothing grows and nothing is biased."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--arms", nargs="*", default=list(ARMS))
    parser.add_argument("--gains", nargs="*", type=float, default=list(GAINS))
    parser.add_argument("--seconds", nargs="*", type=float, default=list(SECONDS))
    given = parser.parse_args()
    seconds = tuple(given.seconds)
    console = Console(width=120)
    broken = 0
    for arm, gain in product(given.arms, given.gains):
        errors = defaultdict(list)
        for seed in range(given.first, given.first + given.seeds):
            for key, value in trial(arm, gain, seed, seconds).items():
                errors[key].append(value)
        times = [f"{s:g} s" for s in seconds]
        table = Table(f"{arm}, gain {gain:g}", *times, "change", "+-", "bias", "+-")
        for name in ESTIMATORS:
            found = [np.array(errors[name, s]) for s in seconds]
            medians = [float(np.median(np.abs(x[:, 0]))) for x in found]
            half_width = found[-1][:, 1]
            change = mean_of((np.abs(found[-1][:, 0]) - np.abs(found[0][:, 0])) / half_width)
            bias = mean_of(found[-1][:, 0] / half_width)
            grows = change[0] > 2.0 * change[1]
            biased = abs(bias[0]) - 2.0 * bias[1] > BIAS
            broken += (grows or biased) and name != "ols"  # which leaves links as described
            label = name + (" GROWS" if grows else "") + (" BIASED" if biased else "")
            table.add_row(label, *(f"{x:.3f}" for x in (*medians, *change, *bias)))
        halves = [float(np.mean(np.array(errors["lmi", s])[:, 1])) for s in seconds]
        table.add_row("half-width", *(f"{h:.2f}" for h in halves))
        console.print(table)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
