"""Building the repository's ROS packages straight into the environment.

Messages are built by colcon, one package after the other. The Python package is installed by the
call of setup.py that colcon would make, which without colcon around it takes a third of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from setup_environment.environment import (
    PURELIB,
    Place,
    digest,
    made_from,
    remove,
)
from setup_environment.steps import Runner

PYTHON_PACKAGE = "payload_id"
COLCON = "import sys; from colcon_core.command import main; sys.exit(main())"
REMEDY = "mend the sources if you changed them, else delete the environment's folder and run again."
NOT_INSTALLED = {"test", "build", "install", "log"}  # folders beside package.xml
IGNORED = ("__pycache__", ".egg-info", "~")


def packages(place: Place) -> list[Path]:
    """List the package folders to build, in the order of their dependencies.

    Stand-ins for message packages that the ROS wheels lack come first; one is left out where the
    ROS installation has the real package.
    """
    stand_ins = sorted(path.parent for path in place.root.glob("interfaces/*/package.xml"))
    needed = [path for path in stand_ins if not place.provides(path.name)]
    return [*needed, place.root / "payload_id_msgs", place.root / PYTHON_PACKAGE]


def changed(place: Place) -> dict[Path, str]:
    """Return the packages whose installation does not match their sources, with their digests."""
    values = {x: digest(made_from(place), *sources(x)) for x in packages(place)}
    return {x: value for x, value in values.items() if not place.is_made(x.name, value)}


def sources(package: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a package that its installation depends on: names and contents."""
    for path in sorted(package.rglob("*")):
        parts = path.relative_to(package).parts
        ignored = parts[0] in NOT_INSTALLED or any(
            x.startswith(".") or x.endswith(IGNORED) for x in parts
        )
        if path.is_file() and not ignored:
            yield str(path), path.read_bytes()


def steps(folders: dict[Path, str]) -> dict[str, float]:
    """Return the steps of building some packages, and about how long each takes [s].

    Most of the time goes by the interfaces (messages, services, actions), about 3 s for each.
    """
    return {
        f"building {x.name}": 10.0 + 3.0 * len([*x.glob("*/*.[msa][src][gvt]*")]) for x in folders
    }


def install(place: Place, folder: Path, value: str, runner: Runner) -> None:
    """Remove a package's former installation, install it and write its stamp."""
    place.stamp(folder.name).unlink(missing_ok=True)
    built = place.state / "build" / folder.name
    files = built / "install.log"  # written by setup.py: the files that it installed
    former = files.read_text().splitlines() if files.exists() else []
    for path in (*map(Path, former), *place.venv.glob(f"{PURELIB}/{folder.name}"), built):
        remove(path)
    built.mkdir(parents=True)
    command = setup_py(place, built) if folder.name == PYTHON_PACKAGE else colcon(place, folder)
    runner.run(f"building {folder.name}", command, REMEDY, folder)
    place.set_made(folder.name, value)


def setup_py(place: Place, built: Path) -> list[object]:
    """Compose colcon's own call of setup.py."""
    return [
        place.python, "setup.py",
        "egg_info", "--egg-base", built,
        "build", "--build-base", built / "build",
        "install", "--prefix", place.venv, "--record", built / "install.log",
        "--single-version-externally-managed",
    ]  # fmt: skip


def colcon(place: Place, folder: Path) -> list[object]:
    """Compose the colcon command; builds use the interpreter that runs it: the environment's."""
    return [
        place.python, "-c", COLCON, "--log-base", place.state / "log",
        "build", "--paths", folder,
        "--build-base", place.state / "build", "--install-base", place.venv, "--merge-install",
        "--cmake-args", "-GNinja", f"-DPython3_EXECUTABLE={place.python}", "-DBUILD_TESTING=OFF",
        "-DCMAKE_BUILD_TYPE=Release", f"-DPYTHON_INSTALL_DIR={PURELIB}",
        f"-DPYTHON_ONLY={'OFF' if place.distro else 'ON'}",
    ]  # fmt: skip
