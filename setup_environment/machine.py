"""What the machine must have before the set-up starts."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from setup_environment.ros import WHEELS_GUARD
from setup_environment.steps import Runner, SetupError, say

NEWEST = (3, 14)  # newest Python that the ROS wheels are built for


def check_platform(system: str, machine: str, version: tuple[int, int]) -> None:
    """Refuse machines that the pinned packages do not exist for.

    Raises:
        SetupError: One sentence that says what is needed.
    """
    if (system, machine) != ("Linux", "x86_64"):
        raise SetupError(
            f"this machine is {system} on {machine}, but the pinned packages exist for Linux on"
            " x86_64 only; use such a machine or a container of it."
        )
    if version > NEWEST:
        raise SetupError(
            f"the pinned packages do not exist for Python {version[0]}.{version[1]} yet; put a"
            f" python3 between 3.10 and {NEWEST[0]}.{NEWEST[1]} first on the PATH."
        )


def check_this_machine() -> None:
    """Check the machine that this runs on; see `check_platform`."""
    check_platform(
        platform.system(), platform.machine(), (sys.version_info[0], sys.version_info[1])
    )


def check_place(root: Path) -> None:
    """Refuse a folder whose path the tools would take for several.

    Raises:
        SetupError: It is such a one.
    """
    apart = [letter for letter in ":;\n" if letter in str(root)]
    if apart:
        raise SetupError(
            f"this folder's path holds {apart[0]!r}, by which ROS, CMake or the linker tell one "
            f"folder from the next: {str(root)!r}; rename it, or clone to another place"
        )


def missing_tools(which: Callable[[str], str | None] = shutil.which) -> dict[str, str]:
    """Return what is missing for the set-up: description and Debian package of each."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    headers = Path(sysconfig.get_config_var("INCLUDEPY"), "Python.h")
    present = {
        ("a C compiler", "gcc"): which("cc") or which("gcc"),
        ("a C++ compiler", "g++"): which("c++") or which("g++"),
        ("Python's venv module", f"python{version}-venv"): importlib.util.find_spec("ensurepip"),
        ("Python's headers", f"python{version}-dev"): headers.exists(),
    }
    return {what: package for (what, package), found in present.items() if not found}


def advice(missing: dict[str, str]) -> str:
    """Return one line that says what is missing and how to install it."""
    names, packages = " and ".join(missing), " ".join(missing.values())
    verb = "is" if len(missing) == 1 else "are"
    return f"{names} {verb} missing; install with: sudo apt-get install {packages}"


def ensure_tools(runner: Runner) -> None:
    """See to it that compilers and Python parts are there; as root, install them with apt.

    Raises:
        SetupError: One line that says what to install.
    """
    missing = missing_tools()
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        say(advice(missing).split(";")[0])
        install_with_apt(runner, list(missing.values()), advice(missing))
        importlib.invalidate_caches()
        missing = missing_tools()
    if missing:
        raise SetupError(advice(missing))


def install_with_apt(runner: Runner, packages: list[str], remedy: str) -> None:
    """Install Debian packages."""
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]
    runner.run("updating the list of packages", [*apt, "update"], remedy)
    step = f"installing {' '.join(packages)} with apt"
    runner.run(step, [*apt, "install", "--no-install-recommends", *packages], remedy)


def base_python() -> str:
    """Return the interpreter outside any virtual environment that this one belongs to."""
    code = "import sys; print(sys._base_executable)"
    answer = subprocess.run(
        [sys.executable, "-I", "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, WHEELS_GUARD: "1"},
    )
    return answer.stdout.strip() or sys.executable
