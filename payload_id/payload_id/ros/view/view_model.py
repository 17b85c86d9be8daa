"""What a page shows: a pure function of what was heard.

All texts are HTML; sentences of nodes are escaped, so that none becomes markup.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from payload_id_msgs.msg import PlanDescription

from ...core.body.inertial import PARAMETERS, mass_com_inertia
from ...core.errors import printable
from ...core.identification.estimate import Estimate
from ...core.identification.status import USABLE, Status
from ...core.number_format import UNIT_TEXTS, digits, number
from ..common.colours import VERDICT
from .workflow import NODES, Snapshot, Step, peaks

LEVELS = {"ok": "●", "warning": "▲", "error": "■", "stale": "○"}
DONE, OPEN, FAILED = "✓", "·", "✗"
# Of an assumption as `Sensitivity.sentence` tells it: what, doubtful, false and noticed from.
RESTS_ON = re.compile(r"(.*) \(doubtful from (.*), false from (.*?), (?:noticed from )?(.*)\)")
SLOW = 2.0  # [s] that the same has been shown for, from which on that is said


@dataclass(frozen=True)
class Look:
    """How a verdict is shown; the sign says to the colour-blind what the colour says to others.

    Attributes:
        sign: One character.
        advice: What to do first.
    """

    sign: str
    advice: str


LOOKS: Mapping[Status, Look] = {
    Status.GOOD: Look("✔", "The payload is known. Save the run, then apply or export it."),
    Status.TOO_WIDE: Look(
        "▲", "The mass is known, but not near enough: 'Why' says what narrows it."
    ),
    Status.SMALL_LOAD: Look(
        "▲", "This load is too small to be told from none. Tare first, or move faster."
    ),
    Status.NOT_IDENTIFIABLE: Look(
        "▲", "The motion told too little. Plan a longer motion, and run it."
    ),
    Status.INCONSISTENT: Look(
        "✖", "Do not use these numbers: data and stated bounds contradict each other."
    ),
    Status.NO_DATA: Look("○", "There were too few samples: see what the sampler says."),
    Status.SOLVER_FAILED: Look("✖", "No answer could be checked: save the run, and report it."),
    Status.WAITING: Look(
        "○", "The steps, after the token, say what comes next; Run has the arm move."
    ),
}


def texts(seen: Snapshot) -> dict[str, str]:
    """Return what a page says: in its tabs, by their names, and above the steps."""
    verdict = verdict_html(seen.estimate, seen.rests_on, seen.width, _expected(seen))
    return {
        "Verdict": padded(_of_before(seen) + verdict),
        "Plan": padded("No plan yet." if seen.plan is None else plan_html(seen.plan)),
        "Nodes": padded(_nodes_html(seen)),
        "state": padded(_state_html(seen)),
        "fault": padded(f"<b>■ Fault:</b> {plain(seen.fault)}") if seen.fault else "",
    }


def plain(text: str) -> str:
    """Return text of somebody else as HTML that shows just that text."""
    return html.escape(printable(text)).replace("\n", " ")


def padded(text: str) -> str:
    """Return HTML away from the edge of its panel."""
    return f'<div style="padding:0 0.7em">{text}</div>'


def step_html(step: Step, comes_next: bool, busy: bool) -> str:
    """Return what stands below a step's button; what hinders all of them stands in the state."""
    following = "<b>next.</b> " if comes_next else ""
    hindrance = "" if busy else plain(step.hindrance)
    return padded(f"{following}{plain(step.said)} <i>{hindrance}</i>")


def verdict_html(
    estimate: Estimate | None,
    rests_on: Sequence[str] = (),
    width: Sequence[str] = (),
    expected: str = "",
) -> str:
    """Return the verdict, then the number, and folded why, what it rests on, all ten parameters.

    Args:
        estimate: None: there is none.
        rests_on: What the mass rests on, a sentence each.
        width: What makes its interval wide.
        expected: What the plan had promised, as HTML.
    """
    if estimate is None:
        return "No estimate yet."
    seconds = f" {estimate.seconds:.1f} s of data." if estimate.samples else ""
    found = [headline_html(estimate.status, f"<br>{LOOKS[estimate.status].advice}{seconds}")]
    if estimate.status in USABLE and estimate.headline is not None:
        mass, com = estimate.headline.lines
        com = com.replace(": ", "<br>").replace(", ", "<br>")
        found.append(number_html(mass, com))
        found.append(f"<p>inertia about it: {_inertia(estimate)}</p>{expected}")
    # What it rests on stands below, in a table.
    why = estimate.message.removesuffix(f"The mass rests on: {'; '.join(rests_on)}.").strip()
    found.append(folded("Why", plain(why), estimate.status not in USABLE))
    found.append(folded("What makes the mass's interval wide", html_list(width)))
    found.append(folded("What the mass rests on, and is not proved", _rests_on_html(rests_on)))
    if np.isfinite(estimate.half_width).any():
        ten = html_list([parameter_text(estimate, k) for k in range(10)])
        found.append(folded("All ten parameters, about the payload frame", ten))
    return "".join(found)


def headline_html(status: Status, said: str = "") -> str:
    """Return a verdict with its sign and colour, and HTML that is said below it."""
    return (
        f'<div style="border-left:10px solid rgb{VERDICT[status].value};padding-left:10px">'
        f'<b style="font-size:1.5em">{LOOKS[status].sign} {status.words}</b>{said}</div>'
    )


