"""How long identification takes on this machine: `./payload-id python benchmarks/timing.py`.

Prints medians over repetitions for the simulated Gen3 at 1 kHz: rows and intake per sample, beside
what Pinocchio's `computeJointTorqueRegressor` takes of it (at most 2.5 times as much is the aim),
one update (point estimate and hull) on 7.5 s of data, begun
anew and begun from the last one (0.1 s), and `identify` on 60 s (0.5 s). `--long 0` leaves that
out, as continuous integration does. Time of the processor counts, so that other work on the machine
matters less.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
from bench import options

from payload_id import (
    OnlineIdentifier,
    RobotFile,
    RobotModel,
    Settings,
    Uncertainty,
    identify,
)
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant, simulate

UNCERTAINTY = Uncertainty(torque_relative=0.025, link_relative=0.05)
PAYLOAD = from_mass_com_inertia(1.81, [0.01, -0.02, 0.08], 0.004 * np.eye(3))


def recording(
    seconds: float, seed: int, payload: np.ndarray = PAYLOAD
) -> tuple[RobotModel, Samples, np.ndarray]:
    """Return the arm, a simulated recording of it with torque noise, and the true payload."""
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
    motion, still = series.at(np.mod(time_, 7.5)), np.zeros(model.n)
    plant.reset(robot.home)
    trajectory = JointTrajectory(
        np.append(time_, seconds + 0.5) + 0.1,
        np.vstack([motion.q, robot.home]),
        np.vstack([motion.dq, still]),
        np.vstack([motion.ddq, still]),
    )
    samples = simulate(plant, trajectory, seconds)
    noise = 1.0 + UNCERTAINTY.torque_relative * rng.uniform(-1, 1, samples.tau.shape)
    return model, replace(samples, tau=samples.tau * noise), payload


def seconds_of(work: Callable[[], object], repetitions: int) -> float:
    """Return the median duration of some work [s]."""
    durations = []
    for _ in range(repetitions):
        begin = time.process_time()
        work()
        durations.append(time.process_time() - begin)
    return statistics.median(durations)


def show_cost_of_a_sample(model: RobotModel, samples: Samples, repetitions: int) -> None:
    """Print what rows and intake of a sample take, and what Pinocchio's regressor takes."""
    pinocchio, data = model.pinocchio, model.pinocchio.createData()
    online = OnlineIdentifier(model, Settings(UNCERTAINTY))
    states = [(model.pinocchio_q(q), dq[list(model.order)])
              for q, dq in zip(samples.q[:1000], samples.dq[:1000], strict=True)]  # fmt: skip

    def regressors() -> None:
        for q, dq in states:
            pin.computeJointTorqueRegressor(pinocchio, data, q, dq, dq)

    took = []
    for _ in range(2 * repetitions):  # in turn: what else the machine does concerns both alike
        online.reset()
        known = seconds_of(regressors, 1) / len(states)
        took.append((known, seconds_of(lambda: online.add(samples), 1) / len(samples)))
    known, own = 1e6 * np.median(took, axis=0)
    ratio = np.median([mine / theirs for theirs, mine in took])
    print(f"Pinocchio's torque regressor {known:.2f} us/sample")
    print(f"rows and intake {own:.2f} us/sample = {ratio:.2f} times")


def main() -> None:
    """Measure and print."""
    given = options(trials=5, long=60.0)
    model, short, payload = recording(7.5, seed=1)
    begun = [OnlineIdentifier(model, Settings(UNCERTAINTY)) for _ in range(given.trials)]
    for online in begun:
        online.add(short)
    rest = iter(begun)
    fresh = seconds_of(lambda: next(rest).update(), given.trials)
    again = seconds_of(online.update, given.trials)
    estimate = online.update()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")
    print(f"truth inside: {estimate.contains(payload).all()}, verdict {estimate.status.value}")
    print(f"estimate and hull: {fresh:.3f} s begun anew, {again:.3f} s from the last")
    show_cost_of_a_sample(model, short, given.trials)
    if given.long:
        model, long, _ = recording(given.long, seed=2)
        whole = seconds_of(lambda: identify(long, model, UNCERTAINTY), 1)
        print(f"identify on {given.long:.0f} s at 1 kHz: {whole:.3f} s")


if __name__ == "__main__":
    main()
