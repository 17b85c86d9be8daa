"""Table III of [NGK], and its figures 4 to 6: accuracy after about 150 observations.

An arm (xArm7) wields a modular object: its three last joints follow sinusoids of 45 degrees whose
frequencies have the ratio 0.10 : 0.13 : 0.16, as in the paper, sped up until the object turns at
the average speed asked for; the paper's linear speeds are met 0.1 m beyond the sensor. Force and
torque come at 100 Hz with the moderate noise of the paper's table II; velocities and accelerations
come from noisy poses by Kalman filtering, forwards only. Errors by eq. (10)-(12) of the paper,
inertias about the centre of mass.

    ./payload-id python benchmarks/papers/ngk_table3.py
    ./payload-id python benchmarks/papers/ngk_table3.py --pose-noise 0.05 0.3  # as hard as printed
    ./payload-id python benchmarks/papers/ngk_table3.py --lag 0.16             # or by a delay
    ./payload-id python benchmarks/papers/ngk_table3.py --summary  # its figure 6: noise and speed
    ./payload-id python benchmarks/papers/ngk_table3.py --sweep    # its figures 4 and 5

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
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from time import perf_counter

import cvxpy as cp
import numpy as np
import pinocchio as pin
from rich.console import Console
from rich.table import Table
from scipy.linalg import solve_discrete_are

from payload_id import RobotFile, RobotModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import from_mass_com_inertia, is_physical
from payload_id.core.body.metrics import errors
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.body.shape import DENSITY, Shape
from payload_id.core.estimators import estimator_named
from payload_id.core.estimators.point_masses import phi_of_points
from payload_id.core.rows.dynamism import dynamism, full_share
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows, newton_euler_regressor
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.filters import AngularMotion
from payload_id.core.samples.wrench_samples import WrenchSamples
from payload_id.core.statistics.statistics import Statistics
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
class Filtering:
    """How rates are found from poses.

    Attributes:
        turn: Noise of the orientation [rad].
        shift: Noise of the position [m].
        lag: By how much poses are late against the wrench [s].
    """

    turn: float
    shift: float
    lag: float


@dataclass(frozen=True)
class Motion:
    """True motion of the sensor, in its axes; its origin in the world.

    Attributes:
        stamp: Shape (N,) [s].
        rotation: Shape (N, 3, 3).
        origin: Shape (N, 3) [m].
        omega: Shape (N, 3) [rad/s].
        alpha: Shape (N, 3) [rad/s2].
        acceleration: Of the origin, gravity not in it, shape (N, 3) [m/s2].
        speed: Of a point at TOOL, shape (N,) [m/s].
        jerk: Typical rate of change of angular and linear acceleration, per root of frequency.
    """

    stamp: Array
    rotation: Array
    origin: Array
    omega: Array
    alpha: Array
    acceleration: Array
    speed: Array
    jerk: tuple[float, float]


def motion_at(robot: RobotModel, home: Array, speed: float) -> Motion:
    """Return the motion of the paper at an average angular speed [rad/s]."""
    tempo = 1.0
    for _ in range(6):
        motion = _motion(robot, home, tempo)
        tempo *= speed / float(np.linalg.norm(motion.omega, axis=1).mean())
    return _motion(robot, home, tempo)


def _motion(robot: RobotModel, home: Array, tempo: float) -> Motion:
    """Return the motion with frequencies of RATIO times a tempo [Hz]."""
    model, data = robot.pinocchio, robot.pinocchio.createData()
    frame = model.getFrameId(robot.payload_frame)
    stamp = np.arange(0.0, DURATION, 1.0 / RATE)
    rate = 2.0 * np.pi * RATIO * tempo
    q, dq, ddq = (np.tile(x, (len(stamp), 1)) for x in (home, 0.0 * home, 0.0 * home))
    phase = np.outer(stamp, rate)
    q[:, -3:] += AMPLITUDE * np.sin(phase)
    dq[:, -3:] = AMPLITUDE * rate * np.cos(phase)
    ddq[:, -3:] = -AMPLITUDE * rate**2 * np.sin(phase)
    rows = []
    for k in range(len(stamp)):
        pin.forwardKinematics(model, data, robot.pinocchio_q(q[k]), dq[k], ddq[k])
        pose = pin.updateFramePlacement(model, data, frame)
        twist = pin.getFrameVelocity(model, data, frame, pin.LOCAL)
        change = pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL)
        tool = twist.linear + np.cross(twist.angular, TOOL)
        rows.append((pose.rotation.copy(), pose.translation.copy(), twist.angular.copy(),
                     change.angular.copy(), change.linear.copy(),
                     np.linalg.norm(tool)))  # fmt: skip
    rotation, origin, omega, alpha, acceleration, v = (np.array(x) for x in zip(*rows, strict=True))
    memory = np.sqrt(1.0 / rate.max())  # of a motion of this bandwidth, root of [s]

    def change_of(x: Array) -> float:
        """Return the root mean square of the change of a quantity (N, 3) within that memory."""
        return float(np.sqrt(np.mean(np.gradient(x, 1.0 / RATE, axis=0) ** 2)) * memory)

    jerk = change_of(alpha), change_of(np.einsum("nij,nj->ni", rotation, acceleration))
    return Motion(stamp, rotation, origin, omega, alpha, acceleration, v, jerk)


def measured(
    motion: Motion,
    phi: Array,
    first: int,
    count: int,
    level: str,
    filtering: Filtering | None,
    rng: np.random.Generator,
) -> WrenchSamples:
    """Return what is measured of some observations.

    Args:
        motion: The true motion.
        phi: Of the object.
        first: First observation, at least `LEAD`.
        count: How many.
        level: Of the noise.
        filtering: How rates are found from noisy poses; None: true rates with noise added.
        rng: Source of the noise.
    """  # fmt: skip
    angular, linear, force, torque = NOISE.get(level, STILL)
    part = slice(first, first + count)
    gravity = np.array([0.0, 0.0, -9.81])
    proper = motion.acceleration[part] - gravity @ motion.rotation[part]
    wrench = newton_euler_regressor(proper, motion.omega[part], motion.alpha[part]) @ phi
    wrench = wrench + np.repeat([force, torque], 3) * rng.normal(size=wrench.shape)
    if filtering is not None:
        late = first - round(filtering.lag * RATE)
        rotation, omega, alpha, acceleration = _filtered(motion, late, count, filtering, rng)
    else:
        rotation, omega = motion.rotation[part], motion.omega[part]
        alpha = motion.alpha[part] + angular * rng.normal(size=(count, 3))
        acceleration = motion.acceleration[part] + linear * rng.normal(size=(count, 3))
    return WrenchSamples(motion.stamp[part], rotation, omega, alpha, acceleration, wrench)


def _filtered(
    motion: Motion, first: int, count: int, filtering: Filtering, rng: np.random.Generator
) -> tuple[Array, Array, Array, Array]:
    """Return orientation and rates from noisy poses, none later than the last sample."""
    part = slice(first - SETTLE, first + count)
    turn, shift = filtering.turn, filtering.shift
    tilt = pin_exp(turn * rng.normal(size=(count + SETTLE, 3)))
    rotation = motion.rotation[part] @ tilt
    origin = motion.origin[part] + shift * rng.normal(size=(count + SETTLE, 3))
    turning = turning_forwards(rotation, turn, motion.jerk[0])
    moving = kalman_forwards(origin, shift, motion.jerk[1])
    acceleration = np.einsum("nji,nj->ni", turning.rotation, moving.acceleration)
    kept = slice(SETTLE, None)
    return (
        turning.rotation[kept],
        turning.velocity[kept],
        turning.acceleration[kept],
        acceleration[kept],
    )


def pin_exp(vectors: Array) -> Array:
    """Return rotations by rotation vectors (N, 3), shape (N, 3, 3)."""
    return np.array([pin.exp3(v) for v in vectors])


@dataclass(frozen=True)
class LinearMotion:
    """Value, velocity and acceleration, shape (N, 3) each."""

    value: Array
    velocity: Array
    acceleration: Array


def kalman_forwards(value: Array, noise: float, jerk: float) -> LinearMotion:
    """Return value, velocity and acceleration by the stationary Kalman filter, forwards only.

    Its model: constant acceleration driven by white jerk.
    """
    t = 1.0 / RATE
    F = np.array([[1.0, t, t * t / 2], [0.0, 1.0, t], [0.0, 0.0, 1.0]])
    G = np.array([t**3 / 6, t**2 / 2, t])
    Q = jerk**2 / t * np.outer(G, G) + 1e-12 * jerk**2 * t * np.eye(3)
    H = np.array([[1.0, 0.0, 0.0]])
    P = solve_discrete_are(F.T, H.T, Q, np.array([[noise**2]]))
    gain = P[:, :1] / (P[0, 0] + noise**2)
    states = np.zeros((len(value), 3, value.shape[1]))
    x = np.zeros((3, value.shape[1]))
    x[0] = value[0]
    for n, seen in enumerate(value):
        x = F @ x if n else x
        x = x + gain @ (seen - x[0])[None]
        states[n] = x
    return LinearMotion(states[:, 0], states[:, 1], states[:, 2])


def turning_forwards(rotation: Array, noise: float, jerk: float) -> AngularMotion:
    """Return orientation and rates by the same filter on the rotation vectors, added up."""
    steps = [pin.log3(a.T @ b) for a, b in zip(rotation[:-1], rotation[1:], strict=True)]
    turned = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    smooth = kalman_forwards(turned, noise, jerk)
    change = pin_exp(smooth.value - turned)
    return AngularMotion(rotation @ change, smooth.velocity, smooth.acceleration)


def noise_of_motion(
    motion: Motion, filtering: Filtering, trials: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return the errors of the filter's output, as those of independent samples.

    From means over windows, since errors of neighbouring samples are alike. No object enters.
    """
    nothing = np.zeros(10)
    names = ("angular_velocity", "angular_acceleration", "linear_acceleration")
    truths = (motion.omega, motion.alpha, motion.acceleration)
    squares: dict[str, list[float]] = {name: [] for name in names}
    per_window = round(WINDOW * RATE)
    for _ in range(trials):
        first = start_of(motion, OBSERVATIONS, rng)
        seen = measured(motion, nothing, first, OBSERVATIONS, "none", filtering, rng)
        for name, true in zip(names, truths, strict=True):
            error = getattr(seen, name) - true[first : first + OBSERVATIONS]
            means = error.reshape(-1, per_window, 3).mean(axis=1)
            squares[name].append(per_window * float(np.mean(means**2)))
    return {f"{name}_sigma": float(np.sqrt(np.mean(x))) for name, x in squares.items()}


