"""What the operator has asked for, one task at a time, each by a public service or action."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from payload_id_msgs.action import Identify
from payload_id_msgs.msg import ExcitationGoal, PlanDescription
from std_srvs.srv import Trigger

from ...core.body.payload_prior import PayloadPrior
from ...core.errors import PayloadIdError, printable
from ..client.payload_client import STAGES, PayloadClient
from ..client.waiting import NotAnsweredError, allowed
from ..common.error_sentence import OUTLIVED
from ..common.timeouts import SILENT
from .handing import Handed
from .node_names import NodeNames
from .workflow import Outcome, Progress, TaskState

LONGEST = 3600.0  # [s] that a task may take
DRY = 0.1  # of the speed
AGAIN = 0.1  # [s] between two stops while what was called off goes on: one may take twice this
REST = 2.0  # [s] of data after a motion, before they are solved
TARE_ONLY, EXCITING = Identify.Goal.TARE_ONLY, Identify.Feedback.EXCITING
REQUESTED_BY = "the live view"
DRY_RUN, RUN = "dry run", "run"


class Tasks:
    """Carries out one task at a time, in a thread of its own; a stop comes through at any time.

    Methods that return a sentence do the work, and belong into `begin`.

    Attributes:
        state: What was done, and is being done.
    """

    def __init__(self, client: PayloadClient, names: NodeNames) -> None:
        """Do nothing yet."""
        self.state = TaskState()
        self._client, self._bridge = client, names.bridge
        self._busy, self._lock = threading.Lock(), threading.Lock()  # the latter of the state
        self._called_off = threading.Event()  # set: the task in progress moves nothing any more
        self._stops = {
            name: allowed(
                partial(client.node.create_client, Trigger, f"{name}/stop"), f"calls of {name}/stop"
            )
            for name in (names.bridge, names.planner)
        }

    def begin(self, task: str, work: Callable[[], str]) -> bool:
        """Carry out a task, unless one is in progress; return whether it was begun."""
        if not self._busy.acquire(blocking=False):
            return False
        self._called_off.clear()
        self._note(outcome=None)
        self._show(task, "asking")
        threading.Thread(target=self._carry_out, args=(task, work), daemon=True).start()
        return True

    def say(self, task: str, success: bool, sentence: str) -> None:
        """Show what came of something that takes no time."""
        self._note(outcome=Outcome(task, success, sentence))

    def begin_run(self) -> None:
        """Note that another run has begun, whoever began it: it is not saved yet."""
        self._note(saved="", reported="", exported="")

    def stop(self) -> None:
        """Have the arm stopped, and what is being done given up; return at once."""
        sent = {
            name: client.call_async(Trigger.Request())
            for name, client in self._stops.items()
            if client.service_is_ready()
        }
        self._called_off.set()
        if doing := self.state.progress.task:
            self._show(doing, "being called off")
        threading.Thread(target=self._hear_stop, args=(sent,), daemon=True).start()
        threading.Thread(target=self._stop_again, daemon=True).start()

    def plan(self, duration: float, limits: str, within: PayloadPrior | None) -> str:
        """Have a motion planned; a run forgets what was known.

        Args:
            duration: Of the motion [s].
            limits: Name of a set of limits; empty: as the planner says.
            within: Certified is any such payload; None: any that the planner's prior allows.
        """
        kind, lower, upper = ExcitationGoal.INTERVALS_PRIOR, [], []
        if within is not None:
            kind = ExcitationGoal.INTERVALS_GIVEN
            lower, upper = (end.tolist() for end in within.box())
        found = self._client.plan(
            LONGEST,
            lambda told: self._tell("planning", f"{told.phase}, {told.seconds:.0f} s"),
            self._called_off,
            duration=duration,
            limits=limits,
            intervals=kind,
            phi_lower=lower,
            phi_upper=upper,
        )
        return f"{found.plan_id}: {found.summary}"

    def dry_run(self, plan: PlanDescription) -> str:
        """MOVE THE ARM along a plan, slowly."""
        said = self._follow(DRY_RUN, plan, DRY)
        self._note(dry_run=str(plan.plan_id))
        return said

    def run(
        self, plan: PlanDescription, enough: Sequence[float], known_mass: Sequence[float]
    ) -> str:
        """MOVE THE ARM along a plan in a run of the estimator's; return its verdict.

        Args:
            plan: The plan.
            enough: What GOOD asks for; empty: as the estimator says.
            known_mass: And its largest error [kg]; empty: as the prior says.

        Raises:
            NotAnsweredError: The motion was not completed, or has led to no intervals that hold.
        """
        self._show(RUN, "the estimator begins a run")
        self._client.start(enough=enough, known_mass=known_mass)
        self.begin_run()
        try:
            self._follow(RUN, plan, 1.0)
        except NotAnsweredError:
            with suppress(NotAnsweredError):  # why it was not followed is what counts
                self._solve_run()
            raise
        said = self._solve_run()
        self._note(executed=str(plan.plan_id))
        return said

    def _solve_run(self) -> str:
        """Have a run that the arm was moved in ended, and solved for."""
        self._show(RUN, "solving for all of the data")
        time.sleep(REST)
        return self._client.stop()

    def identify(self, task: str, **fields: Any) -> str:
        """MOVE THE ARM: all of it in one goal; fields are those of payload_id_msgs/Identify."""

        def on_feedback(told: Any) -> None:
            known = f", mass known to ± {told.half_width[0]:.3f} kg"
            stage = STAGES.get(told.state, "?") + (known if told.state >= EXCITING else "")
            self._tell(task, stage, told.progress, told.seconds_left)

        result = self._client.identify(
            LONGEST, on_feedback, self._called_off, requested_by=REQUESTED_BY, **fields
        )
        self._note(saved=str(result.saved) or self.state.saved)
        if result.error_code == Identify.Result.CANCELLED and result.saved:
            return f"Finished early. {result.estimate.message}"
        return _good(result)

    def finish(self) -> None:
        """Have the goal in progress end its motion; what was recorded until then is solved."""
        self._called_off.set()
        self._show(self.state.progress.task, "coming to rest, then solving what was recorded")

    def solve(self) -> str:
        """Have the run ended, and solved for."""
        return self._client.stop()

    def save(self) -> str:
        """Have the run saved."""
        folder = self._client.save("")
        self._note(saved=folder)
        return f"Saved in {folder}."

    def hand_over(
        self, kind: str, make: Callable[[str], Handed], hand: Callable[[Handed], object]
    ) -> str:
        """Have a file made of the saved run, and handed to who asks.

        Args:
            kind: "reported" or "exported".
            make: Makes it of the run's folder.
            hand: Hands it over.
        """
        saved = self.state.saved
        made = make(saved)
        hand(made)
        self._note(**{kind: saved})
        return made.sentence

    def acknowledge(self, reason: str) -> str:
        """Let the arm move again after a fault."""
        return self._client.acknowledge(f"{reason.strip()} ({REQUESTED_BY})")

    def _follow(self, task: str, plan: PlanDescription, scale: float) -> str:
        """Have a plan followed, at a part of its speed.

        Raises:
            NotAnsweredError: It was not, to its end.
        """

        def on_feedback(told: Any) -> None:
            detail = f"{told.phase}, tracking error {told.tube_use:.0%} of the tube"
            self._tell(task, detail, told.time * scale / plan.duration, told.remaining)

        self._show(task, "the planner proves it from where the arm is")
        off = self._called_off
        return _good(self._client.execute(plan, LONGEST, scale, REQUESTED_BY, on_feedback, off))

    def _hear_stop(self, sent: dict[str, Any]) -> None:
        """Say what came of a stop: that of the bridge, which alone moves the arm, counts."""
        end = time.monotonic() + SILENT
        while time.monotonic() < end and not all(future.done() for future in sent.values()):
            time.sleep(0.02)
        answers = {
            name: future.result()
            for name, future in sent.items()
            if future.done() and future.result()
        }
        said = [
            f"{name}: {answers[name].message}"
            if name in answers
            else f"{name} has not answered in {SILENT:g} s: USE THE EMERGENCY STOP."
            for name in self._stops
            if name in sent or name == self._bridge
        ]
        # An answer without success is that nothing moves.
        self.say("stop", self._bridge in answers and len(sent) == len(answers), " ".join(said))

    def _tell(self, task: str, detail: str, part: float = math.nan, left: float = math.nan) -> None:
        """Show how far a goal is, until it is called off: what comes then was shown already."""
        if not self._called_off.is_set():
            self._show(task, detail, part, left)

    def _stop_again(self) -> None:
        """Ask the bridge again until the task in progress has ended.

        A planner that hears of a stop late may have sent another motion meanwhile.
        """
        bridge = self._stops[self._bridge]
        while self._called_off.is_set() and self._busy.locked() and bridge.service_is_ready():
            time.sleep(AGAIN)
            bridge.call_async(Trigger.Request())

    def _show(self, task: str, detail: str, part: float = math.nan, left: float = math.nan) -> None:
        """Show how far the task is."""
        with self._lock:
            before, detail = self.state.progress, printable(detail)
            same = (before.task, before.detail) == (task, detail)
            since = before.since if same else time.monotonic()
            if self._busy.locked():  # a stop shows no task again that has ended
                progress = Progress(task, detail, part, left, since)
                self.state = replace(self.state, progress=progress)

    def _note(self, **changes: Any) -> None:
        """Change the state."""
        with self._lock:
            self.state = replace(self.state, **changes)

    def _carry_out(self, task: str, work: Callable[[], str]) -> None:
        """Carry out a task; whatever happens is said, and the next one can begin."""
        try:
            success, sentence = True, work()
        except PayloadIdError as error:
            success, sentence = False, str(error)
        except Exception as error:
            OUTLIVED.note(error)
            success, sentence = False, OUTLIVED.newest
        with self._lock:
            outcome = Outcome(task, success, sentence)
            self.state = replace(self.state, progress=Progress(), outcome=outcome)
            self._busy.release()


def _good(result: Any) -> str:
    """Return what a goal's result says.

    Raises:
        NotAnsweredError: It was not reached.
    """
    if not result.success:
        raise NotAnsweredError(result.message)
    return str(result.message)
