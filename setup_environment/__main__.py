"""Start of `./payload-id`: checks the Python version, in syntax that older Pythons can read."""

import os
import sys

OLDEST = (3, 10)


def newer_python() -> "str | None":
    """Find another Python on the PATH that is new enough, or None."""
    for minor in (13, 12, 11, 10):
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            candidate = os.path.join(folder, "python3.%d" % minor)
            if os.access(candidate, os.X_OK):
                return candidate
    return None


def start() -> None:
    """Run the set-up and the command with a Python that is new enough."""
    if sys.version_info < OLDEST:
        other = newer_python()
        if other and not os.environ.get("PAYLOAD_ID_PYTHON_TRIED"):
            os.environ["PAYLOAD_ID_PYTHON_TRIED"] = other
            os.execv(other, [other, "-S", os.path.abspath(__file__)] + sys.argv[1:])
        found = "%d.%d" % sys.version_info[:2]
        sys.exit(
            "payload-id: Python 3.10 or later is needed and python3 is Python %s; install one,"
            " for example with: sudo apt-get install python3 python3-venv python3-dev" % found
        )
    os.environ.pop("PAYLOAD_ID_PYTHON_TRIED", None)
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.dont_write_bytecode = not os.access(os.path.dirname(os.path.abspath(__file__)), os.W_OK)
    from setup_environment.main import main

    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    try:
        start()
    except KeyboardInterrupt:  # while modules are imported
        sys.exit(130)
