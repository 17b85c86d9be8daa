"""The estimator's services."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Sequence

from payload_id_msgs.srv import BeginRun, GetEstimate, Save, Validate
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger

from ...core.errors import ConfigurationError, printable, shortened
from ...core.knowledge.catalogue import KnownMass
from ..common.awaited_answers import AwaitedAnswers
from ..common.conversions import estimate_message
from ..common.steady_timer import steady_timer
from .block_subscription import BlockSubscription
from .run_control import Answer, RunControl
from .run_keeping import RunKeeping
from .run_worker import RunWorker

CHECK_PERIOD = 0.05  # [s] how often answers of the worker and late blocks are looked for


class EstimatorServices:
    """Answers `~/start`, `~/begin`, `~/stop`, `~/reset`, `~/tare`, `~/get_estimate`, `~/save`.

    And `~/hold_out` and `~/validate`, by which the newest part of a run tests the rest.
    """

    def __init__(
        self,
        node: Node,
        control: RunControl,
        worker: RunWorker,
        keeping: RunKeeping,
        blocks: BlockSubscription,
    ) -> None:
        """Create the services.

        Args:
            node: The node.
            control: What the requests do.
            worker: The thread in which they are carried out.
            keeping: Where runs are saved.
            blocks: Where samples come from.
        """
        self._node, self._log = node, node.get_logger()
        self._control, self._worker, self._keeping = control, worker, keeping
        self._blocks = blocks
        self._answers = AwaitedAnswers()
        # While one of them waits for the worker, everything else is served.
        group = ReentrantCallbackGroup()
        for name, action in (
            ("~/stop", lambda: control.stop(blocks.reason())),
            ("~/reset", self._reset),
            ("~/tare", control.tare),
            ("~/hold_out", control.hold_out),
        ):
            node.create_service(Trigger, name, self._trigger(action), callback_group=group)
        node.create_service(Trigger, "~/start", self._on_start, callback_group=group)
        node.create_service(BeginRun, "~/begin", self._on_begin, callback_group=group)
        node.create_service(Validate, "~/validate", self._on_validate, callback_group=group)
        node.create_service(
            GetEstimate, "~/get_estimate", self._on_get_estimate, callback_group=group
        )
        node.create_service(Save, "~/save", self._on_save, callback_group=group)
        steady_timer(node, CHECK_PERIOD, self._on_check)

    async def end_run(self) -> Answer:
        """End the run in progress, with all blocks that have been published so far."""
        answer: Answer = await self._divide(lambda: self._control.stop(self._blocks.reason()))
        self._log.info(answer.message)
        return answer

    def _reset(self) -> Answer:
        """Forget the payload; a run in progress begins anew."""
        answer = self._control.reset()
        if answer.success:
            self._keeping.begin()
        return answer

    def _on_check(self) -> None:
        """Wake the requests that need not wait any more."""
        there = self._node.count_publishers(self._blocks.topic)
        self._worker.look(self._blocks.newest if there else -math.inf)
        self._answers.pass_on()

    def _ask(self, action: Callable[[], Answer]) -> RosFuture:
        """Hand a request to the worker; the executor goes on serving blocks meanwhile."""
        return self._answers.awaitable(self._worker.request(action))

    def _divide(self, action: Callable[[], Answer]) -> RosFuture:
        """Hand over a request that divides samples into those published before now, and later."""
        return self._answers.awaitable(self._worker.divide(action, time.time_ns()))

    def _remarks(self) -> str:
        """Return what is wrong with the samples that a run takes; empty: nothing."""
        silence = self._blocks.silence() if self._control.running else ""
        return " ".join(x for x in (silence, self._blocks.rivalry()) if x)

    def _trigger(
        self, action: Callable[[], Answer]
    ) -> Callable[[Trigger.Request, Trigger.Response], Awaitable[Trigger.Response]]:
        """Return the callback of a service that divides the samples into before and after."""

        async def answer(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            remarks = self._remarks()
            result = await self._divide(action)
            response.success = result.success
            response.message = f"{result.message} {remarks}".rstrip()
            self._log.info(response.message)
            return response

        return answer

    async def _on_start(
        self, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Begin a run, unless no sample can come."""
        response.success, response.message = await self._begun(None)
        return response

    async def _on_begin(
        self, request: BeginRun.Request, response: BeginRun.Response
    ) -> BeginRun.Response:
        """Begin a run with what is known of its payload."""
        known = list(request.known_mass)
        response.recording = self._keeping.recording
        response.running = self._control.running
        if len(known) not in (0, 2) or (known and not known[1] > 0.0):
            response.message = (
                "known_mass takes the mass and its largest error, which is above 0 kg, or nothing; "
                f"found {known}."
            )
            return response
        mass = KnownMass(*known) if known else None
        response.success, response.message = await self._begun(
            mass, request.begun_by, request.enough
        )
        response.running, response.tared = self._control.running, self._control.tared
        return response

    async def _begun(
        self, mass: KnownMass | None, begun_by: str = "", enough: Sequence[float] = ()
    ) -> tuple[bool, str]:
        """Begin a run, unless no sample can come; return whether, and a sentence."""
        left = ""
        if self._control.was_left_by(begun_by):
            await self.end_run()
            left = f" One that {printable(shortened(begun_by))} had left was ended before."
        obstacle = "" if self._control.running else await self._blocks.obstacle()
        if obstacle:
            success, said = False, f"No run has begun: it would get no samples. {obstacle}{left}"
        else:
            result = await self._divide(lambda: self._start(mass, begun_by, enough))
            success, said = result.success, f"{result.message}{left}"
            if success and (lacking := self._blocks.state.unrecorded):
                said += f" Its recording may not be whole: {lacking}"
        self._log.info(said)
        return success, said

    def _start(self, mass: KnownMass | None, begun_by: str, enough: Sequence[float]) -> Answer:
        """Begin a run; called in the worker's thread."""
        answer = self._control.start(mass, begun_by, enough)
        if answer.success:
            self._keeping.begin()
        return answer

    async def _on_validate(
        self, request: Validate.Request, response: Validate.Response
    ) -> Validate.Response:
        """Say how what was held out agrees with what went before."""
        result = await self._ask(self._control.validate)
        response.success, response.message = result.success, result.message
        if (found := result.validation) is not None:
            response.agrees, response.seconds = found.agrees, found.seconds
            response.first_part_rms, response.held_out_rms = found.first_rms, found.rms
            response.largest_use = found.largest_use
        return response

    async def _on_get_estimate(
        self, request: GetEstimate.Request, response: GetEstimate.Response
    ) -> GetEstimate.Response:
        """Answer with the estimate from all samples so far."""
        result = await self._ask(lambda: self._control.estimate(self._blocks.reason()))
        response.success = result.success
        response.message = f"{result.message} {self._remarks()}".rstrip()
        response.estimate = estimate_message(result.report)
        return response

    async def _on_save(self, request: Save.Request, response: Save.Response) -> Save.Response:
        """Save the run."""
        try:
            folder, note = self._keeping.folder(request.path)
        except ConfigurationError as error:
            response.success, response.message = False, str(error)
            self._log.warn(response.message)
            return response
        if lacking := self._blocks.state.unrecorded:
            note += (
                " The recording is not whole, so that a replay may differ or find nothing: "
                f"{lacking}"
            )
        note = f"{note} {self._remarks()}".rstrip()
        result = await self._ask(lambda: self._control.save(folder, self._keeping.entries, note))
        response.success, response.message = result.success, result.message
        response.path = str(result.path or "")
        self._log.info(result.message)
        return response
