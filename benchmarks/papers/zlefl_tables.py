"""Tables II to V of [ZLEFL] beside the estimate from all data, simulated at the paper's errors.

The payload and grasps of Table I; four holds, ten seconds for the frames, 52 s for the inertia, as
in the paper. Poses are measured with slow errors (play, compliance), quantised by the encoders,
filtered (Butterworth, fourth order, both ways) and differentiated; forces have noise, a constant
error and hidden friction. The size of the errors is such that the paper's own method, which
`zlefl_sequence.py` follows, errs about as much as in the paper. Both see the same samples.

    ./payload-id python benchmarks/papers/zlefl_tables.py --trials 10
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.signal import butter, filtfilt, lfilter
from scipy.spatial.transform import Rotation
from zlefl_sequence import sequential

sys.path.insert(0, str(Path(__file__).parents[2] / "payload_id" / "test" / "support"))
from payload_id.core.body.inertial import mass_com_inertia  # noqa: E402
from payload_id.core.body.payload_prior import PayloadPrior  # noqa: E402
from payload_id.core.team.bounds import RobotBounds, TeamBounds  # noqa: E402
from payload_id.core.team.online import TeamEstimator, TeamSettings  # noqa: E402
from payload_id.core.team.samples import RobotSamples  # noqa: E402
from team_motion import Path as Way  # noqa: E402
from team_motion import Team  # noqa: E402

PAPER = (1.945, 2.746, 1.469, 3.688, 2.867, 2.089, 0.867, 4.403, 6.824, 3.999, 0.973)
NAMES = ("R12 [deg]", "R23 [deg]", "R31 [deg]", "p12 [%]", "p23 [%]", "p31 [%]", "mass [%]",
         "CoM [%]", "Ixx [%]", "Iyy [%]", "Izz [%]")  # fmt: skip
PAIRS = ((0, 1), (1, 2), (2, 0))
TURN = 0.0075  # [rad] standard deviation of an orientation's slow error (play, compliance)
PLACE = 0.0026  # [m] of a position's
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
    whole = way.hold + way.move
    begin = len(way.holds) * whole
    still = (t < begin) & (t % whole > 0.3) & (t % whole < way.hold - 0.3)
    kinematic = (t >= begin) & (t < begin + 10.0)
    moving = (t >= begin + 10.0) & (t < t[-1] - 0.5)
    prior = PayloadPrior(30.0, 2.0)
    steps = sequential(robots, kinematic, still, moving, prior)
    estimator = TeamEstimator(
        team.names,
        TeamBounds(RobotBounds(orientation=0.05, position=0.02, angular_velocity=0.2,
                               linear_velocity=0.1, force_absolute=5.0, friction=0.5,
                               force_bias=3.0 * BIAS)),
        prior, TeamSettings(intervals="none"),
    )  # fmt: skip
    for robot in robots:
        estimator.add(robot)
    joint = estimator.update()
    names = team.names
    one = of_frames(team, lambda i, j: (steps.rotation[i, j], steps.position[i, j]))
    two = of_frames(team, lambda i, j: joint.relative(names[i], names[j]))
    return one + of_payload(team, steps.phi), two + of_payload(team, joint.phi)


def main() -> None:
    """Print mean errors of both methods beside the paper's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = np.array([trial(options.seed + n) for n in range(options.trials)])
    mean = found.mean(axis=0)
    table = Table("error", "paper", "sequence", "estimate", "worst", title="Tables II to V")
    for row, name in enumerate(NAMES):
        table.add_row(
            name, f"{PAPER[row]:.2f}", f"{mean[0, row]:.2f}", f"{mean[1, row]:.2f}",
            f"{found[:, 1, row].max():.2f}",
        )  # fmt: skip
    Console().print(table)


if __name__ == "__main__":
    main()
