"""Where everything lies."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

WHEELS_ENVIRONMENT = ".venv"


@dataclass(frozen=True)
class Layout:
    """Paths of one checkout and its virtual environment.

    Args:
        root: The repository.
        venv: The virtual environment, also the prefix that the ROS packages are installed to.
    """

    root: Path
    venv: Path

    @property
    def has_wheels(self) -> bool:
        """Whether ROS comes from wheels, which know only Python, and not from an installation."""
        return self.venv.name == WHEELS_ENVIRONMENT

    @property
    def lock(self) -> Path:
        """The pinned packages."""
        return self.root / "requirements.lock"

    @property
    def state(self) -> Path:
        """Everything of the set-up itself: stamps, log, build folders."""
        return self.venv / "setup"

    @property
    def owner(self) -> Path:
        """The sign that this tool made the environment and may delete it."""
        return self.state / "made-by-payload-id"

    @property
    def stamp(self) -> Path:
        """The stamp of a complete environment."""
        return self.state / "environment.stamp"

    def package_stamp(self, name: str) -> Path:
        """Stamp of one installed ROS package."""
        return self.state / f"{name}.stamp"

    @property
    def log(self) -> Path:
        """What the tools printed during the latest set-up."""
        return self.state / "setup.log"

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.venv / "bin" / "python"

    @property
    def purelib(self) -> str:
        """Folder of the environment's Python packages, relative to the prefix."""
        return f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"

    @property
    def site_packages(self) -> Path:
        """Folder of the environment's Python packages."""
        return self.venv / self.purelib


def layout_of(root: Path, distro: str | None) -> Layout:
    """Lay out a checkout; each ROS distribution has an environment of its own beside `.venv`."""
    return Layout(root, root / (f".venv-{distro}" if distro else WHEELS_ENVIRONMENT))
