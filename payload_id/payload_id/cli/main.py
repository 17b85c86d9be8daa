"""The command line: `payload-id VERB ...`, eleven verbs in one application of Typer.

A verb's options are in its `command.py`; what it does is imported when it runs. Errors become one
sentence and an exit code here.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ..core.errors import PayloadIdError, in_words, printable
from ..core.version import VERSION
from .calibrate import command as calibrate
from .certificate import command as certificate
from .check.command import check
from .common import standard_streams
from .common.options import flag, spread
from .common.signals import interrupts
from .demo.command import demo
from .identify.command import identify
from .live import command as live
from .load import command as load
from .new_robot.command import new_robot
from .policy.command import policy
from .report.command import report
from .view.command import view

DESCRIPTION = (
    "Identify the mass, centre of mass and inertia of a grasped payload, with intervals that "
    "contain the truth whenever the stated noise and model bounds hold."
)
EXIT_CODES = (
    "Exit codes: 0 done; 1 the demo found an interval that misses the truth, or a certificate is "
    "not verified; 2 an input cannot be used (one sentence says which and what to do), or check "
    "found something wrong; 3 the data give no intervals (INCONSISTENT, NO_DATA); 130 interrupted; "
    "141 nobody reads what is printed."
)
INTERRUPTED, UNREAD = 130, 141  # as shells say it of SIGINT and SIGPIPE
COMPLETION = "_PAYLOAD_ID_COMPLETE"  # by which shells ask, as Typer has it
FIRST, MORE = "From a recording to a load", "The arm itself, running nodes, certificates"
MOST_SAID = 500  # letters of a sentence that quotes arguments
RUN = "runs/demo_<date>_<time>/bag"
# Each verb with calls of it, which end its help; a tuple of verbs has a verb of its own below.
VERBS: tuple[tuple[Any, ...], ...] = (
    (demo, "demo --seed 7", "demo --robot xarm7 --out runs"),
    (new_robot, "new-robot my_arm.urdf", "new-robot my_arm.urdf --table run.csv --out my_arm.yaml"),
    (
        check,
        "check",
        "check run.csv --robot my_arm.yaml --columns my_arm_columns.yaml",
        "check --robot my_arm.yaml --seconds 10",
    ),
    (
        identify,
        f"identify {RUN}",
        "identify run.csv --robot my_arm.yaml --columns my_arm_columns.yaml --save runs/first",
        "identify my_bag --robot my_arm.yaml --compare --estimator lmi,ols",
        "identify bags --robot my_arm.yaml --out results",
    ),
    (report, f"report {RUN}", "report runs/second runs/first --out second.md", "report results"),
)
GROUPS: tuple[tuple[Any, ...], ...] = (
    (
        "load",
        "Write an identified load for others, or send it to the arm's own controller.",
        (load.export, f"load export {RUN} --as yaml", "load export runs/first --as xarm"),
        (load.send, "load send runs/first --to xarm", "load send runs/first --to xarm --confirm"),
    ),
    (
        "calibrate",
        "Learn the arm itself from recordings with known payloads, or none.",
        (
            calibrate.bounds,
            "calibrate bounds bare_1 bare_2 --robot my_arm.yaml --out my_arm_calibrated.yaml",
        ),
        (
            calibrate.history,
            "calibrate history --runs history/runs.yaml --robot my_arm.yaml --out known_arm.yaml",
        ),
        (calibrate.noise, "calibrate noise bare --robot my_arm.yaml --lengths 0.2,1.0"),
        (calibrate.record, "calibrate record bare 1.0 2.0 0.5 --out history"),
    ),
    (
        "certificate",
        "Check saved certificates of motions anew, and sign them.",
        (certificate.verify, "certificate verify motion.json --key cell/public_key.pem"),
        (certificate.sign, "certificate sign motion.json --key cell/signing_key.pem"),
        (certificate.new_key, "certificate new-key cell"),
    ),
    (
        "live",
        "Start, stop, tare, save and watch running nodes; plan, describe and execute motions.",
        *((task, f"live {task.__name__}") for task in live.TASKS),
    ),
)
LAST: tuple[tuple[Any, ...], ...] = (
    (view, "view --allow-motion", f"view {RUN}"),
    (policy, "policy security", "policy security --robot my_arm.yaml --namespace left"),
)
LAUNCHER = {
    "test": "Run all tests, or with --quick what a commit needs (arguments go to pytest).",
    "docs": "Build the documentation as a site, into site/ (arguments go to mkdocs).",
    "python": "Run a script in the same environment: python SCRIPT ...",
}
# What verbs were called before, and what does it now.
FORMER = {
    "doctor": "check",
    "replay": "identify",
    "compare": "identify --compare",
    "fleet": "identify --out FOLDER",
    "export": "load export",
    "apply": "load send",
    "known-runs": "calibrate record",
    "noise": "calibrate noise",
    "verify": "certificate verify",
    "sign": "certificate sign",
    "new-key": "certificate new-key",
    "completion": "--show-completion",
}


def application() -> typer.Typer:
    """Return the application of all verbs."""
    top = typer.Typer(help=DESCRIPTION, epilog=EXIT_CODES, **_STYLE)
    top.callback()(_options)
    _add(top, VERBS, FIRST)
    for name, said, *verbs in GROUPS:
        group = typer.Typer(help=said, **_STYLE)
        _add(group, verbs)
        top.add_typer(group, name=name, rich_help_panel=FIRST if name == "load" else MORE)
    _add(top, LAST, MORE)
    for name, said in LAUNCHER.items():
        top.command(
            name, help=said, rich_help_panel="Of the launcher ./payload-id, in the repository",
            context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        )(_launcher_only)  # fmt: skip
    return top


_STYLE: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
    "rich_markup_mode": "rich",
}


def _add(to: typer.Typer, verbs: Sequence[tuple[Any, ...]], panel: str | None = None) -> None:
    """Add verbs to an application, in a panel of its help."""
    for verb, *examples in verbs:
        ends = "\n\n".join(["Examples:", *(f"./payload-id {line}" for line in examples)])
        name = verb.__name__.replace("_", "-")
        to.command(name, epilog=ends, rich_help_panel=panel)(spread(verb))


def _print_version(asked: bool) -> None:
    """Print the version and end, if that is asked for."""
    if asked:
        print(f"payload_id {VERSION}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, flag("print the version", "--version", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Take what is no verb."""


