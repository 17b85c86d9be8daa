"""Talking to a running team node from Python."""

from __future__ import annotations

import threading
from typing import Any

from payload_id_msgs.msg import TeamEstimate
from payload_id_msgs.srv import GetGraspTransform, GetGravityShare, GetTeamEstimate, LetGo, Save
from rclpy.client import Client
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import MultiDOFJointTrajectory

from .estimator_client import QOS
from .waiting import allowed, call, wait_for

SERVICES = {
    **dict.fromkeys(("start", "stop", "reset", "plan_wrists"), Trigger),
    "guide": SetBool,
    "let_go": LetGo,
    "get_estimate": GetTeamEstimate,
    "get_grasp_transform": GetGraspTransform,
    "get_gravity_share": GetGravityShare,
    "save": Save,
}


class TeamClient:
    """Starts and stops a team's runs, and collects estimates; spins in a thread of its own.

    Use it as a context manager. Every call waits at most its timeout.

    Attributes:
        node: The client's node, for further publishers and subscriptions.
        messages: Estimates published since the client began, oldest first.
        motions: Planned motions of the wrists, likewise.
    """

    def __init__(self, team: str = "payload_team", context: Context | None = None) -> None:
        """Create the node; rclpy (or the given context) must be initialised."""
        self.node = allowed(lambda: Node("payload_client", context=context), "a client's node")
        self.messages: list[TeamEstimate] = []
        self.motions: list[MultiDOFJointTrajectory] = []
        self._team = team
        self._clients: dict[str, Client] = {}
        self.node.create_subscription(TeamEstimate, f"{team}/team", self.messages.append, QOS)
        self.node.create_subscription(
            MultiDOFJointTrajectory, f"{team}/wrist_motion", self.motions.append, QOS
        )
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def __enter__(self) -> TeamClient:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the thread and the node."""
        self._executor.shutdown()
        self._thread.join(timeout=5.0)
        self.node.destroy_node()

    def start(self, timeout: float = 10.0) -> str:
        """Begin a run."""
        return str(self._ask("start", Trigger.Request(), timeout).message)

    def stop(self, timeout: float = 60.0) -> str:
        """End the run; the final estimate has been published when this returns."""
        return str(self._ask("stop", Trigger.Request(), timeout).message)

    def stop_quietly(self, timeout: float = 60.0) -> str:
        """End the run, whatever it has led to; return the node's sentence."""
        client = self._client("stop")
        future = client.call_async(Trigger.Request())
        wait_for(future.done, timeout, f"an answer of {client.srv_name}", client.service_is_ready)
        return str(future.result().message)

    def newest(self, timeout: float = 10.0) -> TeamEstimate:
        """Return the newest estimate, whatever its status."""
        client = self._client("get_estimate")
        future = client.call_async(GetTeamEstimate.Request())
        wait_for(future.done, timeout, f"an answer of {client.srv_name}", client.service_is_ready)
        return future.result().estimate

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

    def share(self, robot: str, timeout: float = 10.0) -> Any:
        """Return what a robot carries."""
        return self._ask("get_gravity_share", GetGravityShare.Request(robot=robot), timeout).share

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
        for name in SERVICES:
            wait_for(self._client(name).service_is_ready, timeout, f"service {name} of the team")

    wait_for = staticmethod(wait_for)

    def _ask(self, name: str, request: Any, timeout: float) -> Any:
        """Call a service and return its response."""
        return call(self._client(name), request, timeout)

    def _client(self, name: str) -> Client:
        """Return what calls a service."""
        if name not in self._clients:
            full = f"{self._team}/{name}"
            self._clients[name] = allowed(
                lambda: self.node.create_client(SERVICES[name], full), f"calls of {full}"
            )
        return self._clients[name]

    def _spin(self) -> None:
        """Serve the node until the executor is shut down."""
        try:
            self._executor.spin()
        except ExternalShutdownException:
            return
