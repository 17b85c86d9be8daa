"""Made-up runs of teams whose errors are within their bounds, and what estimates of them miss.

`benchmarks/team_containment.py` draws them by the thousand; a few are part of the tests.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from payload_id.core.body.inertial import change_of_frame, mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.identification.status import Status
from payload_id.core.team.bounds import RobotBounds, TeamBounds
from payload_id.core.team.estimate import Fault, TeamEstimate
from payload_id.core.team.online import TeamEstimator
from payload_id.core.team.samples import RobotSamples
from team_motion import Path, Team, disturbed

KINDS = ("uniform", "corners", "slow", "constant")
ARRIVALS = ("at once", "in pieces", "held up", "joins")
ARRIVAL_SHARES = (0.5, 0.1, 0.25, 0.15)
MILD = (Fault.COLLINEAR, Fault.NO_ROTATION, Fault.SILENT)  # may be true of runs without a fault
PIECES = 3  # of the samples, with an update after each


@dataclass(frozen=True)
class Trial:
    """What one trial showed.

    Attributes:
        seed: It can be drawn again from.
        robots: Number of them.
        kind: Of errors.
        arrival: How the samples came.
        missed: What did not hold the truth.
        estimate: What was said.
        width: Half-widths of mass, first moment and inertia, means [kg, kg m, kg m2].
        error: Of mass, centre of mass and principal moments, relative.
        seconds: Of processor time for the update [s].
    """

    seed: int
    robots: int
    kind: str
    arrival: str
    missed: tuple[str, ...]
    estimate: TeamEstimate
    width: tuple[float, float, float]
    error: tuple[float, float, float]
    seconds: float

    @property
    def blameless(self) -> bool:
        """Whether nothing is called false: all that was stated of these runs is true."""
        false = [f for f in self.estimate.findings if f.fault not in MILD]
        return self.estimate.status is not Status.INCONSISTENT and not false


def drawn_bounds(rng: np.random.Generator) -> RobotBounds:
    """Draw bounds, from good to poor sensors."""
    size = 10.0 ** rng.uniform(-1.3, 0.2)
    part = rng.uniform(0.2, 1.0, 12)
    return RobotBounds(
        orientation=2e-3 * size * part[0],
        position=1e-3 * size * part[1],
        angular_velocity=0.03 * size * part[2],
        linear_velocity=0.015 * size * part[3],
        force_absolute=1.0 * size * part[4],
        force_relative=float(rng.choice([0.0, 0.01])) * part[5],
        force_bias=float(rng.choice([0.0, 0.5])) * size * part[6],
        force_gain=float(rng.choice([0.0, 0.01])) * part[7],
        friction=float(rng.choice([0.0, 0.3])) * size * part[8],
        moment_absolute=0.1 * size * part[9],
        tilt=float(rng.choice([0.0, 0.005])) * part[10],
        clock=float(rng.choice([0.0, 0.05])),
        jitter=float(rng.choice([0.0, 1e-3])),
    )


def run_trial(seed: int) -> Trial:
    """Draw and run one trial."""
    rng = np.random.default_rng(seed)
    N = int(rng.integers(2, 6))
    moments = bool(N == 2 or rng.random() < 0.3)
    bounds = drawn_bounds(rng)
    if not moments:
        bounds = replace(bounds, moment_absolute=0.0)
    late = np.append(0.0, rng.uniform(-1, 1, N - 1) * bounds.clock)
    tilt = rng.uniform(-1, 1, (N, 3)) * bounds.tilt / np.sqrt(2.0) * [1, 1, 0]
    team = Team.drawn(rng, N, clock=late, moments=moments, tilt=tilt)
    way = Path.drawn(
        rng, length=float(rng.uniform(8, 20)), holds=int(rng.integers(0, 4)),
        angle=float(rng.uniform(0.08, 0.35)), reach=float(rng.uniform(0.02, 0.1)),
        fastest=float(rng.uniform(0.5, 1.2)),
    )  # fmt: skip
    kind = str(rng.choice(KINDS))
    robots = [disturbed(r, bounds, rng, kind) for r in sampled(team, way, bounds.jitter, rng)]
    prior = PayloadPrior(30.0, 2.5)
    arrival = str(rng.choice(ARRIVALS, p=ARRIVAL_SHARES))
    if arrival == "joins" and N == 2:
        arrival = "held up"
    begin, missed = time.process_time(), dict.fromkeys(())
    names = team.names[:-1] if arrival == "joins" else team.names
    estimator = TeamEstimator(names, TeamBounds(bounds), prior)
    for round_of_pieces in pieces(robots, arrival, estimator, rng):
        for robot in round_of_pieces:
            estimator.add(robot)
        estimate = estimator.update()
        if len(estimator.names) == N:  # before that somebody holds it whom nobody has named
            missed |= dict.fromkeys(misses(estimate, team))
    seconds = time.process_time() - begin
    half = estimate.half_width
    return Trial(
        seed, N, kind, arrival, tuple(missed), estimate,
        (float(half[0]), float(half[1:4].mean()), float(half[4:].mean())),
        errors(estimate, team), seconds,
    )  # fmt: skip


def pieces(
    robots: list[RobotSamples], arrival: str, estimator: TeamEstimator, rng: np.random.Generator
) -> list[list[RobotSamples]]:
    """Return the samples that come before each update.

    A robot that joins had held the payload already: the forces of before do not count.
    """
    last = max(float(robot.time[-1]) for robot in robots)
    count = 1 if arrival == "at once" else PIECES
    ends = np.append(np.arange(1, count) * last / count, last + 10.0)
    late = np.zeros(len(robots))
    starts = np.full(len(robots), -np.inf)
    if arrival == "held up":
        late[rng.integers(len(robots))] = rng.uniform(1.0, 6.0)
    if arrival == "joins":
        starts[-1] = rng.uniform(0.1, 0.5) * last
        late[-1] = rng.uniform(0.0, 3.0)
        estimator.touched(-1.0, starts[-1] + 0.1)
    rounds, begins = [], starts
    for end in ends:
        until = np.maximum(end - late, begins)
        rounds.append([
            robot.between(begin, np.nextafter(stop, -np.inf))
            for robot, begin, stop in zip(robots, begins, until, strict=True)
        ])  # fmt: skip
        begins = until
    return rounds


def sampled(team: Team, way: Path, jitter: float, rng: np.random.Generator) -> list[RobotSamples]:
    """Return ideal samples, stamped as if they had been taken evenly; some are lost."""
    even = np.arange(round(way.duration * 100) + 1) / 100
    times = [even + jitter * rng.uniform(-1.0, 1.0, len(even)) for _ in team.names]
    lost = float(rng.choice([0.0, 0.03]))
    return [
        replace(robot, time=even).where(rng.random(len(even)) >= lost)
        for robot in team.samples(way, rng, times=times)
    ]


def misses(estimate: TeamEstimate, team: Team) -> list[str]:
    """Return what does not hold the truth."""
    out = []
    if estimate.status is Status.INCONSISTENT:
        out.append("called inconsistent")
    if not estimate.contains(team.phi).all():
        out.append("payload")
    for i, name in enumerate(team.names):
        frame, own = estimate.frames[name], estimate.payload[name]
        if not frame.known:
            continue
        eps = Rotation.from_matrix(frame.rotation.T @ team.R[i]).as_rotvec()
        if (np.abs(eps) > frame.rotation_bound + 1e-9).any():
            out.append(f"rotation of {name}")
        if (np.abs(team.p[i] - frame.position) > frame.position_bound + 1e-9).any():
            out.append(f"position of {name}")
        if abs(frame.clock - team.clock[i]) > frame.clock_bound + 1e-9:
            out.append(f"clock of {name}")
        X, p = team.R[i], team.p[i]
        phi = change_of_frame(X.T, -X.T @ p) @ team.phi
        if ((phi < own.lower - 1e-9) | (phi > own.upper + 1e-9)).any():
            out.append(f"payload of {name}")
    return out


def errors(estimate: TeamEstimate, team: Team) -> tuple[float, float, float]:
    """Return relative errors of mass, centre of mass and the worst principal moment."""
    if not np.isfinite(estimate.phi).all():
        return (np.nan, np.nan, np.nan)
    m, c, inertia = mass_com_inertia(estimate.phi)
    m0, c0, inertia0 = mass_com_inertia(team.phi)
    ratio = np.linalg.eigvalsh(inertia) / np.linalg.eigvalsh(inertia0)
    return (
        abs(m / m0 - 1.0),
        float(np.linalg.norm(c - c0) / np.linalg.norm(c0)),
        float(np.abs(ratio - 1.0).max()),
    )
