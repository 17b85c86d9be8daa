"""Building the repository's ROS packages with colcon, straight into the environment."""

from __future__ import annotations

import shlex
from pathlib import Path

from setup_environment import stamps
from setup_environment.install import compile_modules, remove
from setup_environment.layout import Layout
from setup_environment.ros import Ros
from setup_environment.steps import Runner

PYTHON_PACKAGE = "payload_id"
MESSAGES = "payload_id_msgs"
STAND_INS = "interfaces"  # folder of stand-ins for message packages that ROS wheels lack
COLCON = "import sys; from colcon_core.command import main; sys.exit(main())"
REMEDY = "mend the sources if you changed them, else delete the environment's folder and run again."


def packages(root: Path, ros: Ros | None) -> list[Path]:
    """List the package folders to build, in the order of their dependencies.

    A stand-in is left out where the ROS installation has the real package.
    """
    stand_ins = sorted(path.parent for path in (root / STAND_INS).glob("*/package.xml"))
    needed = [path for path in stand_ins if not (ros and ros.provides(path.name))]
    own = [root / name for name in (MESSAGES, PYTHON_PACKAGE)]
    return needed + [path for path in own if (path / "package.xml").exists()]


def superseded(layout: Layout, ros: Ros | None) -> list[str]:
    """List the stand-ins that were built before the ROS installation had the real packages."""
    names = sorted(path.parent.name for path in (layout.root / STAND_INS).glob("*/package.xml"))
    return [
        name for name in names if ros and ros.provides(name) and layout.package_stamp(name).exists()
    ]


def changed(layout: Layout, folders: list[Path], environment: str) -> dict[Path, str]:
    """Return the packages whose installation does not match their sources, with their digests."""
    values = {folder: stamps.package_digest(folder, environment) for folder in folders}
    return {
        folder: value
        for folder, value in values.items()
        if not stamps.is_stamped(layout.package_stamp(folder.name), value)
    }


def build(layout: Layout, stale: dict[Path, str], runner: Runner) -> None:
    """Build and install the stale packages; each gets its stamp when the tools are through."""
    if [folder.name for folder in stale] == [PYTHON_PACKAGE] and is_installed(
        layout, PYTHON_PACKAGE
    ):
        update(layout, next(iter(stale)), runner)
    else:
        install(layout, stale, runner)
    compile_modules(layout, [layout.site_packages / folder.name for folder in stale], runner)
    for folder, value in stale.items():
        stamps.write_stamp(layout.package_stamp(folder.name), value)


def is_installed(layout: Layout, name: str) -> bool:
    """Tell whether a Python package is completely installed, from old or new sources."""
    return layout.package_stamp(name).exists() and installed_files(layout, name).exists()


def installed_files(layout: Layout, name: str) -> Path:
    """List of the files that a Python package's setup.py installed; colcon has it written there."""
    return layout.state / "build" / name / "install.log"


def update(layout: Layout, folder: Path, runner: Runner) -> None:
    """Install a Python package again over a complete installation: colcon's own call of setup.py.

    Without colcon around it this takes a third of the time, which counts after each edit.
    """
    layout.package_stamp(folder.name).unlink()
    record = installed_files(layout, folder.name)
    for line in record.read_text().splitlines():
        remove(Path(line))
    remove(record.parent / "build")
    command: list[str | Path] = [
        layout.python, "setup.py",
        "egg_info", "--egg-base", record.parent,
        "build", "--build-base", record.parent / "build",
        "install", "--prefix", layout.venv, "--record", record,
        "--single-version-externally-managed",
    ]  # fmt: skip
    runner.run(f"updating {folder.name}", command, REMEDY, folder)


def install(layout: Layout, stale: dict[Path, str], runner: Runner) -> None:
    """Build and install packages from nothing with colcon."""
    for folder in stale:
        uninstall(layout, folder.name)
    names = [folder.name for folder in stale]
    runner.run(f"building {' and '.join(names)}", colcon(layout, list(stale)), REMEDY)


def provide_command(layout: Layout) -> None:
    """Put `payload-id` on the PATH of the environment: the launcher, so that all is up to date."""
    command = layout.venv / "bin" / "payload-id"
    text = f'#!/bin/sh\nexec {shlex.quote(str(layout.root / "payload-id"))} "$@"\n'
    try:
        if command.read_text() == text:
            return
    except (OSError, UnicodeDecodeError):
        pass
    try:
        command.write_text(text)
        command.chmod(0o755)
    except OSError:
        return  # a read-only environment works without it


def uninstall(layout: Layout, name: str) -> None:
    """Remove a package's stamp, then what its former installation left in the prefix."""
    layout.package_stamp(name).unlink(missing_ok=True)
    for pattern in (
        f"{layout.purelib}/{name}",
        f"{layout.purelib}/{name}-*-info",
        f"{layout.purelib}/{name}-*.egg-info",
        f"include/{name}",
        f"lib/{name}",
        f"lib/lib{name}__*.so",
        f"share/{name}",
        f"share/ament_index/resource_index/*/{name}",
        f"share/colcon-core/packages/{name}",
        f"setup/build/{name}",
    ):
        for path in layout.venv.glob(pattern):
            remove(path)


def colcon(layout: Layout, folders: list[Path]) -> list[str | Path]:
    """Compose the colcon command; builds use the interpreter that runs it: the environment's."""
    return [
        layout.python, "-c", COLCON, "--log-base", layout.state / "log",
        "build", "--paths", *folders,
        "--build-base", layout.state / "build", "--install-base", layout.venv, "--merge-install",
        "--cmake-args", "-GNinja", f"-DPython3_EXECUTABLE={layout.python}", "-DBUILD_TESTING=OFF",
        "-DCMAKE_BUILD_TYPE=Release", f"-DPYTHON_INSTALL_DIR={layout.purelib}",
        f"-DPYTHON_ONLY={'ON' if layout.has_wheels else 'OFF'}",
    ]  # fmt: skip
