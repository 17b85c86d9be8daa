"""Table III of [NGK], and its figures 4 to 6: accuracy after about 150 observations.

An arm (xArm7) wields a modular object: its three last joints follow sinusoids of 45 degrees whose
frequencies have the ratio 0.10 : 0.13 : 0.16, as in the paper, sped up until the object turns at
the average speed asked for; the paper's linear speeds are met 0.1 m beyond the sensor. Force and
torque come at 100 Hz with the moderate noise of the paper's table II; velocities and accelerations
come from noisy poses by Kalman filtering, forwards only. Errors by eq. (10)-(12) of the paper,
inertias about the centre of mass.

    ./payload-id python benchmarks/ngk_table3.py
    ./payload-id python benchmarks/ngk_table3.py --pose-noise 0.05 0.3  # as hard as printed
    ./payload-id python benchmarks/ngk_table3.py --lag 0.16             # or by a delay
    ./payload-id python benchmarks/ngk_table3.py --summary  # its figure 6: noise and speed
    ./payload-id python benchmarks/ngk_table3.py --sweep    # its figures 4 and 5

How large the errors of the paper's filtered rates are it does not print; plain least squares shows
it. With poses such that the accelerations at 1 rad/s err about as table II's moderate ones (the
default), least squares errs a seventh of what the paper prints. Two conditions, of which the paper
says nothing either, make it err as printed: poses so noisy that linear accelerations are hardly
seen (mass and centre of mass), or poses that come 0.16 s late (the mass; the centre of mass then
errs five times what is printed). A delay is stated to the estimators here (`time_error`), half as
large again.

What else the paper does not print is chosen: the object's dimensions and how its eight weights'
patterns lie in it (a frame of 1400 cm3, which makes 56 points at 0.04 per cm3, on a grid of 5 x 3
places, weights of 101 and 17 g), the arm, and where in the motion the observations begin
(anywhere). The shape given to the estimators is the frame's outline: it says nothing of the
weights.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from time import perf_counter

import cvxpy as cp
import numpy as np
import pinocchio as pin
from bench import options, show, tell
from scipy.linalg import solve_discrete_are
from sensor_motion import sensor_motion, statistics_of

from payload_id import RobotFile, RobotModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import from_mass_com_inertia, is_physical
from payload_id.core.body.metrics import errors
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.body.shape import DENSITY, Shape
from payload_id.core.estimators import estimator_named
from payload_id.core.estimators.point_masses import phi_of_points
from payload_id.core.rows.dynamism import dynamism, full_share
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.wrench_samples import WrenchSamples
from payload_id.core.threads import one_thread

RATE, OBSERVATIONS, SETTLE = 100.0, 150, 100  # [Hz]; samples; samples for the filter to settle
LEAD = SETTLE + 30  # first observation at the earliest
AMPLITUDE, RATIO = np.radians(45.0), np.array([0.10, 0.13, 0.16])  # [NGK, Sec. V-A]
DURATION = 35.0  # [s] of the whole motion
SPEEDS, MORE_SPEEDS = (1.0, 1.5, 2.0), (1.0, 1.5, 2.0, 3.0, 4.0)  # [rad/s]
NOISE = {  # [NGK, table II]: angular and linear acceleration, force, torque
    "none": (0.0, 0.0, 0.0, 0.0),
    "low": (0.25, 0.025, 0.05, 0.0025),
    "moderate": (0.5, 0.05, 0.1, 0.005),
    "high": (1.0, 0.1, 0.33, 0.0067),
}
STILL = (0.0, 0.0, *NOISE["moderate"][2:])  # rates of stop-and-go motion are known
TOOL = np.array([0.0, 0.0, 0.1])  # [m] where linear speeds are those of the paper
POSE_NOISE = (5e-3, 1e-3)  # standard deviation of orientation [rad] and position [m]
WINDOW = 0.05  # [s]
SWEEP = (  # points in a cubic centimetre, c1, homogeneity
    (DENSITY, 300.0, 1.0), (0.02, 300.0, 1.0), (0.09, 300.0, 1.0), (DENSITY, 0.0, 1.0),
    (DENSITY, 30.0, 1.0), (DENSITY, 3e3, 1.0), (DENSITY, 3e4, 1.0), (DENSITY, 300.0, 0.3),
    (DENSITY, 300.0, 3.0),
)  # fmt: skip
C1, LAMBDA = 300.0, 0.1  # [NGK, Sec. V-C and IV]
PUBLISHED = {  # [NGK, table III]: mass, centre of mass, inertia at 1.0, 1.5, 2.0 rad/s; inf: >500
    "OLS": ((1.36, 2.88, 3.22), (34.4, 44.0, 36.1), (np.inf,) * 3),
    "RTLS": ((1.84, 1.77, 2.41), (97.5, 37.7, 38.2), (np.inf,) * 3),
    "GEO": ((1.45, 2.65, 4.09), (33.0, 33.1, 32.6), (np.inf, 252.0, 109.0)),
    "PMD": ((1.34, 2.15, 1.91), (9.83, 15.5, 16.4), (44.1, 43.5, 43.6)),
}
METHODS = {  # the paper's name: the estimator here, and whether it knows the shape
    "OLS": ("ols", False),
    "RTLS": ("rtls", False),
    "GEO": ("entropic", False),
    "PMD": ("point_masses", True),
    "as printed": ("", True),
    "default": ("entropic", True),
}

# The modular object, in the sensor frame: it lies along x from 3 cm before the sensor's axis.
FRAME = np.array([0.25, 0.20, 0.028])  # [m] outline, 1400 cm3
FRAME_MASS, STEEL, PLASTIC = 0.40, 0.101, 0.017  # [kg]
WEIGHT = np.array([0.025, 0.025, 0.028])  # [m] outline of a weight
CENTRE = np.array([0.095, 0.0, 0.03])  # [m] of the frame
PATTERNS = {  # three rows of five places from the hand outwards: Steel, Plastic, empty (.)
    "hammer": ("....S", "PPPPS", "....S"),
    "barbell": ("S...S", "SPPPS", "S...S"),
    "tee": ("....P", "SSSSP", "....P"),
    "uniform": ("PPPPP", "PPPPP", "PPPPP"),
    "corners": ("SPPPS", "PPPPP", "SPPPS"),
    "rod": (".....", "SSSSS", "....."),
    "half-n-half": ("PPSSS", "PPSSS", "PPSSS"),
    "empty": (".....", ".....", "....."),
}


def box(mass: float, centre: Array, sides: Array) -> Array:
    """Return phi of a homogeneous box, shape (10,)."""
    return from_mass_com_inertia(
        mass, centre, mass / 12.0 * (sides @ sides * np.eye(3) - np.diag(sides**2))
    )


def object_of(pattern: tuple[str, ...]) -> Array:
    """Return phi of the object with weights in a pattern, shape (10,)."""
    phi = box(FRAME_MASS, CENTRE, FRAME)
    for row, line in enumerate(pattern):
        for column, letter in enumerate(line):
            if letter != ".":
                place = (np.array([(column + 0.5) / 5, (row + 0.5) / 3, 0.5]) - 0.5) * FRAME
                phi = phi + box(STEEL if letter == "S" else PLASTIC, CENTRE + place, WEIGHT)
    return phi


def outline(density: float = DENSITY) -> Shape:
    """Return what is known of the shape: the frame's outline, with points in a cubic centimetre."""
    corners = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T * FRAME
    return Shape.from_hull(CENTRE + corners, density)


