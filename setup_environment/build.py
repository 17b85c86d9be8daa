"""Building the repository's ROS packages straight into the environment.

Messages are built by colcon, all packages in one call. The Python package is installed by the
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
MESSAGES = "building the messages"
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

    Most of the time goes by the interfaces (messages, services, actions), about 1.5 s for each.
    """
    messages = [x for x in folders if x.name != PYTHON_PACKAGE]
    count = sum(len([*x.glob("*/*.[msa][src][gvt]*")]) for x in messages)
    return ({MESSAGES: 10.0 + 1.5 * count} if messages else {}) | {
        f"building {x.name}": 4.0 for x in folders if x.name == PYTHON_PACKAGE
    }


def install(place: Place, folders: dict[Path, str], runner: Runner) -> None:
    """Remove the former installation of some packages, install them and write their stamps."""
    messages = [x for x in folders if x.name != PYTHON_PACKAGE]
    for folder in folders:
        clear(place, folder.name)
    if messages:
        runner.run(MESSAGES, colcon(place, messages), REMEDY)
    for folder in folders:
        if folder.name == PYTHON_PACKAGE:
            command = setup_py(place, place.state / "build" / folder.name)
            runner.run(f"building {folder.name}", command, REMEDY, folder)
    for folder, value in folders.items():
        place.set_made(folder.name, value)


def clear(place: Place, package: str) -> None:
    """Remove what an earlier installation of a package left, its stamp first."""
    place.stamp(package).unlink(missing_ok=True)
    built = place.state / "build" / package
    files = built / "install.log"  # written by setup.py: the files that it installed
    former = files.read_text().splitlines() if files.exists() else []
    for path in (*map(Path, former), *place.venv.glob(f"{PURELIB}/{package}"), built):
        remove(path)
    built.mkdir(parents=True)


def setup_py(place: Place, built: Path) -> list[object]:
    """Compose colcon's own call of setup.py."""
    return [
        place.python, "setup.py",
        "egg_info", "--egg-base", built,
        "build", "--build-base", built / "build",
        "install", "--prefix", place.venv, "--record", built / "install.log",
        "--single-version-externally-managed",
    ]  # fmt: skip


def colcon(place: Place, folders: list[Path]) -> list[object]:
    """Compose the colcon command; builds use the interpreter that runs it: the environment's."""
    return [
        place.python, "-c", COLCON, "--log-base", place.state / "log",
        "build", "--paths", *folders,
        "--build-base", place.state / "build", "--install-base", place.venv, "--merge-install",
        "--cmake-args", "-GNinja", f"-DPython3_EXECUTABLE={place.python}", "-DBUILD_TESTING=OFF",
        "-DCMAKE_BUILD_TYPE=Release", f"-DPYTHON_INSTALL_DIR={PURELIB}",
        f"-DPYTHON_ONLY={'OFF' if place.distro else 'ON'}",
    ]  # fmt: skip