def _launcher_only(context: typer.Context) -> int:
    """Say where a command is to be found that only the launcher has."""
    name = context.info_name
    raise PayloadIdError(f"'{name}' belongs to the launcher in the repository: ./payload-id {name}")


def place(arguments: Sequence[str]) -> str:
    """Return how the command is called that arguments lead to, such as `payload-id load send`."""
    command: Any = COMMAND
    names = ["payload-id"]
    for word in arguments:
        command = getattr(command, "commands", {}).get(word)
        if command is None:
            break
        names.append(word)
    return " ".join(names)


def refusal(error: Any) -> str:
    """Return what is wrong with a command line in one sentence, and where help is."""
    said = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".")
    said = re.sub(r" \(Possible options: .*\)$|\. Did you mean .*$", "", said)
    context, words = getattr(error, "ctx", None), [*FORMER]
    name = "payload-id" if context is None else context.command_path
    if context is not None:
        words = [*getattr(context.command, "commands", {})]
        words += [word for each in context.command.params for word in each.opts]
    wrong = re.search(r"(?:No such option: |No such command ')([^'= ]*)", said)
    near = difflib.get_close_matches(wrong.group(1) if wrong else "", words, 1, 0.5)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    said = said if len(said) <= MOST_SAID else f"{said[:MOST_SAID]}..."
    return f"{name}: {printable(said)}.{hint} Try: ./{name} --help"


def _run(arguments: Sequence[str]) -> int:
    """Run a verb; return its exit code."""
    if arguments and arguments[0] in FORMER:
        now = FORMER[arguments[0]]
        help_of = place(now.split())
        standard_streams.complain(
            f"payload-id: '{arguments[0]}' is now ./payload-id {now}. Try: ./{help_of} --help"
        )
        return 2
    if COMPLETION in os.environ:  # a shell asks, and leaves with what it says
        COMMAND.main(prog_name="payload-id")
    try:
        with COMMAND.make_context("payload-id", [*arguments]) as context:
            return int(COMMAND.invoke(context) or 0)
    except typer.Exit as end:
        return end.exit_code
    except typer.TyperException as error:
        standard_streams.complain(refusal(error))
        return 2
    except SystemExit as end:  # of Rich, where nobody reads the help; of Typer, after a completion
        unread = isinstance(end.__context__, BrokenPipeError)
        return UNREAD if unread else 2 * bool(end.code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    standard_streams.take_every_letter()
    given = [*sys.argv[1:]] if arguments is None else [*arguments]
    name, before = place(given), interrupts()
    try:
        try:
            code = _run(given)
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


COMMAND = typer.main.get_command(application())