@dataclass(frozen=True)
class Motion:
    """True motion of the sensor, in its axes; its origin in the world.

    Attributes:
        stamp: Shape (N,) [s].
        rotation: Shape (N, 3, 3).
        origin: Shape (N, 3) [m].
        omega: Shape (N, 3) [rad/s].
        acceleration: Of the origin, gravity not in it, shape (N, 3) [m/s2].
        alpha: Shape (N, 3) [rad/s2].
        speed: Of a point at TOOL, mean [m/s].
        jerk: Typical rate of change of angular and linear acceleration, per root of frequency.
    """

    stamp: Array
    rotation: Array
    origin: Array
    omega: Array
    acceleration: Array
    alpha: Array
    speed: float
    jerk: tuple[float, float]

    @classmethod
    def at(cls, speed: float) -> Motion:
        """Return the motion of the paper at an average angular speed [rad/s]."""
        tempo = 1.0
        for _ in range(6):
            tempo *= speed / float(np.linalg.norm(cls.of(tempo).omega, axis=1).mean())
        return cls.of(tempo)

    @classmethod
    def of(cls, tempo: float) -> Motion:
        """Return the motion with frequencies of RATIO times a tempo [Hz]."""
        file = RobotFile.load("xarm7")
        stamp, rate = np.arange(0.0, DURATION, 1.0 / RATE), 2.0 * np.pi * RATIO * tempo
        q, dq, ddq = (np.tile(x, (len(stamp), 1)) for x in np.outer([1.0, 0.0, 0.0], file.home))
        phase = np.outer(stamp, rate)
        q[:, -3:] += AMPLITUDE * np.sin(phase)
        dq[:, -3:] = AMPLITUDE * rate * np.cos(phase)
        ddq[:, -3:] = -AMPLITUDE * rate**2 * np.sin(phase)
        rotation, origin, v, omega, acceleration, alpha = sensor_motion(
            RobotModel.from_robot_file(file), q, dq, ddq
        )
        memory = np.sqrt(1.0 / rate.max())  # of a motion of this bandwidth, root of [s]

        def change_of(x: Array) -> float:
            """Return the root mean square of the change of a quantity (N, 3) in that memory."""
            return float(np.sqrt(np.mean(np.gradient(x, 1.0 / RATE, axis=0) ** 2)) * memory)

        jerk = change_of(alpha), change_of(np.einsum("nij,nj->ni", rotation, acceleration))
        tool = float(np.linalg.norm(v + np.cross(omega, TOOL), axis=1).mean())
        return cls(stamp, rotation, origin, omega, acceleration, alpha, tool, jerk)


