"""An arm under the real controllers of ros2_control, where an installation has them.

A controller manager with mock hardware, which is where it was commanded, one cycle later; the
controllers are those of a usual driver: joint_state_broadcaster and joint_trajectory_controller.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from std_msgs.msg import String

from payload_id import RobotFile

from .nodes import LATCHED, PATIENCE, Observer

NEEDED = (
    "lib/controller_manager/ros2_control_node",
    "lib/controller_manager/spawner",
    "share/joint_trajectory_controller",
    "share/joint_state_broadcaster",
)
ABSENT = (
    "no sourced ROS 2 installation with ros2_control: source one with controller_manager, "
    "joint_trajectory_controller and joint_state_broadcaster"
)
CONTROLLER, BROADCASTER = "joint_trajectory_controller", "joint_state_broadcaster"
TORQUES = "forward_effort_controller"
STATES, COMMANDS = ("position", "velocity"), ("position", "velocity")


def installation() -> Path | None:
    """Return the prefix of a sourced workspace or installation with ros2_control; None: none."""
    prefixes = [Path(x) for x in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if x]
    for prefix in prefixes:
        if (
            all(any((other / name).exists() for other in prefixes) for name in NEEDED[1:])
            and (prefix / NEEDED[0]).exists()
        ):
            return prefix
    return None


def parameters(robot: RobotFile, rate: int, claimed: Sequence[str]) -> dict[str, Any]:
    """Return those of the controller manager and its controllers, without any tolerance."""
    return {
        "controller_manager": {
            "update_rate": rate,
            BROADCASTER: {"type": f"{BROADCASTER}/JointStateBroadcaster"},
            CONTROLLER: {"type": f"{CONTROLLER}/JointTrajectoryController"},
            TORQUES: {"type": "effort_controllers/JointGroupEffortController"},
        },
        CONTROLLER: {
            "joints": list(robot.joints),
            "command_interfaces": list(claimed),
            "state_interfaces": list(STATES),
        },
        TORQUES: {"joints": list(robot.joints)},
    }


def with_mock_hardware(
    urdf: str, joints: dict[str, float], commands: Sequence[str], states: Sequence[str]
) -> str:
    """Return a description whose hardware is where it was commanded to be, one cycle later.

    Args:
        urdf: The description.
        joints: Joints, with the position at which each begins [rad or m].
        commands: Command interfaces of each joint.
        states: Its state interfaces.
    """
    root = ElementTree.fromstring(urdf)
    system = ElementTree.SubElement(root, "ros2_control", name="arm", type="system")
    hardware = ElementTree.SubElement(system, "hardware")
    ElementTree.SubElement(hardware, "plugin").text = "mock_components/GenericSystem"
    for name, place in joints.items():
        joint = ElementTree.SubElement(system, "joint", name=name)
        for kind in commands:
            ElementTree.SubElement(joint, "command_interface", name=kind)
        for kind in states:
            state = ElementTree.SubElement(joint, "state_interface", name=kind)
            first = ElementTree.SubElement(state, "param", name="initial_value")
            first.text = str(place if kind == "position" else 0.0)
    return ElementTree.tostring(root, "unicode")


class RealControllers:
    """A controller manager in a process of its own, with its controllers active."""

    def __init__(
        self,
        prefix: Path,
        folder: Path,
        domain: int,
        robot: RobotFile,
        rate: int,
        claimed: Sequence[str] = COMMANDS,
        offered: Sequence[str] = COMMANDS,
        forward: bool = False,
    ):
        """Start it, with the arm at its home.

        Args:
            prefix: Where ros2_control is installed.
            folder: For its files.
            domain: Of ROS.
            robot: The robot file.
            rate: Of its cycles [Hz].
            claimed: Command interfaces that the trajectory controller claims.
            offered: Those that the hardware has; it reports the same, and the velocity.
            forward: Whether a controller of torques is there, inactive.
        """
        self._observer = Observer(domain, "robot_description_publisher")
        at, states = zip(robot.joints, robot.home, strict=True), dict.fromkeys([*STATES, *offered])
        urdf = with_mock_hardware(robot.urdf, dict(at), offered, list(states))
        self._description = self._observer.node.create_publisher(
            String, "robot_description", LATCHED
        )
        self._description.publish(String(data=urdf))
        named = {
            f"/{k}": {"ros__parameters": v} for k, v in parameters(robot, rate, claimed).items()
        }
        self._file = folder / "controllers.yaml"
        self._file.write_text(json.dumps(named))  # which is YAML, too
        self._prefix, self.log = prefix, folder / "controllers.log"
        # Its own libraries come before those of stand-ins, which have no part for C++.
        libraries = f"{prefix / 'lib'}{os.pathsep}{os.environ.get('LD_LIBRARY_PATH', '')}"
        self._environment = {
            **os.environ, "ROS_DOMAIN_ID": str(domain), "LD_LIBRARY_PATH": libraries
        }  # fmt: skip
        self.process = self._started("ros2_control_node", "--ros-args", "--params-file", self._file)
        self._spawn(BROADCASTER, CONTROLLER)
        if forward:
            self._spawn(TORQUES, "--inactive")

    def _started(self, program: str, *arguments: str | Path) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as stream:
            return subprocess.Popen(
                [self._prefix / "lib/controller_manager" / program, *arguments],
                env=self._environment, stdout=stream, stderr=stream,
            )  # fmt: skip

    def _spawn(self, *arguments: str) -> None:
        """Load and activate controllers."""
        spawner = self._started("spawner", *arguments, "--param-file", self._file)
        processes = (spawner, self.process)
        self._observer.wait(lambda: any(x.poll() is not None for x in processes), "the spawner")
        done = spawner.poll() == 0
        spawner.kill()
        assert done, self.log.read_text()

    def stop(self) -> int:
        """End it; return its exit code."""
        self._observer.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
