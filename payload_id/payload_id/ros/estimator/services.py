"""The estimator's services."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from payload_id_msgs.srv import BeginRun, GetEstimate, Validate
from rclpy.node import Node
from std_srvs.srv import Trigger

from ...core.errors import printable, shortened
from ...core.knowledge.catalogue import KnownMass
from ..common.conversions import estimate_message
from ..common.steady_timer import steady_timer
from ..common.timeouts import LOOK
from ..runs.run_control import Answer, RunControl
from ..runs.run_services import RunServices
from ..runs.run_worker import RunWorker
from .block_subscription import BlockSubscription
from .run_keeping import RunKeeping
from .sources.live_run import LiveRun


class EstimatorServices(RunServices):
    """Answers `~/start`, `~/begin`, `~/stop`, `~/reset`, `~/tare`, `~/get_estimate`, `~/save`.

    And `~/hold_out` and `~/validate`, by which the newest part of a run tests the rest.
    """

    def __init__(
        self,
        node: Node,
        control: RunControl[LiveRun],
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
        super().__init__(node, control)
        self._worker, self._keeping, self._blocks = worker, keeping, blocks
        self._run = control.run
        tared = "The arm is tared; waiting for data with the payload."
        self._trigger("tare", lambda: control.carry_out(self._run.tare, then=tared))
        held = partial(control.carry_out, lambda: self._run.hold_out(control.running), after=True)
        self._trigger("hold_out", held)
        self._serve(Trigger, "start", self._on_start)
        self._serve(BeginRun, "begin", self._on_begin)
        self._serve(Validate, "validate", self._on_validate)
        self._serve(GetEstimate, "get_estimate", self._on_get_estimate)
        steady_timer(node, LOOK, self._on_check)

    def hand_over(self, action: Callable[[], Answer], divides: bool) -> Future[Answer]:
        """Hand a request to the worker; it goes before the samples that are published later."""
        if divides:
            return self._worker.divide(action, time.time_ns())
        return self._worker.request(action)

    def written(self, asked: str) -> tuple[Callable[[], tuple[Path, str]], str]:
        """Return what writes the run, and what is to be said of its place."""
        folder, note = self._keeping.folder(asked)
        if lacking := self._blocks.state.unrecorded:
            note += (
                " The recording is not whole, so that a replay may differ or find nothing: "
                f"{lacking}"
            )
        return partial(self._run.save, folder, self._keeping.entries), note

    def remarks(self) -> str:
        """Return what is wrong with the samples that a run takes; empty: nothing."""
        silence = self._blocks.silence() if self._control.running else ""
        return " ".join(x for x in (silence, self._blocks.rivalry()) if x)

    def _on_check(self) -> None:
        """Carry out the requests that need not wait any more."""
        if self._worker.waits:
            there = self._node.count_publishers(self._blocks.topic)
            self._worker.look(self._blocks.newest if there else -math.inf)

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
        response.running, response.tared = self._control.running, self._run.tared
        return response

    async def _begun(
        self, mass: KnownMass | None, begun_by: str = "", enough: Sequence[float] = ()
    ) -> tuple[bool, str]:
        """Begin a run, unless no sample can come; return whether, and a sentence."""
        left = ""
        if self._control.running and begun_by and begun_by == self._control.doing.begun_by:
            await self.end_run()
            left = f" One that {printable(shortened(begun_by))} had left was ended before."
        obstacle = "" if self._control.running else await self._blocks.obstacle()
        if obstacle:
            success, said = False, f"No run has begun: it would get no samples. {obstacle}{left}"
        else:
            asked = partial(self._control.start, begun_by, mass=mass, enough=enough)
            result = await self._ask(asked, divides=True)
            success, said = result.success, f"{result.message}{left}"
            if success and (lacking := self._blocks.state.unrecorded):
                said += f" Its recording may not be whole: {lacking}"
        self._log.info(said)
        return success, said

    async def _on_validate(
        self, request: Validate.Request, response: Validate.Response
    ) -> Validate.Response:
        """Say how what was held out agrees with what went before."""
        result = await self._ask(lambda: self._control.carry_out(self._run.validate, after=True))
        response.success, response.message = result.success, result.message
        if (found := result.found) is not None:
            response.success = found.seconds > 0.0
            response.agrees, response.seconds = found.agrees, found.seconds
            response.first_part_rms, response.held_out_rms = found.first_rms, found.rms
            response.largest_use = found.largest_use
        return response

    async def _on_get_estimate(
        self, request: GetEstimate.Request, response: GetEstimate.Response
    ) -> GetEstimate.Response:
        """Answer with the estimate from all samples so far."""
        result = await self._ask(self._control.estimate)
        response.success = result.success
        response.message = f"{result.message} {self.remarks()}".rstrip()
        response.estimate = estimate_message(result.report)
        return response