@dataclass(frozen=True)
class Condition:
    """What is measured.

    Attributes:
        motion: The true motion.
        level: Of the noise.
        count: Observations of each trial.
        poses: Noise of the poses from which rates are found [rad], [m], and by how much they are
            late [s]; None: true rates with noise added.
        seed: Of everything.
    """

    motion: Motion
    level: str
    count: int
    poses: tuple[float, float, float] | None
    seed: tuple[int, ...]

    @property
    def noise(self) -> tuple[float, float, float, float]:
        """Of angular and linear acceleration, force and torque."""
        return NOISE.get(self.level, STILL)

    def assumed(self) -> WrenchUncertainty:
        """Return the noise that is stated: that of the sensor, and that of the motion."""
        angular, linear, force, torque = self.noise
        stated, lag = {"angular_acceleration": angular, "linear_acceleration": linear}, 0.0
        if self.poses is not None:
            stated, lag = self.noise_of_motion(), 1.5 * self.poses[2]
        return WrenchUncertainty(
            force_sigma=force, torque_sigma=torque, force_bias=0.0, torque_bias=0.0,
            time_error=lag, **{f"{name}_sigma": x for name, x in stated.items()},
        )  # fmt: skip

    def noise_of_motion(self) -> dict[str, float]:
        """Return the errors of the filter's output, as those of independent samples.

        From means over windows, since errors of neighbouring samples are alike. No object enters.
        """
        rng, per_window = np.random.default_rng([*self.seed, 999]), round(WINDOW * RATE)
        quiet, motion = replace(self, level="none", count=OBSERVATIONS), self.motion
        truths = {"angular_velocity": motion.omega, "angular_acceleration": motion.alpha,
                  "linear_acceleration": motion.acceleration}  # fmt: skip
        squares: dict[str, list[float]] = {name: [] for name in truths}
        for _ in range(20):
            first, seen = quiet.measured(np.zeros(10), rng)
            for name, true in truths.items():
                error = getattr(seen, name) - true[first : first + OBSERVATIONS]
                means = error.reshape(-1, per_window, 3).mean(axis=1)
                squares[name].append(per_window * float(np.mean(means**2)))
        return {name: float(np.sqrt(np.mean(x))) for name, x in squares.items()}

    def trials(self, number: int) -> Iterator[tuple[WrenchSamples, Array]]:
        """Give what is measured of every object so many times, and the object's phi."""
        for k, pattern in enumerate(PATTERNS.values()):
            phi = object_of(pattern)
            for trial in range(number):
                rng = np.random.default_rng([*self.seed, k, trial])
                yield self.measured(phi, rng)[1], phi

    def measured(self, phi: Array, rng: np.random.Generator) -> tuple[int, WrenchSamples]:
        """Return the first observation, anywhere in the motion, and what is measured from it on."""
        motion, count, (angular, linear, force, torque) = self.motion, self.count, self.noise
        first = int(rng.integers(LEAD, len(motion.stamp) - count))
        part = slice(first, first + count)
        proper = motion.acceleration[part] - np.array([0.0, 0.0, -9.81]) @ motion.rotation[part]
        wrench = newton_euler_regressor(proper, motion.omega[part], motion.alpha[part]) @ phi
        wrench = wrench + np.repeat([force, torque], 3) * rng.normal(size=wrench.shape)
        if self.poses is not None:
            rates = filtered(motion, first, count, self.poses, rng)
        else:
            alpha = motion.alpha[part] + angular * rng.normal(size=(count, 3))
            acceleration = motion.acceleration[part] + linear * rng.normal(size=(count, 3))
            rates = motion.rotation[part], motion.omega[part], alpha, acceleration
        return first, WrenchSamples(motion.stamp[part], *rates, wrench)


