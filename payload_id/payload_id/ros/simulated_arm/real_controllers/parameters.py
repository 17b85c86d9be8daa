"""Parameters of a controller manager and of its controllers, for the arm of a robot file.

As a program, `controller_parameters ROBOT_FILE RATE NAMESPACE` writes them to a file of its own
and prints its path, for launch files.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ....core.errors import ConfigurationError, PayloadIdError
from ....files.robots.robot_file import RobotFile
from ...common.robot_facts import FACTS

BROADCASTER = "joint_state_broadcaster"
TRAJECTORY_TYPE = "joint_trajectory_controller/JointTrajectoryController"


def controller_parameters(robot: RobotFile, rate: int) -> dict[str, Any]:
    """Return those of the manager, the broadcaster and the trajectory controller.

    Args:
        robot: The robot file.
        rate: Of the manager's cycles [Hz].
    """
    name, driver = FACTS["controller"](robot), robot.driver.controller
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
    parser = argparse.ArgumentParser("controller_parameters", description=__doc__)
    parser.add_argument("robot", help="robot file, or the name of a shipped one")
    parser.add_argument("rate", type=int, help="of the manager's cycles [Hz]")
    parser.add_argument("namespace", nargs="?", default="", help="of the nodes")
    given = parser.parse_args(args)
    try:
        if not 1 <= given.rate <= 10_000:
            raise ConfigurationError(f"A rate is a number of 1 to 10000 Hz; found {given.rate}.")
        found = controller_parameters(RobotFile.load(given.robot), given.rate)
    except PayloadIdError as error:
        print(f"payload_id: {error}", file=sys.stderr)
        return 2
    own = f"/{given.namespace.strip('/')}".rstrip("/")
    named = {f"{own}/{node}": {"ros__parameters": x} for node, x in found.items()}
    path = Path(tempfile.mkdtemp(prefix="payload_id_controllers_")) / "controllers.yaml"
    path.write_text(json.dumps(named, indent=2), encoding="utf-8")  # which is YAML, too
    print(path, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
