"""Parameters of the team node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.estimators import ESTIMATORS
from ...core.excitation.wrists import WristLimits
from ...core.identification.settings import INTERVALS
from ...core.team.online import TeamSettings
from ..common.parameters import Parameter

DEFAULTS, LIMITS = TeamSettings(), WristLimits()
METHODS = (*INTERVALS, *(() if "none" in INTERVALS else ("none",)))

TEAM_TABLE = (
    Parameter("team_file", "omnids", "Team file: its path, or the name of a shipped one."),
    Parameter("autostart", False, "Whether a run begins at once, without ~/start."),
    Parameter("update_period", 1.0, "Shortest time between two estimates.", "s", 0.05, 60.0),
    Parameter(
        "queue", 2000, "Messages of a topic that may wait to be taken.", lower=10, upper=100_000
    ),
    Parameter(
        "buffer",
        60.0,
        "Time of data that may wait while a solver runs; what exceeds it is lost and counted.",
        "s",
        1.0,
        600.0,
    ),
    Parameter(
        "silence", 1.0, "Time without messages of a robot after which that is reported.", "s",
        0.05, 60.0,
    ),
    Parameter(
        "runs_folder", "~/.ros/payload_id", "Folder in which ~/save makes a new one, and none else."
    ),
    Parameter(
        "recording_most",
        2000.0,
        "Largest size of a run on disk while it is not saved; beyond it the run goes on and cannot "
        "be saved any more.",
        "MB",
        1.0,
        1e6,
    ),
    Parameter(
        "estimator", DEFAULTS.estimator, "Point estimator.", choices=tuple(ESTIMATORS),
        read_only=False,
    ),
    Parameter(
        "intervals", DEFAULTS.intervals, "Method of the intervals.", choices=METHODS,
        read_only=False,
    ),
    Parameter(
        "window", DEFAULTS.window, "Length of the windows over which momentum is balanced.", "s",
        0.05, 20.0, read_only=False,
    ),
    Parameter(
        "patience", DEFAULTS.patience,
        "Time by which a robot may lag before the others go on without it.", "s", 0.05, 20.0,
        read_only=False,
    ),
    Parameter(
        "publish_tf", False,
        "Whether grasp frames go to /tf_static as children of the first robot's; leave it off "
        "where something else says where these frames are.",
    ),
    Parameter("wrist_tilt", LIMITS.tilt, "Of planned wrist motions: largest turn of the payload.",
              "rad", 0.01, 0.5, read_only=False),
    Parameter("wrist_reach", LIMITS.reach, "Of those: largest distance of a wrist from its start.",
              "m", 0.005, 1.0, read_only=False),
    Parameter("wrist_force", LIMITS.force, "Of those: largest force of a robot, with a margin.",
              "N", 1.0, 10_000.0, read_only=False),
    Parameter("wrist_speed", LIMITS.speed, "Of those: largest speed of a wrist.", "m/s", 0.01, 5.0,
              read_only=False),
    Parameter("wrist_seconds", 18.0, "How long planned wrist motions take.", "s", 2.0, 120.0,
              read_only=False),
)  # fmt: skip


@dataclass(frozen=True)
class TeamParameters:
    """Values of `TEAM_TABLE`, which explains them."""

    team_file: str
    autostart: bool
    update_period: float
    queue: int
    buffer: float
    silence: float
    runs_folder: str
    recording_most: float
    estimator: str
    intervals: str
    window: float
    patience: float
    publish_tf: bool
    wrist_tilt: float
    wrist_reach: float
    wrist_force: float
    wrist_speed: float
    wrist_seconds: float


def team_settings(values: Mapping[str, Any]) -> TeamSettings:
    """Return how to identify, as values of the parameters say."""
    return TeamSettings(
        values["estimator"], values["intervals"], values["window"], values["patience"]
    )


def wrist_limits(values: Mapping[str, Any]) -> tuple[WristLimits, float]:
    """Return what planned wrist motions may not exceed, and how long they are to take [s]."""
    parts = (values[f"wrist_{name}"] for name in ("tilt", "reach", "force", "speed"))
    return WristLimits(*parts), values["wrist_seconds"]