def start_of(motion: Motion, count: int, rng: np.random.Generator) -> int:
    """Return the first of some observations, anywhere in the motion."""
    return int(rng.integers(LEAD, len(motion.stamp) - count))


def statistics_of(samples: WrenchSamples, assumed: WrenchUncertainty) -> Statistics:
    """Return the statistics of samples."""
    row_source = NewtonEulerRows.of(assumed)
    rows = [row_source.window(part) for part in WindowCutter(WINDOW).add(samples)]
    _, upper = PayloadPrior().box()
    return Statistics.empty(row_source.p, row_source.growth).add(RowBlock.stack(rows), 0.1 * upper)


def assumed_for(level: str, motion_noise: dict[str, float] | None, lag: float) -> WrenchUncertainty:
    """Return the noise that is stated: that of the sensor, and that of the motion."""
    angular, linear, force, torque = NOISE.get(level, STILL)
    stated = motion_noise or {
        "angular_acceleration_sigma": angular,
        "linear_acceleration_sigma": linear,
    }
    return WrenchUncertainty(
        force_sigma=force,
        torque_sigma=torque,
        force_bias=0.0,
        torque_bias=0.0,
        time_error=1.5 * lag,
        **stated,
    )


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


def trial_errors(
    statistics: Statistics, samples: WrenchSamples, phi: Array, shape: Shape
) -> dict[str, tuple[float, float, float, bool]]:
    """Return mass, centre of mass and inertia errors, and whether physical, of every method."""
    lower, upper = PayloadPrior().box()
    results = {}
    for label, (name, shaped) in METHODS.items():
        if not name:
            found = as_printed(samples, shape.points)
        else:
            method = estimator_named(name, shape if shaped else None)
            found = method.estimate(statistics, lower, upper)
        results[label] = (*astuple(errors(found, phi, FRAME)), is_physical(found))
    return results


