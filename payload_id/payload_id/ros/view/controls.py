"""What the operator commands: stop, the steps of a run; made once the token is proved."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ...core.body.payload_prior import PayloadPrior
from ...core.errors import PayloadIdError
from ...core.identification.headline import ENOUGH
from .handing import CHOICES, load_of, report_of
from .live_arm import LiveArm
from .tasks import DRY_RUN, RUN, TARE_ONLY
from .view_model import DONE, OPEN, SET, padded
from .workflow import Snapshot, health, identify_hindrance, next_step, steps

if TYPE_CHECKING:
    from .page import Page

DURATION = 8.0  # of a plan [s]
AS_PLANNER = "as the planner says"
STOP_GAP, STOP_WIDTH = 2.0, 218.0  # [px] as narrow as its button, for a window 1024 px wide
IDENTIFY, TARE = "identify", "tare"
HEAVIEST = "0: what the bounds say. A lighter payload lets the arm move faster; it must be true."
# What the arm is asked to move for, by step.
MOVES = {
    TARE: "tare, WITHOUT a payload",
    "dry_run": "follow the plan slowly",
    "run": "follow the plan",
    IDENTIFY: "identify the payload in the hand",
}


class Controls:
    """The controls of the operator on one page; what they do is `Tasks`'."""

    def __init__(self, gui: Any, arm: LiveArm, page: Page) -> None:
        """Add them.

        Args:
            gui: Of the page.
            arm: What all pages share.
            page: Plays plans, and hands files to the browser.
        """
        self._gui, self._arm, self._tasks, self._page = gui, arm, arm.tasks, page
        self._question: Any = None  # that was asked last
        self._asking = threading.Lock()
        self._buttons: dict[str, Any] = {}
        self._texts: dict[str, Any] = {}
        self._enough: tuple[float, ...] = ()  # until changed, as the estimator says
        panel = gui.add_panel()  # of its own: it stays where it is when the steps are moved
        with panel.add_tab("Stop", "hand-stop"):
            self._add_stop()
        panel.float(x=STOP_GAP, y=-STOP_GAP, width=STOP_WIDTH)
        with gui.add_folder("Run", order=-20):
            self._state, self._bar = gui.add_html(""), gui.add_progress_bar(0.0, visible=False)
            self._add_fault()
            self._duration = gui.add_number("length of the motion [s]", DURATION, min=2.0, max=60.0)
            self._limits = gui.add_dropdown("limits", (AS_PLANNER, *arm.robot.limit_sets))
            self._heaviest = gui.add_number(
                "heaviest payload [kg] (0: as stated)", 0.0, min=0.0, step=0.1, hint=HEAVIEST
            )
            com, mass = 1e3 * ENOUGH.com, ENOUGH.mass
            self._mass = gui.add_number("enough: mass within ± [kg]", mass, min=0.0, step=0.01)
            self._com = gui.add_number("centre of mass within ± [mm]", com, min=0.0, step=1.0)
            self._mass.on_update(self._on_enough)
            self._com.on_update(self._on_enough)
            self._add_button(IDENTIFY, "Identify in one go", icon="player-play")
            gui.add_html(padded("In pieces, each planned with what the pieces before have told."))
            self._finish = gui.add_button("Finish now", icon="player-stop", visible=False)
            self._finish.on_click(lambda _: self._tasks.finish())
            gui.add_divider()
            for step in steps(Snapshot()):
                if step.name == "export":
                    self._target = gui.add_dropdown("the load for", tuple(CHOICES))
                self._add_button(step.name, step.label)

    def draw(self, seen: Snapshot, said: Mapping[str, str]) -> None:
        """Bring buttons and their words up to date."""
        every, progress = steps(seen), seen.tasks.progress
        following = "" if seen.busy else next_step(every)
        for step in every:
            button, comes_next = self._buttons[step.name], step.name == following
            button.disabled = bool(step.hindrance)
            button.label = f"{DONE if step.done else OPEN} {step.label}"
            button.color = "blue" if comes_next else "gray"
            self._texts[step.name].content = padded(SET.step(step, comes_next, seen.busy))
        self._buttons[IDENTIFY].disabled = bool(identify_hindrance(seen))
        self._finish.visible = progress.task == IDENTIFY
        self._state.content, self._fault.content = said["state"], said["fault"]
        for handle in (self._fault, self._reason, self._acknowledge):
            handle.visible = bool(seen.fault)
        self._bar.visible = math.isfinite(progress.part)
        if self._bar.visible:
            self._bar.value = float(round(100 * min(max(progress.part, 0.0), 1.0)))

    def _add_stop(self) -> None:
        """Add what has the arm stopped."""
        stop = self._gui.add_button("STOP THE ARM", color="red")
        stop.on_click(lambda _: self._tasks.stop())

    def _add_fault(self) -> None:
        """Add what lets the arm move again after a fault."""
        self._fault = self._gui.add_html("", visible=False)
        self._reason = self._gui.add_text("what was found and done", "", visible=False)
        self._acknowledge = self._gui.add_button(
            "Acknowledge the fault", visible=False, color="orange"
        )

        @self._acknowledge.on_click
        def _(_: Any) -> None:
            reason = self._reason.value
            if reason.strip():
                self._tasks.begin("acknowledging", partial(self._tasks.acknowledge, reason))
            else:
                self._tasks.say("acknowledging", False, "Say what was found and done first.")

    def _on_enough(self, _: Any) -> None:
        """Note how near mass and centre of mass must be known."""
        self._enough = (0.0, float(self._mass.value), 1e-3 * float(self._com.value))

    def _add_button(self, name: str, label: str, **options: Any) -> None:
        """Add the button of a step, and what stands below it."""
        self._buttons[name] = button = self._gui.add_button(label, **options)
        self._texts[name] = self._gui.add_html("")

        @button.on_click
        def _(_: Any) -> None:
            # As it is now: the browser may show what was so a moment ago, or be somebody's own.
            if self._hindrance(name):
                return
            if name in MOVES:
                self._confirm(name)
                return
            try:
                self._work(name)()
            except PayloadIdError as error:
                self._tasks.say(label.lower(), False, str(error))

    def _hindrance(self, name: str) -> str:
        """Return why a step cannot be done now; empty: it can."""
        seen = self._page.snapshot()
        of_steps = {step.name: step.hindrance for step in steps(seen)}
        return {**of_steps, IDENTIFY: identify_hindrance(seen)}[name]

    def _work(self, name: str) -> Callable[[], object]:
        """Return what a step does."""
        tasks, plan, enough = self._tasks, self._arm.topics.plan, self._enough
        load = partial(load_of, target=CHOICES[self._target.value], robot=self._arm.robot)
        limits = "" if self._limits.value == AS_PLANNER else str(self._limits.value)
        heaviest = float(self._heaviest.value)
        reach = self._arm.robot.uncertainty.prior.com_max
        within = PayloadPrior(heaviest, reach) if heaviest > 0.0 else None
        mass = [heaviest / 2, heaviest / 2] if heaviest > 0.0 else []  # and its largest error

        def begin(task: str, work: Callable[..., str], *given: Any, **fields: Any) -> partial[bool]:
            return partial(tasks.begin, task, partial(work, *given, **fields))

        works: dict[str, Callable[[], object]] = {
            "check": lambda: tasks.say("check", *health(self._page.snapshot())),
            "tare": begin(TARE, tasks.identify, TARE, tare=TARE_ONLY),
            "plan": begin("planning", tasks.plan, float(self._duration.value), limits, within),
            "preview": self._page.preview,
            "dry_run": begin(DRY_RUN, tasks.dry_run, plan),
            "run": begin(RUN, tasks.run, plan, enough, mass),
            "verdict": begin("solving", tasks.solve),
            "save": begin("saving", tasks.save),
            "report": begin("report", tasks.hand_over, "reported", report_of, self._page.hand),
            "export": begin("export", tasks.hand_over, "exported", load, self._page.hand),
            IDENTIFY: begin(
                IDENTIFY, tasks.identify, IDENTIFY, enough=list(enough), known_mass=mass
            ),
        }  # fmt: skip
        return works[name]

    def _confirm(self, name: str) -> None:
        """Ask once more before the arm moves; one question at a time, however often one clicks."""
        gui, seen = self._gui, self._page.snapshot()
        with self._asking:
            if self._question is not None and not self._question.closed:
                return
            self._question = modal = gui.add_modal("Move the arm?")
        with modal:
            gui.add_markdown(
                f"**The arm will move** to {MOVES[name]}. Is everybody out of its reach, and an "
                "emergency stop at hand?"
            )
            if name != "dry_run" and seen.solved and not seen.tasks.saved:
                gui.add_markdown("The verdict that is not saved yet is forgotten then.")
            move = gui.add_button("MOVE THE ARM", color="orange")
            leave = gui.add_button("Do not move")
            self._add_stop()  # the one below the question cannot be reached

        @move.on_click
        def _(_: Any) -> None:
            with self._asking:
                if modal.closed:
                    return  # a second click
                modal.close()
            if hindrance := self._hindrance(name):  # a fault meanwhile, say, or another plan
                self._tasks.say(MOVES[name], False, f"Nothing has moved. {hindrance}")
            else:
                self._work(name)()

        leave.on_click(lambda _: None if modal.closed else modal.close())
