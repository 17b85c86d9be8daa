"""What a tare of 7.5 s is worth: the half-width of the mass with it over that without.

A Gen3 moves as in the demonstration (`core/excitation/search/random_fourier_search.py`), first bare
(or with a known weight of 1 kg: `weight`), then with a payload; links are wrong by up to 5 %. Two
kinds of torque sensors:

    constant    gains wrong by up to 2.5 % (part of psi), 0.3 % and 0.02 N m new at every sample
    per sample  2.5 % new at every sample

with noise that is uniform, or of one sign for long ("correlated"). No tare can do better than links
and gains that are known exactly (`known`): what is left then is the noise in the run with the
payload. Nor can one tell a common factor of all torques, of the links and of the payload: `factor`
is how much of the mass that leaves, as a half-width, if gains alone may take it up.
Windows of 0.005 s use the noise's own size, where it is new at every sample: of many short means
some come close to the bound, and rule out what long means allow.

    ./payload-id python benchmarks/tare.py --seeds 6
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import Joints, perturbed_links, record
from payload_id import OnlineIdentifier, RobotFile, RobotModel, Settings, Uncertainty
from payload_id.cli.demo.scene import draw_payload, heavy_payload
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.excitation.search.random_fourier_search import random_fourier_search
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.samples.joint_samples import Samples

ROBOT = RobotFile.load("kinova_gen3")
MODEL = RobotModel.from_robot_file(ROBOT)
WEIGHT = from_mass_com_inertia(1.0, [0.0, 0.0, 0.05], 1e-3 * np.eye(3))
SECONDS, RATE = 7.5, 1000.0  # [s], [Hz]
PRIOR = ROBOT.uncertainty.prior
SENSORS = {
    "constant": Uncertainty(
        torque_relative=0.003,
        torque_absolute=0.02,
        torque_gain=0.025,
        link_relative=0.05,
        prior=PRIOR,
    ),
    "per sample": Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PRIOR),
}
CASES = (  # sensors, noise, window [s]
    ("constant", "uniform", 0.1),
    ("constant", "uniform", 0.005),
    ("constant", "correlated", 0.1),
    ("per sample", "uniform", 0.1),
)


@dataclass(frozen=True)
class Played:
    """A trajectory in the form that recordings are made from."""

    trajectory: Trajectory

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Return q, dq and ddq at times t, shape (N, n) each."""
        motion = self.trajectory.at(np.clip(t, 0.0, self.trajectory.duration))
        return motion.q, motion.dq, motion.ddq


@dataclass(frozen=True)
class Result:
    """Half-widths of the mass [kg], and the truth.

    Attributes:
        mass: True mass.
        without: Half-width without tare.
        with_tare: Half-width with it.
        weight: Half-width with a tare whose payload is a known weight.
        known: Half-width if links and gains were known exactly.
        factor: What a common factor of gains leaves of the mass, as a half-width.
        inside: Whether all intervals hold the truth.
    """

    mass: float
    without: float
    with_tare: float
    weight: float
    known: float
    factor: float
    inside: bool


def motion_of(seed: int) -> Played:
    """Return the demonstration's motion for a seed."""
    limits = ROBOT.limits
    allowed = MotionLimits(
        limits.position_lower,
        limits.position_upper,
        limits.velocity,
        limits.acceleration,
        limits.effort,
    )
    payloads = [np.zeros(10), heavy_payload()]
    return Played(
        random_fourier_search(MODEL, ROBOT.home, allowed, payloads, seed, SECONDS).trajectory
    )


