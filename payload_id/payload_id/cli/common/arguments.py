"""Verbs of the command line, and arguments that several of them share."""

from __future__ import annotations

import argparse
import difflib
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, NoReturn, TypeVar

from ...core.body.payload_prior import PayloadPrior
from ...core.errors import InputError, UnknownNameError, brief, printable
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.uncertainty import WrenchUncertainty

MOST_SAID = 500  # letters of a sentence that quotes arguments
# Two calls of each command, which end its help.
EXAMPLES = {
    "demo": ("--seed 7", "--robot xarm7 --out runs"),
    "doctor": ("", "--robot my_arm.yaml --seconds 10"),
    "new-robot": ("my_arm.urdf", "my_arm.urdf --table run.csv --out my_arm.yaml"),
    "check": (
        "run.csv --robot my_arm.yaml --columns my_arm_columns.yaml",
        "my_bag --robot kinova_gen3",
    ),
    "replay": (
        "runs/demo_<date>_<time>/bag",
        "run.csv --robot my_arm.yaml --columns my_arm_columns.yaml --figure intervals.png",
    ),
    "report": (
        "runs/demo_<date>_<time>",
        "runs/second runs/first --out second.md",
    ),
    "fleet": (
        "bags --robot my_arm.yaml --out results",
        "--manifest fleet.csv --out results --scheduler tcp://cluster:8786",
    ),
    "export": ("runs/demo_<date>_<time>/bag --as yaml", "result.json --as xarm --robot xarm7"),
    "apply": ("runs/in_use --to xarm", "runs/in_use --to xarm --confirm"),
    "live": ("watch", "plan --duration 8"),
    "view": ("--allow-motion", "runs/demo_<date>_<time>/bag"),
    "calibrate": (
        "bare_1 bare_2 --robot my_arm.yaml --out my_arm_calibrated.yaml",
        "--runs history/runs.yaml --robot my_arm.yaml --history --out my_arm_with_history.yaml",
    ),
    "known-runs": ("bare 1.0 2.0 0.5 --out history", "bare 1.0 --runs 3 --out history"),
    "compare": (
        "my_bag --robot my_arm.yaml --estimators lmi,ols",
        "runs/demo_<date>_<time>/bag --truth runs/demo_<date>_<time>/truth.json",
    ),
    "noise": ("bare --robot my_arm.yaml", "bare --robot my_arm.yaml --lengths 0.2 1.0"),
    "verify": ("motion.json", "motion.json --key cell/public_key.pem"),
    "new-key": ("cell", "$HOME/cell"),
    "policy": ("security", "security --robot my_arm.yaml --namespace left"),
    "completion": ("bash", "zsh"),
    "sign": (
        "motion.json --key cell/signing_key.pem",
        "first.json second.json --key cell/signing_key.pem",
    ),
}
Assumed = TypeVar("Assumed", Uncertainty, WrenchUncertainty)


def add_verb(verbs: Any, name: str, text: str) -> argparse.ArgumentParser:
    """Add a command; its text stands in the list of all, and as a sentence above its own help."""
    lines = "\n".join(f"  ./payload-id {name} {example}" for example in EXAMPLES[name])
    parser: argparse.ArgumentParser = verbs.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.",
        epilog=f"examples:\n{lines}",
        formatter_class=ExamplesLast,
    )
    return parser


class OneLine(argparse.ArgumentParser):
    """Says what is wrong with a command line in one line, and where help is."""

    def understood(self, arguments: Sequence[str] | None) -> argparse.Namespace:
        """Parse everything; what no command knows is refused in that command's name."""
        given = sys.argv[1:] if arguments is None else arguments
        for text in given:
            name, equals, value = text.partition("=")
            if name.startswith("--") and equals and value == "--":  # argparse takes it for no value
                self.error(f"argument {name}: expected one argument, found '--'")
        found, unknown = self.parse_known_args(arguments)
        if unknown:
            verbs = next(x for x in self._actions if isinstance(x, argparse._SubParsersAction))
            verbs.choices[found.verb].error(f"unrecognized arguments: {' '.join(unknown)}")
        return found

    def error(self, message: str) -> NoReturn:
        """Leave with exit code 2."""
        name = re.search(r"(?:invalid choice: '|unrecognized arguments: )([^'= ]*)", message)
        known = [word for action in self._actions
                 for word in (*action.option_strings, *(action.choices or ()))]  # fmt: skip
        near = difflib.get_close_matches(name.group(1) if name else "", map(str, known), 1, 0.5)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        said = re.sub(r" \(choose from .*\)$", "", " ".join(message.split())).rstrip(".")
        said = said if len(said) <= MOST_SAID else f"{said[:MOST_SAID]}..."
        self.exit(2, f"{self.prog}: {printable(said)}.{hint} Try: ./{self.prog} --help\n")


