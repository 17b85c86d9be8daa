"""The environment variables of the command, and the command itself."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from setup_environment.layout import Layout
from setup_environment.ros import WHEELS_GUARD, Ros, outside

TESTS = "payload_id/test"
# A process for each core, and one more that takes what time they leave while they wait for nodes
# (test/conftest.py). A file's tests, which share nodes and recordings, stay together. Files come in
# their order, not those with few tests last: sessions of nodes are few tests, and long.
ON_ALL_CORES = (
    f"--numprocesses={min(os.cpu_count() or 1, 4) + 1}", "--dist=loadfile",
    "--no-loadscope-reorder",
)  # fmt: skip


def clean(environment: Mapping[str, str], layout: Layout, ros: Ros | None) -> dict[str, str]:
    """Return the variables without what a former hand-over or another environment put there."""
    result = dict(environment)
    for name in ("PATH", "LD_LIBRARY_PATH", "AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH", "PYTHONPATH"):
        set_path(result, name, outside(environment.get(name), layout.root))
    unwanted = [WHEELS_GUARD, "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"]
    if not ros:
        unwanted += ["PYTHONPATH", "CMAKE_PREFIX_PATH", "COLCON_PREFIX_PATH"]
    for name in unwanted:
        result.pop(name, None)
    return result


def set_path(environment: dict[str, str], name: str, parts: Sequence[str]) -> None:
    """Set a path variable, or remove it where there is nothing to set."""
    environment.pop(name, None)
    if parts:
        environment[name] = os.pathsep.join(parts)


def prepend(environment: dict[str, str], name: str, parts: Sequence[str | Path]) -> None:
    """Put folders in front of a path variable."""
    former = outside(environment.get(name), Path("/nowhere"))
    first = [str(part) for part in parts]
    set_path(environment, name, first + [part for part in former if part not in first])


def tools_variables(base: Mapping[str, str], layout: Layout, ros: Ros | None) -> dict[str, str]:
    """Return the variables of the set-up's own tools, from cleaned ones.

    Commands look up the user's packages (AMENT_PREFIX_PATH); what is built does not, unless they
    are of the ROS that it is built with.
    """
    result = dict(base)
    if not ros:
        result.pop("AMENT_PREFIX_PATH", None)
    prepend(result, "PATH", [layout.venv / "bin"])
    prepend(result, "AMENT_PREFIX_PATH", [layout.venv])
    prepend(result, "CMAKE_PREFIX_PATH", [layout.venv])
    result["PYTHONNOUSERSITE"] = "1"
    result["COLCON_HOME"] = str(layout.state / "colcon")  # no defaults of the user
    # Otherwise colcon forbids parallel compilation while other programs load the machine.
    result["MAKEFLAGS"] = f"-j{os.cpu_count() or 1}"
    if "PIP_INDEX_URL" in result:  # a mirror named for pip serves uv as well
        result.setdefault("UV_DEFAULT_INDEX", result["PIP_INDEX_URL"])
    return result


def variables(base: Mapping[str, str], layout: Layout, ros: Ros | None) -> dict[str, str]:
    """Return the variables that commands run with, from cleaned ones."""
    result = dict(base)
    prepend(result, "PATH", [layout.venv / "bin"])
    prepend(result, "AMENT_PREFIX_PATH", [layout.venv])
    result |= {"VIRTUAL_ENV": str(layout.venv), "PYTHONNOUSERSITE": "1"}
    if ros:
        prepend(result, "LD_LIBRARY_PATH", [layout.venv / "lib"])
        prepend(result, "PYTHONPATH", [layout.site_packages])
    else:
        set_wheels_libraries(result, layout)
        result["RMW_IMPLEMENTATION"] = "rmw_fastrtps_cpp"  # the only one among the wheels
        result.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    return result


def set_wheels_libraries(environment: dict[str, str], layout: Layout) -> None:
    """Set the library path as the ROS wheels do, which saves the restart they do it by."""
    bundled = sorted(layout.site_packages.glob("ros_*.libs"))
    prepend(environment, "LD_LIBRARY_PATH", [layout.venv / "lib", *bundled])
    environment[WHEELS_GUARD] = "1"


# As -m payload_id, but an interrupt while modules are imported, which takes a second or two, ends
# the process in silence, not with a traceback. Until here it waits (`hold_interrupts`).
START = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT}); "
    "runpy.run_module('payload_id', run_name='__main__', alter_sys=True)"
)


def hold_interrupts(line: Sequence[str]) -> None:
    """Have an interrupt wait while the command's Python starts, if the command then lets it in."""
    if START in line:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def command(layout: Layout, arguments: Sequence[str]) -> tuple[list[str], Path | None]:
    """Return the command line that the arguments stand for, and the folder to run it in."""
    python = str(layout.python)
    verb, rest = (arguments[0], list(arguments[1:])) if arguments else ("", [])
    if verb == "python":
        return [python, *rest], None
    if verb == "docs":
        return [python, str(layout.root / "docs" / "build_site.py"), *rest], layout.root
    if verb == "lint":
        return [python, str(layout.root / "setup_environment" / "lint.py")], layout.root
    if verb == "test":
        return [python, "-m", "pytest", *test_arguments(layout.root, rest)], layout.root
    # -P (Python 3.11): a folder named payload_id where the user stands is not what is meant.
    isolated = ["-P"] if sys.version_info >= (3, 11) else []
    return [python, *isolated, "-c", START, *arguments], None


def test_arguments(root: Path, arguments: Sequence[str]) -> list[str]:
    """Run the whole suite unless the arguments name some of its files."""
    named = any((root / argument.split("::")[0]).exists() for argument in arguments)
    return list(arguments) if named else [TESTS, *ON_ALL_CORES, *arguments]
