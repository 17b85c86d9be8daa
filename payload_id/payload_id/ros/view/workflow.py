"""The run as steps: what is done, what may be done now, and why the others may not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from payload_id_msgs.msg import BridgeState, PlanDescription

from ...core.identification.estimate import Estimate
from ...core.identification.status import USABLE

NODES = ("sampler", "estimator", "planner", "bridge")
NO_PLAN = "There is no plan yet."


@dataclass(frozen=True)
class NodeHeard:
    """What was last heard of a node.

    Attributes:
        found: Whether it was heard of a moment ago.
        level: "ok", "warning", "error" or "stale".
        sentence: Its own words.
        figures: Of its condition, by name.
    """

    found: bool = False
    level: str = "stale"
    sentence: str = "not heard"
    figures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """How far a task is.

    Attributes:
        task: What is being done; empty: nothing.
        detail: A few words.
        part: 0 to 1, NaN: not known.
        left: Expected time until its end [s], NaN: not known.
        since: When this was shown first, by the monotonic clock [s].
    """

    task: str = ""
    detail: str = ""
    part: float = math.nan
    left: float = math.nan
    since: float = math.nan


@dataclass(frozen=True)
class Outcome:
    """How a task ended: what it was, whether it did what it is for, the node's own words."""

    task: str
    success: bool
    sentence: str


@dataclass(frozen=True)
class TaskState:
    """What was done here, and is being done.

    Attributes:
        progress: Of the task in progress.
        outcome: Of the newest one that has ended; None: there is none, or another has begun.
        dry_run: Name of the plan that was followed slowly.
        executed: Name of the plan that was followed while data were taken.
        saved: Folder of the saved run.
        reported: Folder of the run whose report was handed over.
        exported: Folder of the run whose load was handed over.
    """

    progress: Progress = Progress()
    outcome: Outcome | None = None
    dry_run: str = ""
    executed: str = ""
    saved: str = ""
    reported: str = ""
    exported: str = ""


@dataclass(frozen=True)
class Snapshot:
    """All that a page depends on, at one instant.

    Attributes:
        nodes: What was heard of each node, by name.
        estimate: The newest one; None: none was heard.
        rests_on: What its mass rests on, a sentence each.
        width: What makes the interval of its mass wide, the largest share first.
        plan: The newest one.
        bridge: What the bridge does.
        states: Whether joint states come.
        previewed: Name of the plan that was looked at on this page.
        at_start: Whether the arm is where that plan begins, as far as is known.
        may_move: Whether the view was started with the permission to move the arm.
        tasks: What was done here.
        now: By the monotonic clock [s].
    """

    nodes: Mapping[str, NodeHeard] = field(default_factory=dict)
    estimate: Estimate | None = None
    rests_on: tuple[str, ...] = ()
    width: tuple[str, ...] = ()
    plan: PlanDescription | None = None
    bridge: BridgeState | None = None
    states: bool = True
    previewed: str = ""
    at_start: bool = True
    may_move: bool = False
    tasks: TaskState = TaskState()
    now: float = math.nan

    def node(self, name: str) -> NodeHeard:
        """Return what was heard of a node."""
        return self.nodes.get(name, NodeHeard())

    @property
    def running(self) -> bool:
        """Whether the estimator takes data."""
        return self.node("estimator").figures.get("running") == "True"

    @property
    def plan_id(self) -> str:
        """Name of the newest plan; empty: there is none."""
        return "" if self.plan is None else str(self.plan.plan_id)

    @property
    def looked(self) -> bool:
        """Whether the newest plan was looked at on this page."""
        return bool(self.plan_id) and self.previewed == self.plan_id

    @property
    def busy(self) -> bool:
        """Whether a task is in progress."""
        return bool(self.tasks.progress.task)

    @property
    def fault(self) -> str:
        """What must be acknowledged; empty: nothing."""
        return "" if self.bridge is None else str(self.bridge.fault)

    @property
    def followed(self) -> bool:
        """Whether the newest plan was followed while data were taken."""
        return bool(self.plan_id) and self.tasks.executed == self.plan_id

    @property
    def solved(self) -> bool:
        """Whether there is a verdict with a number."""
        return self.estimate is not None and self.estimate.status in USABLE and not self.running


def peaks(plan: PlanDescription) -> dict[str, Sequence[float]]:
    """Return how much of each kind of limit each joint uses [%]; empty: not known."""
    kinds = ("position", "velocity", "acceleration", "torque")
    return {kind: getattr(plan, f"peak_{kind}_percent") for kind in kinds}


