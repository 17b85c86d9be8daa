"""A team as in the paper's table, what its robots measure, and what is made of that."""

import numpy as np

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.team.bounds import RobotBounds, TeamBounds
from payload_id.core.team.online import TeamEstimator, TeamSettings
from team_motion import Path, Team, disturbed

PRIOR = PayloadPrior(30.0, 2.0)
NOISE = RobotBounds(
    orientation=5e-4, position=3e-4, angular_velocity=0.01, linear_velocity=0.005,
    force_absolute=0.2, clock=0.02,
)  # fmt: skip
POINT = TeamSettings(intervals="none")


def team_and_samples(seed, noise=None, kind="uniform", length=12.0, **changes):
    """The paper's team and what its robots measure."""
    rng = np.random.default_rng(seed)
    team = Team.of_table_1(rng, **changes)
    samples = team.samples(Path.drawn(rng, length=length, holds=3, hold=1.8), rng)
    return team, [r if noise is None else disturbed(r, noise, rng, kind) for r in samples]


def estimated(robots, bounds=NOISE, settings=None, prior=PRIOR, more=()):
    """The estimate of all samples at once."""
    estimator = TeamEstimator([r.name for r in robots], TeamBounds(bounds), prior, settings)
    for robot in [*robots, *more]:
        estimator.add(robot)
    return estimator.update()