def filtered(
    motion: Motion,
    first: int,
    count: int,
    poses: tuple[float, float, float],
    rng: np.random.Generator,
) -> tuple[Array, Array, Array, Array]:
    """Return orientation and rates from noisy poses, none later than the last sample.

    Orientation and its rates by the filter on the rotation vectors, added up.
    """
    turn, shift, lag = poses
    first -= round(lag * RATE)
    part, kept = slice(first - SETTLE, first + count), slice(SETTLE, None)
    noise = turn * rng.normal(size=(count + SETTLE, 3))
    rotation = motion.rotation[part] @ np.array([pin.exp3(v) for v in noise])
    origin = motion.origin[part] + shift * rng.normal(size=(count + SETTLE, 3))
    steps = [pin.log3(a.T @ b) for a, b in zip(rotation[:-1], rotation[1:], strict=True)]
    turned = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    smooth, omega, alpha = kalman_forwards(turned, turn, motion.jerk[0])
    rotation = rotation @ np.array([pin.exp3(v) for v in smooth - turned])
    moving = kalman_forwards(origin, shift, motion.jerk[1])
    acceleration = np.einsum("nji,nj->ni", rotation, moving[2])
    return rotation[kept], omega[kept], alpha[kept], acceleration[kept]


def kalman_forwards(value: Array, noise: float, jerk: float) -> Array:
    """Return value, velocity and acceleration by the stationary Kalman filter, forwards only.

    Its model: constant acceleration driven by white jerk. Shape (3, N, 3).
    """
    t = 1.0 / RATE
    F = np.array([[1.0, t, t * t / 2], [0.0, 1.0, t], [0.0, 0.0, 1.0]])
    G = np.array([t**3 / 6, t**2 / 2, t])
    Q = jerk**2 / t * np.outer(G, G) + 1e-12 * jerk**2 * t * np.eye(3)
    H = np.array([[1.0, 0.0, 0.0]])
    P = solve_discrete_are(F.T, H.T, Q, np.array([[noise**2]]))
    gain = P[:, :1] / (P[0, 0] + noise**2)
    states = np.zeros((3, *value.shape))
    x = np.zeros((3, value.shape[1]))
    x[0] = value[0]
    for n, seen in enumerate(value):
        x = F @ x if n else x
        x = x + gain @ (seen - x[0])[None]
        states[:, n] = x
    return states