def run(
    motion: Motion,
    level: str,
    count: int,
    filtering: Filtering | None,
    trials: int,
    seed: list[int],
) -> dict[str, Array]:
    """Return errors of all objects and trials by method, shape (objects * trials, 4)."""
    noise = None
    if filtering is not None:
        noise = noise_of_motion(motion, filtering, 20, np.random.default_rng([*seed, 999]))
    lag = 0.0 if filtering is None else filtering.lag
    assumed, shape = assumed_for(level, noise, lag), outline()
    found: dict[str, list[tuple[float, float, float, bool]]] = {label: [] for label in METHODS}
    for k, pattern in enumerate(PATTERNS.values()):
        phi = object_of(pattern)
        for trial in range(trials):
            rng = np.random.default_rng([*seed, k, trial])
            first = start_of(motion, count, rng)
            samples = measured(motion, phi, first, count, level, filtering, rng)
            statistics = statistics_of(samples, assumed)
            for label, result in trial_errors(statistics, samples, phi, shape).items():
                found[label].append(result)
    return {label: np.array(rows, dtype=float) for label, rows in found.items()}


def table3(
    robot: RobotModel, home: Array, arguments: argparse.Namespace, terminal: Console
) -> None:
    """Measure and print table III."""
    results, described = [], []
    trials, seed = arguments.trials, arguments.seed
    filtering = Filtering(*arguments.pose_noise, arguments.lag)
    for k, speed in enumerate(SPEEDS):
        motion = motion_at(robot, home, speed)
        noise = noise_of_motion(motion, filtering, 20, np.random.default_rng([seed, k, 999]))
        described.append(
            f"{speed:g} rad/s: {motion.speed.mean():.2f} m/s; errors of the filtered rates (as of "
            f"independent samples) {noise['angular_acceleration_sigma']:.2f} rad/s2, "
            f"{noise['linear_acceleration_sigma']:.3f} m/s2"
        )
        results.append(run(motion, "moderate", OBSERVATIONS, filtering, trials, [seed, k]))
    table = Table(title=f"{OBSERVATIONS} observations, moderate noise; per cent, paper in brackets")
    table.add_column("")
    for quantity in ("mass", "CoM", "inertia"):
        for speed in SPEEDS:
            table.add_column(f"{quantity}\n{speed:g} rad/s", justify="right")
    table.add_column("physical", justify="right")
    for label in METHODS:
        cells = []
        for quantity in range(3):
            for k in range(3):
                mean = float(results[k][label][:, quantity].mean())
                theirs = PUBLISHED[label][quantity][k] if label in PUBLISHED else None
                cells.append(shown(mean) + ("" if theirs is None else f" ({shown(theirs)})"))
        physical = np.mean([result[label][:, 3].mean() for result in results])
        table.add_row(label, *cells, f"{100 * physical:.0f} %")
    terminal.print(table)
    for line in described:
        terminal.print(line)
    still = replace(motion, **{x: 0.0 * motion.omega for x in ("omega", "alpha", "acceleration")})
    count = round(10 * RATE)
    halting = run(still, "still", count, None, trials, [seed, 9])["PMD"].mean(axis=0)
    terminal.print(
        f"stop-and-go, {count} observations: PMD errs by {halting[0]:.3f} % of the mass and "
        f"{halting[1]:.3f} % of the centre of mass (paper: below 0.1 %)"
    )


