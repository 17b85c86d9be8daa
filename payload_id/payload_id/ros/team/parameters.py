"""Parameters of the team node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.estimators import ESTIMATORS
from ...core.excitation.wrists import WristLimits
from ...core.identification.settings import INTERVALS
from ...core.team.online import SEQUENCE, TeamSettings
from ..common.parameters import NodeParameters, declared, parameter, table_of
from ..common.shared_parameters import PROCESSOR_SHARE

DEFAULTS, LIMITS = TeamSettings(), WristLimits()
METHODS = (*INTERVALS, *(() if "none" in INTERVALS else ("none",)))


@dataclass(frozen=True)
class TeamParameters(NodeParameters):
    """Parameters of the team node."""

    team_file: str = parameter(
        "omnids",
        "Team file: its path, or the name of a shipped one.",
    )
    begin_run: bool = parameter(
        False, "Whether a run begins as soon as the node is active, without ~/start."
    )
    update_period: float = parameter(
        1.0,
        "Shortest time between two estimates.",
        "s",
        0.05,
        60.0,
    )
    processor_share: float = declared(PROCESSOR_SHARE)
    queue: int = parameter(
        2000,
        "Messages of a topic that may wait to be taken.",
        lower=10,
        upper=100_000,
    )
    buffer: float = parameter(
        60.0,
        "Time of data that may wait while a solver runs; what exceeds it is lost and counted.",
        "s",
        1.0,
        600.0,
    )
    silence: float = parameter(
        1.0,
        "Time without messages of a robot after which that is reported.",
        "s",
        0.05,
        60.0,
    )
    runs_folder: str = parameter(
        "~/.ros/payload_id",
        "Folder in which ~/save makes a new one, and none else.",
    )
    recording_most: float = parameter(
        2000.0,
        "Largest size of a run on disk while it is not saved; beyond it the run goes on and cannot "
        "be saved any more.",
        "MB",
        1.0,
        1e6,
    )
    estimator: str = parameter(
        DEFAULTS.estimator,
        "Point estimator.",
        choices=(*ESTIMATORS, SEQUENCE),
        read_only=False,
    )
    intervals: str = parameter(
        DEFAULTS.intervals,
        "Method of the intervals.",
        choices=METHODS,
        read_only=False,
    )
    window: float = parameter(
        DEFAULTS.window,
        "Length of the windows over which momentum is balanced.",
        "s",
        0.05,
        20.0,
        read_only=False,
    )
    patience: float = parameter(
        DEFAULTS.patience,
        "Time by which a robot may lag before the others go on without it.",
        "s",
        0.05,
        20.0,
        read_only=False,
    )
    publish_tf: bool = parameter(
        False,
        "Whether grasp frames go to /tf_static as children of the first robot's; leave it off "
        "where something else says where these frames are.",
    )
    wrist_tilt: float = parameter(
        LIMITS.tilt,
        "Of planned wrist motions: largest turn of the payload.",
        "rad",
        0.01,
        0.5,
        read_only=False,
    )
    wrist_reach: float = parameter(
        LIMITS.reach,
        "Of those: largest distance of a wrist from its start.",
        "m",
        0.005,
        1.0,
        read_only=False,
    )
    wrist_force: float = parameter(
        LIMITS.force,
        "Of those: largest force of a robot, with a margin.",
        "N",
        1.0,
        10_000.0,
        read_only=False,
    )
    wrist_speed: float = parameter(
        LIMITS.speed,
        "Of those: largest speed of a wrist.",
        "m/s",
        0.01,
        5.0,
        read_only=False,
    )
    wrist_seconds: float = parameter(
        18.0,
        "How long planned wrist motions take.",
        "s",
        2.0,
        120.0,
        read_only=False,
    )


TEAM_TABLE = table_of(TeamParameters)


def team_settings(values: Mapping[str, Any]) -> TeamSettings:
    """Return how to identify, as values of the parameters say."""
    return TeamSettings(
        values["estimator"], values["intervals"], values["window"], values["patience"]
    )


def wrist_limits(values: Mapping[str, Any]) -> tuple[WristLimits, float]:
    """Return what planned wrist motions may not exceed, and how long they are to take [s]."""
    parts = (values[f"wrist_{name}"] for name in ("tilt", "reach", "force", "speed"))
    return WristLimits(*parts), values["wrist_seconds"]
