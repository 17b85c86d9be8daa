"""Table I of [TBEN]: physical consistency from slow to fast motion.

As in the paper, an arm carries a body on a force-torque sensor and moves three joints from one
random position to the next along minimum-jerk paths that take 10, 5, 2, 1 and 0.5 s each, for a
minute, sampled at 100 Hz; velocities and accelerations come from joint positions by Savitzky-Golay
filters of second order with the paper's windows (499, 41, 21, 9, 7 samples). Here the arm is
simulated (xArm7, its first three joints), the body is the one that the paper found at 0.5 s, and
the noise is that stated below. The sensor's bias is removed beforehand, as in the paper.

At 0.5 s the paper's window of 7 samples flattens the accelerations of these paths, which reach
farther than a humanoid's may have; `ols`, which weighs newtons and newton metres alike, takes that
for an inertia that is none, `wls` does not.

    ./payload-id python benchmarks/tben_table1.py
"""

from __future__ import annotations

import numpy as np
from bench import options, show, tell
from scipy.signal import savgol_filter
from sensor_motion import sensor_motion, statistics_of

from payload_id import RobotFile, RobotModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import is_physical, mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.estimators import ESTIMATORS, estimator_named
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.wrench_samples import WrenchSamples
from payload_id.core.threads import one_thread

RATE, SECONDS = 100.0, 60.0  # [Hz], [s]
WINDOWS = {10.0: 499, 5.0: 41, 2.0: 21, 1.0: 9, 0.5: 7}  # path time [s]: samples of the filter
MOVED, REACH = (0, 1, 2), 0.5  # joints that move; [rad] around the middle pose
POSITION_NOISE = 1e-4  # [rad] standard deviation of a joint position
FORCE_NOISE, TORQUE_NOISE = 0.2, 0.02  # [N], [N m]
LONGEST = 0.05  # [s] of the windows whose means make rows
# About the body of [TBEN, table I] (path time 0.5 s, on the manifold): m, m c, I about the sensor.
# The printed digits are no body's (rounded); Ixz is -0.010 instead of -0.013 here, which is one's.
BODY = np.array([1.844, 0.059, 0.004, 0.204, 0.037, 0.001, -0.010, 0.039, 0.0, 0.008])
ASSUMED = WrenchUncertainty(
    force_sigma=FORCE_NOISE, torque_sigma=TORQUE_NOISE, force_bias=0.0, torque_bias=0.0
)
# m, Ixx, Iyy, Izz that the paper prints for the unconstrained fit. Its text says that those of 10
# and 5 s are not fully physical, and that those of 1 and 0.5 s agree with the constrained fit.
PUBLISHED = {
    10.0: (1.836, 0.580, 1.022, -0.129),
    5.0: (1.842, 0.128, 0.125, -0.001),
    2.0: (1.852, 0.065, 0.066, 0.007),
    1.0: (1.820, 0.032, 0.036, 0.008),
    0.5: (1.843, 0.033, 0.035, 0.008),
}


NAMES = [name for name in ESTIMATORS if name != "point_masses"]


def minimum_jerk(home: Array, step: float, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return a motion from one random position to the next, each of which takes a step [s]."""
    count = round(step * RATE)
    s = np.arange(count) / count
    shape = 10 * s**3 - 15 * s**4 + 6 * s**5
    rate = (30 * s**2 - 60 * s**3 + 30 * s**4) / step
    change = (60 * s - 180 * s**2 + 120 * s**3) / step**2
    targets = np.tile(home, (int(SECONDS / step) + 1, 1))
    targets[:, MOVED] += rng.uniform(-REACH, REACH, (len(targets), len(MOVED)))
    steps = np.diff(targets, axis=0)
    q, dq, ddq = (np.einsum("k,pj->pkj", x, steps).reshape(-1, len(home))
                  for x in (shape, rate, change))  # fmt: skip
    return q + np.repeat(targets[:-1], count, axis=0), dq, ddq


def measured(
    robot: RobotModel, home: Array, step: float, window: int, rng: np.random.Generator
) -> tuple[WrenchSamples, float]:
    """Return what is measured on one path, and the mean angular speed [rad/s]."""
    q, dq, ddq = minimum_jerk(home, step, rng)
    rotation, _, _, omega, linear, alpha = sensor_motion(robot, q, dq, ddq)
    proper = linear - np.array([0.0, 0.0, -9.81]) @ rotation
    wrench = newton_euler_regressor(proper, omega, alpha) @ BODY
    wrench += np.repeat([FORCE_NOISE, TORQUE_NOISE], 3) * rng.normal(size=wrench.shape)
    noisy = q + POSITION_NOISE * rng.normal(size=q.shape)
    seen = (savgol_filter(noisy, window, 2, deriv=k, delta=1.0 / RATE, axis=0) for k in range(3))
    rotation, _, _, turning, linear, change = sensor_motion(robot, *seen)
    stamp = np.arange(len(wrench)) / RATE
    samples = WrenchSamples(stamp, rotation, turning, change, linear, wrench)
    return samples, float(np.linalg.norm(omega, axis=1).mean())


def main() -> None:
    """Measure and print."""
    given = options(trials=10, seed=1)
    file = RobotFile.load("xarm7")
    robot, home = RobotModel.from_robot_file(file), np.asarray(file.home, dtype=float)
    box, true = PayloadPrior().box(), mass_com_inertia(BODY)[2]
    shares, off, values = [], [], []
    for k, (step, window) in enumerate(WINDOWS.items()):
        found: dict[str, list[Array]] = {name: [] for name in NAMES}
        speeds = []
        with one_thread():
            for trial in range(given.trials):
                rng = np.random.default_rng([given.seed, k, trial])
                samples, speed = measured(robot, home, step, window, rng)
                speeds.append(speed)
                statistics = statistics_of(samples, ASSUMED, LONGEST)
                for name in NAMES:
                    found[name].append(estimator_named(name).estimate(statistics, *box))
        head = (f"{step:g} s", f"{np.mean(speeds):.2f}")
        physical = (np.mean([is_physical(phi) for phi in r]) for r in found.values())
        shares.append((*head, *(f"{100 * x:.0f}" for x in physical)))
        errors = (np.median([np.linalg.norm(mass_com_inertia(phi)[2] - true) for phi in r])
                  for r in found.values())  # fmt: skip
        off.append((*head, *(f"{100 * x / np.linalg.norm(true):.3g}" for x in errors)))
        both = found["ols"][0][[0, 4, 7, 9]], PUBLISHED[step]
        says = "not physical" if step >= 5 else "as constrained" if step <= 1 else ""
        values.append((head[0], *("  ".join(f"{x:.3f}" for x in each) for each in both), says))
    tell(
        f"seed {given.seed}, {given.trials} trials for each path time. Paper: S. "
        "Traversaro, S. Brossette, A. Escande, F. Nori, IROS 2016, table I."
    )
    columns = ("path time", "rad/s", *NAMES)
    show("fully physically consistent results, per cent", columns, shares)
    show("error of the inertia about the centre of mass, relative, per cent (median)", columns, off)
    show("m, Ixx, Iyy, Izz of plain least squares (first trial) and as printed",
         ("path time", "here", "paper (R10)", "paper says"), values)  # fmt: skip


if __name__ == "__main__":
    main()
