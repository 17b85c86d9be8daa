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
    good = sys.version_info >= OLDEST
    do = "" if good else "Install Python 3.10 or later."
    return CheckResult(
        "Python", Verdict.GOOD if good else Verdict.WRONG, found, "3.10 or later", do
    )


def _libraries() -> CheckResult:
    """Judge whether the libraries are there."""
    missing = [each for name, each in LIBRARIES.items() if importlib.util.find_spec(name) is None]
    if missing:
        do = "Install them: ./payload-id sets up all of it, pip install ./payload_id the library."
        return CheckResult("libraries", Verdict.WRONG, f"missing: {', '.join(missing)}", "all", do)
    found = ", ".join(f"{each} {_version(each)}" for each in LIBRARIES.values())
    return CheckResult("libraries", Verdict.GOOD, found, "all")


def _version(distribution: str) -> str:
    """Return the version of an installed distribution."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "of unknown version"


def _ros() -> CheckResult:
    """Judge whether nodes can be reached from here."""
    missing = [x for x in ("rclpy", "payload_id_msgs") if importlib.util.find_spec(x) is None]
    distribution = os.environ.get("ROS_DISTRO", "from wheels")
    if missing:
        do = "Run it as ./payload-id check in the repository, or source a workspace that holds it."
        found = f"{', '.join(missing)} cannot be imported: recordings only, no nodes"
        return CheckResult("ROS", Verdict.LOOK, found, "rclpy and payload_id_msgs", do)
    return CheckResult("ROS", Verdict.GOOD, f"ROS 2, {distribution}", "rclpy and payload_id_msgs")


def _domain(variables: Mapping[str, str]) -> CheckResult:
    """Judge where this machine looks for nodes."""
    domain = variables.get("ROS_DOMAIN_ID", "") or "0"
    reach = variables.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "") or "SUBNET"
    found, expected = f"domain {domain}, discovery {reach}", f"a domain from 0 to {HIGHEST_DOMAIN}"
    try:
        number = ros_domain(variables)
    except ConfigurationError:
        do = f"Set ROS_DOMAIN_ID to a whole number up to {HIGHEST_DOMAIN}, or leave it out."
        return CheckResult("domain", Verdict.WRONG, found, expected, do)
    if number > HIGHEST_DOMAIN:
        do = "Choose a lower ROS_DOMAIN_ID on all machines: ports of a higher one may be taken."
        return CheckResult("domain", Verdict.LOOK, found, expected, do)
    if reach == "OFF":
        do = "Set ROS_AUTOMATIC_DISCOVERY_RANGE to LOCALHOST or SUBNET, unless peers are listed."
        return CheckResult("domain", Verdict.LOOK, found, expected, do)
    return CheckResult("domain", Verdict.GOOD, found, expected)


def _disk(folder: Path) -> CheckResult:
    """Judge whether there is room for recordings."""
    free = shutil.disk_usage(folder).free
    found, expected = f"{free / 1e9:.3g} GB free in {folder}", f"{ROOM / 1e9:g} GB"
    do = "" if free >= ROOM else "Make room, or record elsewhere: a minute takes about 20 MB."
    return CheckResult("disk", Verdict.LOOK if do else Verdict.GOOD, found, expected, do)
