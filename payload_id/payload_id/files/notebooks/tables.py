"""Values as tables of HTML, which notebooks show in place of their `repr`."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

import numpy as np

from ...core.identification.estimate import Estimate
from ...core.safety.certificate.certificate import Certificate
from ...core.safety.margins.margin import CLEARANCES, CONSTRAINTS
from ..recordings.recording import Recording
from ..reports.quantities import Group, groups_of

MARGINS = ("constraint", "left at least", "value", "where", "from [s]", "to [s]")


def estimate_html(estimate: Estimate) -> str:
    """Return the verdict and the ten numbers in people's units."""
    head = f"<b>{estimate.status.value}</b> {html.escape(estimate.message)}"
    return f"<p>{head}</p>" + "".join(map(_group, groups_of(estimate)))


def recording_html(recording: Recording) -> str:
    """Return what was recorded, joint by joint."""
    seconds = float(recording.stamp[-1] - recording.stamp[0]) if len(recording) else 0.0
    rate = f", {1.0 / recording.step:.4g} Hz" if len(recording) > 1 else ""
    head = f"{len(recording)} samples{rate}, {seconds:.3g} s"
    lost = ", ".join(f"{count} {cause}" for cause, count in recording.dropped.items())
    said = [recording.source, head, f"left out: {lost}" if lost else "", *recording.notes]
    names = recording.joints or tuple(f"column {j}" for j in range(recording.n))
    rows = [
        (
            name,
            *(f"{x:.4g}" for x in (recording.q[:, j].min(), recording.q[:, j].max())),
            *(f"{np.abs(x[:, j]).max():.4g}" for x in (recording.dq, recording.tau)),
        )
        for j, name in enumerate(names if len(recording) else ())
    ]
    title = ("joint", "from [rad or m]", "to", "fastest [/s]", "largest torque [N m or N]")
    return f"<p>{html.escape('; '.join(filter(None, said)))}</p>" + _table(title, rows)


def certificate_html(certificate: Certificate) -> str:
    """Return the margins, and what they rest on."""
    rows = [
        (
            margin.constraint,
            f"{1e3 * margin.left:.1f} mm" if margin.constraint in CLEARANCES
            else f"{margin.left:.1%}",
            f"{margin.value:.4g} {CONSTRAINTS[margin.constraint]}",
            " and ".join(margin.where),
            f"{margin.start:.2f}",
            f"{margin.end:.2f}",
        )
        for margin in certificate.margins
    ]  # fmt: skip
    head = f"A motion of {certificate.duration:.3g} s, limits '{certificate.limits}'."
    rests = "".join(f"<li>{html.escape(text)}</li>" for text in certificate.assumptions)
    return f"<p>{html.escape(head)}</p>{_table(MARGINS, rows)}<p>If:</p><ul>{rests}</ul>"


def _group(group: Group) -> str:
    """Return numbers that belong together."""
    rows = [
        (each.name, *each.texts, each.unit, "yes" if each.identified else "no")
        for each in group.quantities
    ]
    title = ("", "estimate", "±", "from", "to", "unit", "identified")
    return f"<p><b>{html.escape(group.title)}</b></p>{_table(title, rows)}"


def _table(title: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in title)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