def sweep(robot: RobotModel, home: Array, arguments: argparse.Namespace, terminal: Console) -> None:
    """Measure and print what figures 4 and 5 show: density of points, c1; and homogeneity."""
    filtering = Filtering(*arguments.pose_noise, arguments.lag)
    table = Table(title="point_masses at 1 and 2 rad/s: mass / CoM / inertia error, per cent")
    for name in ("points / cm3", "points", "c1", "homogeneity", "1 rad/s", "2 rad/s", "ms"):
        table.add_column(name, justify="right")
    cells: dict[tuple[float, float, float], list[str]] = {}
    took: dict[tuple[float, float, float], list[float]] = {}
    lower, upper = PayloadPrior().box()
    for k, speed in enumerate((1.0, 2.0)):
        motion = motion_at(robot, home, speed)
        noise = noise_of_motion(
            motion, filtering, 20, np.random.default_rng([arguments.seed, k, 999])
        )
        found: dict[tuple[float, float, float], list[tuple[float, ...]]] = {}
        for n, pattern in enumerate(PATTERNS.values()):
            phi = object_of(pattern)
            for trial in range(arguments.trials):
                rng = np.random.default_rng([arguments.seed, k, n, trial])
                first = start_of(motion, OBSERVATIONS, rng)
                seen = measured(motion, phi, first, OBSERVATIONS, "moderate", filtering, rng)
                for choice in SWEEP:
                    assumed = replace(
                        assumed_for("moderate", noise, filtering.lag), dynamism_scale=choice[1]
                    )
                    shape = replace(outline(choice[0]), homogeneity=choice[2])
                    statistics, began = statistics_of(seen, assumed), perf_counter()
                    method = estimator_named("point_masses", shape)
                    estimate = method.estimate(statistics, lower, upper)
                    took.setdefault(choice, []).append(perf_counter() - began)
                    found.setdefault(choice, []).append(astuple(errors(estimate, phi, FRAME)))
        for choice, rows in found.items():
            means = " / ".join(shown(x) for x in np.mean(rows, axis=0))
            cells.setdefault(choice, []).append(means)
    for choice, each in cells.items():
        count = len(outline(choice[0]).points)
        table.add_row(
            f"{choice[0]:g}", f"{count}", f"{choice[1]:g}", f"{choice[2]:g}", *each,
            f"{1e3 * float(np.mean(took[choice])):.0f}",
        )  # fmt: skip
    terminal.print(table)


