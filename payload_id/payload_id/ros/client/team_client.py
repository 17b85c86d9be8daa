"""Talking to a running team node from Python."""

from __future__ import annotations

from payload_id_msgs.msg import TeamEstimate
from payload_id_msgs.srv import GetGraspTransform, GetTeamEstimate, LetGo, Save
from rclpy.context import Context
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import MultiDOFJointTrajectory

from ..common.topics import EVERY
from .node_client import NodeClient
from .waiting import wait_for

SERVICES = {
    **dict.fromkeys(("start", "stop", "reset", "plan_wrists"), Trigger),
    "guide": SetBool,
    "let_go": LetGo,
    "get_estimate": GetTeamEstimate,
    "get_grasp_transform": GetGraspTransform,
    "save": Save,
}


class TeamClient(NodeClient):
    """Starts and stops a team's runs, and collects estimates.

    Attributes:
        messages: Estimates published since the client began, oldest first.
        motions: Planned motions of the wrists, likewise.
    """

    def __init__(self, team: str = "payload_team", context: Context | None = None) -> None:
        """Create the node; rclpy (or the given context) must be initialised."""
        super().__init__({name: (f"{team}/{name}", x) for name, x in SERVICES.items()}, context)
        self.messages: list[TeamEstimate] = []
        self.motions: list[MultiDOFJointTrajectory] = []
        self._team = team
        self.node.create_subscription(TeamEstimate, f"{team}/team", self.messages.append, EVERY)
        self.node.create_subscription(
            MultiDOFJointTrajectory, f"{team}/wrist_motion", self.motions.append, EVERY
        )

    def stop(self, timeout: float = 60.0) -> TeamEstimate:
        """End the run, whatever it has led to; return its final estimate."""
        self._answer("stop", timeout)
        return self._answer("get_estimate", timeout).estimate

    def plan_wrists(self, timeout: float = 120.0) -> tuple[str, MultiDOFJointTrajectory]:
        """Have wrist motions planned; return what is said of them, and the motion."""
        before = len(self.motions)
        said = str(self.ask("plan_wrists", timeout).message)
        wait_for(lambda: len(self.motions) > before, timeout, f"a motion on {self._team}")
        return said, self.motions[-1]

    def wait_until_ready(self, timeout: float) -> None:
        """Wait for all services.

        Raises:
            NotAnsweredError: They did not appear in time.
        """
        self.wait_for_services(SERVICES, timeout)
