"""What a bare run and one with a known weight are worth, on arms with drives as they are.

    ./payload-id python benchmarks/measured_bounds.py --trials 25

Each trial draws an arm (description and preset of drives in turn), measures bounds in one run
without payload, and again with a second run of which only the payload's mass is known, calibrates
the arm with each, and identifies a payload in another run of the same session. Velocities are those
of the positions: the drives' own are late. Prints, for each preset and stage, the mass' error,
half the width of its confidence interval and how often that held, and of the proof how many runs
were INCONSISTENT, how many of the others missed the truth, and half the width.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
from calibrated import ARMS, PRESETS, motion_of, stated
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import arm, draw_payload
from payload_id import Estimate, Status, identify
from payload_id.core.arrays import Array
from payload_id.core.calibration import calibrate
from payload_id.core.calibration.measured_noise import with_measured_noise
from payload_id.core.samples.differentiation import velocities
from payload_id.core.simulation.realistic_arm import RealisticArm

NOTHING = np.zeros(10)


STAGES = ("stated", "bare run", "known weight")


def trial(seed: int, margin: float) -> tuple[Array, list[Estimate | None]]:
    """Return the payload, and the estimate at each stage; None: no arm explains the runs."""
    rng = np.random.default_rng([seed, 12])
    model, preset = arm(ARMS[seed % len(ARMS)]), preset_of(seed)
    real = RealisticArm.drawn(model, preset, seed)
    bounds = replace(stated(model, preset), position_error=1e-4)
    weight, payload = draw_payload(rng), draw_payload(rng)
    runs, warm = [], None
    for number, phi in enumerate((NOTHING, weight, payload)):
        run = real.run(motion_of(model, rng), phi, number, 0, warm, rate=250.0)
        warm, samples = run.temperature, run.samples
        runs.append(replace(samples, dq=velocities(samples.stamp, samples.q)))
    found: list[Estimate | None] = [identify(runs[-1], model, bounds)]
    known = [NOTHING, np.append(weight[0], np.full(9, np.nan))]
    for count in (1, 2):
        measured = with_measured_noise(bounds, runs[:count], known[:count], model, margin)
        result = calibrate(runs[:count], model, measured, payloads=known[:count])
        calibrated = model.with_calibration(result.calibration)
        found.append(identify(runs[-1], calibrated, measured) if result.consistent else None)
    return payload, found


def preset_of(seed: int) -> str:
    """Return the preset whose turn it is."""
    return PRESETS[(seed // len(ARMS)) % len(PRESETS)]


def told(outcomes: list[tuple[Array, list[Estimate | None]]], stage: int) -> list[str]:
    """Return what the runs of one stage say, as cells."""
    every = [(phi, found[stage]) for phi, found in outcomes]
    kept = [(phi, x) for phi, x in every if x is not None and x.status is not Status.INCONSISTENT]
    sure = [(phi, x.confidence) for phi, x in kept if x.confidence is not None]
    if not sure:
        return ["-", "-", "-", str(len(every) - len(kept)), "-", "-"]
    return [
        f"{np.sqrt(np.mean([(x.phi[0] - phi[0]) ** 2 for phi, x in kept])):.3f}",
        f"{np.median([x.half_width[0] for _, x in sure]):.3f}",
        f"{np.mean([x.lower[0] <= phi[0] <= x.upper[0] for phi, x in sure]):.0%}",
        str(len(every) - len(kept)),
        str(sum(not x.contains(phi).all() for phi, x in kept)),
        f"{np.median([x.half_width[0] for _, x in kept]):.2f}",
    ]


def main() -> None:
    """Make the trials and print what they say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--first", type=int, default=7000, help="first seed")
    parser.add_argument("--margin", type=float, default=2.0)
    arguments = parser.parse_args()
    found = defaultdict(list)
    for seed in range(arguments.first, arguments.first + arguments.trials):
        found[preset_of(seed)].append(trial(seed, arguments.margin))
    table = Table(box=None)
    for title in ("drives", "after", "runs", "rms [kg]", "confidence [kg]", "held", "inconsistent",
                  "missed", "proof [kg]"):  # fmt: skip
        table.add_column(title, justify="right")
    for preset, outcomes in found.items():
        for stage, name in enumerate(STAGES):
            table.add_row(preset, name, str(len(outcomes)), *told(outcomes, stage))
    Console().print(table)


if __name__ == "__main__":
    main()
