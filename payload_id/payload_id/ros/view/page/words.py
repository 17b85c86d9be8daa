"""What a page says in words: verdict, numbers, plan; sentences of nodes cannot become markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from payload_id_msgs.msg import PlanDescription

from ....core.errors import printable
from ....core.identification.estimate import Estimate
from ....core.identification.status import Status
from ..session.workflow import ADVICE, NODES, Seen, Step
from .charts import parameter_text

MARKS = re.compile(r"([\\`*_{}\[\]<>#+\-!|~&$])")
LEVELS = {"ok": "●", "warning": "▲", "error": "■", "stale": "○"}


def plain(text: str) -> str:
    """Return text of somebody else as Markdown that shows just that text."""
    return MARKS.sub(r"\\\1", printable(text)).replace("\n", " ")


def nodes_text(seen: Seen) -> str:
    """Return how the nodes are."""
    lines = []
    for name in NODES:
        node = seen.node(name)
        sign = LEVELS.get(node.level, "○") if node.found else "○"
        said = node.sentence if node.found else "not heard"
        lines.append(f"{sign} **{name}** {plain(said) or 'ok'}")
    return "\n\n".join(lines)


def step_text(step: Step, comes_next: bool) -> str:
    """Return what stands below a step's button."""
    words = [f"**next.** {plain(step.said)}" if comes_next else plain(step.said)]
    if step.hindrance:
        words.append(f"*{plain(step.hindrance)}*")
    return " ".join(word for word in words if word) or " "


def of_before(seen: Seen) -> str:
    """Return what is shown as it was before, since it is not heard any more; empty: nothing is."""
    said = []
    if seen.estimate is not None and not seen.node("estimator").found:
        said.append("The estimator is not heard: this is what it said last.")
    if not seen.states:
        said.append("No joint states come: the arm is shown where it was last.")
    return "".join(f"**{text}**\n\n" for text in said)


def verdict_text(estimate: Estimate | None) -> str:
    """Return verdict, what to do first, and the ten numbers."""
    if estimate is None:
        return "No estimate yet."
    status = estimate.status.words
    if estimate.status is Status.WAITING:
        return f"**{status}.** {ADVICE[estimate.status]}\n\n{plain(estimate.message)}"
    head = f"### {status}\n\n{ADVICE[estimate.status]}\n\n{plain(estimate.message)}"
    if not np.isfinite(estimate.half_width).any():
        return head
    numbers = "\n".join(f"- {plain(parameter_text(estimate, k))}" for k in range(10))
    return f"{head}\n\n{numbers}\n\n{estimate.seconds:.1f} s of data"


def plan_text(plan: PlanDescription | None) -> str:
    """Return what a person reads before a plan is followed."""
    if plan is None:
        return "No plan yet."
    peaks = (
        ("position", plan.peak_position_percent),
        ("velocity", plan.peak_velocity_percent),
        ("acceleration", plan.peak_acceleration_percent),
        ("torque", plan.peak_torque_percent),
    )
    rows = "\n".join(
        f"| {kind} | {max(values):.0f} % | {plain(plan.joint_names[int(np.argmax(values))])} |"
        for kind, values in peaks
        if len(values)
    )
    table = f"| certified use | at most | joint |\n|---|---|---|\n{rows}"
    rests = "\n".join(f"- {plain(text)}" for text in plan.assumptions)
    return f"**{plain(plan.plan_id)}** {plain(plan.summary)}\n\n{table}\n\nIt rests on:\n\n{rests}"


def tight_links(plan: PlanDescription, joint_links: Sequence[str]) -> tuple[str, ...]:
    """Return the links that limit a plan: the closest pair, and that of the largest torque.

    Args:
        plan: The plan.
        joint_links: Link that each joint moves.
    """
    found = [body.split("/")[0] for body in plan.closest_pair.split(" and ") if body]
    if len(plan.peak_torque_percent) == len(joint_links) and joint_links:
        found.append(joint_links[int(np.argmax(plan.peak_torque_percent))])
    return tuple(found)
