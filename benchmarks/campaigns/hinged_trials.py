"""Runs of hinged payloads: what they measure, what is true, and how far estimates are off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hinged_team import HingedTeam

from payload_id.core.body.inertial import change_of_frame
from payload_id.core.team.bounds import RobotBounds
from payload_id.core.team.hinged.geometry import HingeGeometry
from payload_id.core.team.hinged.two_bodies import Side, two_bodies
from payload_id.core.team.hinged_payload import BASE_OF_BOTH, HingedPayload
from team_motion import Path, disturbed

NOISE = RobotBounds(
    orientation=2e-3, position=1e-3, angular_velocity=1e-2, linear_velocity=1e-2,
    force_absolute=0.3, force_bias=0.1, force_gain=0.005,
)  # fmt: skip


def drawn_run(seed, side=(0, 0, 1), clock=0.0, **changes):
    """Return a team, its path's length being 20 s, and ideal samples."""
    rng = np.random.default_rng(seed)
    team = replace(HingedTeam.drawn(rng, side), **changes)
    if clock:
        late = rng.uniform(-clock, clock, len(side))
        team = replace(team, clock=np.append(0.0, late[1:]))
    return team, team.samples(Path.drawn(rng, length=20.0, holds=2), rng), rng


def sides(team, robots, bounds):
    """Return who holds which body, the first robot's first."""
    chosen = [[r for r, k in zip(robots, team.side, strict=True) if k == side] for side in (0, 1)]
    return [Side(own, [bounds] * len(own)) for own in chosen]


def truth(team: HingedTeam, found: HingedPayload) -> np.ndarray:
    """Return the sums of the true bodies about the true axis, in frames nearest to those found."""
    b = int(np.argmax(team.side))
    X, p = team.R[b], team.p[b]
    axis, place = np.stack([team.axis, team.axis @ X]), np.stack([team.place, (team.place - p) @ X])
    still, x = (np.eye(3), np.zeros(3)), found.rotation[:, :, 0]
    near = HingeGeometry(*still, found.axis, found.place, x, 0.0, np.zeros(2))
    true = HingeGeometry(*still, axis, place, x, 0.0, np.zeros(2)).aligned_to(near)
    second = change_of_frame(X.T, -X.T @ p) @ team.phi[1]
    bodies = [
        np.linalg.solve(change_of_frame(true.frame(k), true.place[k]), phi)
        for k, phi in enumerate((team.phi[0], second))
    ]
    return BASE_OF_BOTH @ np.concatenate(bodies)


def score(seed: int, kind: str = "uniform", times: float = 1.0) -> np.ndarray:
    """Return errors over deviations of the sums of a run, shape (17,).

    Args:
        seed: Draws bodies, grasps, motion and errors.
        kind: Of errors, as `disturbed` takes it.
        times: As large as usual the errors are, but for constant ones.
    """
    varying = ("orientation", "position", "angular_velocity", "linear_velocity", "force_absolute")
    bounds = replace(NOISE, **{name: times * getattr(NOISE, name) for name in varying})
    team, robots, rng = drawn_run(seed, (0, 0, 1) if seed % 2 else (0, 1, 1))
    robots = [disturbed(robot, bounds, rng, kind) for robot in robots]
    found = two_bodies(*sides(team, robots, bounds), 1.0, 0.01, 2.0)
    return np.asarray((found.base - truth(team, found)) / found.deviation)