@dataclass(frozen=True)
class Step:
    """One step of the run.

    Attributes:
        name: For the program.
        label: What its button says.
        done: Whether it has been done.
        hindrance: Why it cannot be done now; empty: it can.
        said: What was found, where it was done.
        optional: Whether the run goes on without it.
    """

    name: str
    label: str
    done: bool = False
    hindrance: str = ""
    said: str = ""
    optional: bool = False


def steps(seen: Snapshot) -> tuple[Step, ...]:
    """Return the steps of a run in their order."""
    tasks, plan, followed = seen.tasks, seen.plan_id, seen.followed
    well, said = health(seen)
    tared = seen.node("estimator").figures.get("tared") == "True"
    has_result = seen.estimate is not None and bool(seen.estimate.samples)
    unread = "" if seen.looked else "Preview the plan first." if plan else NO_PLAN
    elsewhere = "" if seen.at_start else "The arm is not where the plan begins: plan again."
    unsaved = "" if tasks.saved else "Save the run first."
    return (
        Step("check", "Check", well, "", said),
        Step("tare", "Tare (without payload)", tared, _first(seen, NODES, moves=True),
             "A tare is in force." if tared else "Narrows the intervals.", optional=True),
        Step("plan", "Plan", bool(plan) and (followed or seen.at_start),
             _first(seen, ("planner", "bridge")), f"{plan} is certified." if plan else ""),
        Step("preview", "Preview", seen.looked or followed,
             _first(seen, ("planner",), "" if plan else NO_PLAN),
             "The orange arm shows the motion." if seen.looked and not followed else ""),
        Step("dry_run", "Dry run", bool(plan) and tasks.dry_run == plan,
             _first(seen, ("planner", "bridge"), unread, elsewhere, moves=True),
             "The same path at a tenth of its speed; no data are taken.", optional=True),
        Step("run", "Run", followed,
             _first(seen, NODES, unread, elsewhere, "A run is in progress: solve for its verdict "
                    "first." if seen.running else "", moves=True),
             "Follows the plan while the estimator takes data."),
        Step("verdict", "Solve for the verdict", seen.solved,
             _first(seen, ("estimator",), "" if seen.running else "The verdict is there."
                    if seen.solved else "No data are being taken: run first.")),
        Step("save", "Save", bool(tasks.saved) and has_result,
             _first(seen, ("estimator",), "" if has_result else "There is no result to save."),
             tasks.saved),
        Step("report", "Report", bool(tasks.saved) and tasks.reported == tasks.saved,
             _first(seen, (), unsaved), "One page for a colleague.",
             optional=True),
        Step("export", "Apply or export", bool(tasks.saved) and tasks.exported == tasks.saved,
             _first(seen, (), unsaved),
             "The load as a controller or a model takes it; nothing is sent."),
    )  # fmt: skip


def next_step(all_steps: tuple[Step, ...]) -> str:
    """Return the name of the step that comes next; empty: everything is done."""
    return next((step.name for step in all_steps if not (step.done or step.optional)), "")


def identify_hindrance(seen: Snapshot) -> str:
    """Return why the whole of it cannot be asked for in one goal; empty: it can."""
    return _first(seen, NODES, moves=True)


def health(seen: Snapshot) -> tuple[bool, str]:
    """Return whether all nodes do what they are for, and what is to be said of them."""
    heard = [(name, seen.node(name)) for name in NODES]
    bad = [name for name, node in heard if node.level in ("error", "stale")]
    if bad:
        return False, f"{', '.join(bad)}: see Nodes."
    warned = [name for name, node in heard if node.level == "warning"]
    return True, f"{', '.join(warned)}: a warning, see Nodes." if warned else "All nodes are well."


def _first(seen: Snapshot, nodes: tuple[str, ...], *others: str, moves: bool = False) -> str:
    """Return the most telling of what hinders a step that needs some nodes; empty: nothing."""
    idle = seen.bridge is not None and seen.bridge.state == BridgeState.IDLE
    lacking = {
        **{f"The {name} is not heard: start it, in this ROS domain.": not seen.node(name).found
           for name in nodes},
        f"Wait: {seen.tasks.progress.task}.": seen.busy,
        "This view may not move the arm: start it with --allow-motion.":
            moves and not seen.may_move,
        "Acknowledge the fault first.": moves and bool(seen.fault),
        "The bridge is busy.": moves and not idle,
        **{text: bool(text) for text in others},
    }  # fmt: skip
    return next((text for text, holds in lacking.items() if holds), "")
