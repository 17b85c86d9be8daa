"""Print where a robot file's topics are in a namespace, for launch files, or its controller's name.

In a namespace that is the file's name of the topic without its leading slash, so that arms with
one robot file do not meet; without one nothing, which parameters understand as the file's name.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ...core.errors import PayloadIdError
from ...files.robots.robot_file import RobotFile
from ..simulated_arm.real_controllers.parameters import trajectory_controller

TOPICS = ("joint_states", "trajectory")
USAGE = (
    "usage: robot_topic joint_states|trajectory|controller ROBOT_FILE, and a namespace where there "
    "is one"
)


def main(args: Sequence[str] | None = None) -> int:
    """Print the name; returns the exit code."""
    what, robot, *namespace = [*(sys.argv[1:] if args is None else args), "", ""][:3]
    try:
        if what not in (*TOPICS, "controller"):
            print(USAGE, file=sys.stderr)
            return 2
        file = RobotFile.load(robot)
    except PayloadIdError as error:
        print(f"payload_id: {error}", file=sys.stderr)
        return 2
    if what == "controller":
        print(trajectory_controller(file), end="")
        return 0
    topics = {"joint_states": file.joint_states.topic, "trajectory": file.command.trajectory_topic}
    print(topics[what].lstrip("/") if any(x.strip("/") for x in namespace) else "", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
