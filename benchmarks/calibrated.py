"""How often calibrated intervals hold, on arms with drives as they are, and how wide they are.

    ./payload-id python benchmarks/calibrated.py --trials 100 --runs 20 --news 10

Each trial draws an arm (description and preset of drives in turn), lets it make runs with known
payloads, learns its history, and identifies `--news` more with other payloads, each run in a
session of its own: a third of the known runs are bare, of the others only the mass is known. For
each preset: how often the interval of the mass contained the truth, its half-width, the root mean
square of the errors, how often all intervals that the history allows contained the truth, and how
many of the new runs were unlike the known ones in something.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from bench import options, show, trials

from arms import Motion, arm, draw_payload
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.history import KnownLoad, KnownRun, calibrated_interval, learn_history
from payload_id.core.motion import trajectory
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.simulation.presets import preset_named
from payload_id.core.simulation.realistic_arm import RealisticArm, joint_capacity

ARMS = ("gen3", "xarm7", "ur10", "panda")
PRESETS = ("gen3_like", "xarm_like", "ur_like")
SECONDS, WINDOW = 10.0, 0.2


def drawn(seed: int) -> tuple[str, ArmModel, RealisticArm, Uncertainty]:
    """Return a preset of drives, an arm, how it really is, and bounds from its drives' sheet."""
    preset, model = PRESETS[(seed // len(ARMS)) % len(PRESETS)], arm(ARMS[seed % len(ARMS)])
    drives, capacity = preset_named(preset), joint_capacity(model)
    friction = (
        2.0 * (drives["coulomb"] * (1.0 + drives["stiction"]) + drives["load_friction"]) * capacity
    )
    bounds = Uncertainty(
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
    return preset, model, RealisticArm.drawn(model, preset, seed), bounds


def motion_of(model: ArmModel, rng: np.random.Generator) -> trajectory.Motion:
    """Return a random motion of `SECONDS`."""
    time = np.arange(0.0, SECONDS + 0.005, 0.01)
    return trajectory.Motion(time, *Motion.draw(model, rng).at(time))


def trial(seed: int, runs: int, news: int) -> tuple[str, list[tuple[Array, ...]]]:
    """Learn from known runs, and identify further ones; return errors and intervals of each."""
    rng = np.random.default_rng([seed, 11])
    preset, model, real, bounds = drawn(seed)
    rows, known = MomentumRows.of(model, bounds), []
    for k in range(runs):
        phi = draw_payload(rng) if k % 3 else np.zeros(10)
        run = real.run(motion_of(model, rng), phi, k, k, rate=100.0)
        load = KnownLoad.of_mass(phi[0]) if phi.any() else KnownLoad.exactly(phi)
        known.append(KnownRun.of(f"run {k}", run.samples, load, rows, WINDOW))
    history, found = learn_history(known, rows, WINDOW), []
    for k in range(runs, runs + news):
        phi = draw_payload(rng)
        samples = real.run(motion_of(model, rng), phi, k, k, rate=100.0).samples
        new = KnownRun.of("new", samples, KnownLoad.none(), rows, WINDOW)
        interval = calibrated_interval(history, new.statistics, new.motion, new.seconds)
        held = (interval.lower <= phi) & (phi <= interval.upper)
        half = (interval.upper - interval.lower) / 2
        found.append((interval.phi - phi, half, held, np.array(bool(interval.unlike))))
    return preset, found


def main() -> None:
    """Run the trials and print how often intervals held, and how wide they were."""
    given = options(trials=24, seed=0, workers=1, runs=20, news=1)
    made = list(trials(partial(trial, runs=given.runs, news=given.news), given))
    rows = []
    for name in (*PRESETS, "all"):
        some = [x for preset, found in made for x in found if name in (preset, "all")]
        if some:
            error, half, held, unlike = (np.array(x) for x in zip(*some, strict=True))
            rows.append((name, len(some), f"{held[:, 0].mean():.1%}", float(np.median(half[:, 0])),
                         float(np.sqrt(np.mean(error[:, 0] ** 2))),
                         f"{held[np.isfinite(half)].mean():.1%}",
                         f"{unlike.mean():.0%}"))  # fmt: skip
    columns = ("drives", "new runs", "mass held", "± [kg]", "rms [kg]", "all held", "unlike")
    show("", columns, rows)


if __name__ == "__main__":
    main()
