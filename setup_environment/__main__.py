"""The sequence of `./payload-id`: set up what is missing or changed, then run the command."""

from __future__ import annotations

import sys

try:
    import fcntl
    import os
    import signal
    import time
    from collections.abc import Sequence
    from functools import partial
    from pathlib import Path

    ROOT = Path(__file__).resolve().parent.parent
    sys.path[0] = str(ROOT)
    from setup_environment import build, environment, first_help, handover, machine
    from setup_environment.environment import Place
    from setup_environment.steps import Runner, SetupError, say
except KeyboardInterrupt:
    sys.exit(130)


def main(arguments: Sequence[str]) -> int:
    """Set up, then become the command; returns only if there is no command to become."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # tools are ended then, too
    try:
        machine.check(ROOT)
        place = environment.place_of(ROOT, os.environ)
        if (
            first_help.ASKED.issuperset(arguments[:1])
            and not place.stamp(build.PYTHON_PACKAGE).exists()
        ):
            print(first_help.text(), end="")
            return 0
        set_up(place)
    except (SetupError, OSError) as error:
        say(f"set-up failed: {error}")
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next run starts the unfinished part anew.")
        return 130
    line = handover.command(place, arguments)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    handover.become(line, handover.variables(os.environ, place))


def set_up(place: Place) -> None:
    """Bring the environment and the installed packages up to date."""
    if environment.is_complete(place) and not build.changed(place):
        return
    started, lock_fd = time.monotonic(), lock(place.root)
    complete, stale = environment.is_complete(place), build.changed(place)  # if nobody else did it
    runner = Runner(
        log=place.state / "setup.log",
        environment=partial(handover.tools_variables, os.environ, place),
        lock_fd=lock_fd,
        weights=({} if complete else environment.STEPS) | build.steps(stale),
    )
    if not complete:
        environment.create(place, runner)
    build.install(place, stale, runner)
    say(f"ready after {time.monotonic() - started:.1f} s")


def lock(root: Path) -> int:
    """Wait for other runs that set up a checkout; return what holds the lock while it is open.

    It is a lock on the folder, so that no file is needed, and ends when the command begins.
    """
    fd = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another run is setting up this checkout; waiting for it ...")
        fcntl.flock(fd, fcntl.LOCK_EX)
    return fd


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
