"""What an operator commands: stop, control, the steps of a run; made once the token is proved."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

from ....core.errors import PayloadIdError
from ....core.identification.headline import ENOUGH
from ..session.desk import Desk
from ..session.guard import Operator
from ..session.handing import CHOICES, Handed
from ..session.workflow import (
    Seen,
    Step,
    acknowledge_hindrance,
    identify_hindrance,
    is_unsaved,
    next_step,
    no_control,
    steps,
)
from . import words
from .preview import Preview
from .shown import Shown

DURATION, SEED = 8.0, 0  # of a plan [s]
DONE, OPEN, FAILED = "✓", "·", "✗"
AS_PLANNER = "as the planner says"
STOP_GAP, STOP_WIDTH = 20.0, 320.0  # [px]
DRY_RUN = "follow the plan slowly"
OTHER_PLAN = "There is another plan by now: preview that one first. Nothing has moved."
SURE = "Is everybody out of its reach, and an emergency stop at hand?"


class Controls:
    """The controls of one operator on one page."""

    def __init__(
        self,
        gui: Any,
        desk: Desk,
        operator: Operator,
        preview: Preview,
        hand: Callable[[Handed], object],
    ) -> None:
        """Add them.

        Args:
            gui: Of the page.
            desk: What all pages share.
            operator: Who sits there.
            preview: Plays plans on the page.
            hand: Gives the browser a file.
        """
        self._hand = hand
        self._gui, self._desk, self._operator, self._preview = gui, desk, operator, preview
        self._shown = Shown()
        self._question: Any = None  # that was asked last
        self._asking = threading.Lock()
        self._buttons: dict[str, Any] = {}
        self._texts: dict[str, Any] = {}
        self._add_stop()
        with gui.add_folder("Run", order=-20):
            self._add_state()
            self._add_fault()
            self._duration = gui.add_number("length of the motion [s]", DURATION, min=2.0, max=60.0)
            sets = (AS_PLANNER, *desk.robot.limit_sets)
            self._limits = gui.add_dropdown("limits", sets)
            self._add_enough()
            for step in steps(Seen()):
                if step.name == "export":
                    self._target = gui.add_dropdown("the load for", tuple(CHOICES))
                button = gui.add_button(step.label)
                button.on_click(self._pressing(step))
                self._buttons[step.name] = button
                self._texts[step.name] = gui.add_markdown(" ")
            self._add_identify()

    def refresh(self) -> None:
        """Bring buttons and their words up to date."""
        seen = self._seen()
        every = steps(seen)
        following = next_step(every)
        for step in every:
            sign, comes_next = DONE if step.done else OPEN, step is following
            button = self._buttons[step.name]
            self._shown.set(button, "disabled", bool(step.hindrance))
            self._shown.set(button, "label", f"{sign} {step.label}")
            self._shown.set(button, "color", "blue" if comes_next else "gray")
            self._shown.write(self._texts[step.name], words.step_text(step, comes_next))
        self._shown.set(self._buttons["identify"], "disabled", bool(identify_hindrance(seen)))
        self._shown.set(self._buttons["take"], "disabled", seen.in_control)
        still = "" if seen.may_move else " This view may not move the arm (`--allow-motion`)."
        whose = words.plain(no_control(seen)) or "You have control."
        self._shown.write(self._texts["control"], f"{whose}{still}")
        fault = not acknowledge_hindrance(seen)
        for handle in (self._buttons["acknowledge"], self._texts["reason"]):
            self._shown.set(handle, "visible", fault)
        self._refresh_progress()

    def _refresh_progress(self) -> None:
        """Show how far the task is, and how the one before ended."""
        progress, outcome = self._desk.tasks.progress, self._desk.tasks.outcome
        left = f", {progress.left:.0f} s left" if math.isfinite(progress.left) else ""
        since = f", {progress.seconds:.0f} s" if not left and progress.seconds >= 2.0 else ""
        doing = f"**{progress.task}** {words.plain(progress.detail)}{left or since}"
        self._shown.write(self._texts["progress"], doing if progress.task else " ")
        known = bool(progress.task) and math.isfinite(progress.part)
        bar = self._texts["bar"]
        self._shown.set(bar, "visible", known)
        if known:
            self._shown.set(bar, "value", float(round(100 * min(max(progress.part, 0.0), 1.0))))
        if outcome is not None:
            sign = DONE if outcome.success else FAILED
            said = f"**{words.plain(outcome.task)}:** {words.plain(outcome.sentence)}"
            self._shown.write(self._texts["outcome"], f"{sign} {said}")

    def _add_stop(self) -> None:
        """Add the stop in a panel of its own, which stays where it is when the steps are moved."""
        panel = self._gui.add_panel()
        with panel.add_tab("Stop", "hand-stop"):
            self._add_stop_button()
        panel.float(x=STOP_GAP, y=-STOP_GAP, width=STOP_WIDTH)

    def _add_stop_button(self) -> None:
        """Add what has the arm stopped."""
        stop = self._gui.add_button("STOP THE ARM", color="red", icon="hand-stop")
        stop.on_click(lambda _: self._desk.tasks.stop(self._operator.name))

    def _add_state(self) -> None:
        """Add who has control, and what is being done."""
        gui = self._gui
        self._texts["control"] = gui.add_markdown(" ")
        take = gui.add_button("Take control", icon="steering-wheel")
        take.on_click(lambda _: self._desk.guard.take_control(self._operator))
        self._buttons["take"] = take
        self._texts["progress"] = gui.add_markdown(" ")
        self._texts["bar"] = gui.add_progress_bar(0.0, visible=False)
        self._texts["outcome"] = gui.add_markdown(" ")

    def _add_fault(self) -> None:
        """Add what lets the arm move again after a fault."""
        reason = self._gui.add_text("what was found and done", "", visible=False)
        button = self._gui.add_button("Acknowledge the fault", visible=False, color="orange")

        @button.on_click
        def _(_: Any) -> None:
            if not acknowledge_hindrance(self._seen()):
                self._desk.tasks.acknowledge(self._operator.name, reason.value)

        self._buttons["acknowledge"], self._texts["reason"] = button, reason

    def _add_enough(self) -> None:
        """Add how near mass and centre of mass must be known; until changed, as the node says."""
        gui, tasks = self._gui, self._desk.tasks
        mass = gui.add_number("enough: mass within ± [kg]", ENOUGH.mass, min=0.0, step=0.01)
        com = gui.add_number("centre of mass within ± [mm]", 1e3 * ENOUGH.com, min=0.0, step=1.0)

        def changed(_: Any) -> None:
            tasks.enough = (0.0, float(mass.value), 1e-3 * float(com.value))

        mass.on_update(changed)
        com.on_update(changed)

    def _add_identify(self) -> None:
        """Add what does all of it in one goal."""
        self._gui.add_divider()
        button = self._gui.add_button("Identify in one go", icon="player-play")

        @button.on_click
        def _(_: Any) -> None:
            if not identify_hindrance(self._seen()):
                self._confirm(
                    "identify the payload in the hand",
                    lambda by: self._desk.tasks.identify(by, tare=False),
                )

        self._buttons["identify"] = button
        self._gui.add_markdown(
            "All of it in pieces, each planned with what the pieces before have told."
        )

    def _pressing(self, step: Step) -> Callable[[Any], None]:
        """Return what a step's button does."""
        tasks, by = self._desk.tasks, self._operator.name
        plain: dict[str, Callable[[], object]] = {
            "check": self._say_health,
            "plan": lambda: tasks.plan(by, float(self._duration.value), self._limit_set(), SEED),
            "preview": self._preview.begin,
            "verdict": lambda: tasks.solve(by),
            "save": lambda: tasks.save(by),
            "report": lambda: tasks.report(by, self._hand),
            "export": lambda: tasks.export(
                by, CHOICES[self._target.value], self._desk.robot, self._hand
            ),
        }
        moving: dict[str, tuple[str, Callable[[str], object]]] = {
            "tare": ("tare, WITHOUT a payload", lambda by: tasks.identify(by, tare=True)),
            "dry_run": (DRY_RUN, lambda by: self._follow(by, dry=True)),
            "run": ("follow the plan", lambda by: self._follow(by, dry=False)),
        }

        def press(_: Any) -> None:
            # As it is now: the browser may show what was so a moment ago, or be somebody's own.
            if next(x.hindrance for x in steps(self._seen()) if x.name == step.name):
                return
            try:
                self._confirm(*moving[step.name]) if step.name in moving else plain[step.name]()
            except PayloadIdError as error:
                tasks.say(by, step.label.lower(), False, str(error))

        return press

    def _say_health(self) -> None:
        """Say what the check has found: what is heard is always looked at."""
        check = steps(self._seen())[0]
        self._desk.tasks.say(self._operator.name, "check", check.done, check.said)

    def _limit_set(self) -> str:
        """Return the name of the limits to plan within; empty: the planner's own."""
        return "" if self._limits.value == AS_PLANNER else str(self._limits.value)

    def _confirm(self, what: str, work: Callable[[str], object]) -> None:
        """Ask once more before the arm moves; one question at a time, however often one clicks."""
        with self._asking:
            if self._question is None or self._question.closed:
                self._question = self._gui.add_modal("Move the arm?")
                self._ask(self._question, what, work)

    def _ask(self, modal: Any, what: str, work: Callable[[str], object]) -> None:
        """Fill the question."""
        with modal:
            self._gui.add_markdown(f"**The arm will move** to {what}. {SURE}")
            if what != DRY_RUN and is_unsaved(self._seen()):
                self._gui.add_markdown("The verdict that is not saved yet is forgotten then.")
            move = self._gui.add_button("MOVE THE ARM", color="orange")
            leave = self._gui.add_button("Do not move")
            self._add_stop_button()  # the one below the question cannot be reached

        @move.on_click
        def _(_: Any) -> None:
            with self._asking:
                if modal.closed:
                    return  # a second click
                modal.close()
            if hindrance := identify_hindrance(self._seen()):  # somebody took control, say
                self._desk.tasks.say(self._operator.name, what, False, hindrance)
            else:
                work(self._operator.name)

        leave.on_click(lambda _: None if modal.closed else modal.close())

    def _follow(self, by: str, dry: bool) -> None:
        """Follow the plan that was looked at on this page."""
        plan = self._desk.heard.plan
        if plan is not None and plan.plan_id == self._preview.plan:
            self._desk.tasks.follow(by, plan, dry)
        else:
            self._desk.tasks.say(by, "follow the plan", False, OTHER_PLAN)

    def _seen(self) -> Seen:
        """Return what the steps depend on."""
        return self._desk.seen(self._operator, self._preview.plan)