def as_printed(samples: WrenchSamples, points: Array) -> Array:
    """Return phi by Problem 1 of [NGK] as printed: norms, eq. (8), with its C1 and LAMBDA.

    Its weights multiply row by row. Wrenches in the sensor's axes: norms are the same in any.
    """
    omega, alpha, gravity = (
        samples.angular_velocity, samples.angular_acceleration, samples.gravity_in_sensor,
    )  # fmt: skip
    P, b, still = phi_of_points(points), samples.wrench, np.zeros_like(omega)
    full = newton_euler_regressor(samples.linear_acceleration - gravity, omega, alpha) @ P
    static = newton_euler_regressor(-gravity, still, still) @ P
    w = full_share(dynamism(samples.linear_acceleration, alpha, omega), C1)
    masses, cost = cp.Variable(len(points), nonneg=True), 0.0
    for share, rows in ((1.0 - w, static), (w, full)):
        each = np.concatenate([rows, b[..., None]], axis=2) * share[:, None, None]
        factor = np.linalg.qr(each.reshape(-1, len(points) + 1), mode="r")
        cost = cost + cp.norm(factor[:, :-1] @ masses - factor[:, -1])
    cp.Problem(cp.Minimize(cost + LAMBDA * cp.norm(masses))).solve(solver=cp.CLARABEL)
    return np.asarray(P @ np.maximum(masses.value, 0.0))


def errors_of(condition: Condition, number: int) -> dict[str, Array]:
    """Return mean errors of every method: mass, centre of mass, inertia; and share physical."""
    assumed, shape = condition.assumed(), outline()
    lower, upper = PayloadPrior().box()
    found: dict[str, list[tuple[float, ...]]] = {label: [] for label in METHODS}
    for samples, phi in condition.trials(number):
        statistics = statistics_of(samples, assumed, WINDOW)
        for label, (name, shaped) in METHODS.items():
            if name:
                method = estimator_named(name, shape if shaped else None)
                estimate = method.estimate(statistics, lower, upper)
            else:
                estimate = as_printed(samples, shape.points)
            found[label].append((*astuple(errors(estimate, phi, FRAME)), is_physical(estimate)))
    return {label: np.mean(np.array(rows, dtype=float), axis=0) for label, rows in found.items()}


def table3(given: argparse.Namespace, poses: tuple[float, float, float]) -> None:
    """Measure and print table III."""
    results, described = [], []
    for k, speed in enumerate(SPEEDS):
        motion = Motion.at(speed)
        condition = Condition(motion, "moderate", OBSERVATIONS, poses, (given.seed, k))
        noise = condition.noise_of_motion()
        described.append(
            f"{speed:g} rad/s: {motion.speed:.2f} m/s; errors of the filtered rates (as of "
            f"independent samples) {noise['angular_acceleration']:.2f} rad/s2, "
            f"{noise['linear_acceleration']:.3f} m/s2"
        )
        results.append(errors_of(condition, given.trials))
    rows = []
    for label in METHODS:
        means = [[result[label][quantity] for result in results] for quantity in range(3)]
        theirs = PUBLISHED.get(label)
        cells = [shown(x) + (f" ({shown(theirs[i][k])})" if theirs else "")
                 for i, each in enumerate(means) for k, x in enumerate(each)]  # fmt: skip
        physical = np.mean([result[label][3] for result in results])
        rows.append((label, *cells, f"{100 * physical:.0f} %"))
    names = [f"{quantity}\n{x:g} rad/s" for quantity in ("mass", "CoM", "inertia") for x in SPEEDS]
    show(f"{OBSERVATIONS} observations, moderate noise; per cent, paper in brackets",
         ("", *names, "physical"), rows)  # fmt: skip
    for line in described:
        tell(line)
    still = replace(motion, **{x: 0.0 * motion.omega for x in ("omega", "alpha", "acceleration")})
    halting = Condition(still, "still", round(10 * RATE), None, (given.seed, 9))
    mass, com, *_ = errors_of(halting, given.trials)["PMD"]
    tell(
        f"stop-and-go, {halting.count} observations: PMD errs by {mass:.3f} % of the mass and "
        f"{com:.3f} % of the centre of mass (paper: below 0.1 %)"
    )


