"""The virtual environment: where it lies, what it is made from, and how it is made."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from setup_environment import machine
from setup_environment.steps import Runner, SetupError, say

OLDEST = "jazzy"  # oldest ROS 2 that is built with; distributions are named in alphabetical order
PURELIB = f"lib/python{machine.PYTHON}/site-packages"
# Steps, and about how long they take [s] on two free cores; only their proportions count.
STEPS = {
    "creating the Python environment": 4.0,
    "installing the installer": 4.0,
    "installing the pinned packages": 40.0,
}
NETWORK = (
    "check the network connection (an index that pip is told of serves uv as well), then"
    " run the same command again; if it fails again, put a Python 3.10 to 3.12 first on the PATH."
)
# Include folders of the Python that the ROS wheels were built with, as their CMake exports name it.
BUILD_PYTHON = re.compile(r"/opt/python/cp\d+-cp\d+/include/python\d\.\d+")
BUILD_NUMPY = re.compile(r"/opt/python/cp[^;\" ]*/site-packages/numpy/_?core/include")


def digest(*parts: object) -> str:
    """Hash some parts, written so that no two lists of parts look alike."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Place:
    """A checkout, its virtual environment, and the ROS 2 installation that it stands on.

    Args:
        root: The repository.
        distro: Name of the sourced ROS 2, such as jazzy; empty: ROS comes from wheels.
        prefixes: Its prefixes and those of the overlays, first one first.
    """

    root: Path
    distro: str = ""
    prefixes: tuple[str, ...] = ()

    @property
    def venv(self) -> Path:
        """The environment, also the prefix that the ROS packages are installed to."""
        return self.root / (f".venv-{self.distro}" if self.distro else ".venv")

    @property
    def state(self) -> Path:
        """Stamps, log and build folders; that there is one shows that this tool made the rest."""
        return self.venv / "setup"

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.venv / "bin" / "python"

    def stamp(self, name: str) -> Path:
        """Stamp of the environment or of one installed ROS package."""
        return self.state / f"{name}.stamp"

    def is_made(self, name: str, value: str) -> bool:
        """Tell whether it was finished from just what a value is the hash of."""
        return self.stamp(name).is_file() and self.stamp(name).read_bytes() == value.encode()

    def set_made(self, name: str, value: str) -> None:
        """Write a stamp: completely or not at all, after everything that was made before it."""
        os.sync()
        partial = self.state / "partial"
        partial.write_text(value)
        os.replace(partial, self.stamp(name))

    def provides(self, package: str) -> bool:
        """Tell whether the ROS 2 installation has a package."""
        index = "share/ament_index/resource_index/packages"
        return any(Path(prefix, index, package).exists() for prefix in self.prefixes)


def place_of(root: Path, variables: Mapping[str, str]) -> Place:
    """Return where a checkout's environment is, by the ROS 2 that the variables point to.

    Raises:
        SetupError: The sourced ROS 2 is older than what the project supports.
    """
    distro = variables.get("ROS_DISTRO", "")
    prefixes = variables.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    others = tuple(x for x in prefixes if x and not x.startswith(f"{root}/.venv"))
    sourced = Place(root, distro, others)
    if not distro or not sourced.provides("rclpy"):
        return Place(root)
    if distro < OLDEST:
        raise SetupError(
            f"ROS 2 {distro} is sourced, but {OLDEST} or later is needed; start from a shell in"
            " which it is not sourced (PyPI's ROS 2 packages are used then), or source a later one."
        )
    return sourced


def made_from(place: Place) -> str:
    """Hash everything that the environment is made from."""
    lock = (place.root / "requirements.lock").read_bytes()
    return digest("2", sys.implementation.cache_tag, place.venv, lock)  # tag: such as cpython-312


def is_complete(place: Place) -> bool:
    """Tell whether the environment was finished from just these inputs and is still usable."""
    return place.is_made("environment", made_from(place)) and place.python.exists()


def remove(path: Path) -> None:
    """Delete a file, link or folder that may not be there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def create(place: Place, runner: Runner) -> None:
    """Make the environment from nothing, with what the lock pins, and stamp it.

    Raises:
        SetupError: There is an environment that this tool did not make, or a step failed.
    """
    if place.venv.is_dir() and any(place.venv.iterdir()) and not place.state.is_dir():
        raise SetupError(
            f"{place.venv} was not made by payload-id; move it away or delete it, then run the"
            " same command again."
        )
    place.state.mkdir(parents=True, exist_ok=True)
    place.stamp("environment").unlink(missing_ok=True)
    for path in {*place.venv.iterdir(), *place.state.iterdir()} - {place.state}:
        remove(path)
    machine.ensure_tools(runner)
    say(f"first start or changed requirements: setting up {place.venv.name} (log: {runner.log})")
    base = Path(sys.executable).resolve()  # of a virtual environment: the one that it was made with
    venv = [base, "-m", "venv", *(["--system-site-packages"] if place.distro else [])]
    step, *others = STEPS
    remedy = "install the python3-venv package of this Python, then run the same command again."
    runner.run(step, [*venv, place.venv], remedy)
    install_packages(place, others, runner)
    mend_exports(place)
    # On the PATH of who activates the environment.
    (place.venv / "bin" / "payload-id").symlink_to(place.root / "payload-id")
    place.set_made("environment", made_from(place))


def install_packages(place: Place, steps: Sequence[str], runner: Runner) -> None:
    """Install the groups of pyproject.toml as the lock pins them: uv by pip, the rest by uv."""
    pip: list[str | Path] = [place.python, "-m", "pip"]
    lock, project = place.root / "requirements.lock", place.root / "pyproject.toml"
    [entry] = re.findall(r"^uv==(?:.*\\\n)*.*\n", lock.read_text(), re.MULTILINE)
    installer = place.state / "uv.txt"
    installer.write_text(entry)
    options = ["--require-hashes", "--no-deps", "-r", installer]
    runner.run(steps[0], [*pip, "install", *options], NETWORK)
    told = subprocess.run([*pip, "config", "list"], capture_output=True, text=True).stdout
    index = [f"--default-index={x}" for x in re.findall(r"[.]index-url='(.*)'", told)[:1]]
    ros = [] if place.distro else ["ros"]
    groups = [
        "build",
        "test",
        *ros,
        *([] if place.distro and shutil.which("colcon") else ["colcon"]),
    ]
    how = ["--compile-bytecode", "--require-hashes", "--native-tls", *index]
    wanted = ["-r", project, "--all-extras", *(f"--group={project}:{x}" for x in groups)]
    uv = [place.venv / "bin" / "uv", "pip", "install", "--python", place.python, "-c", lock]
    runner.run(steps[1], [*uv, *how, *wanted], NETWORK)


def mend_exports(place: Place) -> None:
    """Make the ROS wheels' CMake exports name this machine's include folders.

    CMake refuses include folders that do not exist. Each file is replaced, not written to: it may
    be a hard link into the installer's cache.
    """
    numpy = str(place.venv / PURELIB / "numpy/_core/include")
    python = sysconfig.get_config_var("INCLUDEPY")
    for path in sorted((place.venv / "share").glob("*/cmake/*.cmake")):
        text = path.read_text()
        if "/opt/python/" in text:
            fresh = path.with_suffix(".mended")
            fresh.write_text(BUILD_PYTHON.sub(python, BUILD_NUMPY.sub(numpy, text)))
            os.replace(fresh, path)
