"""The sequence of `./payload-id`: set up what is missing or changed, then run the command."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from setup_environment import build, first_help, handover, install, machine, progress, stamps
from setup_environment.layout import Layout, layout_of
from setup_environment.ros import Ros, sourced
from setup_environment.steps import Runner, SetupError, say

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str]) -> int:
    """Set up, then become the command; returns only if the set-up fails."""
    signal.signal(signal.SIGTERM, interrupt)
    try:
        machine.check_this_machine()
        machine.check_place(ROOT)
        ros = sourced(os.environ, ROOT)
        layout = layout_of(ROOT, ros.distro if ros else None)
        base = handover.clean(os.environ, layout, ros)
        if first_help.is_asked(arguments) and not has_environment(layout, ros):
            print(first_help.text(), end="")
            return 0
        set_up(layout, ros, base)
        build.provide_command(layout)
    except SetupError as error:
        say(str(error))
        return 1
    except OSError as error:
        say(f"set-up failed: {error}; mend this, then run the same command again.")
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next run starts the unfinished part anew.")
        return 130
    line, folder = handover.command(layout, arguments)
    if folder:
        os.chdir(folder)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    handover.hold_interrupts(line)
    os.execve(line[0], line, handover.variables(base, layout, ros))


def has_environment(layout: Layout, ros: Ros | None) -> bool:
    """Tell whether there is an environment with the package in it, up to date or nearly so."""
    value = install.environment_digest(layout, ros)
    return install.is_complete(layout, value) and build.is_installed(layout, build.PYTHON_PACKAGE)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Treat a termination signal like ctrl-C, so that tools are ended too."""
    raise KeyboardInterrupt


def set_up(layout: Layout, ros: Ros | None, base: dict[str, str]) -> None:
    """Bring the environment and the installed packages up to date."""
    if is_current(layout, ros):
        return
    started = time.monotonic()
    with locked(layout.root) as lock_fd:
        if is_current(layout, ros):  # by the run that was waited for
            return
        install.check_owner(layout)
        complete = install.is_complete(layout, install.environment_digest(layout, ros))
        bar = progress.Bar(() if complete else progress.WHOLE)
        runner = Runner(layout.log, handover.tools_variables(base, layout, ros), lock_fd, bar)
        bring_up_to_date(layout, ros, runner)
    say(f"ready after {time.monotonic() - started:.1f} s")


def is_current(layout: Layout, ros: Ros | None) -> bool:
    """Tell whether environment and installed packages match lock file and sources."""
    value = install.environment_digest(layout, ros)
    folders = build.packages(layout.root, ros)
    if not install.is_complete(layout, value) or build.superseded(layout, ros):
        return False
    return not build.changed(layout, folders, value)


def bring_up_to_date(layout: Layout, ros: Ros | None, runner: Runner) -> None:
    """Make the environment if it is not complete, then build what changed."""
    value = install.environment_digest(layout, ros)
    if not install.is_complete(layout, value):
        machine.ensure_tools(runner)
        install.create(layout, ros, runner)
        stamps.write_stamp(layout.stamp, value)
    for name in build.superseded(layout, ros):
        build.uninstall(layout, name)
    stale = build.changed(layout, build.packages(layout.root, ros), value)
    if stale:
        if not ros:
            handover.set_wheels_libraries(runner.environment, layout)
        build.build(layout, stale, runner)


@contextmanager
def locked(root: Path) -> Iterator[int]:
    """Hold the set-up lock of a checkout: a lock on its folder, so that no file is needed."""
    opened = os.open(root, os.O_RDONLY)
    fd = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, 10)  # never one of the standard streams
    os.close(opened)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another run is setting up this checkout; waiting for it ...")
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd
    finally:
        os.close(fd)
