"""The controllers of a usual ros2_control robot before simulated hardware, and their servers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Float64MultiArray

from ...core.errors import ConfigurationError
from ...files.robots.robot_file import RobotFile
from ..access.interfaces import action_beside
from ..common.conversions import decoded
from ..common.polled_subscription import PolledSubscription
from ..common.topics import controller_topic
from ..supervision.controller_manager import manager_of
from .controllers.controller import Controller, Cycle, interfaces
from .controllers.effort import EFFORT, EffortController
from .controllers.joint_trajectory import JointTrajectoryController
from .controllers.manager import STRICT, ControllerManager
from .hardware import Hardware
from .servers.manager_server import ManagerServer
from .servers.trajectory_server import Reader, TrajectoryServer

POSITION = "position"
STATES = (POSITION, "velocity", EFFORT)
BROADCASTER, TORQUES = "joint_state_broadcaster", "forward_effort_controller"
QUEUE = 100  # commands that may wait for one cycle


class SimulatedControllers:
    """Broadcaster and trajectory controller, active; a controller of torques, inactive."""

    def __init__(
        self,
        node: Node,
        robot: RobotFile,
        hardware: Hardware,
        period: float,
        lock: threading.Lock,
        read: Reader,
        stamp: Callable[[float], int],
    ) -> None:
        """Load them, and offer what they offer.

        Args:
            node: The node.
            robot: The robot file.
            hardware: What they command.
            period: Between two cycles [s].
            lock: Held by whoever touches the controllers.
            read: Reads trajectories; see `TrajectoryServer`.
            stamp: Returns the stamp of a simulated time [ns].

        Raises:
            ConfigurationError: The driver does not offer what its controller claims.
        """
        joints, topic = robot.joints, controller_topic(node, robot)
        own, stated = PurePosixPath(topic).parent, robot.driver.controller
        offered = robot.driver.exported or (POSITION, "velocity", EFFORT)
        self._hardware, self._lock, self._target = hardware, lock, action_beside(topic)
        broadcaster_type = f"{BROADCASTER}/JointStateBroadcaster"
        self._broadcaster = Controller(BROADCASTER, broadcaster_type, joints, (), STATES)
        trajectories = JointTrajectoryController(
            own.name or "joint_trajectory_controller",
            joints,
            hardware.endless,
            stated.command_interfaces or (POSITION,),
            stated.state_interfaces or (POSITION, "velocity"),
        )
        commands = PolledSubscription(
            node,
            Float64MultiArray,
            str(own.parent / TORQUES / "commands"),
            QoSProfile(
                depth=QUEUE,
                reliability=ReliabilityPolicy.SYSTEM_DEFAULT,
                durability=DurabilityPolicy.SYSTEM_DEFAULT,
            ),
        )

        def received() -> list[Sequence[float]]:
            messages = (decoded(x, Float64MultiArray) for x, _ in commands.take_all(QUEUE))
            return [message.data for message in messages if message is not None]

        torques = EffortController(TORQUES, joints, received, node.get_logger().warning)
        every = [self._broadcaster, trajectories, torques]
        self._manager = ControllerManager(
            every, interfaces(joints, offered), interfaces(joints, STATES), node.get_logger().error
        )
        begun, words = self._manager.switch([self._broadcaster.name, trajectories.name], [], STRICT)
        if not begun:
            raise ConfigurationError(
                f"The robot file's section 'driver' contradicts itself: {words} What 'controller' "
                f"claims must be among 'exported': {', '.join(offered)}."
            )
        self._trajectories = TrajectoryServer(node, trajectories, lock, topic, read, stamp)
        self._manager_name = manager_of(robot, "")
        self._server = ManagerServer(node, self._manager_name, self._manager, lock, 1.0 / period)

    @property
    def broadcasts(self) -> bool:
        """Whether joint states are to be published."""
        return self._broadcaster.active

    def words(self) -> str:
        """Return where motion goes, in a few words."""
        return f"motion by {self._target}, controllers of {self._manager_name}"

    def cycle(self, cycle: Cycle) -> None:
        """Let all controllers take in one cycle, and tell the drives."""
        with self._lock:
            commands = self._manager.update(cycle)
        self._hardware.write(commands)
        self._trajectories.publish(self._hardware.told)

    def report(self) -> None:
        """Publish what has changed."""
        self._server.publish_changes()
