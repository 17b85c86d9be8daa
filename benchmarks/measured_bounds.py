"""What a bare run is worth whose noise is measured, on arms with drives as they are.

    ./payload-id python benchmarks/measured_bounds.py --trials 25

Each trial draws an arm (description and preset of drives in turn), measures the noise in one run
without payload, calibrates the arm with it, and identifies a payload in another run of the same
session. Velocities are those of the positions: the drives' own are late. Prints, for each preset,
the error of the mass, half the width of its confidence interval and how often that held, and of the
proof how many runs were INCONSISTENT, how many of the others missed the truth, and half the width
under measured bounds and under stated ones.
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
from payload_id.core.calibration import calibrate
from payload_id.core.calibration.measured_noise import with_measured_noise
from payload_id.core.samples.differentiation import velocities
from payload_id.core.simulation.realistic_arm import RealisticArm

NOTHING = np.zeros(10)


def trial(seed: int, margin: float) -> tuple[np.ndarray, Estimate, Estimate | None]:
    """Return the payload, and the estimates under stated and measured bounds; None: no such."""
    rng = np.random.default_rng([seed, 12])
    model, preset = arm(ARMS[seed % len(ARMS)]), preset_of(seed)
    real = RealisticArm.drawn(model, preset, seed)
    bounds = replace(stated(model, preset), position_error=1e-4)
    first = real.run(motion_of(model, rng), NOTHING, 0, 0, rate=250.0)
    payload = draw_payload(rng)
    second = real.run(motion_of(model, rng), payload, 1, 0, first.temperature, rate=250.0)
    bare, loaded = (
        replace(x, dq=velocities(x.stamp, x.q)) for x in (first.samples, second.samples)
    )
    before = identify(loaded, model, bounds)
    measured = with_measured_noise(bounds, [bare], [NOTHING], model, margin)
    known = calibrate([bare], model, measured)
    if not known.consistent:
        return payload, before, None
    return payload, before, identify(loaded, model.with_calibration(known.calibration), measured)


def preset_of(seed: int) -> str:
    """Return the preset whose turn it is."""
    return PRESETS[(seed // len(ARMS)) % len(PRESETS)]


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
    for title in ("drives", "runs", "rms [kg]", "confidence [kg]", "held", "inconsistent", "missed",
                  "proof [kg]", "stated [kg]"):  # fmt: skip
        table.add_column(title, justify="right")
    for preset, outcomes in found.items():
        kept = [x for x in outcomes if x[2] is not None and x[2].status is not Status.INCONSISTENT]
        sure = [x for x in kept if x[2].confidence is not None]
        held = [x[2].confidence.lower[0] <= x[0][0] <= x[2].confidence.upper[0] for x in sure]
        error = [x[2].phi[0] - x[0][0] for x in kept]
        table.add_row(
            preset,
            str(len(outcomes)),
            f"{np.sqrt(np.mean(np.square(error))):.3f}",
            f"{np.median([x[2].confidence.half_width[0] for x in sure]):.3f}",
            f"{np.mean(held):.0%}",
            str(len(outcomes) - len(kept)),
            str(sum(not x[2].contains(x[0]).all() for x in kept)),
            f"{np.median([x[2].half_width[0] for x in kept]):.2f}",
            f"{np.median([x[1].half_width[0] for x in outcomes]):.2f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