def summary(
    robot: RobotModel, home: Array, arguments: argparse.Namespace, terminal: Console
) -> None:
    """Measure and print what figure 6 of the paper shows: inertia errors after 10 s."""
    trials, seed = arguments.trials, arguments.seed
    motions = {speed: motion_at(robot, home, speed) for speed in MORE_SPEEDS}
    table = Table(title="inertia error after 10 s, per cent")
    table.add_column("noise")
    table.add_column("rad/s", justify="right")
    for label in METHODS:
        table.add_column(label, justify="right")
    for n, level in enumerate(("low", "moderate", "high")):
        for k, (speed, motion) in enumerate(motions.items()):
            results = run(motion, level, round(10 * RATE), None, trials, [seed, 100 + n, k])
            means = {label: rows.mean(axis=0) for label, rows in results.items()}
            table.add_row(
                level,
                f"{speed:g}",
                *(shown(float(means[label][2])) for label in METHODS),
            )
    terminal.print(table)
    terminal.print(
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=None, help="per object and speed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--summary", action="store_true", help="four noise levels, five speeds")
    parser.add_argument("--sweep", action="store_true", help="weights and density of points")
    parser.add_argument("--lag", type=float, default=0.0, help="of poses behind the wrench [s]")
    parser.add_argument(
        "--pose-noise",
        nargs=2,
        type=float,
        default=POSE_NOISE,
        metavar=("RAD", "M"),
        help="standard deviations of orientation and position",
    )
    arguments = parser.parse_args()
    arguments.trials = arguments.trials or (1 if arguments.summary else 10)
    file = RobotFile.load("xarm7")
    robot, home = RobotModel.from_robot_file(file), np.asarray(file.home, dtype=float)
    measure: Callable[..., None] = summary if arguments.summary else table3
    measure = sweep if arguments.sweep else measure
    terminal = Console(width=160, highlight=False)
    terminal.print(
        f"seed {arguments.seed}, {arguments.trials} trials per object, speed and level; "
        f"{len(PATTERNS)} objects. Paper: P. Nadeau, M. Giamou, J. Kelly, ICRA 2022, table III."
    )
    with one_thread():
        measure(robot, home, arguments, terminal)


if __name__ == "__main__":
    main()
