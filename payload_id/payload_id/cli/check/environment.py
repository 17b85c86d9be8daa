"""What can be said of a machine without ROS: versions, libraries, room, domain."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ...core.errors import ConfigurationError
from ...core.recording_checks.check_result import CheckResult, Verdict
from ...core.version import VERSION
from ...ros.access.domain import ros_domain
from ..common.checked import judged

OLDEST = (3, 10)
# What identification needs, by the name under which it is imported and that of its distribution.
LIBRARIES = {
    "numpy": "numpy", "scipy": "scipy", "pinocchio": "pin", "clarabel": "clarabel",
    "highspy": "highspy", "rosbags": "rosbags", "matplotlib": "matplotlib",
}  # fmt: skip
ROOM = 1e9  # [bytes] below which recordings soon fill a disk
HIGHEST_DOMAIN = 101  # above it, ports of DDS may be those of other programs on Linux


def environment() -> list[CheckResult]:
    """Return what was found of the machine."""
    return [_python(), _libraries(), _ros(), _domain(os.environ), _disk(Path.cwd())]


def _python() -> CheckResult:
    """Judge the interpreter, and say which of the packages runs."""
    found = (
        f"Python {platform.python_version()}, payload_id {VERSION} in {Path(__file__).parents[2]}"
    )
    do = "" if sys.version_info >= OLDEST else "Install Python 3.10 or later."
    return judged("Python", found, "3.10 or later", do)


def _libraries() -> CheckResult:
    """Judge whether the libraries are there."""
    missing = [each for name, each in LIBRARIES.items() if importlib.util.find_spec(name) is None]
    found, do = ", ".join(f"{each} {_version(each)}" for each in LIBRARIES.values()), ""
    if missing:
        found = f"missing: {', '.join(missing)}"
        do = "Install them: ./payload-id sets up all of it, pip install ./payload_id the library."
    return judged("libraries", found, "all", do)


def _version(distribution: str) -> str:
    """Return the version of an installed distribution."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "of unknown version"


def _ros() -> CheckResult:
    """Judge whether nodes can be reached from here."""
    missing = [x for x in ("rclpy", "payload_id_msgs") if importlib.util.find_spec(x) is None]
    found, do = f"ROS 2, {os.environ.get('ROS_DISTRO', 'from wheels')}", ""
    if missing:
        do = "Run it as ./payload-id check in the repository, or source a workspace that holds it."
        found = f"{', '.join(missing)} cannot be imported: recordings only, no nodes"
    return judged("ROS", found, "rclpy and payload_id_msgs", do, Verdict.LOOK)


def _domain(variables: Mapping[str, str]) -> CheckResult:
    """Judge where this machine looks for nodes."""
    domain = variables.get("ROS_DOMAIN_ID", "") or "0"
    reach = variables.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "") or "SUBNET"
    verdict, do = Verdict.LOOK, ""
    try:
        if ros_domain(variables) > HIGHEST_DOMAIN:
            do = "Choose a lower ROS_DOMAIN_ID on all machines: ports of a higher one may be taken."
        elif reach == "OFF":
            do = (
                "Set ROS_AUTOMATIC_DISCOVERY_RANGE to LOCALHOST or SUBNET, unless peers are listed."
            )
    except ConfigurationError:
        verdict = Verdict.WRONG
        do = f"Set ROS_DOMAIN_ID to a whole number up to {HIGHEST_DOMAIN}, or leave it out."
    expected = f"a domain from 0 to {HIGHEST_DOMAIN}"
    return judged("domain", f"domain {domain}, discovery {reach}", expected, do, verdict)


def _disk(folder: Path) -> CheckResult:
    """Judge whether there is room for recordings."""
    free = shutil.disk_usage(folder).free
    do = "" if free >= ROOM else "Make room, or record elsewhere: a minute takes about 20 MB."
    found = f"{free / 1e9:.3g} GB free in {folder}"
    return judged("disk", found, f"{ROOM / 1e9:g} GB", do, Verdict.LOOK)
