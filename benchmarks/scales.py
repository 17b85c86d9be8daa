"""What bounds on means of the noise are worth, and how far measured ones can be trusted.

A Gen3 whose links are wrong by up to 5 % and whose sensors have offsets moves bare, several times,
and then with a payload, each time otherwise. The torques' noise has ripple of the gears (a sine of
each joint's position), a part that is new at every sample, and one of one sign for long. Known of
it is the bound of a sample. The bare runs tell what means over longer times need (`payload-id
noise`); that times a margin is stated for the run with the payload:

    holds       part of the bounds so stated that the noise of that run keeps, over every stretch
    inside      part of the intervals of identifiable parameters that hold the truth
    mass        half-width of the mass over that with the bound of a sample alone (median, range)
    true        the same with bounds that the noise of that run just keeps

    ./payload-id python benchmarks/scales.py --seeds 8
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import Joints, Motion, draw_payload, perturbed_links, record
from payload_id import RobotFile, RobotModel, Settings, Uncertainty
from payload_id.core.arrays import Array
from payload_id.core.calibration.noise_needed import noise_needed
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.identify import identify
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.status import Status
from payload_id.core.samples.joint_samples import Samples
from scaled_noise import largest_mean

ROBOT = RobotFile.load("kinova_gen3")
MODEL = RobotModel.from_robot_file(ROBOT)
SECONDS, RATE = 7.5, 250.0  # [s], [Hz]
LENGTHS = (0.2, 0.5, 1.0)  # [s]
SIZE = np.array([1.0, 1.0, 1.0, 1.0, 0.3, 0.3, 0.3])  # bound of a sample [N m]
TEETH = 60.0  # waves of the ripple in a turn
KNOWN = Uncertainty(
    torque_absolute=tuple(SIZE),
    torque_offset=0.5,
    link_relative=0.05,
    prior=ROBOT.uncertainty.prior,
)
MARGINS = (1.2, 2.0)


def noise(samples: Samples, rng: np.random.Generator) -> Array:
    """Return noise within SIZE, shape (N, n)."""
    shape = samples.tau.shape
    ripple = np.sin(TEETH * samples.q + rng.uniform(0, 6, shape[1]))
    white = rng.uniform(-1.0, 1.0, shape)
    slow = np.where(np.cumsum(rng.uniform(size=shape) < 1 / RATE, axis=0) % 2 == 0, 1.0, -1.0)
    return SIZE * (0.6 * ripple + 0.3 * white + 0.1 * slow)


def stated(means: dict[float, Array]) -> Uncertainty:
    """Return the bounds with those on means added."""
    return replace(
        KNOWN, torque_mean_window=tuple(means), torque_mean=tuple(np.concatenate([*means.values()]))
    )


def run_of(
    seed: int, number: int, links: Array, joints: Joints, phi: Array
) -> tuple[Samples, Array]:
    """Return a run and its noise."""
    rng = np.random.default_rng([seed, number])
    motion = Motion.draw(MODEL, rng)
    samples = record(MODEL, seed, phi, SECONDS, RATE, links, motion=motion, joints=joints).samples
    error = noise(samples, rng)
    return replace(samples, tau=samples.tau + error), error


def measure(seed: int, bare_runs: int) -> list[tuple[float, ...]]:
    """Return holds, inside, consistent, mass and mass with true bounds, for each margin."""
    rng = np.random.default_rng(seed)
    links, phi = perturbed_links(MODEL, rng, 0.05), draw_payload(rng)
    joints = Joints.draw(rng, KNOWN, MODEL.n, extreme=False)
    bare = [run_of(seed, k, links, joints, np.zeros(10))[0] for k in range(1, bare_runs + 1)]
    loaded, error = run_of(seed, 0, links, joints, phi)
    found = noise_needed(bare, MODEL, KNOWN, LENGTHS, np.zeros(10))
    true = {x: largest_mean(loaded.stamp, error, x) for x in LENGTHS}
    sample = identify(loaded, MODEL, KNOWN).half_width[0]
    best = identify(loaded, MODEL, stated({k: 1.0001 * x for k, x in true.items()}))
    rows = []
    for margin in MARGINS:
        means = {each.length: margin * each.factor * SIZE for each in found}
        holds = np.mean([true[length] <= means[length] for length in LENGTHS])
        got = identify(loaded, MODEL, stated(means))
        rows.append((float(holds), *judged(got, phi), got.half_width[0] / sample,
                     best.half_width[0] / sample))  # fmt: skip
    return rows


def judged(found: Estimate, phi: Array) -> tuple[float, float]:
    """Return which part of the identifiable intervals hold the truth, and whether consistent."""
    if found.status is Status.INCONSISTENT:
        return float("nan"), 0.0
    seen = found.identifiable
    return float(np.mean(found.contains(phi)[seen])) if seen.any() else 1.0, 1.0


def cost(scales: Sequence[float], turns: int = 3) -> float:
    """Return the time for the rows of a second of data with further lengths, at 1 kHz [ms]."""
    rng = np.random.default_rng(0)
    samples = record(MODEL, 0, np.zeros(10), 3.0, 1000.0, motion=Motion.draw(MODEL, rng)).samples
    best = np.inf
    for _ in range(turns):
        settings = Settings(ROBOT.uncertainty, scales=tuple(scales))
        online = OnlineIdentifier(MODEL, settings)
        begin = time.process_time()
        online.add(samples)
        best = min(best, time.process_time() - begin)
    return 1e3 * best / 3.0


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    arguments = parser.parse_args()
    terminal = Console(width=110)
    for bare_runs in (1, 3):
        table = Table(title=f"means over {LENGTHS} s measured on {bare_runs} bare runs")
        for title in ("margin", "runs", "holds", "consistent", "inside", "mass", "true"):
            table.add_column(title)
        every = [measure(seed, bare_runs) for seed in range(arguments.seeds)]
        for k, margin in enumerate(MARGINS):
            part = np.array([rows[k] for rows in every])
            ratio = part[part[:, 2] == 1.0, 3]
            table.add_row(
                f"{margin:g}", str(len(part)), f"{part[:, 0].mean():.2f}",
                f"{part[:, 2].mean():.2f}", f"{np.nanmean(part[:, 1]):.3f}",
                f"{np.median(ratio):.2f} ({ratio.min():.2f} to {ratio.max():.2f})",
                f"{np.median(part[:, 4]):.2f}",
            )  # fmt: skip
        terminal.print(table)
    table = Table(title="rows of a second of data at 1 kHz, bounds of the robot file")
    for title in ("lengths beside 0.1 s", "ms"):
        table.add_column(title)
    for scales in ((), (1.0,), (0.2, 1.0), (0.02,), (0.005,), (0.005, 1.0)):
        table.add_row(", ".join(f"{x:g}" for x in scales) or "none", f"{cost(scales):.0f}")
    terminal.print(table)


if __name__ == "__main__":
    main()