class ExamplesLast(argparse.HelpFormatter):
    """Wraps everything but the examples, which are one to a line."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return "".join(indent + line for line in text.splitlines(keepends=True))
        return super()._fill_text(text, width, indent)


def add_assumption_arguments(
    parser: argparse.ArgumentParser, example: str = "torque_absolute=1.07"
) -> None:
    """Add the length of the windows and the bounds that are assumed."""
    parser.add_argument(
        "--window", type=number, metavar="SECONDS", help="length of the windows (default: 0.1)"
    )
    parser.add_argument(
        "--scales",
        type=number,
        nargs="+",
        metavar="SECONDS",
        help="further lengths of windows whose rows the intervals use (joint torques only)",
    )
    parser.add_argument(
        "--uncertainty",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"replace one bound of the robot file, such as {example} (SI units; one "
        "number, or one for each joint separated by commas); may be repeated",
    )


def with_changes(uncertainty: Assumed, changes: Sequence[str]) -> Assumed:
    """Return the uncertainty with NAME=VALUE entries replaced.

    Raises:
        InputError: An entry cannot be read.
        UnknownNameError: There is no such bound.
    """
    known: list[str] = [entry.name for entry in fields(uncertainty) if entry.name != "prior"]
    lists = [x.name for x in fields(uncertainty) if str(x.type).startswith("tuple")]
    changed: dict[str, Any] = {}  # all at once: some bounds belong together
    prior: dict[str, str] = {f"prior.{entry.name}": entry.name for entry in fields(PayloadPrior)}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise InputError(f"--uncertainty takes NAME=VALUE; found '{change}'.")
        numbers = numbers_of(text, f"--uncertainty {name}", "a number, or numbers")
        if name in prior:
            value: Any = numbers[0] if len(numbers) == 1 else numbers
            box = replace(uncertainty.prior, **{prior[name]: value})
            uncertainty = replace(uncertainty, prior=box)
        elif name in known:
            single = len(numbers) == 1 and name not in lists
            changed[name] = numbers[0] if single else numbers
        else:
            raise UnknownNameError("bound", name, [*known, *prior], "--uncertainty")
    return replace(uncertainty, **changed)


def number(text: str) -> float:
    """Return a number, as a type of an argument.

    Raises:
        ValueError: It is none, such as nan, or other programs would not read it as that number:
            1_0, digits of other scripts.
    """
    if not text.isascii() or "_" in text or math.isnan(found := float(text)):
        raise ValueError
    return found


def whole_number(text: str) -> int:
    """Return a whole number, as `number` a number."""
    try:
        if text.isascii() and "_" not in text:
            return int(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"must be a whole number; found {brief(text)}")


def seed(text: str) -> int:
    """Return the seed of random numbers, as a type of an argument."""
    found = whole_number(text)
    if not 0 <= found < 2**63:
        raise argparse.ArgumentTypeError(f"must be from 0 to 2**63 - 1; found {found}")
    return found


def numbers_of(text: str, option: str, wanted: str) -> tuple[float, ...]:
    """Return numbers separated by commas.

    Args:
        text: What was given.
        option: Which option it was given for, for the message.
        wanted: What that takes, such as "ten numbers".

    Raises:
        InputError: A part is no number.
    """
    try:
        return tuple(number(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"{option} takes {wanted} separated by commas; found '{text}'.") from error
