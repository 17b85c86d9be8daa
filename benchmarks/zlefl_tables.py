"""Tables II to V of [ZLEFL] beside the estimate from all data, simulated at the paper's errors.

The payload and grasps of Table I; four holds, ten seconds for the frames, 52 s for the inertia, as
in the paper. Poses are measured with slow errors (play, compliance), quantised by the encoders,
filtered (Butterworth, fourth order, both ways) and differentiated; forces have noise, a constant
error and hidden friction. The size of the errors is such that the paper's own method (frames of
pairs, and the team's estimator `sequence`) errs about as much as in the paper. Both see the same
samples.

    ./payload-id python benchmarks/zlefl_tables.py --trials 10
    ./payload-id python benchmarks/zlefl_tables.py --intervals

--intervals: how wide proven intervals are for errors of 2 mrad, 1 mm and 0.5 N, and how wide those
of any method must be. The latter by linear programs: the largest change of one parameter for which
there are changed grasp frames, and errors within the bounds at every sample, that explain the same
data, to first order. Robot 1 is taken to err in its force only, so that it may be even more.
"""

from __future__ import annotations

import numpy as np
from bench import options, show
from scipy.optimize import linprog
from scipy.signal import butter, filtfilt, lfilter
from scipy.sparse import csr_matrix, vstack
from scipy.spatial.transform import Rotation

from payload_id.core.arrays import Array
from payload_id.core.body.inertial import PARAMETERS, mass_com_inertia, skew
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor
from payload_id.core.team.bounds import RobotBounds, TeamBounds
from payload_id.core.team.closed_form.pairwise import (
    grasp_position,
    kabsch_umeyama,
)
from payload_id.core.team.estimate import TeamEstimate
from payload_id.core.team.online import SEQUENCE, TeamEstimator, TeamSettings
from payload_id.core.team.samples import RobotSamples
from payload_id.core.team.window_series import GRAVITY
from team_motion import Path as Way
from team_motion import Team

PAPER = (1.945, 2.746, 1.469, 3.688, 2.867, 2.089, 0.867, 4.403, 6.824, 3.999, 0.973)
NAMES = ("R12 [deg]", "R23 [deg]", "R31 [deg]", "p12 [%]", "p23 [%]", "p31 [%]", "mass [%]",
         "CoM [%]", "Ixx [%]", "Iyy [%]", "Izz [%]")  # fmt: skip
PAIRS = ((0, 1), (1, 2), (2, 0))
TURN = 0.0075  # [rad] standard deviation of an orientation's slow error (play, compliance)
PLACE = 0.0026  # [m] of a position's
SMALL = {"orientation": 0.002, "position": 0.001, "force_absolute": 0.5}  # bounds of --intervals
RATES = {"angular_velocity": 0.01, "linear_velocity": 0.01}
SHOWN, EVERY = (0, 1, 2, 3, 4, 7, 9), 20  # parameters; samples from one looked at to the next
SLOW = 0.5  # [s] for which such errors stay alike
ENCODER = 2 * np.pi / 4096  # [rad]
TICK = 2e-4  # [m] of position that an encoder's step makes
FORCE = 0.5  # [N] standard deviation of a force's noise
BIAS = 1.2  # [N] of a force's constant error
DRY = 0.2  # [N] of friction that the mechanism hides, along each axis
CUT = 4.0  # [Hz]


def slow_noise(rng: np.random.Generator, k: int, size: float, step: float) -> np.ndarray:
    """Return smooth noise (white noise through three lags), shape (k, 3)."""
    keep = np.exp(-step / SLOW)
    white = rng.normal(size=(k + 2000, 3))
    impulse = lfilter([1.0], np.poly([keep] * 3), np.eye(1, 4000)[0])
    slow = lfilter([1.0], np.poly([keep] * 3), white, axis=0)[2000:]
    return slow * size / np.linalg.norm(impulse)


