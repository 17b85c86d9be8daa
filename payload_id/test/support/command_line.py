"""The command line as its user meets it: a process, its output, its exit code."""

from __future__ import annotations

import subprocess
import sys

WITHOUT_ROS = (
    "import sys; sys.modules['rclpy'] = None; from payload_id.cli.main import main; "
    "sys.exit(main(sys.argv[1:]))"
)


def run(*arguments: object, timeout: float = 180.0) -> subprocess.CompletedProcess[str]:
    """Run `payload-id ARGUMENTS` where rclpy cannot be imported."""
    command = [sys.executable, "-c", WITHOUT_ROS, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)