def number_html(mass: str, com: str) -> str:
    """Return mass and centre of mass as they stand below a verdict."""
    return f'<p style="font-size:1.3em"><b>{mass}</b><br>centre of mass {com}</p>'


def parameter_text(estimate: Estimate, k: int) -> str:
    """Return a parameter with its interval, to the digits that its interval warrants."""
    name, unit = PARAMETERS[k], UNIT_TEXTS[k]
    half = float(estimate.half_width[k])
    if not np.isfinite(half):
        return f"{name}: no interval"
    phi, lower, upper = (
        number(float(x[k]), digits(half)) for x in (estimate.phi, estimate.lower, estimate.upper)
    )
    known = f" = {phi}" if estimate.identifiable[k] else " not identified"
    return f"{name}{known}, in [{lower}, {upper}] {unit}"


def plan_html(plan: PlanDescription) -> str:
    """Return what a person reads before a plan is followed."""
    uses = [
        (kind, f"{max(values):.0f} %", plan.joint_names[int(np.argmax(values))])
        for kind, values in peaks(plan).items()
        if len(values)
    ]
    nearest = ("clearance left", f"{1e3 * plan.least_clearance:.0f} mm", plan.closest_pair)
    rows = [*uses, nearest] if math.isfinite(plan.least_clearance) else uses
    peaks_used = table(("certified", "at worst", "where"), rows)
    rests = folded("What the certificate rests on", html_list(plan.assumptions))
    return f"<b>{plain(plan.plan_id)}</b> {plain(plan.summary)}{peaks_used}{rests}"


def _nodes_html(seen: Snapshot) -> str:
    """Return how the nodes are; a fault is told elsewhere."""
    heard = [(name, seen.node(name)) for name in NODES]
    return "".join(
        f"<p>{LEVELS[node.level]} <b>{name}</b> {plain(_once(seen, node.sentence)) or 'ok'}</p>"
        for name, node in heard
    )


def _state_html(seen: Snapshot) -> str:
    """Return what is being done, and how the task before ended."""
    progress, outcome = seen.tasks.progress, seen.tasks.outcome
    since, left = seen.now - progress.since, progress.left
    time = f", {since:.0f} s" if since >= SLOW else ""
    time = f", {left:.0f} s left" if math.isfinite(left) else time
    still = "" if seen.may_move else "<p>This view may not move the arm (--allow-motion).</p>"
    doing = f"<p><b>{plain(progress.task)}</b> {plain(progress.detail)}{time}</p>"
    found = still + (doing if progress.task else "")
    if outcome is None:
        return found
    sign, words = DONE if outcome.success else FAILED, plain(_once(seen, outcome.sentence))
    return f"{found}<p>{sign} <b>{plain(outcome.task)}:</b> {words}</p>"


def _once(seen: Snapshot, text: str) -> str:
    """Return a sentence without the fault, which stands on the page already: REASON: words."""
    words = seen.fault.partition(": ")[2] or seen.fault
    return text.replace(seen.fault, words).replace(words, "See the fault.") if words else text


def _of_before(seen: Snapshot) -> str:
    """Return what is shown as it was before, since it is not heard any more; empty: nothing is."""
    mute = seen.estimate is not None and not seen.node("estimator").found
    said = {
        "The estimator is not heard: this is what it said last.": mute,
        "No joint states come: the arm is shown where it was last.": not seen.states,
    }
    return "".join(f"<p><b>{text}</b></p>" for text, holds in said.items() if holds)


def _expected(seen: Snapshot) -> str:
    """Return what the plan that led to the estimate had promised of the mass."""
    if seen.plan is None or not seen.followed:
        return ""
    now, then = float(seen.plan.half_width_now[0]), float(seen.plan.half_width_expected[0])
    if not (math.isfinite(now) and math.isfinite(then)):
        return ""
    return f"<p>The plan expected a proof of the mass to ± {then:.2g} kg, from ± {now:.2g}.</p>"


def _inertia(estimate: Estimate) -> str:
    """Return the inertia about the centre of mass, to the digits of its bounds about the frame."""
    if not estimate.identifiable[4:].all():
        return "not told by these data"
    inertia = mass_com_inertia(estimate.phi)[2]
    places = digits(float(estimate.half_width[4:].min()))
    shown = (
        f"{name} {number(float(inertia[i, j]), places)}"
        for name, i, j in zip(PARAMETERS[4:], (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2), strict=True)
    )
    return f"{', '.join(shown)} {UNIT_TEXTS[4]}"


def _rests_on_html(rests_on: Sequence[str]) -> str:
    """Return assumptions with the errors from which on they make the mass doubtful, and false."""
    rows = [
        found.groups() if (found := RESTS_ON.fullmatch(text)) else (text, "", "", "")
        for text in rests_on
    ]
    titles = ("assumed", "doubtful from", "false from", "noticed from")
    return table(titles, rows) if rows else ""


def folded(title: str, text: str, is_open: bool = False) -> str:
    """Return what one click shows; empty: there is nothing."""
    opened = " open" if is_open else ""
    return f"<details{opened}><summary>{title}</summary>{text}</details>" if text else ""


def html_list(lines: Sequence[str]) -> str:
    """Return lines as a list; empty: there are none."""
    return f"<ul>{''.join(f'<li>{plain(line)}</li>' for line in lines)}</ul>" if lines else ""


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    head = "".join(f'<th align="left">{title}</th>' for title in titles)
    body = "".join(f"<tr>{''.join(f'<td>{plain(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
