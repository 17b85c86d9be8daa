"""`payload-id verify`: check a saved certificate of a motion anew, without ROS."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from ...core.errors import InputError, printable
from ...core.safety.certificate.limit_use import limit_use
from ...core.safety.margins.margin import CLEARANCES
from ...core.threads import one_thread
from ...files.robots.robot_model import RobotModel
from ...files.runs.certificate_file import SavedCertificate
from ...files.runs.claims import Claim
from ...files.runs.signature import SignatureState, SignatureVerdict
from ...planning.verify import CheckedCertificate, verify
from ..common.arguments import add_verb, seed, whole_number
from ..common.figure_argument import Drawn, add_figure_argument, drawn, figure_place
from ..common.presentation import console
from ..common.progress import progress

MOST_SAMPLES = 1_000_000  # states, which are all kept in memory
# How a verified certificate's signature is announced; the other states are differences.
SIGNATURE_WORDS = {
    SignatureState.OWN: "[bold green]SIGNED[/]",
    SignatureState.NOT_JUDGED: "[bold yellow]SIGNED BY SOMEBODY[/]",
    SignatureState.UNSIGNED: "[bold yellow]NOT SIGNED[/]",
}


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "check a saved certificate of a motion anew, without ROS"
    parser = add_verb(verbs, "verify", text)
    parser.add_argument("certificate", type=Path, help="file that the planner saved (.json)")
    parser.add_argument(
        "--robot",
        metavar="FILE",
        help="robot file (YAML), or a shipped name (default: the one that the certificate names)",
    )
    parser.add_argument(
        "--cell",
        metavar="FILE",
        help="cell file, or 'none, REASON' (default: what the certificate names)",
    )
    parser.add_argument(
        "--key",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="public key (PEM), or a folder of them: only a certificate that one of these keys has "
        "signed, and that was not changed since, is verified; may be repeated (default: signatures "
        "are shown, and nobody's counts)",
    )
    parser.add_argument(
        "--samples", type=whole_number, default=2000, help="states to sample (default: 2000)"
    )
    parser.add_argument("--seed", type=seed, default=0, help="of the samples (default: 0)")
    add_figure_argument(parser, "draw the use of every limit over time")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check a certificate; 0: verified, 1: something differs."""
    if not 1 <= arguments.samples <= MOST_SAMPLES:
        raise InputError(f"--samples must be from 1 to {MOST_SAMPLES}; found {arguments.samples}.")
    figure = figure_place(arguments)
    with progress("verifying"):
        checked = verify(
            arguments.certificate,
            arguments.robot,
            arguments.cell,
            arguments.key,
            arguments.samples,
            arguments.seed,
        )
    picture = Drawn()
    if checked.same_joints:
        picture = drawn(figure, partial(draw, checked.saved, checked.model))
    if arguments.json:
        print(json.dumps(checked.to_dict(), indent=1))
    else:
        _show(checked)
        if picture.path:
            console().print(f"figure: {picture.path}", soft_wrap=True, markup=False)
    picture.settle()
    return 0 if checked.verified else 1


def draw(saved: SavedCertificate, model: RobotModel, path: Path) -> Path:
    """Draw what the motion may use of every limit; return the file."""
    # Not at the top: the plotting library takes longer to import than most proofs to repeat.
    from ...files.figures.motion_figure import draw_limit_use

    with one_thread():
        use = limit_use(saved.case(model), saved.trajectory)
    limits = saved.certificate.limits
    title = f"{saved.robot_name}: {saved.trajectory.duration:.1f} s, limits '{limits}'"
    return draw_limit_use(path, use, model.joints, title)


def _left(constraint: str, left: float | None) -> str:
    """Return what is left of a constraint for people."""
    if left is None:
        return "-"
    return f"{1000 * left:.1f} mm" if constraint in CLEARANCES else f"{100 * left:.1f} %"


def _show(checked: CheckedCertificate) -> None:
    """Print the result."""
    certificate, result, signature = checked.saved.certificate, checked.found, checked.signature
    out = console()
    table = Table(title="What is left at least", title_justify="left")
    for head in ("constraint", "certified", "denser proof", "sampled", "where", "time [s]"):
        table.add_column(head)
    for margin in certificate.margins:
        name = margin.constraint
        table.add_row(
            name,
            _left(name, margin.left),
            _left(name, result.proved.get(name)),
            _left(name, result.sampled.get(name)),
            escape(printable(" and ".join(margin.where))),
            f"{margin.start:.2f}-{margin.end:.2f}",
        )
    out.print(table)
    out.print("Assumptions:")
    for sentence in certificate.assumptions:
        out.print(f"  - {escape(sentence)}")
    out.print(_claims_table((_signature_claim(signature), *checked.claims)))
    for sentence in result.differences:
        out.print(f"[bold red]DIFFERS[/] {escape(sentence)}")
    if result.verified:
        out.print(f"[bold green]VERIFIED[/] {result.samples} sampled states keep every margin.")
        out.print(_signature_line(signature))
        out.print("Judged and signed: ______________________  date: ______________")


def _signature_claim(signature: SignatureVerdict) -> Claim:
    """Return the signature as a row of the table."""
    stated = f"trusted: {signature.trusted}" if signature.trusted else "no trusted key (--key)"
    return Claim("signature", signature.found, stated, signature.holds)


def _signature_line(signature: SignatureVerdict) -> str:
    """Return who vouches for a verified certificate."""
    return f"{SIGNATURE_WORDS[signature.state]} {escape(signature.sentence)}"


def _claims_table(rests_on: Sequence[Claim]) -> Table:
    """Return what a certificate rests on as a table that a person can sign."""
    table = Table(title="What it rests on", title_justify="left")
    for head in ("", "certified", "stated for this robot and cell", "holds"):
        table.add_column(head)
    words = {True: "yes", False: "[bold red]NO[/]", None: "to be judged"}
    for claim in rests_on:
        cells = (escape(text) for text in (claim.subject, claim.certified, claim.stated or "-"))
        table.add_row(*cells, words[claim.holds])
    return table
