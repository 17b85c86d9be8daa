"""The launch file with real controllers, where they and `ros2 launch` are: the payload is found."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from payload_id.files.runs.run_file import RunFile
from promises.nodes import next_domain
from promises.real_controllers import installation

HARDWARE = "share/joint_state_topic_hardware_interface"
PREFIXES = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
THERE = (
    installation() is not None
    and shutil.which("ros2") is not None
    and any((Path(prefix) / HARDWARE).exists() for prefix in PREFIXES if prefix)
)
ENDED = re.compile(r"payload-id-\d+\]: process has")
PATIENCE = 400.0  # [s], at a part of real time
MASS = 1.2  # [kg] of the payload that the launch file puts in the hand

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not THERE,
        reason="no sourced ROS 2 installation with ros2 launch, ros2_control and "
        "joint_state_topic_hardware_interface",
    ),
]


def test_one_command_starts_controllers_and_arm_and_identifies_the_payload(tmp_path):
    log = tmp_path / "log"
    environment = {
        **os.environ, "ROS_DOMAIN_ID": str(next_domain()), "ROS_HOME": str(tmp_path / "home"),
        "HOME": str(tmp_path),
    }  # fmt: skip
    line = (
        "ros2", "launch", "payload_id", "real_controllers.launch.xml",
        f"bag:={tmp_path / 'bag'}", "real_time_factor:=0.3", "identify_after:=30.0",
    )  # fmt: skip
    with log.open("wb") as stream:
        launched = subprocess.Popen(
            line, stdout=stream, stderr=stream, env=environment, start_new_session=True
        )
    try:
        found = _waited_for(launched, log)
    finally:
        os.killpg(launched.pid, signal.SIGINT)
        try:
            launched.wait(60.0)
        finally:
            if launched.poll() is None:
                os.killpg(launched.pid, signal.SIGKILL)
    assert "Nothing contradicts" in found, found[-4000:]
    saved = RunFile.load(tmp_path / "bag").result
    assert saved.lower[0] <= MASS <= saved.upper[0]
    assert saved.status.value in ("GOOD", "TOO_WIDE")


def _waited_for(launched: subprocess.Popen[bytes], log: Path) -> str:
    """Return what was printed when the identification has ended."""
    end = time.monotonic() + PATIENCE
    over = lambda: ENDED.search(log.read_text(errors="replace"))  # noqa: E731
    while time.monotonic() < end and launched.poll() is None and not over():
        time.sleep(1.0)
    return log.read_text(errors="replace")
