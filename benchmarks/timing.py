"""How long identification takes on this machine: `./payload-id python benchmarks/timing.py`.

Prints medians over repetitions for the simulated Gen3 at 1 kHz: rows and intake per sample, beside
what Pinocchio's `computeJointTorqueRegressor` takes of it (at most 2.5 times as much is the aim),
the same for a force-torque sensor, one update (point estimate and hull) on 7.5 s of data, begun
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
from bench import options, show

from payload_id import (
    OnlineIdentifier,
    RobotFile,
    RobotModel,
    Settings,
    Uncertainty,
    WrenchUncertainty,
    identify,
)
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows, newton_euler_regressor
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.samples.wrench_samples import WrenchSamples
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant, simulate

UNCERTAINTY = Uncertainty(torque_relative=0.025, link_relative=0.05)
WRENCH = WrenchUncertainty(force_error=0.1, torque_error=0.01, linear_acceleration_error=0.05,
                           angular_velocity_error=0.01, angular_acceleration_error=0.1)  # fmt: skip
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


def wrenches(count: int) -> WrenchSamples:
    """Return samples of a sensor that turns about z, and shows the payload's wrench."""
    stamp = 1e-3 * np.arange(count)
    rate, none = np.cos(1.3 * stamp), np.zeros((count, 3))
    c, s = np.cos(np.sin(1.3 * stamp) / 1.3), np.sin(np.sin(1.3 * stamp) / 1.3)
    rotation = np.zeros((count, 3, 3))
    rotation[:, 0, 0], rotation[:, 0, 1], rotation[:, 1, 0], rotation[:, 1, 1] = c, -s, s, c
    rotation[:, 2, 2] = 1.0
    omega = np.column_stack([none[:, :2], rate])
    alpha = np.column_stack([none[:, :2], -1.3 * np.sin(1.3 * stamp)])
    gravity = np.array([0.0, 0.0, -9.81])
    wrench = newton_euler_regressor(-gravity @ rotation, omega, alpha) @ PAYLOAD
    return WrenchSamples(stamp, rotation, omega, alpha, none, wrench)


def show_cost_of_a_sample(model: RobotModel, samples: Samples, repetitions: int) -> None:
    """Print what rows and intake of a sample take, and what Pinocchio's regressor takes."""
    pinocchio, data = model.pinocchio, model.pinocchio.createData()
    states = [(model.pinocchio_q(q), dq[list(model.order)])
              for q, dq in zip(samples.q[:1000], samples.dq[:1000], strict=True)]  # fmt: skip

    def regressors() -> None:
        for q, dq in states:
            pin.computeJointTorqueRegressor(pinocchio, data, q, dq, dq)

    joint_torques = OnlineIdentifier(model, Settings(UNCERTAINTY))
    sensor = OnlineIdentifier(NewtonEulerRows.of(WRENCH), Settings())
    turning = wrenches(len(samples))
    work: dict[str, tuple[Callable[[], object], int]] = {
        "Pinocchio's torque regressor": (regressors, len(states)),
        "rows and intake, joint torques": (lambda: joint_torques.add(samples), len(samples)),
        "rows and intake, wrench": (lambda: sensor.add(turning), len(samples)),
    }
    took: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(2 * repetitions):  # in turn: what else the machine does concerns all alike
        joint_torques.reset()
        sensor.reset()
        for name, (do, count) in work.items():
            took[name].append(1e6 * seconds_of(do, 1) / count)
    known = took["Pinocchio's torque regressor"]
    show("", ("", "us/sample", "times"),
         ((name, statistics.median(x), float(np.median(np.divide(x, known))))
          for name, x in took.items()))  # fmt: skip


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
