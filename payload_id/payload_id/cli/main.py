"""The command line: `payload-id VERB ...`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..core.errors import PayloadIdError, in_words, printable
from ..core.version import VERSION
from .apply import command as apply
from .calibrate import command as calibrate
from .check import command as check
from .common import completion, standard_streams
from .common.arguments import OneLine, add_verb
from .common.signals import interrupts
from .compare import command as compare
from .demo import command as demo
from .doctor import command as doctor
from .export import command as export
from .fleet import command as fleet
from .known_runs import command as known_runs
from .live import command as live
from .new_key import command as new_key
from .new_robot import command as new_robot
from .noise import command as noise
from .policy import command as policy
from .replay import command as replay
from .report import command as report
from .sign import command as sign
from .verify import command as verify
from .view import command as view

DESCRIPTION = """\
Identify the mass, centre of mass and inertia of a grasped payload, with intervals that contain the
truth whenever the stated noise and model bounds hold.
"""
EXIT_CODES = """\
exit codes: 0 done; 1 the demo found an interval that misses the truth, or a certificate is not
verified; 2 an input cannot be used (one sentence says which and what to do), or check or doctor
found something wrong; 3 the data give no intervals (INCONSISTENT, NO_DATA); 130 interrupted; 141
nobody reads what is printed.
"""
INTERRUPTED, UNREAD = 130, 141  # as shells say it of SIGINT and SIGPIPE


def parser() -> OneLine:
    """Return the parser of all commands."""
    top = OneLine(
        prog="payload-id",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"payload_id {VERSION}")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    demo.add_parser(verbs)
    doctor.add_parser(verbs)
    new_robot.add_parser(verbs)
    check.add_parser(verbs)
    replay.add_parser(verbs)
    report.add_parser(verbs)
    fleet.add_parser(verbs)
    export.add_parser(verbs)
    apply.add_parser(verbs)
    live.add_parser(verbs)
    view.add_parser(verbs)
    calibrate.add_parser(verbs)
    known_runs.add_parser(verbs)
    compare.add_parser(verbs)
    noise.add_parser(verbs)
    verify.add_parser(verbs)
    new_key.add_parser(verbs)
    sign.add_parser(verbs)
    policy.add_parser(verbs)
    shell = add_verb(verbs, "completion", "print what makes a shell complete commands and options")
    shell.add_argument("shell", choices=completion.SHELLS)
    shell.set_defaults(run=_completion)
    for verb, text in (
        ("test", "run all tests, or with --quick what a commit needs (arguments go to pytest)"),
        ("docs", "build the documentation as a site, into site/ (arguments go to mkdocs)"),
        ("python", "run a script in the same environment: python SCRIPT ..."),
    ):
        launcher = verbs.add_parser(verb, help=text, description=text)
        launcher.set_defaults(run=_launcher_only)
    return top


def _completion(arguments: argparse.Namespace) -> int:
    """Print the script of a shell."""
    print(completion.script(parser(), arguments.shell), end="")
    return 0


def _launcher_only(arguments: argparse.Namespace) -> int:
    """Say where a command is to be found that only the launcher has."""
    print(
        f"'{arguments.verb}' belongs to the launcher in the repository: ./payload-id "
        f"{arguments.verb}",
        file=sys.stderr,
    )
    return 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    standard_streams.take_every_letter()
    name, before = "payload-id", interrupts()
    try:
        try:
            chosen = parser().understood(arguments)
            name = f"payload-id {chosen.verb}"
            code = int(chosen.run(chosen))
            if code == 0 and interrupts() > before:
                raise KeyboardInterrupt
        finally:
            standard_streams.flush_output()
        return code
    except PayloadIdError as error:
        standard_streams.complain(f"{name}: {printable(str(error))}")
        return 2
    except KeyboardInterrupt:
        standard_streams.complain(f"{name}: interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        return UNREAD
    except OSError as error:  # of the machine: a full disk, a file that is gone meanwhile
        standard_streams.complain(
            f"{name}: not completed: {printable(in_words(error))}. See to the disk, or to "
            "where it writes and prints, and run it again; files that it has written by then stay."
        )
        return 2
    except MemoryError:
        standard_streams.complain(
            f"{name}: not completed: memory is too small for so many numbers. Ask for fewer "
            "samples, points or windows, or for a shorter stretch."
        )
        return 2
    finally:
        standard_streams.give_output_up()