def sweep(given: argparse.Namespace, poses: tuple[float, float, float]) -> None:
    """Measure and print what figures 4 and 5 show: density of points, c1; and homogeneity."""
    lower, upper = PayloadPrior().box()
    cells: dict[tuple[float, ...], list[str]] = {choice: [] for choice in SWEEP}
    took: dict[tuple[float, ...], list[float]] = {choice: [] for choice in SWEEP}
    for k, speed in enumerate((1.0, 2.0)):
        condition = Condition(Motion.at(speed), "moderate", OBSERVATIONS, poses, (given.seed, k))
        assumed, seen = condition.assumed(), list(condition.trials(given.trials))
        for choice in SWEEP:
            shape, found = replace(outline(choice[0]), homogeneity=choice[2]), []
            method = estimator_named("point_masses", shape)
            for samples, phi in seen:
                stated = replace(assumed, dynamism_scale=choice[1])
                statistics, began = statistics_of(samples, stated, WINDOW), perf_counter()
                estimate = method.estimate(statistics, lower, upper)
                took[choice].append(perf_counter() - began)
                found.append(astuple(errors(estimate, phi, FRAME)))
            cells[choice].append(" / ".join(shown(x) for x in np.mean(found, axis=0)))
    rows = []
    for choice, each in cells.items():
        ms, points = 1e3 * np.mean(took[choice]), len(outline(choice[0]).points)
        density, *others = (f"{x:g}" for x in choice)
        rows.append((density, points, *others, *each, f"{ms:.0f}"))
    show("point_masses at 1 and 2 rad/s: mass / CoM / inertia error, per cent",
         ("points / cm3", "points", "c1", "homogeneity", "1 rad/s", "2 rad/s", "ms"),
         rows)  # fmt: skip


def summary(given: argparse.Namespace, _: object) -> None:
    """Measure and print what figure 6 of the paper shows: inertia errors after 10 s."""
    motions, rows = {speed: Motion.at(speed) for speed in MORE_SPEEDS}, []
    for n, level in enumerate(("low", "moderate", "high")):
        for k, (speed, motion) in enumerate(motions.items()):
            seed = (given.seed, 100 + n, k)
            condition = Condition(motion, level, round(10 * RATE), None, seed)
            found = errors_of(condition, given.trials)
            rows.append((level, f"{speed:g}", *(shown(found[label][2]) for label in METHODS)))
    show("inertia error after 10 s, per cent", ("noise", "rad/s", *METHODS), rows)
    tell(
        "Noise of the paper's table II on accelerations, force and torque; the paper's figure 6 "
        "prints no numbers."
    )


def shown(value: float) -> str:
    """Return an error as the paper prints it."""
    if not value <= 500.0:
        return ">500"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def main() -> None:
    """Measure and print."""
    given = options(trials=10, seed=1, summary=False, sweep=False, lag=0.0, pose_noise=POSE_NOISE)
    tell(
        f"seed {given.seed}, {given.trials} trials per object, speed and level; "
        f"{len(PATTERNS)} objects. Paper: P. Nadeau, M. Giamou, J. Kelly, ICRA 2022, table III."
    )
    measure = summary if given.summary else sweep if given.sweep else table3
    with one_thread():
        measure(given, (*given.pose_noise, given.lag))


if __name__ == "__main__":
    main()
