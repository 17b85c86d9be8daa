"""The team node: what N robots publish in, the estimate of the payload they hold out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from payload_id_msgs.msg import TeamMember

from ...files.teams.team_file import TeamFile
from ..common.diagnostics import Condition, Level
from ..common.main_loop import run
from ..common.parameters import check_changes, current_values, read_parameters
from ..common.steady_timer import steady_timer
from ..common.throttled_log import ThrottledLog
from ..estimator.run_worker import RunWorker
from ..lifecycle.managed_node import ManagedNode
from .condition import condition_of, members_of, remarks
from .parameters import TEAM_TABLE, TeamParameters, team_settings, wrist_limits
from .publisher import TeamPublisher
from .robot_listener import RobotListener
from .services import TeamServices
from .team_control import TeamControl
from .team_report import TeamReport

TAKE_PERIOD = 0.05  # [s] between two looks for messages


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
        self._settings = settings
        self.team = TeamFile.load(settings.team_file)
        check_changes(self, TEAM_TABLE, team_settings)
        self._log = ThrottledLog(self)
        robots = self.team.robots
        self._listeners = [RobotListener(self, robot, settings.queue) for robot in robots]
        publisher = TeamPublisher(self, self.team, self._members, self._log, settings.publish_tf)
        self._publisher = publisher
        rate = sum(robot.rate * len(robot.topics) for robot in robots)
        self._control = TeamControl(
            self.team,
            lambda: team_settings(current_values(self, TEAM_TABLE)),
            publisher.publish,
            period=settings.update_period,
            capacity=int(settings.buffer * rate),
            log_most=int(settings.recording_most * 1e6),
        )
        self.resources.callback(self._control.close)
        self._worker = RunWorker(self._control)
        self.resources.callback(self._worker.close)
        self._requests = TeamServices(
            self,
            self.team,
            self._control,
            self._worker,
            publisher,
            settings.runs_folder,
            self._take,
            lambda: remarks(self._listeners),
            lambda: wrist_limits(current_values(self, TEAM_TABLE)),
        )
        steady_timer(self, TAKE_PERIOD, self._take)
        self.get_logger().info(
            f"Estimating the payload of '{self.team.name}', in the grasp frame of "
            f"{self.team.names[0]}; robots: {', '.join(self.team.names)}."
        )

    def activate(self) -> None:
        """Say how things are, and begin a run if one is to begin at once."""
        for listener in self._listeners:
            listener.forget()
        self._publisher.publish(self._control.report)
        if self._settings.begin_run:
            self._worker.request(self._control.start)

    async def leave(self) -> None:
        """End a run in progress; its data are kept for `~/save`."""
        if self._control.running:
            await self._requests.end_run()

    def _take(self) -> None:
        """Hand all messages that have arrived to the worker."""
        for listener in self._listeners:
            heard = listener.take(self._requests.guided)
            if heard is not None:
                self._control.write(heard)

    def _members(self, report: TeamReport) -> list[TeamMember]:
        """Return how the robots are doing."""
        return members_of(report, self._listeners, self._guided)

    @property
    def _guided(self) -> bool:
        requests = getattr(self, "_requests", None)
        return requests is not None and requests.guided

    def condition(self) -> Condition:
        """Judge the run."""
        found = condition_of(self._control, self._listeners, self._settings.silence)
        if found.level is not Level.OK:
            self._log.warn("condition", found.sentence)
        return found

    def _hardware(self) -> str:
        """Return the team's name; empty before the node is configured."""
        return self.team.name if self._configured else ""


def main(args: Sequence[str] | None = None) -> int:
    """Run the team node until SIGINT or SIGTERM; returns the exit code."""
    return run([TeamNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