def measure(seed: int, cases: Sequence[tuple[str, str, float]]) -> list[Result]:
    """Return what each case makes of one arm, payload and motion."""
    rng = np.random.default_rng(seed)
    payload = draw_payload(rng)
    links = perturbed_links(MODEL, rng, 0.05)
    motions = motion_of(seed), motion_of(seed + 1000)
    results = []
    for sensors, noise, window in cases:
        uncertainty = SENSORS[sensors]
        joints = Joints.draw(np.random.default_rng(seed), uncertainty, MODEL.n, extreme=False)

        def measured(motion: Played, phi: Array, number: int) -> Samples:
            run = record(MODEL, number, phi, SECONDS, RATE, links, motion=motion, joints=joints)  # noqa: B023  # used in this turn
            return run.measured(uncertainty, noise, number).samples  # noqa: B023  # likewise

        loaded = measured(motions[0], payload, seed)
        bare = measured(motions[1], np.zeros(10), seed + 1000)
        weighted = measured(motions[1], WEIGHT, seed + 2000)
        without = OnlineIdentifier(MODEL, Settings(uncertainty, window=window))
        without.add(loaded)
        tared = OnlineIdentifier(MODEL, Settings(uncertainty, window=window))
        tared.add(bare)
        tared.tare()
        tared.add(loaded)
        with_weight = OnlineIdentifier(MODEL, Settings(uncertainty, window=window))
        with_weight.add(weighted)
        with_weight.tare(WEIGHT)
        with_weight.add(loaded)
        # The readings are divided by 1 + gain, and their noise with them.
        larger = 1.0 / (1.0 - np.max(uncertainty.torque_gain))
        exact = replace(
            uncertainty,
            torque_gain=0.0,
            link_relative=0.0,
            torque_relative=larger * uncertainty.torque_relative,
            torque_absolute=larger * uncertainty.torque_absolute,
        )
        known = OnlineIdentifier(replace(MODEL, link_phi=links), Settings(exact, window=window))
        known.add(replace(loaded, tau=loaded.tau / (1.0 + joints.gain)))
        estimates = [online.update() for online in (without, tared, with_weight, known)]
        results.append(
            Result(
                payload[0],
                estimates[0].half_width[0],
                estimates[1].half_width[0],
                estimates[2].half_width[0],
                estimates[3].half_width[0],
                payload[0] * _common_factor(joints.gain, np.max(uncertainty.torque_gain)),
                bool(all(estimate.contains(payload).all() for estimate in estimates)),
            )
        )
    return results


def _common_factor(gain: Array, bound: float) -> float:
    """Return half the range of factors on 1 / (1 + gain) that keep all gains in their box."""
    inverse = 1.0 / (1.0 + gain)
    lower, upper = 1.0 / (1.0 + bound), 1.0 / (1.0 - bound)
    return float((upper / inverse.max() - lower / inverse.min()) / 2)


def table_of(case: tuple[str, str, float], results: Sequence[Result]) -> Table:
    """Return one line for each seed."""
    sensors, noise, window = case
    table = Table("seed", title=f"{sensors} errors, {noise} noise, windows of {window:g} s")
    for column in ("mass [kg]", "± without", "± tare", "ratio", "± weight", "ratio"):
        table.add_column(column, justify="right")
    for column in ("± known", "± factor", "inside"):
        table.add_column(column, justify="right")
    for seed, r in enumerate(results):
        table.add_row(
            str(seed),
            f"{r.mass:.2f}",
            f"{r.without:.4f}",
            f"{r.with_tare:.4f}",
            f"{r.with_tare / r.without:.2f}",
            f"{r.weight:.4f}",
            f"{r.weight / r.without:.2f}",
            f"{r.known:.4f}",
            f"{r.factor:.4f}",
            "yes" if r.inside else "NO",
        )
    medians = [
        f"{np.median([width / r.without for width, r in zip(widths, results, strict=True)]):.2f}"
        for widths in ([r.with_tare for r in results], [r.weight for r in results])
    ]
    table.add_row("median", "", "", "", medians[0], "", medians[1], "", "", "")
    return table


def main() -> int:
    """Measure and print; return 0 if every interval holds the truth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=6)
    given = parser.parse_args()
    by_seed = [measure(seed, CASES) for seed in range(given.seeds)]
    console = Console(width=100)
    for case, results in zip(CASES, zip(*by_seed, strict=True), strict=True):
        console.print(table_of(case, results))
    return int(not all(result.inside for results in by_seed for result in results))


if __name__ == "__main__":
    sys.exit(main())
