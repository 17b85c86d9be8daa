"""What operators have asked for, one task at a time, each by a public service or action."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from payload_id_msgs.msg import ExcitationGoal, PlanDescription
from std_srvs.srv import Trigger

from ....core.errors import PayloadIdError, printable
from ....files.robots.robot_file import RobotFile
from ...client.payload_client import STAGES, PayloadClient
from ...client.waiting import NotAnsweredError, allowed
from ...common.error_sentence import OUTLIVED
from .handing import Handed, load_of, report_of
from .names import Names

LONGEST = 3600.0  # [s] that a task may take
DRY = 0.1  # of the speed
LONG = 120  # letters of what is said of a task in progress
REST = 2.0  # [s] of data after a motion, before they are solved
STOPPED = 5.0  # [s] in which a stop is answered
STARTING = "starting"  # phase of payload_id_msgs/Execute
TARE_ONLY = 2  # of payload_id_msgs/Identify


@dataclass(frozen=True)
class Progress:
    """How far a task is.

    Attributes:
        task: What is being done; empty: nothing.
        detail: A few words.
        part: 0 to 1, NaN: not known.
        left: Expected time until its end [s], NaN: not known.
        since: When this was shown first, by `time.monotonic` [s].
    """

    task: str = ""
    detail: str = ""
    part: float = math.nan
    left: float = math.nan
    since: float = math.nan

    @property
    def seconds(self) -> float:
        """For how long the same has been shown [s]; NaN: not known."""
        return time.monotonic() - self.since


@dataclass(frozen=True)
class Outcome:
    """How a task ended.

    Attributes:
        task: What it was.
        success: Whether it did what it is for.
        sentence: The node's own words.
        at: When, by `time.monotonic` [s].
    """

    task: str
    success: bool
    sentence: str
    at: float


class Tasks:
    """Carries out one task at a time, in a thread of its own; a stop comes through at any time.

    Attributes:
        progress: Of the task in progress.
        outcome: Of the newest one that has ended; None before.
        dry_run: Name of the plan that was followed slowly.
        executed: Name of the plan that was followed while data were taken.
        enough: What GOOD asks for in runs that are begun here; empty: as the estimator says.
        saved: Folder of the newest saved run.
        reported: Folder of the run whose report was handed over.
        exported: Folder of the run whose load was handed over.
    """

    def __init__(self, client: PayloadClient, planner: PlannerClient, names: Names) -> None:
        """Do nothing yet."""
        self.progress = Progress()
        self.outcome: Outcome | None = None
        self.dry_run = self.executed = self.saved = self.reported = self.exported = ""
        self.enough: Sequence[float] = ()
        self._client, self._planner, self._bridge = client, planner, names.bridge
        self._lock, self._showing = threading.Lock(), threading.Lock()
        self._called_off = threading.Event()  # set: the task in progress moves nothing any more
        self._stops = {
            name: allowed(
                partial(client.node.create_client, Trigger, f"{name}/stop"), f"calls of {name}/stop"
            )
            for name in (names.bridge, names.planner)
        }

    def plan(self, by: str, duration: float, limits: str, seed: int) -> bool:
        """Have a motion planned for whatever the prior allows; return whether it was begun."""

        def work() -> str:
            def tell(told: Any) -> None:
                self._show("planning", f"{told.phase}, {told.seconds:.0f} s")

            off = self._called_off
            found = self._planner.plan(
                LONGEST, tell, off, duration=duration, seed=seed, limits=limits,
                intervals=ExcitationGoal.INTERVALS_PRIOR,  # a run forgets what was known
            )  # fmt: skip
            return f"{found.plan_id}: {found.summary}"

        return self._begin("planning", by, work)

    def describe(self, by: str) -> bool:
        """Have the newest plan described, which gives the token to execute it."""

        def work() -> str:
            return str(self._planner.described().summary)

        return self._begin("describing the plan", by, work)

    def follow(self, by: str, plan: PlanDescription, dry: bool) -> bool:
        """MOVE THE ARM along a plan, slowly or while data are taken."""
        what = "dry run" if dry else "run"
        scale = DRY if dry else 1.0

        def work() -> str:
            description = self._planner.described(plan.plan_id)
            duration = description.duration / scale

            def tell(told: Any) -> None:
                if told.phase == STARTING:
                    self._show(what, "waiting for its first instant, by the joint states")
                    return
                self._show(
                    what,
                    f"{told.phase}, tracking error {told.tube_use:.0%} of the tube",
                    told.time / duration,
                    told.remaining,
                )

            def move() -> str:
                self._show(what, "the planner proves it from where the arm is")
                off = self._called_off
                result = self._planner.execute(description, LONGEST, scale, by, tell, off)
                if not result.success:
                    raise NotAnsweredError(result.message)
                return str(result.message)

            if dry:
                said = move()
                self.dry_run = plan.plan_id
                return said
            said = self._while_data_are_taken(what, move)
            self.executed = plan.plan_id
            return said

        return self._begin(what, by, work)

    def _while_data_are_taken(self, what: str, move: Callable[[], str]) -> str:
        """Have the arm moved in a run of the estimator's, which ends with it; return its verdict.

        Raises:
            NotAnsweredError: The motion was not completed, or has led to no intervals that hold.
        """
        self._show(what, "the estimator begins a run")
        self._client.start(enough=self.enough)
        self.forget_run()
        failed: NotAnsweredError | None = None
        try:
            move()
        except NotAnsweredError as error:
            failed = error
        self._show(what, "solving for all of the data")
        time.sleep(REST)
        try:
            said = self._client.stop()
        except NotAnsweredError as error:
            raise failed or error from error
        if failed is not None:
            raise failed
        return said

    def identify(self, by: str, tare: bool) -> bool:
        """MOVE THE ARM: all of it in one goal, or a tare without payload."""
        what = "tare" if tare else "identify"

        def work() -> str:
            def tell(told: Any) -> None:
                half = told.half_width[0]
                mass = f", mass known to ± {half:.3f} kg" if math.isfinite(half) else ""
                self._show(
                    what, f"{STAGES.get(told.state, '?')}{mass}", told.progress, told.seconds_left
                )

            fields = {"tare": TARE_ONLY} if tare else {"enough": list(self.enough)}
            off = self._called_off
            result = self._planner.identify(LONGEST, tell, off, requested_by=by, **fields)
            self.saved = str(result.saved) or self.saved
            if not result.success:
                raise NotAnsweredError(result.message)
            return str(result.message)

        return self._begin(what, by, work)

    def forget_run(self) -> None:
        """Note that another run has begun, whoever began it: it is not saved yet."""
        self.saved = self.reported = self.exported = ""

    def say(self, by: str, task: str, success: bool, sentence: str) -> None:
        """Show what came of something that takes no time."""
        self.outcome = Outcome(f"{task}, by {by}", success, sentence, time.monotonic())

    def solve(self, by: str) -> bool:
        """Have the run ended, and solved for."""
        return self._begin("solving", by, self._client.stop)

    def save(self, by: str) -> bool:
        """Have the run saved."""

        def work() -> str:
            self.saved = self._client.save("")
            return f"Saved in {self.saved}."

        return self._begin("saving", by, work)

    def report(self, by: str, hand: Callable[[Handed], object]) -> bool:
        """Have the report of the saved run made, and handed to who asks."""

        def work() -> str:
            saved = self.saved
            made = report_of(saved)
            hand(made)
            self.reported = saved
            return made.sentence

        return self._begin("report", by, work)

    def export(
        self, by: str, target: str, robot: RobotFile, hand: Callable[[Handed], object]
    ) -> bool:
        """Have the load of the saved run written as a target takes it, and handed to who asks."""

        def work() -> str:
            saved = self.saved
            made = load_of(saved, target, robot)
            hand(made)
            self.exported = saved
            return made.sentence

        return self._begin("export", by, work)

    def acknowledge(self, by: str, reason: str) -> bool:
        """Let the arm move again after a fault."""
        said = reason.strip() or "acknowledged in the live view"
        return self._begin("acknowledging", by, lambda: self._planner.acknowledge(f"{said} ({by})"))

    def stop(self, by: str) -> None:
        """Have the arm stopped, and what is being done given up; return at once."""
        sent = [
            (name, client.call_async(Trigger.Request()))
            for name, client in self._stops.items()
            if client.service_is_ready()
        ]
        self._called_off.set()
        with self._showing:
            if doing := self.progress.task:
                self._show(doing, "being called off")
        threading.Thread(target=self._hear_stop, args=(by, sent), daemon=True).start()

    def _hear_stop(self, by: str, sent: list[tuple[str, Any]]) -> None:
        """Say what came of a stop: that of the bridge, which alone moves the arm, counts."""
        end = time.monotonic() + STOPPED
        while time.monotonic() < end and not all(future.done() for _, future in sent):
            time.sleep(0.02)
        answers = {
            name: future.result() for name, future in sent if future.done() and future.result()
        }
        asked = {name for name, _ in sent}
        said = []
        for name in self._stops:
            if name in answers:
                said.append(f"{name}: {answers[name].message}")
            elif name in asked:
                said.append(
                    f"{name} has not answered within {STOPPED:g} s: USE THE EMERGENCY STOP."
                )
            elif name == self._bridge:
                said.append(f"{name} is not heard: USE THE EMERGENCY STOP.")
        # An answer without success is that nothing moves.
        self.say(by, "stop", self._bridge in answers and asked == set(answers), " ".join(said))

    def _show(self, task: str, detail: str, part: float = math.nan, left: float = math.nan) -> None:
        """Show how far the task is."""
        detail, before = printable(detail)[:LONG], self.progress
        same = (before.task, before.detail) == (task, detail)
        since = before.since if same else time.monotonic()
        self.progress = Progress(task, detail, part, left, since)

    def _begin(self, task: str, by: str, work: Callable[[], str]) -> bool:
        """Carry out a task, unless one is in progress; return whether it was begun."""
        if not self._lock.acquire(blocking=False):
            return False
        self._called_off = threading.Event()
        self._show(task, "asking")
        threading.Thread(target=self._carry_out, args=(task, by, work), daemon=True).start()
        return True

    def _carry_out(self, task: str, by: str, work: Callable[[], str]) -> None:
        """Carry out a task; whatever happens is said, and the next one can begin."""
        try:
            success, sentence = True, work()
        except PayloadIdError as error:
            success, sentence = False, str(error)
        except Exception as error:
            OUTLIVED.note(error)
            success, sentence = False, OUTLIVED.newest
        finally:
            with self._showing:  # a stop shows no task again that has ended
                self.progress = Progress()
            self._lock.release()
        self.outcome = Outcome(f"{task}, by {by}", success, sentence, time.monotonic())
