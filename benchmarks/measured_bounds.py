"""What a bare run and one with a known weight are worth, on arms with drives as they are.

    ./payload-id python benchmarks/measured_bounds.py --trials 25

Each trial draws an arm (description and preset of drives in turn), measures bounds in one run
without payload, and again with a second run of which only the payload's mass is known, calibrates
the arm with each, and identifies a payload in another run of the same session. Velocities are those
of the positions: the drives' own are late. For each preset and stage: the mass' error, half the
width of its confidence interval and how often that held, and of the proof how many runs were
INCONSISTENT, how many of the others missed the truth, and half the width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from bench import options, show, trials
from calibrated import PRESETS, drawn, motion_of

from arms import draw_payload
from payload_id import Estimate, Status, identify
from payload_id.core.arrays import Array
from payload_id.core.calibration import calibrate
from payload_id.core.calibration.measured_noise import with_measured_noise
from payload_id.core.samples.differentiation import velocities

MARGIN = 2.0  # of measured bounds
STAGES = ("stated", "bare run", "known weight")
Told = tuple[Array, Estimate | None]


def trial(seed: int) -> list[tuple[str, str, Told]]:
    """Return payload and estimate at each stage of a preset; None: no arm explains the runs."""
    rng = np.random.default_rng([seed, 12])
    preset, model, real, bounds = drawn(seed)
    bounds = replace(bounds, position_error=1e-4)
    nothing, weight, payload = np.zeros(10), draw_payload(rng), draw_payload(rng)
    runs, warm = [], None
    for number, phi in enumerate((nothing, weight, payload)):
        run = real.run(motion_of(model, rng), phi, number, 0, warm, rate=250.0)
        warm, samples = run.temperature, run.samples
        runs.append(replace(samples, dq=velocities(samples.stamp, samples.q)))
    found: list[Estimate | None] = [identify(runs[-1], model, bounds)]
    known = [nothing, np.append(weight[0], np.full(9, np.nan))]
    for count in (1, 2):
        measured = with_measured_noise(bounds, runs[:count], known[:count], model, MARGIN)
        result = calibrate(runs[:count], model, measured, payloads=known[:count])
        calibrated = model.with_calibration(result.calibration)
        found.append(identify(runs[-1], calibrated, measured) if result.consistent else None)
    return [(preset, stage, (payload, x)) for stage, x in zip(STAGES, found, strict=True)]


def told(every: Sequence[Told]) -> tuple[str | float, ...]:
    """Return what the runs of one stage say, as cells."""
    kept = [(phi, x) for phi, x in every if x is not None and x.status is not Status.INCONSISTENT]
    sure = [(phi, x.confidence) for phi, x in kept if x.confidence is not None]
    held = [x.lower[0] <= phi[0] <= x.upper[0] for phi, x in sure]
    return (
        float(np.sqrt(np.mean([(x.phi[0] - phi[0]) ** 2 for phi, x in kept] or [np.nan]))),
        float(np.median([x.half_width[0] for _, x in sure] or [np.nan])),
        f"{sum(held)} of {len(held)}",
        len(every) - len(kept),
        sum(not x.contains(phi).all() for phi, x in kept),
        float(np.median([x.half_width[0] for _, x in kept] or [np.nan])),
    )


def main() -> None:
    """Make the trials and print what they say."""
    made = [x for each in trials(trial, options(trials=24, seed=7000, workers=1)) for x in each]
    groups = [(preset, stage) for preset in PRESETS for stage in STAGES]
    rows = [(*group, *told(some)) for group in groups
            if (some := [x for *of, x in made if tuple(of) == group])]  # fmt: skip
    show("", ("drives", "after", "rms [kg]", "confidence [kg]", "held", "inconsistent", "missed",
              "proof [kg]"), rows)  # fmt: skip


if __name__ == "__main__":
    main()
