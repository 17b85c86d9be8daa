"""What a page says: a pure function of what was heard, set by the macros of `page.html.j2`.

All texts are HTML; sentences of nodes are escaped, so that none becomes markup.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from payload_id_msgs.msg import PlanDescription

from ...core.body.inertial import PARAMETERS, mass_com_inertia
from ...core.errors import printable
from ...core.identification.estimate import Estimate
from ...core.identification.status import USABLE, Status
from ...core.number_format import UNIT_TEXTS, digits, number
from ...files.reports.setting import page_environment
from ..common.colours import VERDICT
from .workflow import NODES, Snapshot, peaks

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
        "▲", "The payload is known, but not as near as was asked: 'Why' says what narrows it."
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
    verdict = verdict_html(seen.estimate, seen.rests_on, seen.width, SET.expected(seen))
    plan = "No plan yet." if seen.plan is None else SET.plan(seen.plan, _plan_rows(seen.plan))
    return {
        "Verdict": padded(SET.before(seen) + verdict),
        "Plan": padded(plan),
        "Nodes": padded(SET.nodes(seen)),
        "state": padded(SET.state(seen)),
        "fault": padded(SET.fault(seen)),
    }


def padded(text: object) -> str:
    """Return HTML away from the edge of its panel, as the page takes it."""
    return str(SET.padded(text))


def verdict_html(
    estimate: Estimate | None,
    rests_on: Sequence[str] = (),
    width: Sequence[str] = (),
    expected: str = "",
) -> str:
    """Return what is said of an estimate.

    Args:
        estimate: None: there is none.
        rests_on: What the mass rests on, a sentence each.
        width: What makes its interval wide.
        expected: What the plan had promised, as HTML.
    """
    if estimate is None:
        return "No estimate yet."
    # What it rests on stands below, in a table.
    why = estimate.message.removesuffix(f"The mass rests on: {'; '.join(rests_on)}.").strip()
    rows = [
        found.groups() if (found := RESTS_ON.fullmatch(text)) else (text, "", "", "")
        for text in rests_on
    ]
    known = np.isfinite(estimate.half_width).any()
    ten = [parameter_text(estimate, k) for k in range(10)] if known else []
    return SET.verdict(estimate, why, rows, width, expected, _inertia(estimate), ten)


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


def _plan_rows(plan: PlanDescription) -> list[tuple[str, str, str]]:
    """Return what a plan uses of limits and clearance: what, how much, and where."""
    uses = [
        (kind, f"{max(values):.0f} %", plan.joint_names[int(np.argmax(values))])
        for kind, values in peaks(plan).items()
        if len(values)
    ]
    nearest = ("clearance left", f"{1e3 * plan.least_clearance:.0f} mm", plan.closest_pair)
    return [*uses, nearest] if math.isfinite(plan.least_clearance) else uses


def _once(seen: Snapshot, text: str) -> str:
    """Return a sentence without the fault, which stands on the page already: REASON: words."""
    words = seen.fault.partition(": ")[2] or seen.fault
    return text.replace(seen.fault, words).replace(words, "See the fault.") if words else text


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


def _in_one_line(value: Any) -> Any:
    """Return text of somebody else in one line that steers nothing; HTML of ours as it is."""
    return value if hasattr(value, "__html__") else printable(str(value)).replace("\n", " ")


def _setting() -> Any:
    """Return the macros of the page, which escape all that is not HTML of their own."""
    environment = page_environment(Path(__file__).parent)
    environment.finalize = _in_one_line
    environment.globals |= {
        "DONE": DONE, "FAILED": FAILED, "LEVELS": LEVELS, "LOOKS": LOOKS, "NODES": NODES,
        "SLOW": SLOW, "USABLE": USABLE, "VERDICT": VERDICT, "isfinite": math.isfinite,
        "once": _once,
    }  # fmt: skip
    return environment.get_template("page.html.j2").module


SET = _setting()
