"""How long identification takes on this machine: `./payload-id python benchmarks/timing.py`.

Prints medians over repetitions for the simulated Gen3 at 1 kHz: rows per sample, one update (point
estimate and hull) on 7.5 s of data, begun anew and begun from the last one, the intervals alone
with 88 nuisance parameters, and `identify` on 60 s. Targets: 8 us for a sample, 1.5 s for estimate
and hull on 7.5 s, 150 ms for `hull_lp` and 500 ms for `hull`, proof included, with 88 nuisance
parameters, 8 s for `identify` on 60 s. Time of the processor counts, so that other work on the
machine matters less.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from payload_id import OnlineIdentifier, RobotFile, RobotModel, Settings, Uncertainty, identify
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.bounds import Memory, method_named
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant, simulate
from payload_id.core.threads import one_thread

UNCERTAINTY = Uncertainty(torque_relative=0.025, link_relative=0.05)
# 70 link parameters, 14 of the sensors, and 4 of the tool: mass and first moment.
WIDE = replace(
    UNCERTAINTY, torque_gain=0.025, torque_offset=0.5, tool=(0.05, *[0.003] * 3, *[0.0] * 6)
)


PAYLOAD = from_mass_com_inertia(1.81, [0.01, -0.02, 0.08], 0.004 * np.eye(3))


def recording(
    seconds: float, seed: int, noisy: bool = True, payload: np.ndarray = PAYLOAD
) -> tuple[RobotModel, Samples, np.ndarray]:
    """Return the arm, a simulated recording of it, and the true payload."""
    rng = np.random.default_rng(seed)
    robot = RobotFile.load("kinova_gen3")
    model = RobotModel.from_robot_file(robot)
    links = perturb_links(model.link_phi, UNCERTAINTY.link_relative, rng)
    plant = Plant(
        robot.urdf, robot.joints, robot.payload_frame, payload, robot.gravity, link_phis=links
    )
    free = 0.06 * rng.normal(size=(model.n, 2, 4))
    series = FourierSeries.from_free(robot.home, free, 7.5)
    time_ = np.arange(0.0, seconds, 0.02)
    motion = series.at(np.mod(time_, 7.5))
    plant.reset(robot.home)
    trajectory = JointTrajectory(
        np.append(time_, seconds + 0.5) + 0.1,
        np.vstack([motion.q, robot.home]),
        np.vstack([motion.dq, np.zeros(model.n)]),
        np.vstack([motion.ddq, np.zeros(model.n)]),
    )
    samples = simulate(plant, trajectory, seconds)
    return model, with_noise(samples, rng) if noisy else samples, payload


def with_noise(samples: Samples, rng: np.random.Generator) -> Samples:
    """Return samples with torque noise up to its bound."""
    noise = 1.0 + UNCERTAINTY.torque_relative * rng.uniform(-1, 1, samples.tau.shape)
    return Samples(samples.stamp, samples.q, samples.dq, samples.tau * noise)


def seconds_of(work: Callable[[], object], repetitions: int) -> float:
    """Return the median duration of some work [s]."""
    durations = []
    for _ in range(repetitions):
        begin = time.process_time()
        work()
        durations.append(time.process_time() - begin)
    return statistics.median(durations)


def print_bounds(model: RobotModel, samples: Samples, repetitions: int) -> None:
    """Print how long intervals take with 88 nuisance parameters, and what their proof costs."""
    online = OnlineIdentifier(model, Settings(WIDE))
    online.add(samples)
    problem = online.problem()
    rows, prior, shape = problem.rows, problem.prior, problem.shape
    for name in ("hull_lp", "hull"):
        method = method_named(name)
        with one_thread():
            found = method.bounds(rows, prior, Memory(), shape)
            anew = seconds_of(lambda m=method: m.bounds(rows, prior, Memory(), shape), repetitions)
            known, memory = prior.intersect(found.interval), found.memory
            again = seconds_of(
                lambda m=method, k=known, s=memory: m.bounds(rows, k, s, shape), repetitions
            )
        print(
            f"{name:8} {len(rows)} rows, {rows.B.shape[1]} nuisance {anew:7.3f} s anew,"
            f" {again:.3f} s from the last; proof {found.overhead:.1e} of a half-width"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--long", type=float, default=60.0, help="seconds of the long recording")
    arguments = parser.parse_args()
    model, short, payload = recording(7.5, seed=1)
    settings = Settings(UNCERTAINTY)

    def rows() -> OnlineIdentifier:
        online = OnlineIdentifier(model, settings)
        online.add(short)
        return online

    online = rows()
    estimate = online.update()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")
    print(
        f"truth inside: {bool(estimate.contains(payload).all())}, verdict {estimate.status.value}"
    )
    print(f"half-widths: {np.array2string(estimate.half_width, precision=4)}")
    ingest = seconds_of(rows, arguments.repetitions)
    print(
        f"rows of 7.5 s at 1 kHz          {ingest:7.3f} s"
        f" = {1e6 * ingest / len(short):.1f} us/sample"
    )
    fresh = seconds_of(lambda: rows().update(), arguments.repetitions) - ingest
    print(f"estimate + hull, begun anew     {fresh:7.3f} s")
    again = seconds_of(online.update, arguments.repetitions)
    print(f"estimate + hull, from the last  {again:7.3f} s")
    print_bounds(model, short, arguments.repetitions)
    model, long, _ = recording(arguments.long, seed=2)
    whole = seconds_of(lambda: identify(long, model, UNCERTAINTY), 1)
    print(f"identify on {arguments.long:.0f} s at 1 kHz      {whole:7.3f} s")


if __name__ == "__main__":
    main()
