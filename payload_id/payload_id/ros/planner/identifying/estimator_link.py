"""The planner's line to the estimator: runs begun, tested and ended; whether it is still there.

Nothing here waits without an end: who does not answer in time, or has ended, is an error.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import BeginRun, GetEstimate, Save, Validate
from rclpy.node import Node
from std_srvs.srv import Trigger

from ....core.errors import InputError
from ...common.awaited_answers import until
from ...common.timeouts import FOUND, LOG, SOLVED
from ...common.timeouts import SILENT as UNHEARD
from ...common.topics import RUNNING, SILENT
from ...supervision.estimator_watch import EstimatorWatch

NEWS = 1.5  # [s] in which its condition is heard anew, and tells of now
KINDS = {
    "begin": BeginRun,
    "get_estimate": GetEstimate,
    "save": Save,
    "validate": Validate,
    **dict.fromkeys(("stop", "tare", "hold_out"), Trigger),
}


class EstimatorLostError(InputError):
    """The estimator has ended, or does not answer."""


class EstimatorLink(EstimatorWatch):
    """Calls an estimator, and hears what it says of one payload frame."""

    def __init__(self, node: Node, name: str, frame: str) -> None:
        """Find its services.

        Args:
            node: The node, with an executor that serves it.
            name: Of the estimator's node.
            frame: The payload frame.
        """
        super().__init__(node, name)
        self._frame = frame
        self._sampled = self._asked = float("-inf")
        self._calls = {
            key: node.create_client(kind, f"{name}/{key}") for key, kind in KINDS.items()
        }

    def take(self, estimate: PayloadEstimate) -> None:
        """Take in an estimate, unless it is of another frame and so of nobody this node knows."""
        if (frame := estimate.header.frame_id) in ("", self._frame):
            super().take(estimate)
            return
        self._node.get_logger().warning(
            f"An estimate in the frame {frame[:80]!r} is not used: the robot file's payload frame "
            f"is '{self._frame}'. Who publishes on the estimator's topic?",
            throttle_duration_sec=LOG,
        )

    def hear(self, condition: DiagnosticStatus) -> None:
        """Take in how it is."""
        super().hear(condition)
        if not self.figures.get(SILENT, ""):
            self._sampled = self._heard

    @property
    def trouble(self) -> str:
        """Why the run in progress gets no data any more; empty while nothing speaks for that."""
        if self.absence:
            return self.absence.rstrip(".")
        since = self._heard - self._asked  # what was said before may be heard a moment later
        if since > NEWS and self.figures.get(RUNNING) != "True":
            return (
                f"The run of the estimator ({self.name}) was ended by somebody else, or the "
                "estimator was deactivated or started anew"
            )
        silent = time.monotonic() - self._sampled > UNHEARD
        return self.figures.get(SILENT, "").rstrip(".") if silent else ""

    @property
    def ceased(self) -> str:
        """Why no samples come now, as the estimator has said twice; empty: they come."""
        silence = self._heard - self._sampled
        return self.figures.get(SILENT, "").rstrip(".") if silence > NEWS else ""

    async def is_heard(self) -> bool:
        """Return whether there is an estimator that says how it is, once that is clear."""
        return await until(self._node, lambda: time.monotonic() - self._heard < UNHEARD, FOUND)

    async def begin(
        self, known_mass: Sequence[float], enough: Sequence[float], anew: bool
    ) -> BeginRun.Response:
        """Begin a run, if none is in progress; return what the estimator says.

        Args:
            known_mass: Of this payload, and its largest error [kg]; empty: not known.
            enough: What GOOD asks for; empty: as the estimator's parameter says.
            anew: Whether a run makes way that a node of this name has begun and not ended: it was
                killed, say.
        """
        before = self.estimate
        begun_by = self._node.get_fully_qualified_name() if anew else ""
        request = BeginRun.Request(
            known_mass=list(known_mass), enough=list(enough), begun_by=begun_by
        )
        answer = await self.call("begin", request)
        if answer.success:  # what was published before is of another run
            await until(self._node, lambda: self.estimate is not before, 2.0)
            self.estimate = PayloadEstimate(status=PayloadEstimate.WAITING)
        self._asked = time.monotonic()
        return answer

    def end(self) -> None:
        """Have the run ended, and wait for no answer."""
        if (stop := self._calls["stop"]).service_is_ready():
            stop.call_async(Trigger.Request())

    async def newest(self) -> PayloadEstimate:
        """Return the estimate of all data.

        Raises:
            EstimatorLostError: It has none: it is not active any more.
        """
        answer = await self.call("get_estimate")
        if not answer.success and not answer.estimate.message:
            raise EstimatorLostError(answer.message)
        return answer.estimate

    async def call(self, name: str, request: Any = None) -> Any:
        """Return the answer of a service in `KINDS` to a request; None: to an empty one.

        Raises:
            EstimatorLostError: There is none in time.
        """
        client = self._calls[name]
        if not await until(self._node, client.service_is_ready, FOUND):
            raise EstimatorLostError(
                f"There is no service {client.srv_name}: start the estimator, or set the parameter "
                "estimator."
            )
        asked, seen = client.call_async(request or KINDS[name].Request()), time.monotonic()

        def ended() -> bool:
            nonlocal seen
            seen = time.monotonic() if client.service_is_ready() else seen
            return asked.done() or time.monotonic() - seen > FOUND

        await until(self._node, ended, SOLVED)
        if not asked.done():
            client.remove_pending_request(asked)
            raise EstimatorLostError(f"{client.srv_name} did not answer: the estimator has ended.")
        return asked.result()
