"""The run as steps: what is done, what may be done now, and why the others may not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ....core.identification.estimate import Estimate
from ....core.identification.status import USABLE, Status

NODES = ("sampler", "estimator", "planner", "bridge")
UNFINISHED = "A run is in progress: solve for its verdict first."
# What to do first, by verdict.
ADVICE: Mapping[Status, str] = {
    Status.GOOD: "The payload is known. Save the run, then apply or export it.",
    Status.TOO_WIDE: "The mass is known, but not near enough: do what the verdict says, or go on.",
    Status.SMALL_LOAD: "This load is too small to be told from none. Tare first, or move faster.",
    Status.NOT_IDENTIFIABLE: "The motion told too little. Plan a longer motion, and run it.",
    Status.INCONSISTENT: "Do not use these numbers: data and stated bounds contradict each other.",
    Status.NO_DATA: "There were too few samples: see what the sampler says.",
    Status.SOLVER_FAILED: "No answer could be checked: save the run, and report it.",
    Status.WAITING: "The steps say what comes next; Run begins a run and has the arm move.",
}


@dataclass(frozen=True)
class NodeSeen:
    """What was last heard of a node.

    Attributes:
        found: Whether it was heard of a moment ago.
        level: "ok", "warning", "error" or "stale".
        sentence: Its own words.
    """

    found: bool = False
    level: str = "stale"
    sentence: str = ""


@dataclass(frozen=True)
class Seen:
    """All that the steps depend on.

    Attributes:
        nodes: By name.
        running: Whether the estimator takes data.
        tared: Whether a tare is in force.
        estimate: The newest one.
        plan: Name of the newest plan; empty: there is none.
        previewed: Name of the plan that was looked at here.
        dry_run: Name of the plan that was followed slowly.
        executed: Name of the plan that was followed while data were taken.
        saved: Folder of the saved run.
        reported: Folder of the run whose report was handed over.
        exported: Folder of the run whose load was handed over.
        idle: Whether the bridge would take a motion.
        fault: What must be acknowledged.
        doing: Task in progress; empty: none.
        in_control: Whether the page that asks has control.
        holder: Who has it.
        holder_is_here: Whether a page of theirs is open.
        at_start: Whether the arm is where the plan that was previewed begins, as far as is known.
        states: Whether joint states come.
        may_move: Whether the view was started with the permission to move the arm.
    """

    nodes: Mapping[str, NodeSeen] = field(default_factory=dict)
    running: bool = False
    tared: bool = False
    estimate: Estimate | None = None
    plan: str = ""
    previewed: str = ""
    dry_run: str = ""
    executed: str = ""
    saved: str = ""
    reported: str = ""
    exported: str = ""
    idle: bool = False
    fault: str = ""
    doing: str = ""
    in_control: bool = False
    holder: str = ""
    holder_is_here: bool = True
    at_start: bool = True
    states: bool = True
    may_move: bool = False

    def node(self, name: str) -> NodeSeen:
        """Return what was heard of a node."""
        return self.nodes.get(name, NodeSeen())


@dataclass(frozen=True)
class Step:
    """One step of the run.

    Attributes:
        name: For the program.
        label: What its button says.
        done: Whether it has been done.
        hindrance: Why it cannot be done now; empty: it can.
        said: What was found, where it was done.
        moves: Whether the arm moves.
        optional: Whether the run goes on without it.
    """

    name: str
    label: str
    done: bool = False
    hindrance: str = ""
    said: str = ""
    moves: bool = False
    optional: bool = False


def steps(seen: Seen) -> tuple[Step, ...]:
    """Return the steps of a run in their order."""
    planned, checked = bool(seen.plan), not _unhealthy(seen)
    followed = planned and seen.executed == seen.plan
    unreachable = "" if seen.at_start else "The arm is not where the plan begins: plan again."
    solved = seen.estimate is not None and seen.estimate.status in USABLE and not seen.running
    looked = planned and seen.previewed == seen.plan
    unread = "" if looked else "Preview the plan first." if planned else "There is no plan yet."
    return (
        Step("check", "Check", checked, _lacks(seen, (), moves=False),
             "All four nodes are well." if checked else _unhealthy(seen)),
        Step("tare", "Tare (without payload)", seen.tared,
             _lacks(seen, NODES, moves=True),
             "A tare is in force." if seen.tared else "Narrows the intervals.", True, True),
        Step("plan", "Plan", planned and (followed or seen.at_start),
             _lacks(seen, ("planner", "bridge"), moves=False),
             f"{seen.plan} is certified." if planned else ""),
        Step("preview", "Preview", looked or followed,
             _first(_lacks(seen, ("planner",), moves=False), "" if planned else unread),
             "The orange arm shows the motion." if looked else ""),
        Step("dry_run", "Dry run", planned and seen.dry_run == seen.plan,
             _first(_lacks(seen, ("planner", "bridge"), moves=True), unread, unreachable),
             "The same path at a tenth of its speed; no data are taken.", True, True),
        Step("run", "Run", followed,
             _first(_lacks(seen, NODES, moves=True), unread, unreachable,
                    UNFINISHED if seen.running else ""),
             "Follows the plan while the estimator takes data.", True),
        Step("verdict", "Solve for the verdict", solved,
             _first(_lacks(seen, ("estimator",), moves=False), "" if seen.running else
                    "The verdict is there." if solved else "No data are being taken: run first."),
             _verdict(seen.estimate)),
        Step("save", "Save", bool(seen.saved) and has_result(seen),
             _first(_lacks(seen, ("estimator",), moves=False),
                    "" if has_result(seen) else "There is no result to save."),
             seen.saved),
        Step("report", "Report", bool(seen.saved) and seen.reported == seen.saved,
             _unsaved(seen), "One page for a colleague; identifies again.", False, True),
        Step("export", "Apply or export", bool(seen.saved) and seen.exported == seen.saved,
             _unsaved(seen), "The load as a controller or a model takes it; nothing is sent."),
    )  # fmt: skip


def next_step(all_steps: tuple[Step, ...]) -> Step | None:
    """Return the step that comes next; None: everything is done."""
    return next((step for step in all_steps if not step.done and not step.optional), None)


def has_result(seen: Seen) -> bool:
    """Tell whether there is something to save."""
    return seen.estimate is not None and bool(seen.estimate.samples)


def is_unsaved(seen: Seen) -> bool:
    """Tell whether a new run would cost a verdict that nobody has saved."""
    solved = seen.estimate is not None and seen.estimate.status in USABLE
    return solved and has_result(seen) and not seen.saved


def identify_hindrance(seen: Seen) -> str:
    """Return why the whole of it cannot be asked for in one goal; empty: it can."""
    return _lacks(seen, NODES, moves=True)


def acknowledge_hindrance(seen: Seen) -> str:
    """Return why a fault cannot be acknowledged; empty: it can."""
    if not seen.fault:
        return "There is no fault."
    return no_control(seen) or ("" if seen.node("bridge").found else "The bridge is not heard.")


def _first(*hindrances: str) -> str:
    """Return the first that there is."""
    return next((text for text in hindrances if text), "")


def _lacks(seen: Seen, nodes: tuple[str, ...], moves: bool) -> str:
    """Return what is lacking for a step that needs some nodes; empty: nothing."""
    return next(_lacking(seen, nodes, moves), "")


def _lacking(seen: Seen, nodes: tuple[str, ...], moves: bool) -> Iterator[str]:
    """Yield what is lacking, the most telling first."""
    for name in nodes:
        if not seen.node(name).found:
            yield f"The {name} is not heard: start it, in this ROS domain."
    if nodes and (words := no_control(seen)):
        yield words
    if nodes and seen.doing:
        yield f"Wait: {seen.doing}."
    if moves and not seen.may_move:
        yield "This view may not move the arm: start it with --allow-motion."
    if moves and seen.fault:
        yield f"Acknowledge first: {seen.fault}"
    if moves and not seen.idle:
        yield "The bridge is busy."


def _unsaved(seen: Seen) -> str:
    """Return why nothing can be handed over; empty: it can."""
    busy = f"Wait: {seen.doing}." if seen.doing else ""
    return _first(no_control(seen), busy, "" if seen.saved else "Save the run first.")


def no_control(seen: Seen) -> str:
    """Return why the page does not have control; empty: it has."""
    if seen.in_control:
        return ""
    if not seen.holder:
        return "Take control first."
    gone = "" if seen.holder_is_here else ", but has no page open: take it"
    return f"{seen.holder} has control{gone}."


def _unhealthy(seen: Seen) -> str:
    """Return what is wrong with the nodes; empty: nothing."""
    for name in NODES:
        node = seen.node(name)
        if not node.found:
            return f"The {name} is not heard."
    for name in NODES:
        node = seen.node(name)
        if node.level in ("error", "stale"):
            return f"{name}: {node.sentence}"
    return ""


def _verdict(estimate: Estimate | None) -> str:
    """Return the verdict in words; empty: there is none."""
    if estimate is None or estimate.status is Status.WAITING:
        return ""
    return f"{estimate.status.value.replace('_', ' ')}. {ADVICE[estimate.status]}"
