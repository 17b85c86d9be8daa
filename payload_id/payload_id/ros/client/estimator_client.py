"""Talking to a running estimator from Python."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import BeginRun, GetEstimate, Save
from rclpy.client import Client
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_srvs.srv import Trigger

from ...core.body.inertial import mass_com_inertia
from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...core.identification.headline import HISTORY, Headline
from ...core.identification.status import Status
from .waiting import allowed, answer_of, call, wait_for

QOS = QoSProfile(
    depth=50, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
SOLVED = 90.0  # [s] that an answer may take for which everything is solved, and a cause looked for
SERVICES = {
    **dict.fromkeys(("start", "stop", "reset", "tare"), Trigger),
    "begin": BeginRun,
    "get_estimate": GetEstimate,
    "save": Save,
}
STATUSES = {getattr(PayloadEstimate, status.value): status for status in Status}


def estimate_from(message: PayloadEstimate) -> Estimate:
    """Return a message's estimate.

    Raises:
        InputError: It is none, such as one with a status that does not exist.
    """
    if message.status not in STATUSES:
        raise InputError(
            f"An estimate has the unknown status {message.status}. Build both sides from the same "
            "message definitions, and see that the estimator alone publishes them."
        )
    return Estimate(
        phi=np.array(message.phi, dtype=float),
        lower=np.array(message.lower, dtype=float),
        upper=np.array(message.upper, dtype=float),
        identifiable=np.array(message.identifiable, dtype=bool),
        status=STATUSES[message.status],
        message=message.message,
        estimator=message.estimator,
        intervals=message.intervals,
        samples=message.samples,
        windows=message.windows,
        seconds=message.seconds,
        residual_rms=message.residual_rms,
        condition_number=message.condition_number,
        noise_factor=message.noise_factor,
        cause=message.cause,
        payload_frame=message.header.frame_id,
        headline=_headline(message),
    )


def _headline(message: PayloadEstimate) -> Headline | None:
    """Return mass and centre of mass by the kind of interval that the message names."""
    if not message.kind:
        return None
    phi = message.calibrated_phi if message.kind == HISTORY else message.phi
    mass, com, _ = mass_com_inertia(np.array(phi, dtype=float))
    return Headline(
        message.kind,
        np.append(mass, com),
        np.append(message.mass_lower, message.com_lower),
        np.append(message.mass_upper, message.com_upper),
    )


class PayloadClient:
    """Starts and stops runs, and collects estimates; its node spins in a thread of its own.

    Use it as a context manager. Every call waits at most its timeout and returns the estimator's
    own sentence.

    Attributes:
        node: The client's node, for further publishers and subscriptions.
        messages: Estimates published since the client began, oldest first.
    """

    def __init__(
        self, estimator: str = "payload_estimator", context: Context | None = None
    ) -> None:
        """Create the node; rclpy (or the given context) must be initialised."""
        self.node = allowed(lambda: Node("payload_client", context=context), "a client's node")
        self.messages: list[PayloadEstimate] = []
        self._estimator = estimator
        self._clients: dict[str, Client] = {}  # made when needed: not everybody may call everything
        self.node.create_subscription(
            PayloadEstimate, f"{estimator}/payload", self.messages.append, QOS
        )
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def __enter__(self) -> PayloadClient:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the thread and the node."""
        self._executor.shutdown()
        self._thread.join(timeout=5.0)
        self.node.destroy_node()

    def _spin(self) -> None:
        """Serve the node until the executor is shut down."""
        try:
            self._executor.spin()
        except ExternalShutdownException:
            return

    def start(self, timeout: float = 10.0, enough: Sequence[float] = ()) -> str:
        """Begin a run.

        Args:
            timeout: For the answer [s].
            enough: What GOOD asks for, see payload_id_msgs/BeginRun; empty: the node's parameter.
        """
        if not len(enough):
            return str(self._ask("start", Trigger.Request(), timeout).message)
        request = BeginRun.Request(enough=[float(x) for x in enough])
        return str(self._ask("begin", request, timeout).message)

    def stop(self, timeout: float = SOLVED) -> str:
        """End the run; the final estimate has been published when this returns.

        Raises:
            NotAnsweredError: No run was in progress, or it has led to no intervals that hold:
                `estimate` then says why.
        """
        return str(self._ask("stop", Trigger.Request(), timeout).message)

    def reset(self, timeout: float = 10.0) -> str:
        """Forget the payload."""
        return str(self._ask("reset", Trigger.Request(), timeout).message)

    def tare(self, timeout: float = SOLVED) -> str:
        """Declare that the run just made had no payload."""
        return str(self._ask("tare", Trigger.Request(), timeout).message)

    def estimate(self, timeout: float = SOLVED) -> Estimate:
        """Return the estimate from all samples so far; its status says what it is worth."""
        answer = answer_of(self._client("get_estimate"), GetEstimate.Request(), timeout)
        return estimate_from(answer.estimate)

    def save(self, folder: str, timeout: float = SOLVED) -> str:
        """Save the run's settings and result in a folder; return the file's absolute path."""
        return str(self._ask("save", Save.Request(path=folder), timeout).path)

    def wait_until_ready(self, timeout: float) -> None:
        """Wait for all services.

        Raises:
            NotAnsweredError: They did not appear in time.
        """
        for name in SERVICES:
            ready = self._client(name).service_is_ready
            wait_for(ready, timeout, f"service {name} of the estimator")

    wait_for = staticmethod(wait_for)

    def _ask(self, name: str, request: Any, timeout: float) -> Any:
        """Call a service and return its response."""
        return call(self._client(name), request, timeout)

    def _client(self, name: str) -> Client:
        """Return what calls a service."""
        if name not in self._clients:
            full = f"{self._estimator}/{name}"
            self._clients[name] = allowed(
                lambda: self.node.create_client(SERVICES[name], full), f"calls of {full}"
            )
        return self._clients[name]
