"""A drawn team, what its robots measure within stated bounds, and what is made of that."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.team.bounds import RobotBounds, TeamBounds
from payload_id.core.team.estimate import TeamEstimate
from payload_id.core.team.online import TeamEstimator, TeamSettings
from payload_id.core.team.samples import RobotSamples
from team_motion import Path, Team, disturbed

PRIOR = PayloadPrior(30.0, 2.0)
NOISE = RobotBounds(
    orientation=5e-4, position=3e-4, angular_velocity=0.01, linear_velocity=0.005,
    force_absolute=0.2, clock=0.02,
)  # fmt: skip
EXACT = RobotBounds()
POINT = TeamSettings(intervals="none")


def measured(
    seed: int, bounds: RobotBounds = NOISE, number: int = 3, kind: str = "uniform",
    length: float = 8.0, internal: float = 3.0, way: Path | None = None, rate: float = 50.0,
    **of_team: object,
) -> tuple[Team, list[RobotSamples]]:  # fmt: skip
    """Return a team and what its robots show; clocks, tilts, stamps and noise err as stated."""
    rng = np.random.default_rng(seed)
    late = np.append(0.0, rng.uniform(-bounds.clock, bounds.clock, number - 1))
    tilt = rng.choice([-1.0, 1.0], (number, 3)) * bounds.tilt / np.sqrt(2.0) * [1, 1, 0]
    team = Team.drawn(rng, number, **{"clock": late, "tilt": tilt, **of_team})
    way = way or Path.drawn(rng, length=length, holds=0)
    even = np.arange(round(way.duration * rate) + 1) / rate
    times = [even + bounds.jitter * rng.uniform(-1.0, 1.0, len(even)) for _ in range(number)]
    ideal = team.samples(way, rng, internal=internal, times=times)
    return team, [disturbed(replace(r, time=even), bounds, rng, kind) for r in ideal]


def estimator_of(
    robots: Sequence[RobotSamples],
    bounds: RobotBounds = NOISE,
    settings: TeamSettings | None = None,
) -> TeamEstimator:
    """Return an estimator that knows the robots' names, and has no samples yet."""
    return TeamEstimator([r.name for r in robots], TeamBounds(bounds), PRIOR, settings)


def estimated(
    robots: Sequence[RobotSamples],
    bounds: RobotBounds = NOISE,
    settings: TeamSettings | None = None,
) -> TeamEstimate:
    """Return the estimate of all samples at once."""
    estimator = estimator_of(robots, bounds, settings)
    for robot in robots:
        estimator.add(robot)
    return estimator.update()


def updates(
    estimator: TeamEstimator, robots: Sequence[RobotSamples], step: float, late: Sequence[float]
) -> Iterator[TeamEstimate]:
    """Give the estimate of every moment while samples arrive, each robot's so much later."""
    begin = np.full(len(robots), -np.inf)
    for end in np.arange(step, robots[0].time[-1] + max(late) + step, step):
        for i, robot in enumerate(robots):
            estimator.add(robot.where((robot.time > begin[i]) & (robot.time <= end - late[i])))
            begin[i] = end - late[i]
        yield estimator.update()
