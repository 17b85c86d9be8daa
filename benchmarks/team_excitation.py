"""How much narrower are a team's joint intervals after planned wrist motions than after others?

Three robots with passive gimbals hold a payload drawn at random in three tilted holds; then they
move for some seconds: by sines as the demonstration of a team once had, by sines of the same kind
that are made as large as the planner's limits allow, and as `plan_wrists` plans from the estimate
after the holds. All see the same payload, holds and limits; errors are drawn uniformly within the
bounds. Intervals are those of the whole run.

    ./payload-id python benchmarks/team_excitation.py --trials 10 --seed 0
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).parents[1] / "payload_id" / "test" / "support"))
from payload_id.core.arrays import Array  # noqa: E402
from payload_id.core.body.payload_prior import PayloadPrior  # noqa: E402
from payload_id.core.excitation.wrists import HeldTeam, WristLimits, plan_wrists  # noqa: E402
from payload_id.core.simulation.team.team_motion import TeamMotion  # noqa: E402
from payload_id.core.team.bounds import RobotBounds, TeamBounds  # noqa: E402
from payload_id.core.team.estimate import TeamEstimate  # noqa: E402
from payload_id.core.team.online import TeamEstimator  # noqa: E402
from payload_id.core.team.samples import RobotSamples  # noqa: E402
from team_motion import Motion, Team, disturbed  # noqa: E402
from team_motion import Path as Way  # noqa: E402

BOUNDS = RobotBounds(
    orientation=6e-4, position=4e-4, angular_velocity=0.012, linear_velocity=0.006,
    force_absolute=0.25, friction=0.25, moment_absolute=0.006,
)  # fmt: skip
PRIOR = PayloadPrior(30.0, 2.0)
GROUPS = {"mass": slice(0, 1), "first moment": slice(1, 4), "inertia": slice(4, 10)}
STEP = 1e-3  # [s] of differences of closed forms
LIMITS = WristLimits(force=150.0)  # payloads weigh up to 20 kg
Poses = Callable[[Array], tuple[Array, Array]]  # times to axes and origin of {1}


@dataclass(frozen=True)
class Given:
    """A path of {1} in closed form, rest to rest, after another.

    Attributes:
        before: The path before.
        poses: Axes (k, 3, 3) and origin (k, 3) against the end of that.
        seconds: How long [s].
    """

    before: Way
    poses: Poses
    seconds: float

    @property
    def duration(self) -> float:
        """Of both [s]."""
        return self.before.duration + self.seconds

    def motion(self, t: Array) -> Motion:
        """Return the motion at some times."""
        first = self.before.motion(np.minimum(t, self.before.duration))
        later = t >= self.before.duration
        u = np.minimum(t[later] - self.before.duration, self.seconds)
        every = [self.poses(np.clip(u + k * STEP, 0.0, self.seconds)) for k in (-1, 0, 1)]
        (R0, x0), (R, x), (R1, x1) = every
        one, two = (
            Rotation.from_matrix(a.swapaxes(1, 2) @ b).as_rotvec() / STEP
            for a, b in ((R0, R), (R, R1))
        )
        parts = (
            R, x, (one + two) / 2, (two - one) / STEP,
            np.einsum("kji,kj->ki", R, (x1 - x0) / (2 * STEP)),
            np.einsum("kji,kj->ki", R, (x1 - 2 * x + x0) / STEP**2),
        )  # fmt: skip
        for name, part in zip(("R", "x", "omega", "alpha", "v", "a"), parts, strict=True):
            getattr(first, name)[later] = part
        return first


def sines(rng: np.random.Generator, centre: Array, seconds: float, largest: bool) -> Poses:
    """Return the periodic motion of the demonstration, made as large as the limits or not."""
    tilt, reach = (LIMITS.tilt / np.sqrt(3.0), 0.03) if largest else (np.deg2rad(6.0), 0.02)
    highest = LIMITS.highest if largest else 0.9
    motion = TeamMotion.random(rng, centre, tilt, reach, highest)

    def poses(t: Array) -> tuple[Array, Array]:
        q = np.stack([motion.at(x, np.zeros(6)) for x in t])
        s = np.clip((seconds - t) / 2.0, 0.0, 1.0)  # back to rest, as it grows from it
        q = q * (s**3 * (10 - 15 * s + 6 * s**2))[:, None]
        R = Rotation.from_rotvec(q[:, :3]).as_matrix()
        return R, centre + q[:, 3:] - R @ centre

    return poses


def planned(held: HeldTeam, seconds: float, seed: int) -> Poses:
    """Return what the planner plans, as the robots would carry it out."""
    plan = plan_wrists(held, LIMITS, seconds, seed=seed)
    ends = np.cumsum([piece.duration for piece in plan.pieces])

    def poses(t: Array) -> tuple[Array, Array]:
        which = np.minimum(np.searchsorted(ends, t), len(ends) - 1)
        R, x = np.zeros((len(t), 3, 3)), np.zeros((len(t), 3))
        for k, piece in enumerate(plan.pieces):
            here = which == k
            R[here], x[here] = held.body(piece, t[here] - (ends[k] - piece.duration))
        return R, x

    return poses


def estimated(team: Team, robots: list[RobotSamples]) -> TeamEstimate:
    """Return the estimate of all samples."""
    estimator = TeamEstimator(team.names, TeamBounds(BOUNDS), PRIOR)
    for robot in robots:
        estimator.add(robot)
    return estimator.update()


def trial(seed: int, seconds: float) -> tuple[Array, bool]:
    """Return geometric means of half widths, shape (3 motions, 5 groups); whether all hold."""
    rng = np.random.default_rng(seed)
    team = Team.drawn(rng, 3)
    holds = Way.drawn(rng, length=0.0, holds=3, angle=0.15, reach=0.03, hold=2.0)

    def measured(path: Way | Given, k: int) -> list[RobotSamples]:
        one = np.random.default_rng([seed, k])
        return [disturbed(r, BOUNDS, one) for r in team.samples(path, one)]

    first = measured(holds, 0)
    before = estimated(team, first)
    held = HeldTeam.of(before, TeamBounds(BOUNDS), dict(zip(team.names, first, strict=True)))
    centre = team.p.mean(axis=0)
    widths, good = [], True
    for k, poses in enumerate((
        sines(rng, centre, seconds, False), sines(rng, centre, seconds, True),
        planned(held, seconds, seed),
    )):  # fmt: skip
        found = estimated(team, measured(Given(holds, poses, seconds), k + 1))
        good &= bool(found.contains(team.phi).all())
        frames = [found.frames[name] for name in team.names[1:]]
        parts = [found.half_width[group] for group in GROUPS.values()]
        parts.append(np.concatenate([f.rotation_bound for f in frames]))
        parts.append(np.concatenate([f.position_bound for f in frames]))
        widths.append([np.exp(np.log(np.maximum(part, 1e-9)).mean()) for part in parts])
    return np.array(widths), good


def main() -> int:
    """Print half widths and their ratios; the exit code tells whether an interval missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=18.0)
    options = parser.parse_args()
    found = [trial(options.seed + n, options.seconds) for n in range(options.trials)]
    widths = np.exp(np.log(np.array([w for w, _ in found])).mean(axis=0))
    ratio = np.array([w for w, _ in found])
    missed = sum(not good for _, good in found)
    table = Table("half width", title=f"{len(found)} payloads, {missed} missed")
    for name in ("periodic", "periodic, at the limits", "planned", "planned/periodic", "worst"):
        table.add_column(name, justify="right")
    for g, name in enumerate([*GROUPS, "rotation", "place"]):
        each = ratio[:, 2, g] / ratio[:, 0, g]
        table.add_row(
            name, *(f"{w:.3g}" for w in widths[:, g]), f"{widths[2, g] / widths[0, g]:.2f}",
            f"{each.max():.2f}",
        )  # fmt: skip
    Console().print(table)
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
