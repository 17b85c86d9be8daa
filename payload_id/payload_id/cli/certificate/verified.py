"""What `certificate verify` shows: tables that a person can sign, and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from ...core.errors import printable
from ...core.safety.certificate.limit_use import limit_use
from ...core.safety.margins.margin import CLEARANCES
from ...core.threads import one_thread
from ...files.robots.robot_model import RobotModel
from ...files.runs.certificate_file import SavedCertificate
from ...files.runs.premises import Premise
from ...files.runs.signature import SignatureState, SignatureVerdict
from ...planning.verify import CheckedCertificate
from ..common.presentation import console, table_of

# How a verified certificate's signature is announced; the other states are differences.
SIGNATURE_WORDS = {
    SignatureState.OWN: "[bold green]SIGNED[/]",
    SignatureState.NOT_JUDGED: "[bold yellow]SIGNED BY SOMEBODY[/]",
    SignatureState.UNSIGNED: "[bold yellow]NOT SIGNED[/]",
}


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


def show(checked: CheckedCertificate) -> None:
    """Print the result."""
    certificate, result, signature = checked.saved.certificate, checked.found, checked.signature
    out, margins = console(), certificate.margins
    names = [margin.constraint for margin in margins]
    out.print("What is left at least", style="italic")
    table = {
        "constraint": names,
        "certified": [_left(x.constraint, x.left) for x in margins],
        "denser proof": [_left(name, result.proved.get(name)) for name in names],
        "sampled": [_left(name, result.sampled.get(name)) for name in names],
        "where": [escape(printable(" and ".join(x.where))) for x in margins],
        "time [s]": [f"{x.start:.2f}-{x.end:.2f}" for x in margins],
    }
    out.print(table_of(table))
    out.print("Assumptions:")
    for sentence in certificate.assumptions:
        out.print(f"  - {escape(sentence)}")
    out.print("What it rests on", style="italic")
    out.print(_premises_table((_signature_premise(signature), *checked.premises)))
    for sentence in result.differences:
        out.print(f"[bold red]DIFFERS[/] {escape(sentence)}")
    if result.verified:
        out.print(f"[bold green]VERIFIED[/] {result.samples} sampled states keep every margin.")
        out.print(_signature_line(signature))
        out.print("Judged and signed: ______________________  date: ______________")


def _signature_premise(signature: SignatureVerdict) -> Premise:
    """Return the signature as a row of the table."""
    stated = f"trusted: {signature.trusted}" if signature.trusted else "no trusted key (--key)"
    return Premise("signature", signature.found, stated, signature.holds)


def _signature_line(signature: SignatureVerdict) -> str:
    """Return who vouches for a verified certificate."""
    return f"{SIGNATURE_WORDS[signature.state]} {escape(signature.sentence)}"


def _premises_table(rests_on: Sequence[Premise]) -> Table:
    """Return what a certificate rests on as a table that a person can sign."""
    words = {True: "yes", False: "[bold red]NO[/]", None: "to be judged"}
    return table_of(
        {
            "": [escape(x.subject) for x in rests_on],
            "certified": [escape(x.certified) for x in rests_on],
            "stated for this robot and cell": [escape(x.stated or "-") for x in rests_on],
            "holds": [words[x.holds] for x in rests_on],
        },
        4,
    )