def measured(robot: RobotSamples, rng: np.random.Generator) -> RobotSamples:
    """Return what encoders and springs make of a robot's true samples, filtered."""
    k, h = len(robot), robot.step
    b, a = butter(4, CUT * 2 * h)
    home = Rotation.from_matrix(robot.rotation[0])
    vector = (home.inv() * Rotation.from_matrix(robot.rotation)).as_rotvec()
    vector = vector + slow_noise(rng, k, TURN, h)
    vector = filtfilt(b, a, np.round(vector / ENCODER) * ENCODER, axis=0)
    place = robot.position + slow_noise(rng, k, PLACE, h)
    place = filtfilt(b, a, np.round(place / TICK) * TICK, axis=0)
    turned = home * Rotation.from_rotvec(vector)
    omega = np.zeros((k, 3))
    omega[1:-1] = (turned[:-2].inv() * turned[2:]).as_rotvec() / (2 * h)
    rotation = turned.as_matrix()
    v = np.einsum("kji,kj->ki", rotation, np.gradient(place, h, axis=0))
    velocity = np.gradient(robot.position, h, axis=0)
    dry = -DRY * np.tanh(velocity / 0.01)
    force = robot.force + np.einsum("kji,kj->ki", robot.rotation, dry)
    force = force + rng.normal(size=(k, 3)) * FORCE + rng.normal(size=3) * BIAS / np.sqrt(3.0)
    force = filtfilt(b, a, force, axis=0)
    return RobotSamples(robot.name, robot.time, rotation, place, np.hstack([omega, v]), force)


def of_frames(team: Team, relative: object) -> list[float]:
    """Return errors of rotations [deg] and positions [%] of the three pairs."""
    turns, places = [], []
    for i, j in PAIRS:
        R = team.R[i].T @ team.R[j]
        p = team.R[i].T @ (team.p[j] - team.p[i])
        found_R, found_p = relative(i, j)
        turns.append(float(np.degrees(Rotation.from_matrix(R.T @ found_R).magnitude())))
        places.append(100.0 * float(np.linalg.norm(found_p - p) / np.linalg.norm(p)))
    return turns + places


def of_payload(team: Team, phi: np.ndarray) -> list[float]:
    """Return errors of mass, centre of mass and principal moments [%]."""
    m, c, inertia = mass_com_inertia(phi)
    m0, c0, inertia0 = mass_com_inertia(team.phi)
    ratio = np.linalg.eigvalsh(inertia) / np.linalg.eigvalsh(inertia0)
    com = float(np.linalg.norm(c - c0) / np.linalg.norm(c0))
    return [100.0 * abs(m / m0 - 1.0), 100.0 * com, *(100.0 * np.abs(ratio - 1.0))]


def trial(seed: int) -> tuple[list[float], list[float]]:
    """Return the errors of the sequence and of the estimate from all data."""
    rng = np.random.default_rng(seed)
    team = Team.of_table_1(rng)
    way = Way.drawn(rng, length=62.0, holds=4, hold=3.0, angle=0.17, fastest=0.6)
    robots = [measured(robot, rng) for robot in team.samples(way, rng)]
    t = robots[0].time
    begin = len(way.holds) * (way.hold + way.move)
    kinematic = (t >= begin) & (t < begin + 10.0)

    def of_pair(i: int, j: int) -> tuple[Array, Array]:
        """Return R_ij and p_ij of two robots' twists, eq. (5), (8) of the paper."""
        one, two = robots[i].twist[kinematic], robots[j].twist[kinematic]
        R, _ = kabsch_umeyama(one[:, :3], two[:, :3])
        return R, grasp_position(one[:, :3], one[:, 3:], two[:, 3:], R)

    bounds = RobotBounds(orientation=0.05, position=0.02, angular_velocity=0.2, linear_velocity=0.1,
                         force_absolute=5.0, friction=0.5, force_bias=3.0 * BIAS)  # fmt: skip
    steps, joint = (estimated(team, robots, bounds, TeamSettings(estimator, intervals="none"))
                    for estimator in (SEQUENCE, "lmi"))  # fmt: skip
    two = of_frames(team, lambda i, j: joint.relative(team.names[i], team.names[j]))
    return of_frames(team, of_pair) + of_payload(team, steps.phi), two + of_payload(team, joint.phi)


def estimated(
    team: Team, robots: list[RobotSamples], bounds: RobotBounds, settings: TeamSettings
) -> TeamEstimate:
    """Return the estimate from all samples."""
    estimator = TeamEstimator(team.names, TeamBounds(bounds), PayloadPrior(30.0, 2.0), settings)
    for robot in robots:
        estimator.add(robot)
    return estimator.update()


