"""What the machine must have before the set-up starts."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import sysconfig
from pathlib import Path

from setup_environment.steps import Runner, SetupError

NEWEST = (3, 14)  # newest Python that the ROS wheels are built for
PYTHON = "{}.{}".format(*sys.version_info)


def check(root: Path) -> None:
    """Refuse machines that the pinned packages do not exist for, and folders that tools split.

    Raises:
        SetupError: One sentence that says what is needed.
    """
    system, machine = platform.system(), platform.machine()
    if (system, machine) != ("Linux", "x86_64"):
        raise SetupError(
            f"this machine is {system} on {machine}, but the pinned packages exist for Linux on"
            " x86_64 only; use such a machine or a container of it."
        )
    if sys.version_info[:2] > NEWEST:
        raise SetupError(
            f"the pinned packages do not exist for Python {PYTHON} yet; put a python3 between 3.10"
            f" and {NEWEST[0]}.{NEWEST[1]} first on the PATH."
        )
    apart = [letter for letter in ":;\n" if letter in str(root)]
    if apart:
        raise SetupError(
            f"this folder's path holds {apart[0]!r}, by which ROS, CMake or the linker tell one "
            f"folder from the next: {str(root)!r}; rename it, or clone to another place"
        )


def missing_tools() -> dict[str, str]:
    """Return what is missing for the set-up: description and Debian package of each."""
    headers = Path(sysconfig.get_config_var("INCLUDEPY"), "Python.h")
    present = {
        ("a C compiler", "gcc"): shutil.which("cc") or shutil.which("gcc"),
        ("a C++ compiler", "g++"): shutil.which("c++") or shutil.which("g++"),
        ("Python's venv module", f"python{PYTHON}-venv"): importlib.util.find_spec("ensurepip"),
        ("Python's headers", f"python{PYTHON}-dev"): headers.exists(),
    }
    return {what: package for (what, package), found in present.items() if not found}


def ensure_tools(runner: Runner) -> None:
    """See to it that compilers and Python parts are there; as root, install them with apt.

    Raises:
        SetupError: One line that says what to install.
    """
    missing = missing_tools()
    wanted = f"apt-get install {' '.join(missing.values())}"
    remedy = f"{' and '.join(missing)} missing; install with: sudo {wanted}"
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        script = f"apt-get -q -y update && {wanted} -q -y --no-install-recommends"
        shell = ["env", "DEBIAN_FRONTEND=noninteractive", "sh", "-c", script]
        runner.run(f"installing {' and '.join(missing)} with apt", shell, remedy)
        importlib.invalidate_caches()
        missing = missing_tools()
    if missing:
        raise SetupError(remedy)
