"""Print for launch files where a robot file's joint states are, or its controller's name.

The topic is printed without a leading slash: a name in the namespace of the nodes that hear it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ...core.errors import PayloadIdError
from ...files.robots.robot_file import RobotFile
from ..simulated_arm.real_controllers.parameters import trajectory_controller

USAGE = "usage: robot_topic joint_states|controller ROBOT_FILE"


def main(args: Sequence[str] | None = None) -> int:
    """Print the name; returns the exit code."""
    what, robot, *_ = [*(sys.argv[1:] if args is None else args), "", ""]
    try:
        if what not in ("joint_states", "controller"):
            print(USAGE, file=sys.stderr)
            return 2
        file = RobotFile.load(robot)
    except PayloadIdError as error:
        print(f"payload_id: {error}", file=sys.stderr)
        return 2
    of_states = file.joint_states.topic.lstrip("/")
    print(of_states if what == "joint_states" else trajectory_controller(file), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
