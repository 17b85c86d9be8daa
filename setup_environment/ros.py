"""Finding a ROS 2 installation that is sourced."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from setup_environment.steps import SetupError

OLDEST = "jazzy"  # distributions are named in alphabetical order
WHEELS_GUARD = "_ROS_WHEELS_BOOTSTRAP_COMPLETE"


@dataclass(frozen=True)
class Ros:
    """A sourced ROS 2 installation.

    Args:
        distro: Its name, such as jazzy.
        prefixes: Its prefixes and those of the overlays, first one first.
        python_path: Folders of its Python packages.
    """

    distro: str
    prefixes: tuple[str, ...]
    python_path: tuple[str, ...]

    @property
    def home(self) -> str:
        """The prefix that rclpy is in."""
        return next(filter(has_rclpy, self.prefixes))

    def provides(self, package: str) -> bool:
        """Tell whether a ROS package is installed in one of the prefixes."""
        return any(is_indexed(prefix, package) for prefix in self.prefixes)


def is_indexed(prefix: str, package: str) -> bool:
    """Tell whether a prefix holds a ROS package."""
    return Path(prefix, "share/ament_index/resource_index/packages", package).exists()


def has_rclpy(prefix: str) -> bool:
    """Tell whether a prefix holds ROS 2's Python client library."""
    return is_indexed(prefix, "rclpy")


def outside(value: str | None, root: Path) -> tuple[str, ...]:
    """Split a path variable and leave out what lies in this checkout's own environments."""
    parts = [part for part in (value or "").split(os.pathsep) if part]
    return tuple(part for part in parts if not part.startswith(f"{root}/.venv"))


def sourced(environment: Mapping[str, str], root: Path) -> Ros | None:
    """Return the ROS 2 installation that the environment variables point to, if any.

    Raises:
        SetupError: If it is older than what the project supports.
    """
    distro = environment.get("ROS_DISTRO", "")
    prefixes = outside(environment.get("AMENT_PREFIX_PATH"), root)
    if not distro or not any(map(has_rclpy, prefixes)):
        return None
    if distro < OLDEST:
        raise SetupError(
            f"ROS 2 {distro} is sourced, but {OLDEST} or later is needed; start from a shell in"
            " which it is not sourced (PyPI's ROS 2 packages are used then), or source a later one."
        )
    return Ros(distro, prefixes, outside(environment.get("PYTHONPATH"), root))
