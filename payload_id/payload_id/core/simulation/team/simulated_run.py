"""A whole simulated run of a team: holds, motion of the wrists, a human who guides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...mechanism.readings import Mechanism
from ...team.samples import RobotSamples
from ...wrists.joint_stream import HALF_SPAN, JointStream
from .scene import TeamScene
from .team_motion import TeamMotion, WristReferences
from .team_plant import TeamPlant, TeamState
from .team_sensors import RATE, TeamReader, TeamSensors, recorded

HOLD_TILT = np.deg2rad(9.0)  # of the payload in static holds


@dataclass(frozen=True)
class Stage:
    """A part of a run.

    Attributes:
        motion: What the payload, or each wrist, is to do.
        seconds: How long [s].
        human: Whether a human guides it, so that nobody knows all forces on it.
    """

    motion: TeamMotion | WristReferences
    seconds: float
    human: bool = False


def holds(scene: TeamScene, seconds: float = 4.0, tilt: float = HOLD_TILT) -> tuple[Stage, ...]:
    """Return four static holds with the payload tilted about different axes."""
    turns = tilt * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [-0.7, -0.7, 0]])
    poses = np.hstack([turns, np.zeros((4, 3))])
    return tuple(Stage(TeamMotion.hold(pose, scene.centre), seconds) for pose in poses)


def states(
    plant: TeamPlant, stages: Sequence[Stage], due: Callable[[int], bool]
) -> Iterator[TeamState]:
    """Yield the truth after those steps of the physics that are due, stage after stage."""
    for stage in stages:
        plant.follow(stage.motion, stage.human)
        yield from plant.run(plant.time + stage.seconds, due)


def mechanism_of(scene: TeamScene, robot: int) -> Mechanism:
    """Return what a robot's reader knows of its mechanism: geometry and masses."""
    made = scene.robots[robot]
    return Mechanism(made.delta, made.gimbal, made.masses)


def simulated_samples(
    scene: TeamScene,
    stages: Sequence[Stage],
    sensors: TeamSensors | None = None,
    seed: int = 0,
    half_span: float = HALF_SPAN,
) -> dict[str, RobotSamples]:
    """Return the samples of every robot, "omnid1" and so on, over all stages."""
    reader = TeamReader(scene, sensors or TeamSensors(), np.random.default_rng(seed))
    readings = recorded(states(TeamPlant(scene), stages, reader.due), reader)
    made = {}
    for i, seen in readings.items():
        stream = JointStream(f"omnid{i + 1}", mechanism_of(scene, i), RATE, half_span)
        samples = stream.add(seen)
        if samples is not None:
            made[f"omnid{i + 1}"] = samples
    return made
