"""What the demonstration of a team simulates, all drawn from one seed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from ...core.mechanism.own_load import MechanismMasses
from ...core.mechanism.readings import Mechanism
from ...core.simulation.team.scene import SimulatedMocobot, TeamScene, table_one
from ...core.simulation.team.team_motion import Stage, TeamMotion, holds
from ...core.simulation.team.team_sensors import TeamSensors
from ...files.configuration.atomic_write import check_folder
from ...files.configuration.yaml_file import yaml_text

# [s] of each stage: a human, four holds, back to level, wrists
GUIDED, HELD, LEVEL, MOVED = 10.0, 3.5, 3.5, 18.0
NAMES = ("omnid1", "omnid2", "omnid3")
ROBOT = SimulatedMocobot(
    mechanism=Mechanism(masses=MechanismMasses(0.3, 0.15, 0.1)),
    friction=0.01,
    damping=0.002,
    gimbal_friction=0.003,
)
SENSORS = TeamSensors(
    encoder=2 * np.pi / 2**16,
    after_encoder=2 * np.pi / 2**17,
    torque_noise=0.01,
    clock=0.02,
    jitter=1e-4,
)
# Bounds that hold for these robots, after smoothing: stated, as a user would.
BOUNDS = {
    "orientation": 0.0006,
    "position": 0.0004,
    "angular_velocity": 0.012,
    "linear_velocity": 0.006,
    "force_absolute": 0.25,
    "friction": 0.25,
    "moment_absolute": 0.006,
    "clock": 0.05,
    "jitter": 0.0002,
}


@dataclass(frozen=True)
class TeamDemo:
    """A demonstration.

    Attributes:
        seed: Of noise, clocks and motion.
        scene: Robots and payload.
        stages: What happens before the wrists move, with what the terminal says of it.
        wrists: How they move if no motion can be planned.
        folder: Where everything is written.
        team_file: The team as the node is told.
    """

    seed: int
    scene: TeamScene
    stages: tuple[tuple[str, Stage], ...]
    wrists: Stage
    folder: Path
    team_file: Path

    @property
    def seconds(self) -> float:
        """Simulated time of all stages [s]."""
        return sum(stage.seconds for _, stage in self.stages) + self.wrists.seconds


def draw_team(seed: int, out: Path) -> TeamDemo:
    """Return a demonstration, its team file written."""
    scene, rng = table_one(ROBOT), np.random.default_rng(seed)
    name = datetime.now().strftime("team_%Y%m%d_%H%M%S")
    folder = (out / name).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    check_folder(folder)
    guided = TeamMotion.random(rng, scene.centre, np.deg2rad(7.0), 0.02, 0.7)
    wrists = TeamMotion.random(rng, scene.centre, np.deg2rad(6.0), 0.02, 0.9)
    stages = (
        ("a human guides the payload", Stage(guided, GUIDED, human=True)),
        *((f"hold {k + 1} of 4", stage) for k, stage in enumerate(holds(scene.centre, HELD))),
        ("level, at rest", Stage(TeamMotion.hold(np.zeros(6), scene.centre), LEVEL)),
    )
    team_file = folder / "team.yaml"
    team_file.write_text(yaml_text(_team()))
    return TeamDemo(seed, scene, stages, Stage(wrists, MOVED), folder, team_file)


def _team() -> dict[str, object]:
    """Return the entries of the team file."""
    masses = ROBOT.mechanism.masses
    mechanism = {
        "platform_mass": masses.platform,
        "lower_leg_mass": masses.lower_leg,
        "upper_leg_mass": masses.upper_leg,
    }
    every = {"reliability": "reliable", "mechanism": mechanism, "bounds": BOUNDS}
    prior = {"mass_max": 30.0, "com_max": 1.5}
    robots: dict[str, object] = {name: {} for name in NAMES}
    return {"name": "simulated mocobots", "prior": prior, "every_robot": every, "robots": robots}
