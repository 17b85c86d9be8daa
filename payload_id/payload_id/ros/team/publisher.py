"""The topics on which the team node publishes what it has found."""

from __future__ import annotations

from collections.abc import Callable

from payload_id_msgs.msg import GravityShare, TeamEstimate, TeamMember
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from ...files.teams.team_file import SHARE, TeamFile
from ..common.throttled_log import ThrottledLog
from ..common.topics import LATCHED
from .markers import team_markers
from .messages import shares_of, team_message
from .team_report import FAILED, TeamReport


class TeamPublisher:
    """Publishes `~/team`, `~/markers` and every robot's share."""

    def __init__(
        self,
        node: Node,
        team: TeamFile,
        members: Callable[[TeamReport], list[TeamMember]],
        log: ThrottledLog,
    ) -> None:
        """Create the publishers.

        Args:
            node: The node.
            team: The team.
            members: Returns how its robots are doing.
            log: For errors.
        """
        self._team, self._members, self._log = team, members, log
        self._estimate = node.create_publisher(TeamEstimate, "~/team", LATCHED)
        self._markers = node.create_publisher(MarkerArray, "~/markers", LATCHED)
        self._shares = [
            node.create_publisher(GravityShare, f"{robot.namespace}/{SHARE}", LATCHED)
            for robot in team.robots
        ]

    def message(self, report: TeamReport) -> TeamEstimate:
        """Return a report as a message."""
        return team_message(report, self._team, lambda: self._members(report))

    def publish(self, report: TeamReport) -> None:
        """Publish a report; called in the thread that identifies."""
        self._estimate.publish(self.message(report))
        self._markers.publish(team_markers(report, self._team))
        shares = shares_of(report, self._team)
        for publisher, share in zip(self._shares, shares, strict=True):
            publisher.publish(share)
        if report.status in (FAILED, "INCONSISTENT"):
            self._log.warn(report.status, report.message)
