"""How long identification takes on this machine: `./payload-id python benchmarks/timing.py`.

Prints medians over repetitions for the simulated Gen3 at 1 kHz: rows and intake per sample, beside
what Pinocchio's `computeJointTorqueRegressor` takes of it (at most 2.5 times as much is the aim),
the same for a force-torque sensor, one update (point estimate and hull) on 7.5 s of data, begun
anew and begun from the last one (0.1 s), the intervals alone with 88 nuisance parameters, and
`identify` on 60 s (0.5 s). `--long 0` leaves the last two out, as continuous integration does. Time
of the processor counts, so that other work on the machine matters less.
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
import pinocchio as pin

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
from payload_id.core.bounds import Memory, method_named
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows, newton_euler_regressor
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.samples.wrench_samples import WrenchSamples
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant, simulate
from payload_id.core.threads import one_thread

UNCERTAINTY = Uncertainty(torque_relative=0.025, link_relative=0.05)
# 70 link parameters, 14 of the sensors, and 4 of the tool: mass and first moment.
WIDE = replace(
    UNCERTAINTY, torque_gain=0.025, torque_offset=0.5, tool=(0.05, *[0.003] * 3, *[0.0] * 6)
)
WRENCH = WrenchUncertainty(force_error=0.1, torque_error=0.01, linear_acceleration_error=0.05,
                           angular_velocity_error=0.01, angular_acceleration_error=0.1)  # fmt: skip
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


def print_cost_of_a_sample(model: RobotModel, samples: Samples, repetitions: int) -> None:
    """Print what rows and intake of a sample take, and what Pinocchio's regressor takes."""
    pinocchio, data = model.pinocchio, model.pinocchio.createData()
    count = min(1000, len(samples))
    q = [model.pinocchio_q(x) for x in samples.q[:count]]
    dq = [x[list(model.order)] for x in samples.dq[:count]]

    def regressors() -> None:
        for position, velocity in zip(q, dq, strict=True):
            pin.computeJointTorqueRegressor(pinocchio, data, position, velocity, velocity)

    joint_torques = OnlineIdentifier(model, Settings(UNCERTAINTY))
    sensor = OnlineIdentifier(NewtonEulerRows.of(WRENCH), Settings())
    turning = wrenches(len(samples))
    took: dict[str, list[float]] = {"": [], "joint torques": [], "wrench": []}
    for _ in range(2 * repetitions):  # in turn: what else the machine does concerns all alike
        took[""].append(seconds_of(regressors, 1) / count)
        for name, online, some in (
            ("joint torques", joint_torques, samples),
            ("wrench", sensor, turning),
        ):
            online.reset()
            took[name].append(seconds_of(lambda o=online, s=some: o.add(s), 1) / len(some))
    known = took.pop("")
    print(f"Pinocchio's torque regressor    {1e6 * statistics.median(known):7.2f} us/sample")
    for name, durations in took.items():
        ratio = statistics.median(np.divide(durations, known))
        print(
            f"rows and intake, {name:15}{1e6 * statistics.median(durations):7.2f} us/sample"
            f" = {ratio:.2f} times"
        )


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
    parser.add_argument("--long", type=float, default=60.0,
                        help="seconds of the long recording; 0: no long one")  # fmt: skip
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
    print_cost_of_a_sample(model, short, arguments.repetitions)
    begun = [rows() for _ in range(arguments.repetitions)]
    fresh = seconds_of(lambda: begun.pop().update(), arguments.repetitions)
    print(f"estimate + hull, begun anew     {fresh:7.3f} s")
    again = seconds_of(online.update, arguments.repetitions)
    print(f"estimate + hull, from the last  {again:7.3f} s")
    if not arguments.long:
        return
    print_bounds(model, short, arguments.repetitions)
    model, long, _ = recording(arguments.long, seed=2)
    whole = seconds_of(lambda: identify(long, model, UNCERTAINTY), 1)
    print(f"identify on {arguments.long:.0f} s at 1 kHz      {whole:7.3f} s")


if __name__ == "__main__":
    main()
