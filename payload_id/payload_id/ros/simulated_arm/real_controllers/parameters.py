"""Parameters of a controller manager and of its controllers, for the arm of a robot file.

As a program, `controller_parameters ROBOT_FILE RATE NAMESPACE` writes them to a file of its own
and prints its path, for launch files.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from ....core.errors import ConfigurationError, PayloadIdError
from ....files.robots.robot_file import RobotFile

BROADCASTER = "joint_state_broadcaster"
TRAJECTORY_TYPE = "joint_trajectory_controller/JointTrajectoryController"
USAGE = "usage: controller_parameters ROBOT_FILE RATE, and a namespace where there is one"


def trajectory_controller(robot: RobotFile) -> str:
    """Return the name of the controller that moves the arm."""
    return PurePosixPath(robot.command.trajectory_topic).parent.name


def controller_parameters(robot: RobotFile, rate: int) -> dict[str, Any]:
    """Return those of the manager, the broadcaster and the trajectory controller.

    Args:
        robot: The robot file.
        rate: Of the manager's cycles [Hz].
    """
    name, driver = trajectory_controller(robot), robot.driver.controller
    return {
        "controller_manager": {
            "update_rate": rate,
            BROADCASTER: {"type": f"{BROADCASTER}/JointStateBroadcaster"},
            name: {"type": TRAJECTORY_TYPE},
        },
        name: {
            "joints": list(robot.joints),
            "command_interfaces": ["position", "velocity"],  # what comes by topics is jerky without
            "state_interfaces": list(driver.state_interfaces or ("position", "velocity")),
        },
    }


def main(args: Sequence[str] | None = None) -> int:
    """Write the file and print its path; returns the exit code."""
    given = list(sys.argv[1:] if args is None else args)
    if len(given) not in (2, 3):
        print(USAGE, file=sys.stderr)
        return 2
    robot, rate, namespace = [*given, ""][:3]
    try:
        if not rate.isdecimal() or not 1 <= int(rate) <= 10_000:
            raise ConfigurationError(f"A rate is a whole number of 1 to 10000 Hz; found {rate!r}.")
        found = controller_parameters(RobotFile.load(robot), int(rate))
    except PayloadIdError as error:
        print(f"payload_id: {error}", file=sys.stderr)
        return 2
    own = f"/{namespace.strip('/')}".rstrip("/")
    named = {f"{own}/{node}": {"ros__parameters": x} for node, x in found.items()}
    path = Path(tempfile.mkdtemp(prefix="payload_id_controllers_")) / "controllers.yaml"
    path.write_text(json.dumps(named, indent=2), encoding="utf-8")  # which is YAML, too
    print(path, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
