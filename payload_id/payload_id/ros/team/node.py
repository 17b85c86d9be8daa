"""The team node: what N robots publish in, the estimate of the payload they hold out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from payload_id_msgs.msg import TeamMember

from ...files.teams.team_file import TeamFile
from ..common.diagnostics import Condition
from ..common.main_loop import run
from ..common.parameters import check_changes, current_values, read_parameters
from ..common.steady_timer import steady_timer
from ..common.timeouts import LOOK
from ..lifecycle.managed_node import ManagedNode
from ..runs.run_control import RunControl
from ..runs.run_worker import RunWorker
from .condition import condition_of, members_of
from .live_team import LiveTeam, TeamReport
from .parameters import TEAM_TABLE, TeamParameters, team_settings, wrist_limits
from .publisher import TeamPublisher
from .robot_listener import RobotListener
from .services import TeamServices


@dataclass(frozen=True)
class Parts:
    """What a configured team node consists of."""

    settings: TeamParameters
    listeners: Sequence[RobotListener]
    publisher: TeamPublisher
    control: RunControl[LiveTeam]
    worker: RunWorker
    requests: TeamServices


class TeamNode(ManagedNode):
    """Identifies the payload of a team while its robots publish.

    Publishes `~/team`, `~/markers`, every robot's share, /diagnostics and, if asked for, grasp
    frames on /tf_static and planned wrist motions; for its services see
    `TeamServices`.

    Attributes:
        team: The team file.
    """

    team: TeamFile

    def __init__(self, **options: Any) -> None:
        """Make the node; options are arguments of rclpy's Node, such as parameter_overrides."""
        super().__init__("payload_team", TEAM_TABLE, "team", **options)

    def configure(self) -> None:
        """Read parameters and team file, subscribe, and start the worker.

        Raises:
            PayloadIdError: A parameter or a file cannot be used.
        """
        settings = TeamParameters(**read_parameters(self, TEAM_TABLE))
        self.team = team = TeamFile.load(settings.team_file)
        check_changes(self, TEAM_TABLE, team_settings)
        listeners = [RobotListener(self, robot, settings.queue) for robot in team.robots]

        def members(report: TeamReport) -> list[TeamMember]:
            """Return how the robots are doing."""
            return members_of(report, listeners, requests.guided)

        publisher = TeamPublisher(self, team, members, settings.publish_tf)
        rate = sum(robot.rate * len(robot.topics) for robot in team.robots)
        run = LiveTeam(
            team,
            lambda: team_settings(current_values(self, TEAM_TABLE)),
            settings.update_period,
            int(settings.recording_most * 1e6),
        )
        self.resources.callback(run.close)
        capacity, share = int(settings.buffer * rate), settings.processor_share
        control = RunControl(run, capacity, publisher.publish, share)
        worker = RunWorker(control)
        self.resources.callback(worker.close)
        requests = TeamServices(
            self,
            team,
            control,
            worker,
            publisher,
            settings.runs_folder,
            listeners,
            lambda: wrist_limits(current_values(self, TEAM_TABLE)),
        )
        steady_timer(self, LOOK, requests.take)
        self._parts = Parts(settings, listeners, publisher, control, worker, requests)
        self.get_logger().info(
            f"Estimating the payload of '{team.name}', in the grasp frame of {team.names[0]}; "
            f"robots: {', '.join(team.names)}."
        )

    def activate(self) -> None:
        """Say how things are, and begin a run if one is to begin at once."""
        parts = self._parts
        for listener in parts.listeners:
            listener.forget()
        parts.publisher.publish(parts.control.report)
        if parts.settings.begin_run:
            parts.worker.request(parts.control.start)

    async def leave(self) -> None:
        """End a run in progress; its data are kept for `~/save`."""
        if self._parts.control.running:
            await self._parts.requests.end_run()

    def condition(self) -> Condition:
        """Judge the run."""
        parts = self._parts
        return condition_of(parts.control, parts.listeners, parts.settings.silence)

    def _hardware(self) -> str:
        """Return the team's name; empty before the node is configured."""
        return self.team.name if self._configured else ""


def main(args: Sequence[str] | None = None) -> int:
    """Run the team node until SIGINT or SIGTERM; returns the exit code."""
    return run([TeamNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
