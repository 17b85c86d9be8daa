"""Making the virtual environment from the pinned packages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from setup_environment import lockfile, machine, stamps
from setup_environment.layout import Layout
from setup_environment.ros import Ros
from setup_environment.steps import Runner, SetupError, StepFailed, say

VERSION = "1"  # version of this set-up; a change makes every environment anew
NETWORK = "check the network connection (and proxy, if any), then run the same command again."
VISIBLE = (
    "import importlib.metadata as m, json, sys;"
    "print(json.dumps([d.metadata['Name'] for d in m.distributions() if d.metadata['Name']]))"
)
# Include folders of the Python that the ROS wheels were built with, as their CMake exports name it.
BUILD_PYTHON = re.compile(r"/opt/python/cp\d+-cp\d+/include/python\d\.\d+")
BUILD_NUMPY = re.compile(
    r"/opt/python/cp\d+-cp\d+/lib/python\d\.\d+/site-packages/numpy/_?core/include"
)


def environment_digest(layout: Layout, ros: Ros | None) -> str:
    """Hash everything that the environment is made from."""
    python = str(sys.implementation.cache_tag)  # implementation and version, such as cpython-312
    place = f"{ros.distro} {ros.home}" if ros else "wheels"
    return stamps.digest(VERSION, python, place, str(layout.venv), layout.lock.read_bytes())


def is_complete(layout: Layout, value: str) -> bool:
    """Tell whether the environment was finished from just these inputs and is still usable."""
    return stamps.is_stamped(layout.stamp, value) and os.access(layout.python, os.X_OK)


def check_owner(layout: Layout) -> None:
    """Refuse an environment that this tool did not make.

    Raises:
        SetupError: One sentence that says what to do.
    """
    if layout.venv.is_dir() and not layout.owner.exists() and any(layout.venv.iterdir()):
        raise SetupError(
            f"{layout.venv} was not made by payload-id; move it away or delete it, then run the"
            " same command again."
        )


def clear(layout: Layout) -> None:
    """Delete the environment's contents: the stamp first, the sign of the owner last."""
    layout.stamp.unlink(missing_ok=True)
    layout.state.mkdir(parents=True, exist_ok=True)
    layout.owner.touch()
    for folder in (layout.venv, layout.state):
        for path in folder.iterdir():
            if path not in (layout.state, layout.owner):
                remove(path)


def remove(path: Path) -> None:
    """Delete a file, link or folder that may not be there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def create(layout: Layout, ros: Ros | None, runner: Runner) -> None:
    """Make the environment from nothing; its stamp is left to the caller."""
    base = machine.base_python()
    clear(layout)
    say(f"first start or changed requirements: setting up {layout.venv.name} (log: {layout.log})")
    options = ["--system-site-packages"] if ros else []
    runner.run(
        "creating the Python environment",
        [base, "-m", "venv", *options, layout.venv],
        "install the python3-venv package of this Python, then run the same command again.",
    )
    install_packages(layout, ros, runner)
    if not ros:
        mend_exports(layout)
    compile_modules(layout, [layout.site_packages], runner)


def compile_modules(layout: Layout, folders: Sequence[Path], runner: Runner) -> None:
    """Compile Python modules once: a start of the command then takes half the time.

    Python does it when a module is first imported, but not where PYTHONDONTWRITEBYTECODE is set.
    """
    compiler: list[str | Path] = [layout.python, "-m", "compileall", "-q", "-j", "0"]
    runner.run(
        "compiling modules",
        [*compiler, *folders],
        "see to it that the disk is not full, then run the same command again.",
    )


def install_packages(layout: Layout, ros: Ros | None, runner: Runner) -> None:
    """Install the pinned packages: uv with pip, the others with uv, which is ten times as fast."""
    entries = lockfile.parse(layout.lock.read_text())
    if ros:
        entries = lockfile.without_ros(entries, provided_by(ros, layout, entries))
    installer, wanted = layout.state / "installer.txt", layout.state / "packages.txt"
    installer.write_text("".join(entry.text for entry in entries if entry.name == "uv"))
    wanted.write_text("".join(entry.text for entry in entries if entry.name != "uv"))
    options = ["install", "--require-hashes", "--no-deps"]
    pip: list[str | Path] = [layout.python, "-m", "pip", *options, "--disable-pip-version-check"]
    runner.run("installing the installer", [*pip, "-r", installer], NETWORK)
    uv: list[str | Path] = [layout.venv / "bin/uv", "pip", *options, "--python", layout.python]
    try:
        runner.run("installing the pinned packages", [*uv, "-r", wanted], NETWORK)
    except StepFailed:
        # uv does not read pip's configuration: a mirror or certificate may be named only there.
        say("the fast installer failed; trying pip, which takes about a minute")
        runner.run(
            "installing the pinned packages with pip", [*pip, "-r", wanted], packages_remedy()
        )


def packages_remedy() -> str:
    """Say what to do when the pinned packages cannot be installed."""
    if sys.version_info[:2] > (3, 12):
        return f"{NETWORK[:-1]}; if it fails again, put a Python 3.10 to 3.12 first on the PATH."
    return NETWORK


def provided_by(ros: Ros, layout: Layout, entries: list[lockfile.Entry]) -> set[str]:
    """Name the distributions that the ROS installation provides and the lock must not shadow."""
    own = visible_distributions(layout, only_in=ros.python_path)
    every = visible_distributions(layout, only_in=())
    tools = {entry.name for entry in entries if lockfile.serves_only_the_build(entry)} & every
    if {"colcon-core", "colcon-ros", "colcon-cmake", "colcon-python-setup-py"} <= every:
        tools |= {name for name in every if name.startswith("colcon-")}
    return own | tools | ({"cmake"} if shutil.which("cmake") else set())


def visible_distributions(layout: Layout, only_in: tuple[str, ...]) -> set[str]:
    """List what the fresh environment's interpreter can import, or what lies in some folders."""
    code = VISIBLE.replace("()", f"(path={list(only_in)!r})", 1) if only_in else VISIBLE
    answer = subprocess.run(
        [layout.python, "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return {lockfile.normalised(name) for name in json.loads(answer.stdout)} - {"pip", "setuptools"}


def mend_exports(layout: Layout) -> None:
    """Make the ROS wheels' CMake exports name this machine's include folders.

    CMake refuses include folders that do not exist. Each file is replaced, not written to: it may
    be a hard link into the installer's cache.
    """
    numpy = str(layout.site_packages / "numpy/_core/include")
    python = sysconfig.get_config_var("INCLUDEPY")
    for path in sorted((layout.venv / "share").glob("*/cmake/*.cmake")):
        text = path.read_text()
        if "/opt/python/" in text:
            fresh = path.with_suffix(".mended")
            fresh.write_text(BUILD_PYTHON.sub(python, BUILD_NUMPY.sub(numpy, text)))
            os.replace(fresh, path)
