"""Talking to a running team node from Python."""

from __future__ import annotations

from typing import Any

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

    def start(self, timeout: float = 10.0) -> str:
        """Begin a run."""
        return str(self._ask("start", Trigger.Request(), timeout).message)

    def stop(self, timeout: float = 60.0) -> str:
        """End the run; the final estimate has been published when this returns."""
        return str(self._ask("stop", Trigger.Request(), timeout).message)

    def stop_quietly(self, timeout: float = 60.0) -> str:
        """End the run, whatever it has led to; return the node's sentence."""
        return str(self._answer("stop", Trigger.Request(), timeout).message)

    def newest(self, timeout: float = 10.0) -> TeamEstimate:
        """Return the newest estimate, whatever its status."""
        return self._answer("get_estimate", GetTeamEstimate.Request(), timeout).estimate

    def reset(self, timeout: float = 10.0) -> str:
        """Forget everything."""
        return str(self._ask("reset", Trigger.Request(), timeout).message)

    def plan_wrists(self, timeout: float = 120.0) -> tuple[str, MultiDOFJointTrajectory]:
        """Have wrist motions planned; return what is said of them, and the motion."""
        before = len(self.motions)
        said = str(self._ask("plan_wrists", Trigger.Request(), timeout).message)
        wait_for(lambda: len(self.motions) > before, timeout, f"a motion on {self._team}")
        return said, self.motions[-1]

    def guide(self, guided: bool, timeout: float = 10.0) -> str:
        """Say whether a human guides the payload from now on, so that forces do not count."""
        return str(self._ask("guide", SetBool.Request(data=guided), timeout).message)

    def let_go(self, robot: str, timeout: float = 10.0) -> str:
        """Say that a robot has let go."""
        return str(self._ask("let_go", LetGo.Request(robot=robot), timeout).message)

    def estimate(self, timeout: float = 60.0) -> TeamEstimate:
        """Return the latest estimate, made of all samples so far."""
        return self._ask("get_estimate", GetTeamEstimate.Request(), timeout).estimate

    def grasp_transform(self, one: str, other: str, timeout: float = 10.0) -> Any:
        """Return the response with the grasp frame of one robot in another one's."""
        request = GetGraspTransform.Request(from_robot=one, to_robot=other)
        return self._ask("get_grasp_transform", request, timeout)

    def save(self, folder: str = "", timeout: float = 30.0) -> str:
        """Save the run in a folder within the node's `runs_folder`; return its absolute path."""
        return str(self._ask("save", Save.Request(path=folder), timeout).path)

    def wait_until_ready(self, timeout: float) -> None:
        """Wait for all services.

        Raises:
            NotAnsweredError: They did not appear in time.
        """
        self.wait_for_services(SERVICES, timeout)
