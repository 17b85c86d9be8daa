"""The environment variables of the command, and the command itself."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from setup_environment.environment import PURELIB, Place

WHEELS_GUARD = "_ROS_WHEELS_BOOTSTRAP_COMPLETE"
TESTS = "payload_id/test"
# A process for each core, and one more that takes what time they leave while they wait for nodes
# (test/conftest.py). A file's tests, which share nodes and recordings, stay together. Files come in
# their order, not those with few tests last: sessions of nodes are few tests, and long.
ON_ALL_CORES = (
    f"--numprocesses={min(os.cpu_count() or 1, 4) + 1}", "--dist=loadfile",
    "--no-loadscope-reorder",
)  # fmt: skip
# As -m payload_id, but an interrupt while modules are imported, which takes a second or two, ends
# the process in silence, not with a traceback. Until here it waits (`become`).
START = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT}); "
    "runpy.run_module('payload_id', run_name='__main__', alter_sys=True)"
)


def prepend(environment: dict[str, str], name: str, parts: Sequence[Path]) -> None:
    """Put folders in front of a path variable."""
    first = [str(part) for part in parts]
    rest = [x for x in environment.get(name, "").split(os.pathsep) if x and x not in first]
    environment[name] = os.pathsep.join([*first, *rest])


def variables(user: Mapping[str, str], place: Place) -> dict[str, str]:
    """Return the variables that commands run with, from the user's."""
    unwanted = {WHEELS_GUARD, "PYTHONHOME"}
    unwanted |= set() if place.distro else {"PYTHONPATH"}
    result = {name: value for name, value in user.items() if name not in unwanted}
    result |= {"VIRTUAL_ENV": str(place.venv), "PYTHONNOUSERSITE": "1"}
    libraries, packages = [place.venv / "lib"], place.venv / PURELIB
    prepend(result, "PATH", [place.venv / "bin"])
    prepend(result, "AMENT_PREFIX_PATH", [place.venv])
    if place.distro:
        prepend(result, "PYTHONPATH", [packages])
    else:
        # The library path as the ROS wheels set it, which saves the restart they do it by.
        libraries += sorted(packages.glob("ros_*.libs"))
        result[WHEELS_GUARD] = "1"
        result["RMW_IMPLEMENTATION"] = "rmw_fastrtps_cpp"  # the only one among the wheels
        result.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    prepend(result, "LD_LIBRARY_PATH", libraries)
    return result


def tools_variables(user: Mapping[str, str], place: Place) -> dict[str, str]:
    """Return the variables of the set-up's own tools, from the user's.

    Commands look up the user's packages (the paths); what is built does not, unless they are of the
    ROS that it is built with. What is installed is compiled whatever the user's variables say:
    otherwise each start of a node and command compiles it again, for two seconds.
    """
    unwanted = {"PYTHONDONTWRITEBYTECODE"}
    if not place.distro:
        unwanted |= {f"{tool}_PREFIX_PATH" for tool in ("AMENT", "CMAKE", "COLCON")}
    result = variables({x: value for x, value in user.items() if x not in unwanted}, place)
    prepend(result, "CMAKE_PREFIX_PATH", [place.venv])
    result["COLCON_HOME"] = str(place.state / "colcon")  # no defaults of the user
    # Otherwise colcon forbids parallel compilation while other programs load the machine.
    result["MAKEFLAGS"] = f"-j{os.cpu_count() or 1}"
    return result


def command(place: Place, arguments: Sequence[str]) -> list[str]:
    """Return the command line that the arguments stand for; enter the folder that it is run in."""
    python, root = str(place.python), place.root
    verb, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if verb == "python":
        return [python, *rest]
    if verb in ("docs", "lint", "test"):
        os.chdir(root)
        named = any((root / argument.split("::")[0]).exists() for argument in rest)
        everything = [] if named else [TESTS, *ON_ALL_CORES]
        lines = {
            "docs": [python, "docs/build_site.py"],
            "lint": [".ci/lint"],
            "test": [python, "-m", "pytest", *everything],
        }
        return [*lines[verb], *rest]
    # -P (Python 3.11): a folder named payload_id where the user stands is not what is meant.
    isolated = ["-P"] if sys.version_info >= (3, 11) else []
    return [python, *isolated, "-c", START, *arguments]


def become(line: list[str], environment: Mapping[str, str]) -> NoReturn:
    """Become the command; an interrupt waits while its Python starts, if it then lets it in."""
    if START in line:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.execve(line[0], line, environment)
