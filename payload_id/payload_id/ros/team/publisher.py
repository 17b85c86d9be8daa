"""The topics on which the team node publishes what it has found."""

from __future__ import annotations

from collections.abc import Callable

from payload_id_msgs.msg import GravityShare, TeamEstimate, TeamMember
from rclpy.node import Node
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import MultiDOFJointTrajectory
from visualization_msgs.msg import MarkerArray

from ...core.excitation.wrists import HeldTeam, WristPlan
from ...core.identification.status import FAILED
from ...files.teams.team_file import SHARE, TeamFile
from ..common.timeouts import LOG
from ..common.topics import LATCHED
from .live_team import TeamReport
from .markers import team_markers
from .messages import frames_message, shares_of, team_message
from .wrist_motion import wrist_motion_message


class TeamPublisher:
    """Publishes `~/team`, `~/markers`, every robot's share, grasp frames and planned motions."""

    def __init__(
        self,
        node: Node,
        team: TeamFile,
        members: Callable[[TeamReport], list[TeamMember]],
        tf: bool,
    ) -> None:
        """Create the publishers.

        Args:
            node: The node.
            team: The team.
            members: Returns how its robots are doing.
            tf: Whether grasp frames go to /tf_static.
        """
        self._team, self._members, self._log = team, members, node.get_logger()
        self._estimate = node.create_publisher(TeamEstimate, "~/team", LATCHED)
        self._markers = node.create_publisher(MarkerArray, "~/markers", LATCHED)
        self._motion = node.create_publisher(MultiDOFJointTrajectory, "~/wrist_motion", LATCHED)
        self._tf = node.create_publisher(TFMessage, "/tf_static", LATCHED) if tf else None
        self._shares = [
            node.create_publisher(GravityShare, f"{robot.namespace}/{SHARE}", LATCHED)
            for robot in team.robots
        ]

    def message(self, report: TeamReport) -> TeamEstimate:
        """Return a report as a message."""
        return team_message(report, self._team, lambda: self._members(report))

    def publish_motion(self, plan: WristPlan, held: HeldTeam) -> None:
        """Publish a planned motion of the wrists."""
        self._motion.publish(wrist_motion_message(plan, held, self._team))

    def publish(self, report: TeamReport) -> None:
        """Publish a report; called in the thread that identifies."""
        self._estimate.publish(self.message(report))
        self._markers.publish(team_markers(report, self._team))
        if self._tf is not None and report.usable and report.estimate is not None:
            self._tf.publish(frames_message(report, report.estimate, self._team))
        shares = shares_of(report, self._team)
        for publisher, share in zip(self._shares, shares, strict=True):
            publisher.publish(share)
        if report.status in FAILED:
            self._log.warning(report.message, throttle_duration_sec=LOG)
