"""How often do the intervals contain the truth, and how wide are they? Always, is the claim.

Draws arms, payloads (also point masses, rods, plates and nothing), motions, sampling rates, link
errors, friction and sensor errors within stated bounds, and measures with noise that is uniform, at
the corners of its box, of one sign for long stretches, or chosen to move one parameter as far as it
can. Torques come from Pinocchio's inverse dynamics.

    ./payload-id python benchmarks/containment.py --trials 500 --seed 0
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "core"))

from arms import ARMS, PAYLOADS, Joints, adversary, arm, draw_payload, perturbed_links, record
from payload_id.core.bounds import METHODS
from payload_id.core.inertial import PARAMETERS, Array
from payload_id.core.online import identify
from payload_id.core.samples import Samples
from payload_id.core.status import Status
from payload_id.core.uncertainty import Uncertainty

ERRORS = ("uniform", "vertices", "correlated", "adversary")
ASSUMED = {  # what may be wrong beside torque noise
    "links": Uncertainty(torque_relative=0.025, link_relative=0.05),
    "sensors": Uncertainty(
        torque_relative=0.02, torque_absolute=0.1, torque_gain=0.05, torque_offset=0.5
    ),
    "friction": Uncertainty(
        torque_absolute=0.2,
        link_relative=0.02,
        friction_coulomb=1.0,
        friction_viscous=0.5,
        rotor_inertia=0.1,
    ),
    "kinematics": Uncertainty(
        torque_relative=0.01, torque_absolute=0.05, position_error=2e-4, velocity_error=2e-3
    ),
    "nothing": Uncertainty(),
}


@dataclass(frozen=True)
class Trial:
    """One recording and what was made of it.

    Attributes:
        seed: Makes the trial again.
        labels: Arm, payload, noise, assumption and method.
        contained: Which parameters' intervals contain the truth, shape (10,).
        inconsistent: Whether the verdict is INCONSISTENT.
        half_width: Shape (10,).
        seconds: Time of the identification [s].
        sound: Whether the estimate is consistent and inside the interval.
    """

    seed: int
    labels: dict[str, str]
    contained: Array
    inconsistent: bool
    half_width: Array
    seconds: float
    sound: bool


def run_trial(seed: int) -> list[Trial]:
    """Return one trial for each interval method."""
    rng = np.random.default_rng(seed)
    labels = {
        "arm": str(rng.choice(ARMS)),
        "payload": str(rng.choice(PAYLOADS)),
        "noise": str(rng.choice(ERRORS)),
        "assumed": str(rng.choice(list(ASSUMED), p=[0.4, 0.2, 0.2, 0.15, 0.05])),
    }
    samples, phi, window = measured_samples(labels, rng, seed)
    model, uncertainty = arm(labels["arm"]), ASSUMED[labels["assumed"]]
    trials = []
    for method in METHODS:
        begin = time.perf_counter()
        found = identify(samples, model, uncertainty, intervals=method, window=window)
        seconds = time.perf_counter() - begin
        slack = 1e-4 * found.half_width
        inside = (found.phi >= found.lower - slack) & (found.phi <= found.upper + slack)
        trials.append(
            Trial(
                seed,
                {**labels, "method": method},
                found.contains(phi),
                found.status is Status.INCONSISTENT,
                found.half_width,
                seconds,
                bool(found.physically_consistent and inside.all()),
            )
        )
    return trials


def measured_samples(
    labels: dict[str, str], rng: np.random.Generator, seed: int
) -> tuple[Samples, Array, float]:
    """Return what is measured, the payload, and the length of the windows [s]."""
    model, uncertainty = arm(labels["arm"]), ASSUMED[labels["assumed"]]
    phi = draw_payload(rng, labels["payload"])
    rate, window = float(rng.choice([100, 250, 500])), float(rng.choice([0.1, 0.2]))
    options = dict(
        phi=phi,
        seconds=float(rng.uniform(1.0, 4.0)),
        rate=rate,
        jitter=float(rng.choice([0.0, 0.3])),
        joints=Joints.draw(rng, uncertainty, model.n, extreme=bool(rng.integers(2))),
    )
    links = perturbed_links(model, rng, uncertainty.link_relative)
    u: Array | str = labels["noise"]
    if u == "adversary":
        nominal = record(model, seed, **options)
        u, links = adversary(nominal, uncertainty, int(rng.integers(10)), 1.0, window)
    run = record(model, seed, links=links, **options)
    noisy = run.measured(uncertainty, u, seed, of_true=bool(rng.integers(2))).samples
    return with_kinematic_errors(noisy, uncertainty, rng), phi, window


def with_kinematic_errors(
    samples: Samples, uncertainty: Uncertainty, rng: np.random.Generator
) -> Samples:
    """Return samples whose positions and velocities are wrong by as much as they may be."""
    n, shape = samples.n, samples.q.shape
    constant = rng.integers(2)
    signs = rng.choice([-1.0, 1.0], (2, *shape))
    if constant:
        signs = np.broadcast_to(signs[:, :1], signs.shape)
    return replace(
        samples,
        q=samples.q + signs[0] * uncertainty.per_joint("position_error", n),
        dq=samples.dq + signs[1] * uncertainty.per_joint("velocity_error", n),
    )


def table_of(trials: Sequence[Trial], title: str, group: Callable[[Trial], str]) -> Table:
    """Return counts and widths for each group of trials."""
    table = Table(title=title)
    for column in ("", "trials", "misses", "inconsistent", "not sound"):
        table.add_column(column, justify="left" if not column else "right")
    for column in ("mass [kg]", "h [kg m]", "I [kg m2]", "time [ms]"):
        table.add_column(column, justify="right")
    for name in sorted({group(trial) for trial in trials}):
        some = [trial for trial in trials if group(trial) == name]
        width = np.median([trial.half_width for trial in some], axis=0)
        table.add_row(
            name,
            str(len(some)),
            str(sum(not trial.contained.all() for trial in some if not trial.inconsistent)),
            str(sum(trial.inconsistent for trial in some)),
            str(sum(not trial.sound for trial in some)),
            f"{width[0]:.3g}",
            f"{width[1:4].mean():.3g}",
            f"{width[4:].mean():.3g}",
            f"{1e3 * np.median([trial.seconds for trial in some]):.0f}",
        )
    return table


def main() -> int:
    """Run the trials; return 0 if no interval missed the truth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first trial")
    arguments = parser.parse_args()
    console = Console(width=110)
    trials = []
    for seed in range(arguments.seed, arguments.seed + arguments.trials):
        for trial in run_trial(seed):
            trials.append(trial)
            if trial.inconsistent or not trial.contained.all() or not trial.sound:
                missed = [p for p, c in zip(PARAMETERS, trial.contained, strict=True) if not c]
                verdict = "inconsistent" if trial.inconsistent else f"missed {missed}"
                console.print(f"seed {seed}: {trial.labels}: {verdict}, sound: {trial.sound}")
    console.print("Half-widths are medians; h and I are means over their elements.")
    console.print(table_of(trials, "by method", lambda trial: trial.labels["method"]))
    exact = [trial for trial in trials if trial.labels["method"] == "hull"]
    for label in ("arm", "payload", "noise", "assumed"):
        console.print(table_of(exact, f"hull, by {label}", lambda trial: trial.labels[label]))  # noqa: B023
    return int(any(trial.inconsistent or not trial.contained.all() for trial in trials))


if __name__ == "__main__":
    sys.exit(main())