def least_half_widths(team: Team, robots: list[RobotSamples]) -> list[float]:
    """Return what no interval's half-width can be below, for each parameter of SHOWN."""
    first, h = robots[0], robots[0].step
    omega, v = first.twist[:, :3], first.twist[:, 3:]
    alpha, rate = np.gradient(omega, h, axis=0), np.gradient(v, h, axis=0)
    up = first.rotation[:, 2]
    Y = newton_euler_regressor(rate + np.cross(omega, v) + GRAVITY * up, omega, alpha)
    X = [team.R[0].T @ R for R in team.R]
    p = [team.R[0].T @ (x - team.p[0]) for x in team.p]
    some = range(5, len(up) - 5, EVERY)
    # phi; a, dp, turn and shift of the base of robots 2 and 3; errors at each sample
    shared, each = 30, 9 + 12
    turn, shift, force = SMALL.values()
    most = np.tile(np.repeat([force, turn, shift, turn, shift], [9, 3, 3, 3, 3]), len(some))
    blocks, eye, none = [], np.eye(3), np.zeros((3, 3))
    for n, k in enumerate(some):
        rows = np.zeros((18, shared + each * len(some)))
        at = shared + each * n
        rows[:6, :10] = Y[k]
        for i in range(3):
            P = skew(p[i])
            rows[:6, at + 3 * i : at + 3 * i + 3] = -np.vstack([X[i], P @ X[i]])
            if i:
                f, R, place = robots[i].force[k], robots[i].rotation[k], robots[i].position[k]
                own, c, e = slice(6 * i, 6 * i + 6), 10 * i, at + 9 + 6 * (i - 1)
                B, turned = X[i].T @ first.rotation[k].T, X[i] @ skew(f)  # B: base 1 to {i}
                rows[:6, c : c + 3] = np.vstack([turned, P @ turned])
                rows[3:6, c + 3 : c + 6] = skew(X[i] @ f)
                rows[own, e : e + 6] = -np.eye(6)
                base = np.column_stack([
                    np.vstack([eye, none]), np.vstack([none, R @ B @ first.rotation[k]]),
                    -np.append(R[2], np.cross([0, 0, 1], place)), np.vstack([none, -eye]),
                ])  # fmt: skip
                rows[own, c : c + 10] += base
        blocks.append(csr_matrix(rows))
    A, free = vstack(blocks).tocsr(), np.full(shared, np.inf)
    bounds = np.column_stack([-np.append(free, most), np.append(free, most)])
    found = []
    for k in SHOWN:
        cost = -np.eye(1, A.shape[1], k)[0]
        solved = linprog(cost, A_eq=A, b_eq=np.zeros(A.shape[0]), bounds=bounds, method="highs-ipm")
        found.append(-float(solved.fun))
    return found


def intervals(seed: int) -> None:
    """Print half-widths of proven intervals, and what none can be below."""
    rng = np.random.default_rng(seed)
    team = Team.of_table_1(rng)
    way = Way.drawn(rng, length=40.0, holds=4, hold=3.0, angle=0.17, fastest=0.6)
    robots, halves = team.samples(way, rng), {}
    for name, window, more in (
        ("velocities exact, windows of 1 s", 1.0, {}),
        ("velocities exact, windows of 0.2 s", 0.2, {}),
        ("10 mrad/s, 10 mm/s, windows of 1 s", 1.0, RATES),
    ):
        found = estimated(team, robots, RobotBounds(**SMALL, **more), TeamSettings(window=window))
        halves[name] = [(found.upper[k] - found.lower[k]) / 2 for k in SHOWN]
    halves["truth"] = [team.phi[k] for k in SHOWN]
    halves["no interval is below, velocities unknown"] = least_half_widths(team, robots)
    show("", ("half-widths for 2 mrad, 1 mm, 0.5 N", *(PARAMETERS[k] for k in SHOWN)),
         ((name, *map(float, each)) for name, each in halves.items()))  # fmt: skip


def main() -> None:
    """Print mean errors of both methods beside the paper's."""
    given = options(trials=5, seed=0, intervals=False)
    if given.intervals:
        return intervals(given.seed)
    found = np.array([trial(given.seed + n) for n in range(given.trials)])
    columns = (PAPER, *found.mean(axis=0), found[:, 1].max(axis=0))
    show("Tables II to V", ("error", "paper", "sequence", "estimate", "worst"),
         ((name, *(f"{x:.2f}" for x in each))
          for name, each in zip(NAMES, zip(*columns, strict=True), strict=True)))  # fmt: skip


if __name__ == "__main__":
    main()
