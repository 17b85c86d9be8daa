"""How often calibrated intervals hold, on arms with drives as they are, and how wide they are.

    ./payload-id python benchmarks/calibrated.py --trials 100 --runs 20 --news 10

Each trial draws an arm (description and preset of drives in turn), lets it make runs with known
payloads, learns its history, and identifies `--news` more with other payloads: a third of the runs
are bare, of the others only the mass is known (`--whole`: all ten parameters). `--days one` makes
the known runs in one session and the new one in another; `--days each` makes every run in a
session of its own. Prints, for each preset, how often the interval of the mass contained the truth,
its half-width over the root mean square of the errors; with `--hull` the same of the intervals
that follow from stated bounds.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from campaign import add_cluster_arguments, campaign
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import Motion, arm, draw_payload
from payload_id import Estimate, Status, identify
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.history import KnownLoad, KnownRun, calibrated_interval, learn_history
from payload_id.core.motion import trajectory
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.simulation.presets import preset_named
from payload_id.core.simulation.realistic_arm import RealisticArm, joint_capacity

ARMS = ("gen3", "xarm7", "ur10", "panda")
PRESETS = ("gen3_like", "xarm_like", "ur_like")
SECONDS = 10.0
WINDOW = 0.2
INNER = 1e-2  # [s] step of the motion that is given


@dataclass(frozen=True)
class Outcome:
    """Of one new run.

    Attributes:
        preset: Of the drives.
        error: Of the estimate that the history gives, shape (10,).
        half_width: Of its intervals, shape (10,).
        held: Which of them contained the truth, shape (10,).
        unlike: Number of things in which the new run was unlike the known ones.
        hull: The estimate with intervals that follow from stated bounds; None: not asked for.
        hull_held: Whether all ten of these contained the truth.
    """

    preset: str
    error: np.ndarray
    half_width: np.ndarray
    held: np.ndarray
    unlike: int
    hull: Estimate | None
    hull_held: bool


def stated(model: ArmModel, preset: str) -> Uncertainty:
    """Return bounds that a user could state for such drives, from their data sheet."""
    drives, capacity = preset_named(preset), joint_capacity(model)
    friction = (
        2.0 * (drives["coulomb"] * (1.0 + drives["stiction"]) + drives["load_friction"]) * capacity
    )
    return Uncertainty(
        torque_absolute=tuple(0.03 * capacity),
        torque_gain=3.0 * drives["gain"],
        torque_offset=tuple(4.0 * (drives["offset"] + drives["session_offset"]) * capacity),
        link_relative=min(2.0 * drives["link_relative"], 0.3),
        link_shift=0.01,
        friction_coulomb=tuple(friction),
        friction_viscous=tuple(2.0 * drives["viscous"] * capacity + 1e-3),
        rotor_inertia=tuple(2.0 * drives["rotor_inertia"] * capacity),
        stiction_velocity=0.02,
        prior=PayloadPrior(10.0, 0.5),
    )


def motion_of(model: ArmModel, rng: np.random.Generator) -> trajectory.Motion:
    """Return a random motion of `SECONDS`."""
    time = np.arange(0.0, SECONDS + INNER / 2, INNER)
    return trajectory.Motion(time, *Motion.draw(model, rng).at(time))


def trial(seed: int, runs: int, news: int, days: str, whole: bool, hull: bool) -> list[Outcome]:
    """Learn from known runs, and identify further ones, each with a payload and day of its own."""
    rng = np.random.default_rng([seed, 11])
    name, preset = ARMS[seed % len(ARMS)], PRESETS[(seed // len(ARMS)) % len(PRESETS)]
    model = arm(name)
    real, uncertainty = RealisticArm.drawn(model, preset, seed), stated(model, preset)
    rows = MomentumRows.of(model, uncertainty)
    known, warm = [], None
    for k in range(runs):
        phi = draw_payload(rng) if k % 3 else np.zeros(10)
        session = k if days == "each" else 0
        run = real.run(motion_of(model, rng), phi, k, session, warm, rate=100.0)
        warm = run.temperature if days == "one" else None
        load = KnownLoad.exactly(phi) if whole or not phi.any() else KnownLoad.of_mass(phi[0])
        known.append(KnownRun.of(f"run {k}", run.samples, load, rows, WINDOW))
    history = learn_history(known, rows, WINDOW)
    outcomes = []
    for k in range(runs, runs + news):
        phi = draw_payload(rng)
        samples = real.run(motion_of(model, rng), phi, k, k, rate=100.0).samples
        new = KnownRun.of("new", samples, KnownLoad.none(), rows, WINDOW)
        interval = calibrated_interval(history, new.statistics, new.motion, new.seconds)
        found = identify(samples, model, uncertainty, window=WINDOW) if hull else None
        outcomes.append(
            Outcome(
                preset,
                interval.phi - phi,
                (interval.upper - interval.lower) / 2,
                (interval.lower <= phi) & (phi <= interval.upper),
                len(interval.unlike),
                found,
                found is not None and bool(found.contains(phi).all()),
            )
        )
    return outcomes


def table_of(outcomes: list[Outcome]) -> Table:
    """Return how often intervals held, and how wide they were."""
    table = Table(box=None)
    for column in (
        "preset",
        "trials",
        "mass held",
        "± [kg]",
        "rms [kg]",
        "± / rms",
        "known held",
        "unlike",
    ):
        table.add_column(column, justify="right", no_wrap=True)
    for name, some in by_preset(outcomes).items():
        error = np.array([each.error[0] for each in some])
        half = np.array([each.half_width for each in some])
        held = np.array([each.held for each in some])
        rms = np.sqrt(np.mean(error**2))
        told = np.isfinite(half)  # intervals that the history allows
        table.add_row(
            name,
            str(len(some)),
            f"{held[:, 0].mean():.1%}",
            f"{np.median(half[:, 0]):.3f}",
            f"{rms:.3f}",
            f"{np.sqrt(np.mean(half[:, 0] ** 2)) / rms:.2f}",
            f"{held[told].mean():.1%}",
            f"{np.mean([each.unlike > 0 for each in some]):.0%}",
        )
    return table


def hull_table(outcomes: list[Outcome]) -> Table:
    """Return the same of the intervals that follow from stated bounds."""
    table = Table(box=None)
    for column in ("preset", "trials", "consistent", "of these held", "± [kg]"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, some in by_preset(outcomes).items():
        good = [each for each in some if each.hull and each.hull.status is not Status.INCONSISTENT]
        half = [each.hull.half_width[0] for each in good]
        held = np.mean([each.hull_held for each in good])
        table.add_row(
            name,
            str(len(some)),
            f"{len(good) / len(some):.0%}",
            f"{held:.1%}",
            f"{np.median(half):.3f}",
        )
    return table


def by_preset(outcomes: list[Outcome]) -> dict[str, list[Outcome]]:
    """Return the outcomes of each preset, and of all."""
    groups = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.preset].append(outcome)
    return {**groups, "all": outcomes}


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--runs", type=int, default=20, help="known runs of each arm")
    parser.add_argument("--news", type=int, default=1, help="new runs of each arm")
    parser.add_argument("--days", choices=("one", "each"), default="each")
    parser.add_argument("--whole", action="store_true", help="all ten parameters are known")
    parser.add_argument("--hull", action="store_true", help="also from stated bounds")
    add_cluster_arguments(parser)
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.trials)
    job = partial(
        trial,
        runs=arguments.runs,
        news=arguments.news,
        days=arguments.days,
        whole=arguments.whole,
        hull=arguments.hull,
    )
    made = dict(campaign(job, seeds, arguments))
    outcomes = [each for seed in seeds for each in made[seed]]
    Console().print(table_of(outcomes))
    if arguments.hull:
        Console().print(hull_table(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
